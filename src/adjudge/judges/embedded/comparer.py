"""Two answers compared: measured, weighed by the fitted model, scored, quoted and explained.

The same function for either order: exchanging the answers exchanges everything in the opinion but the names.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from ...evidence import Span
from ...facts.sentences import sentence_spans
from ...verdicts import LABELS, ComparisonOpinion, Evidence, Label, Score, Warning
from ..base import CompareQuestion
from .measures import Measured
from .model import Model, Vote, compare_pair
from .quoting import fit
from .scoring import place_all
from .telling import justify, rationale, summarize, tell

_HUNDREDTH = Decimal("0.01")
_LOOKED_AT = 400  # sentences


def compare_texts(question: CompareQuestion, judge: str = "embedded", model: Model | None = None) -> ComparisonOpinion:
    """One opinion on both answers."""
    case, rubric = question.case, question.rubric
    measured, prediction = compare_pair(case.task, case.a, case.b, case.context, model)
    placed = place_all(rubric, measured, prediction, passages=bool(case.context.strip()))
    strongest_first = sorted(prediction.votes, key=lambda vote: -abs(vote.moved))
    votes: dict[str, list[Vote]] = {criterion.key: [] for criterion in rubric.criteria}
    for vote in strongest_first:
        votes.setdefault(vote.info.criterion, []).append(vote)
    evidence, warnings = _quote(question, votes, measured)
    return ComparisonOpinion(
        judge=judge,
        order=question.order,
        scores={
            key: {
                label: Score(
                    item.scores[label],
                    justify(key, label, measured, votes[key], assessed=item.assessed),
                    item.assessed,
                )
                for label in LABELS
            }
            for key, item in placed.items()
        },
        evidence=tuple(evidence),
        summaries={label: summarize(label, measured, strongest_first) for label in LABELS},
        preference=prediction.winner,
        rationale=rationale(measured, prediction, strongest_first),
        warnings=tuple(warnings),
        confidence=Decimal(repr(prediction.confidence)).quantize(_HUNDREDTH),
        decided=prediction.decided,
    )


def _quote(
    question: CompareQuestion, votes: Mapping[str, list[Vote]], measured: Measured
) -> tuple[list[Evidence], list[Warning]]:
    """For each criterion and answer a passage, where a measure that set the two apart shows if it shows anywhere."""
    evidence: list[Evidence] = []
    warnings: list[Warning] = []
    passages = {label: _Passages(question.case.answer(label)) for label in LABELS}
    for criterion in question.rubric.criteria:
        for label in LABELS:
            text = question.case.answer(label)
            vote, place = _shown(votes[criterion.key], label, measured)
            span = passages[label].around(place)
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
    for vote in votes:
        if (place := own[vote.measure].place) is not None:
            return vote, place
    return (votes[0], None) if votes else (None, None)


class _Passages:
    """Passages of one answer that can be quoted; several criteria often quote the same one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._sentences = sentence_spans(text, _LOOKED_AT)
        self._found: dict[tuple[int, int] | None, Span | None] = {}

    def around(self, place: tuple[int, int] | None) -> Span | None:
        """The sentence the place stands in, or one of the first; None where nothing can be quoted."""
        if place not in self._found:
            self._found[place] = self._at(place) if place is not None else self._first()
        return self._found[place]

    def _at(self, place: tuple[int, int]) -> Span | None:
        around = next(((low, high) for low, high in self._sentences if low <= place[0] < high), place)
        # A long sentence is cut: from the place itself rather than from its beginning.
        start = around[0] if place[0] - around[0] < 80 else place[0]
        return fit(self._text, start, max(around[1], place[1])) or self.around(None)

    def _first(self) -> Span | None:
        for low, high in self._sentences[:3]:
            if (span := fit(self._text, low, high)) is not None:
                return span
        return None


def _why(vote: Vote | None, place: tuple[int, int] | None, label: Label, measured: Measured) -> str:
    if vote is None:
        return "A typical passage; nothing measured here sets the two apart."
    where = "" if place is not None else "True of the whole answer, of which this is the beginning: "
    told = tell(vote, label, measured)
    return f"{where}{told}." if where else f"{told[:1].upper()}{told[1:]}."
