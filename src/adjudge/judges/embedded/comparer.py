"""Compare two answers: measure them, weigh the measures with the model, then give scores, quotes and plain sentences.

Swapping the answers swaps everything in the opinion except the labels. A criterion for which nothing is measured is
not assessed: it gets the middle of the scale and no quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from ...models import LABELS, ComparisonOpinion, Evidence, Label, Score
from ...models.cases import check_weights
from ...rubric import Rubric
from ...text.evidence import MAX_WORDS, MIN_WORDS, Haystack, Span
from ...text.findings import ATTEMPTS
from ...text.words import count_words, split_words
from ..base import CompareQuestion
from .measures import DECLINED, MEASURES, TASK, Found, Measured
from .model import TASK_LENGTH, Model, Prediction, Vote, compare_pair

_BASE = 0.55  # where an answer starts, from 0 to 1, before any votes
_REACH = 0.3  # how far one unit of votes moves each answer
_SHARED_FLAW = 0.3  # how much a flaw that both answers have takes from both
_NOTICED = 0.02  # smaller votes are not mentioned
_WINDOW = 600  # characters around a place from which its quote may be taken
_UNSPACED = 25  # a longer run of characters without a space is split into words by ICU
_KNOWN = frozenset(measure.criterion for measure in MEASURES.values())
_OTHER: Mapping[Label, Label] = {"A": "B", "B": "A"}
_NOT_ASSESSED = "Not assessed: nothing that the embedded judge measures speaks to this."
_EVEN = "Nothing that was measured here sets the two responses apart."


def compare_texts(question: CompareQuestion, judge: str = "embedded", model: Model | None = None) -> ComparisonOpinion:
    """Return one opinion on both answers."""
    case, rubric = question.case, question.rubric
    measured, prediction = compare_pair(case.task, case.a, case.b, model)
    strongest = sorted(prediction.votes, key=lambda vote: -abs(vote.moved))
    keys = [criterion.key for criterion in rubric.criteria]
    # If none of the rubric's criteria can be measured, every criterion gets the overall impression.
    known = [key for key in keys if key in _KNOWN] or keys
    votes = {
        key: [vote for vote in strongest if MEASURES[vote.measure].criterion == key or key not in _KNOWN]
        for key in known
    }
    attempted = any(fact.name in ATTEMPTS for fact in question.facts)
    steps = _place(rubric, known, votes, measured)
    _agree(rubric, steps, prediction, check_weights(case.weights, rubric.weights))
    values = rubric.scale.values
    middle = Score(value=values[(len(values) - 1) // 2], justification=_NOT_ASSESSED, assessed=False)
    scores: dict[str, dict[Label, Score]] = {key: dict.fromkeys(LABELS, middle) for key in keys}
    evidence: list[Evidence] = []
    for key in known:
        for label in LABELS:
            words = _justify(votes[key], label, measured)
            scores[key][label] = Score(value=values[steps[key][label]], justification=words)
            evidence += _quote(key, label, case.answer(label), votes[key], measured)
    return ComparisonOpinion(
        judge=judge,
        order=question.order,
        scores=scores,
        evidence=tuple(evidence),
        summaries={label: _summarize(strongest, label, measured) for label in LABELS},
        preference=prediction.winner,
        rationale=_rationale(measured, prediction, strongest, attempted),
        confidence=Decimal(repr(prediction.confidence)).quantize(Decimal("0.01")),
        decided=prediction.decided and not attempted,
    )


# -- scores -----------------------------------------------------------------------------------------------------------


def _place(
    rubric: Rubric, known: Sequence[str], votes: Mapping[str, Sequence[Vote]], measured: Measured
) -> dict[str, dict[Label, int]]:
    """Return each criterion's scores, as steps of the scale, from its own votes."""
    top = len(rubric.scale.values) - 1
    steps: dict[str, dict[Label, int]] = {}
    for key in known:
        moved = sum(vote.moved for vote in votes[key]) * (1.0 if key in _KNOWN else 0.5)
        shared = sum(
            min(1.0, measured.a[name].value, measured.b[name].value)
            for name, measure in MEASURES.items()
            if measure.sign < 0 and measure.criterion == key
        )
        ground = _BASE - _SHARED_FLAW * shared
        places: dict[Label, float] = {"A": ground + _REACH * moved, "B": ground - _REACH * moved}
        steps[key] = {label: max(0, min(top, int(place * top + 0.5))) for label, place in places.items()}
    return steps


def _agree(
    rubric: Rubric, steps: dict[str, dict[Label, int]], prediction: Prediction, weights: Mapping[str, Decimal]
) -> None:
    """Move single scores until the totals agree with the prediction. Rounding may have reversed a narrow one."""
    top, whole = len(rubric.scale.values) - 1, sum(weights.values())
    weighty = [key for key in steps if weights[key]]
    for _ in range(2 * top * len(weighty)):
        ahead = sum((weights[key] * (steps[key]["A"] - steps[key]["B"]) for key in weighty), Decimal(0))
        leader: Label = "A" if ahead > 0 else "B"
        tied = not ahead or abs(ahead) * rubric.scale.step < rubric.tie_band * whole
        if tied if prediction.winner == "tie" else ahead and leader == prediction.winner:
            return
        side = leader if prediction.winner == "tie" else prediction.winner
        leads = {key: (steps[key][side] - steps[key][_OTHER[side]], weights[key]) for key in weighty}
        rising = [key for key in weighty if steps[key][side] < top]
        if prediction.winner == "tie":
            steps[max(weighty, key=leads.__getitem__)][side] -= 1
        elif rising:
            steps[max(rising, key=leads.__getitem__)][side] += 1
        else:
            steps[max(weighty, key=leads.__getitem__)][_OTHER[side]] -= 1


# -- words ------------------------------------------------------------------------------------------------------------


def _sides(label: Label, measured: Measured) -> tuple[Mapping[str, Found], Mapping[str, Found]]:
    return (measured.a, measured.b) if label == "A" else (measured.b, measured.a)


def _rationale(measured: Measured, prediction: Prediction, strongest: Sequence[Vote], attempted: bool) -> str:
    """Describe in a sentence or two what was found. If the case is not decided, say why first."""
    doubt = _doubt(measured, prediction, attempted)
    if prediction.winner == "tie":
        same = "The two responses have the same words." if measured.alike == 1 else "The two responses are much alike."
        return doubt or same
    winner = prediction.winner
    sign = 1 if winner == "A" else -1
    told: dict[str, str] = {}  # one sentence per criterion, since two measures of the same one say much the same
    for name, moved in strongest:
        if moved * sign >= _NOTICED and len(told) < 2 and not (name == "items" and TASK in told):
            said = _beside(name, winner, measured, f"Response {winner}", f"Response {_OTHER[winner]}")
            told.setdefault(MEASURES[name].criterion, said)
    return " ".join(filter(None, (doubt, *told.values()))) or f"Small differences together favour Response {winner}."


def _beside(name: str, label: Label, measured: Measured, own_name: str, other_name: str) -> str:
    """Say what one measure found in this answer and in the other."""
    own, other = (side[name].says for side in _sides(label, measured))
    first, second = own.split(), other.split()
    differ = [at for at, (x, y) in enumerate(zip(first, second, strict=False)) if x.rstrip("s") != y.rstrip("s")]
    if len(first) == len(second) and len(differ) == 1 and second[differ[0]].replace(",", "").isdigit():
        return f"{own_name} {own}, {other_name} {second[differ[0]]}."
    return f"{own_name} {own}, while {other_name} {other}."


def _doubt(measured: Measured, prediction: Prediction, attempted: bool) -> str:
    """Return why the case is not decided, or an empty string if it is."""
    if attempted:
        return "Not decided: a text tries to steer the judge, and what that is worth cannot be measured."
    if prediction.doubt == "declined":
        label = "A" if measured.a["no_answer"].value == DECLINED else "B"
        return f"Not decided: Response {label} declines, and whether it should cannot be measured."
    if prediction.doubt == "range":
        titles = ["length of the task" if name == TASK_LENGTH else MEASURES[name].title for name in prediction.outside]
        return f"Not decided: the labels this judge was fitted to hold nothing like it ({', '.join(titles)})."
    close = "Not decided: what was measured does not set the two responses far enough apart."
    return close if prediction.doubt else ""


def _justify(votes: Sequence[Vote], label: Label, measured: Measured) -> str:
    """Say what a criterion's measures found in this answer and in the other."""
    told = [vote.measure for vote in votes if abs(vote.moved) >= _NOTICED][:2]
    return " ".join(_beside(name, label, measured, "It", "the other response") for name in told) or _EVEN


def _summarize(strongest: Sequence[Vote], label: Label, measured: Measured) -> str:
    """Say what was found in one answer, over all criteria."""
    own = _sides(label, measured)[0]
    told = [own[vote.measure].says for vote in strongest if abs(vote.moved) >= _NOTICED][:3]
    return " ".join(f"It {says}." for says in told) or _EVEN


def _quote(key: str, label: Label, text: str, votes: Sequence[Vote], measured: Measured) -> Iterator[Evidence]:
    """Yield the passage that shows the strongest of a criterion's measures, or nothing if no passage shows one."""
    own = _sides(label, measured)[0]
    for name, moved in votes:
        found, against = own[name], MEASURES[name].sign < 0
        favorable = (moved > 0) == (label == "A")
        # A passage can only show what is there: a flaw counts against the answer, anything else for it.
        shows = (not against or not found.value) if favorable else against
        if not shows or found.place is None or (span := fit(text, *found.place)) is None:
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


def fit(text: str, start: int, end: int) -> Span | None:
    """Return the passage as a quote of 5 to 25 words, widened or cut between words. None if that is not possible."""
    low = text.rfind(" ", 0, max(0, start - _WINDOW)) + 1
    pieces = list(_pieces(text, low, min(end, start + _WINDOW) + _WINDOW))
    first = next((at for at, (_, high) in enumerate(pieces) if high > start), len(pieces) - 1)
    if first < 0:
        return None
    sizes = [count_words(text[low:high]) for low, high in pieces]
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
