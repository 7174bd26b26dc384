"""Compare two answers: measure them, weigh the measures with the model, then give scores and quotes.

Swapping the answers swaps everything in the opinion except the labels. A criterion's scores differ only if a measure of
its own moved them apart. A criterion for which nothing is measured gets the middle of the scale and no quote.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache

from ...judges.embedded.measures import MEASURES, Measured, measure_pair
from ...judges.embedded.model import Model, Prediction, load_model, predict, votes_of
from ...judges.embedded.reasons import NOT_ASSESSED, OTHER, Moved, justify, rationale, summarize, why_undecided
from ...models.cases import check_weights
from ...models.common import LABELS, Label, Winner
from ...rubric import Rubric
from ...text.evidence import MAX_WORDS, MIN_WORDS, Haystack, Span
from ...text.words import split_words, word_spans
from .questions import CompareQuestion, ResearchQuestion
from .verdict import ComparisonOpinion, Evidence, Research, Score

_BASE = 0.55  # where an answer starts, from 0 to 1, before any votes
_REACH = 0.3  # how far one unit of votes moves each answer
_SHARED_FLAW = 0.3  # how much a flaw that both answers have takes from both
_LOWEST = 0.2  # shared flaws take no more, so that there is room below for the worse answer
_WINDOW = 600  # characters around a place from which its quote may be taken
_UNSPACED = 25  # a longer run of characters without a space is split into words by ICU
_KNOWN = frozenset(measure.criterion for measure in MEASURES.values())


def compare_texts(question: CompareQuestion, judge: str = "embedded", model: Model | None = None) -> ComparisonOpinion:
    """Return one opinion on both answers."""
    case, rubric, model = question.case, question.rubric, model or load_model()
    weights = check_weights(case.weights, rubric.weights)
    keys = [criterion.key for criterion in rubric.criteria]
    counted = [name for name, measure in MEASURES.items() if weights.get(measure.criterion)]
    measured = measure_pair(case.task, case.a, case.b)
    prediction = predict(model, measured, counted)
    moved = _moves(rubric, model, measured)
    steps, winner = _settle(rubric, moved, prediction, weights)
    moved = {key: one._replace(steps=steps[key]) for key, one in moved.items()}
    doubt = why_undecided(question.facts, model, measured, prediction, winner)
    values = rubric.scale.values
    middle = Score(value=values[(len(values) - 1) // 2], justification=NOT_ASSESSED, assessed=False)
    scores: dict[str, dict[Label, Score]] = {key: dict.fromkeys(LABELS, middle) for key in keys}
    evidence: list[Evidence] = []
    for key, one in moved.items():
        for label in LABELS:
            words = justify(one, label, measured)
            scores[key][label] = Score(value=values[one.steps[label]], justification=words)
            evidence += _quote(key, one, label, case.answer(label), measured)
    weighty = [one for key, one in moved.items() if weights[key]]
    return ComparisonOpinion(
        judge=judge,
        order=question.order,
        scores=scores,
        evidence=tuple(evidence),
        summaries={label: summarize(moved.values(), label, measured) for label in LABELS},
        preference=winner,
        rationale=" ".join(filter(None, (doubt, rationale(weighty, winner, measured)))),
        confidence=Decimal(repr(prediction.chances[winner])).quantize(Decimal("0.01")),
        decided=not doubt,
    )


# -- scores -----------------------------------------------------------------------------------------------------------


def _moves(rubric: Rubric, model: Model, measured: Measured) -> dict[str, Moved]:
    """Return, for each criterion that is assessed, its votes and where they put the two answers on the scale."""
    top = len(rubric.scale.values) - 1
    votes = sorted(votes_of(model, measured), key=lambda vote: -abs(vote.moved))
    moves: dict[str, Moved] = {}
    for key in (key for key in rubric.weights if key in _KNOWN):
        own = tuple(vote for vote in votes if MEASURES[vote.measure].criterion == key)
        flaws = [name for name, measure in MEASURES.items() if measure.sign < 0 and measure.criterion == key]
        shared = tuple(name for name in flaws if min(measured.a[name].value, measured.b[name].value) >= 1)
        ground = max(_LOWEST, _BASE - _SHARED_FLAW * len(shared))
        apart = _REACH * math.fsum(vote.moved for vote in own)
        places: dict[Label, float] = {"A": top * (ground + apart), "B": top * (ground - apart)}
        moves[key] = Moved(own, shared, {label: max(0.0, min(top, place)) for label, place in places.items()})
    return moves


def _settle(
    rubric: Rubric, moved: Mapping[str, Moved], prediction: Prediction, weights: Mapping[str, Decimal]
) -> tuple[dict[str, dict[Label, int]], Winner]:
    """Return the scores, as steps of the scale, and the winner that their totals name.

    Rounding must not reverse a narrow prediction, so a place between two steps may be rounded either way for it. If
    the totals still name another winner, the weights of the rubric do.
    """
    steps: dict[str, dict[Label, int]] = {
        key: {label: int(place + 0.5) for label, place in one.places.items()} for key, one in moved.items()
    }
    whole, weighty = sum(weights.values()), [key for key in steps if weights[key]]

    def leader() -> Winner:
        ahead = sum((weights[key] * (steps[key]["A"] - steps[key]["B"]) for key in weighty), Decimal(0))
        close = abs(ahead) * rubric.scale.step < rubric.tie_band * whole
        if not ahead or (close and prediction.winner == "tie"):
            return "tie"
        return "A" if ahead > 0 else "B"

    side = leader() if prediction.winner == "tie" else prediction.winner
    if side == "tie":
        return steps, "tie"
    other = OTHER[side]
    leads = {key: moved[key].places[side] - moved[key].places[other] for key in weighty}
    for key in sorted((key for key in weighty if leads[key] > 0), key=leads.__getitem__, reverse=True):
        if leader() == prediction.winner:
            break
        high, low = moved[key].places[side], moved[key].places[other]
        if prediction.winner == "tie":
            steps[key] = {side: math.floor(high), other: min(math.ceil(low), math.floor(high))}
        else:
            steps[key] = {side: math.ceil(high), other: math.floor(low)}
    return steps, leader()


# -- quotes -----------------------------------------------------------------------------------------------------------


def _quote(key: str, one: Moved, label: Label, text: str, measured: Measured) -> Iterator[Evidence]:
    """Yield the passage that shows the strongest of the measures that moved the scores apart, if a passage shows it."""
    own = measured.a if label == "A" else measured.b
    favorable = label == one.leader
    for name in one.toward:
        found, against = own[name], MEASURES[name].sign < 0
        # A passage can only show what is there: a flaw counts against the answer, anything else for it.
        shows = (not against or not found.value) if favorable else against
        if not shows or not found.says or found.place is None or (span := fit(text, *found.place)) is None:
            continue
        yield Evidence(
            criterion=key,
            answer=label,
            impact="favorable" if favorable else "unfavorable",
            quote=text[span.start : span.end],
            rationale=f"It {found.says}.",
            start=span.start,
            end=span.end,
        )
        return


@lru_cache(maxsize=16)
def fit(text: str, start: int, end: int) -> Span | None:
    """Return the passage as a quote of 5 to 25 words, widened or cut between words. None if that is not possible.

    Cached, because both orders of a case are asked for one after the other.
    """
    at = text.rfind(" ", 0, max(0, start - _WINDOW)) + 1
    pieces = list(_pieces(text, at, min(end, start + _WINDOW) + _WINDOW))
    first = next((number for number, (_, high) in enumerate(pieces) if high > start), len(pieces) - 1)
    if first < 0:
        return None
    words = [at + begin for begin, _ in word_spans(text[at : pieces[-1][1]])]
    sizes = [bisect_left(words, high) - bisect_left(words, low) for low, high in pieces]
    last = first
    while last + 1 < len(pieces) and pieces[last + 1][0] < end and sum(sizes[first : last + 2]) <= MAX_WORDS:
        last += 1
    while last + 1 < len(pieces) and sum(sizes[first : last + 1]) < MIN_WORDS:
        last += 1
    while first and sum(sizes[first : last + 1]) < MIN_WORDS:
        first -= 1
    return Haystack(text).fitted(Span(pieces[first][0], pieces[last][1]))


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the pieces between spaces. In a script without spaces, yield those of its words."""
    for match in re.finditer(r"\S+", text[start:end]):
        low, high = start + match.start(), start + match.end()
        if high - low <= _UNSPACED or match[0].isascii():
            yield low, high
            continue
        for word in split_words(match[0]):
            at = text.find(word, low, high)
            yield at, at + len(word)
            low = at + len(word)


def no_research(_: ResearchQuestion, judge: str, __: Model | None) -> Research:
    """Return no queries: the embedded judge cannot use what a search finds."""
    return Research(judge=judge, queries=())
