"""Two answers compared: measured, weighed by the fitted model, scored, quoted and explained.

The same function for either order: exchanging the answers exchanges everything in the opinion but the names.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from ...evidence import Span
from ...facts.sentences import sentence_spans
from ...rubric import Rubric
from ...verdicts import LABELS, ComparisonOpinion, Evidence, Label, Score, Warning
from ..base import CompareQuestion
from .measures import Measured
from .model import Model, Prediction, Vote, compare_pair
from .quoting import fit
from .scoring import place_all
from .telling import justify, rationale, summarize, tell

_HUNDREDTH = Decimal("0.01")
_LOOKED_AT = 400  # sentences


def compare_texts(question: CompareQuestion, judge: str = "embedded", model: Model | None = None) -> ComparisonOpinion:
    """One opinion on both answers."""
    case, rubric = question.case, question.rubric
    texts = (case.task, case.a, case.b, case.context)
    measured, prediction = compare_pair(*texts, model) if model is not None else _by_the_shipped_model(*texts)
    placed = place_all(rubric, measured, prediction, passages=bool(case.context.strip()))
    evidence, warnings = _quote(question, rubric, measured, prediction)
    return ComparisonOpinion(
        judge=judge,
        order=question.order,
        scores={
            key: {
                label: Score(
                    item.scores[label],
                    justify(key, label, measured, prediction, assessed=item.assessed),
                    item.assessed,
                )
                for label in LABELS
            }
            for key, item in placed.items()
        },
        evidence=tuple(evidence),
        summaries={label: summarize(label, measured, prediction) for label in LABELS},
        preference=prediction.winner,
        rationale=rationale(measured, prediction),
        warnings=tuple(warnings),
        confidence=Decimal(repr(prediction.confidence)).quantize(_HUNDREDTH),
        decided=prediction.decided,
    )


@lru_cache(maxsize=2)
def _by_the_shipped_model(task: str, a: str, b: str, context: str) -> tuple[Measured, Prediction]:
    """A case is asked about once for each order, and both have the same answer."""
    return compare_pair(task, a, b, context)


def _quote(
    question: CompareQuestion, rubric: Rubric, measured: Measured, prediction: Prediction
) -> tuple[list[Evidence], list[Warning]]:
    """For each criterion and answer a passage, where a measure that set the two apart shows if it shows anywhere."""
    evidence: list[Evidence] = []
    warnings: list[Warning] = []
    sentences = {label: sentence_spans(question.case.answer(label), _LOOKED_AT) for label in LABELS}
    for criterion in rubric.criteria:
        votes = [vote for vote in prediction.votes if vote.info.criterion == criterion.key]
        for label in LABELS:
            text = question.case.answer(label)
            vote, place = _shown(votes, label, measured)
            span = _passage(text, sentences[label], place)
            if span is None:
                message = f"{criterion.key}: response {label} has no passage that can be quoted"
                warnings.append(Warning(code="missing_evidence", message=message))
                continue
            favorable = vote is None or (vote.moved > 0) == (label == "A")
            evidence.append(
                Evidence(
                    criterion=criterion.key,
                    answer=label,
                    impact="favorable" if favorable else "unfavorable",
                    quote=text[span.start : span.end],
                    rationale=_why(vote, place, label, measured),
                    start=span.start,
                    end=span.end,
                )
            )
    return evidence, warnings


def _shown(votes: list[Vote], label: Label, measured: Measured) -> tuple[Vote | None, tuple[int, int] | None]:
    """The strongest vote that has a place in this answer, else the strongest."""
    own = measured.a if label == "A" else measured.b
    ranked = sorted(votes, key=lambda vote: -abs(vote.moved))
    for vote in ranked:
        if (place := own[vote.measure].place) is not None:
            return vote, place
    return (ranked[0], None) if ranked else (None, None)


def _passage(text: str, sentences: list[tuple[int, int]], place: tuple[int, int] | None) -> Span | None:
    if place is not None:
        around = next(((low, high) for low, high in sentences if low <= place[0] < high), place)
        # A long sentence is cut: from the place itself rather than from its beginning.
        start = around[0] if place[0] - around[0] < 80 else place[0]
        if (span := fit(text, start, max(around[1], place[1]))) is not None:
            return span
    for low, high in sentences[:3]:
        if (span := fit(text, low, high)) is not None:
            return span
    return None


def _why(vote: Vote | None, place: tuple[int, int] | None, label: Label, measured: Measured) -> str:
    if vote is None:
        return "A typical passage; nothing measured here sets the two apart."
    where = "" if place is not None else "True of the whole answer, of which this is the beginning: "
    told = tell(vote, label, measured)
    return f"{where}{told}." if where else f"{told[:1].upper()}{told[1:]}."
