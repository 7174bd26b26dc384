"""The sentences of the embedded judge's comparison. Each states what was measured and moved a score, and nothing else.

A measure speaks only where it moved the two scores of a criterion apart, or took the same from both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...models.common import Fact, Label, Winner
from ...text.findings import ATTEMPTS
from .measures import MEASURES, Found, Measured, count_of
from .model import TASK_LENGTH, Model, Prediction, Vote

NOT_ASSESSED = "Not assessed: nothing that the embedded judge measures speaks to this."
OTHER: Mapping[Label, Label] = {"A": "B", "B": "A"}
_EVEN = "What was measured here does not set the two scores apart."
_ALL_EVEN = "What was measured sets no two scores apart."
_MOST_NAMED = 2  # measures named in a reason
_WHERE = {"task": "the task", "context": "the context", "search": "a search result"}
_REFUSALS = "this judge cannot tell whether that is a refusal, or whether a refusal is right"


class Moved(NamedTuple):
    """What moved the two scores of a criterion: the votes of its measures, strongest first, and the flaws that both
    answers have. `places` are positions on the scale, `steps` the scores that they were rounded to."""

    votes: tuple[Vote, ...]
    shared: tuple[str, ...]
    places: Mapping[Label, float]
    steps: Mapping[Label, int] = {}

    @property
    def leader(self) -> Winner:
        """The answer with the higher score."""
        a, b = self.steps["A"], self.steps["B"]
        return "A" if a > b else "B" if b > a else "tie"

    @property
    def toward(self) -> list[str]:
        """The measures that moved the leader's score ahead, strongest first. There is one if there is a leader."""
        return [] if self.leader == "tie" else [one.measure for one in self.votes if _favored(one) == self.leader]


def _favored(vote: Vote) -> Label:
    return "A" if vote.moved > 0 else "B"


def justify(one: Moved, label: Label, measured: Measured) -> str:
    """Say what moved a criterion's scores, in this answer and in the other."""
    names = dict.fromkeys((*one.toward[:_MOST_NAMED], *one.shared))
    return " ".join(_beside(name, label, measured, "It", "The other response") for name in names) or _EVEN


def summarize(moved: Iterable[Moved], label: Label, measured: Measured) -> str:
    """Say what was found in one answer, over all criteria whose scores differ."""
    votes = sorted((vote for one in moved for vote in one.votes if vote.measure in one.toward), key=_strength)
    names = dict.fromkeys(vote.measure for vote in votes)
    own, other = _sides(label, measured)
    sentences = [
        f"It {own[name].says}." if own[name].says else f"The other response {other[name].says}." for name in names
    ]
    return " ".join(sentences[: _MOST_NAMED + 1]) or _ALL_EVEN


def rationale(moved: Sequence[Moved], winner: Winner, measured: Measured) -> str:
    """Name the strongest measure of each of the criteria that put the winner ahead."""
    if winner == "tie":
        return "The two responses are the same text." if measured.same else ""
    leading = sorted((one for one in moved if one.leader == winner), key=lambda one: _strength(_strongest(one)))
    names = dict.fromkeys(one.toward[0] for one in leading)
    sentences = (_beside(name, winner, measured, f"Response {winner}", f"Response {OTHER[winner]}") for name in names)
    return " ".join(list(sentences)[:_MOST_NAMED])


def _strongest(one: Moved) -> Vote:
    return next(vote for vote in one.votes if _favored(vote) == one.leader)


def _strength(vote: Vote) -> float:
    return -abs(vote.moved)


def _sides(label: Label, measured: Measured) -> tuple[Mapping[str, Found], Mapping[str, Found]]:
    return (measured.a, measured.b) if label == "A" else (measured.b, measured.a)


def _beside(name: str, label: Label, measured: Measured, own_name: str, other_name: str) -> str:
    """Say what one measure found in this answer and in the other."""
    own, other = (side[name].says for side in _sides(label, measured))
    if not own or not other:
        return f"{own_name} {own}." if own else f"{other_name} {other}."
    if own == other:
        return f"Both responses do the same here: it {own}."
    inside = other_name.replace("The", "the")
    first, second = own.split(), other.split()
    differ = [at for at, (x, y) in enumerate(zip(first, second, strict=False)) if x.rstrip("s") != y.rstrip("s")]
    if len(first) == len(second) and len(differ) == 1 and second[differ[0]].replace(",", "").isdigit():
        return f"{own_name} {own}, {inside} {second[differ[0]]}."
    return f"{own_name} {own}, while {inside} {other}."


# -- why a case is not decided -----------------------------------------------------------------------------------------


def why_undecided(
    facts: Iterable[Fact], model: Model, measured: Measured, prediction: Prediction, winner: Winner
) -> str:
    """Return a sentence that says what keeps this judge from deciding, or "" if nothing does."""
    for fact in facts:
        if fact.name in ATTEMPTS:
            where = _WHERE.get(fact.where, f"Response {fact.where}")
            return f"Undecided: {where} {fact.found}, and what such a text is worth cannot be measured."
    if winner != prediction.winner:
        all_say = "favours neither" if prediction.winner == "tie" else f"favours Response {prediction.winner}"
        return f"Undecided: with these weights the scores say otherwise, but all that was measured together {all_say}."
    match prediction.doubt:
        case "unweighted":
            return "Undecided: no criterion that this judge measures has any weight."
        case "declined":
            return f"Undecided: {_refusals(measured)}, and {_REFUSALS}."
        case "range":
            return f"Undecided: {'; '.join(_beyond(model, measured, prediction))}."
        case "alike":
            words = f"share {measured.shared:,} of their {measured.different:,} different words"
            return f"Undecided: the two responses {words}, and what else sets them apart is not measured."
        case "unsure":
            return "Undecided: what was measured does not set the two responses far enough apart."
    return ""


def _refusals(measured: Measured) -> str:
    a, b = measured.refusals
    if a and b:
        return f"both responses have words of apology or refusal at their beginning (“{min(a, b)}”, “{max(a, b)}”)"
    return f"Response {'A' if a else 'B'} has words of apology or refusal at its beginning (“{a or b}”)"


def _beyond(model: Model, measured: Measured, prediction: Prediction) -> Iterator[str]:
    """Yield what is outside the range of the labels, with the range."""
    for name in prediction.outside:
        low, high = model.ranges[name]
        if name == TASK_LENGTH:
            title, found = "words", {"the task": measured.task}
        else:
            title, sides = MEASURES[name].title, {"Response A": measured.a, "Response B": measured.b}
            found = {who: side[name].value for who, side in sides.items() if not side["empty"].value}
        beyond = {who: value for who, value in found.items() if not low <= value <= high}
        numbers = " and ".join(f"{round(count_of(value)):,}" for value in sorted(beyond.values()))
        who = "both responses have" if len(beyond) > 1 else f"{next(iter(beyond))} has"
        fitted = f"{math.ceil(count_of(low)):,} to {math.floor(count_of(high)):,}"
        yield f"{who} {numbers} {title}, and 99 % of what this judge was fitted to has {fitted}"
