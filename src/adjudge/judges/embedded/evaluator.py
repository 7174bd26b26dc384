"""The embedded Evaluator: six scores from what was counted in a conversation, each with a sentence and a quote.

The share of SYSTEM's replies that apologise or decline moves most. The weights are set by hand and fitted to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from ...cases import Dialogue
from ...verdicts import Evaluation, Mark
from ..base import EvaluateQuestion
from .conversation import Conversation, Place, fullest_sentence, quote, read_conversation

ACCURACY = "Accuracy"
_NOT_ASSESSED = "Whether SYSTEM's statements are true cannot be measured, so this is only the middle of the scale."
_MANY = 2  # what happened so often counts in full


class Measure(NamedTuple):
    """How much there is of something, from 0 to 1, how a person would say it, and where it shows first."""

    amount: Fraction
    says: str
    place: Place | None


class Mix(NamedTuple):
    """Where a criterion starts on a scale from 0 to 1, how far each measure moves it, and what is said if none does."""

    start: Fraction
    weights: Mapping[str, Fraction]
    clean: str


_QUARTER, _HALF, _MOST = Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)
_SUCCESS = Mix(
    _MOST,
    {
        "declined": Fraction(-1), "complained": -_HALF, "unanswered": -_HALF, "asked_again": -_QUARTER,
        "corrected": -_QUARTER, "thanked": _QUARTER,
    },
    "SYSTEM apologised or declined in none of its replies",
)  # fmt: skip
# A criterion of a user's own rubric is scored as TaskSuccess is: that is the best guess at what matters.
MIXES: Mapping[str, Mix] = {
    "TaskSuccess": _SUCCESS,
    "Helpfulness": Mix(
        _MOST,
        {"declined": -_MOST, "unanswered": -_HALF, "repeated": -_QUARTER, "thanked": _QUARTER / 2},
        _SUCCESS.clean,
    ),
    "Understanding": Mix(
        _MOST,
        {"corrected": -_HALF, "asked_again": -_HALF, "repeated": -_QUARTER},
        "USER never had to repeat a request or put SYSTEM right",
    ),
    "Empathy": Mix(
        _QUARTER, {"courteous": _MOST, "complained": -_QUARTER}, "SYSTEM has a courteous word in none of its replies"
    ),
    "Fluency": Mix(
        _MOST,
        {"slips": -_HALF, "repeated": -_HALF},
        "no reply of SYSTEM breaks off, doubles a word or repeats an earlier one",
    ),
}


def evaluate(question: EvaluateQuestion) -> Evaluation:
    """A mark for every criterion of the rubric."""
    talk = read_conversation(question.case)
    measures = measure(talk)
    values = question.rubric.scale.values
    marks = {
        item.key: _unassessed(question.case, talk, values)
        if item.key == ACCURACY
        else _mark(question.case, talk, measures, MIXES.get(item.key, _SUCCESS), values)
        for item in question.rubric.criteria
    }
    return Evaluation(judge="embedded", marks=marks)


def measure(talk: Conversation) -> dict[str, Measure]:
    """Everything that moves a score."""
    return {
        "declined": _share("SYSTEM apologised or declined", talk.declined, talk),
        "courteous": _share("SYSTEM has a courteous word", talk.courteous, talk),
        "repeated": _count("SYSTEM gave the same reply again, word for word", talk.repeated),
        "slips": _count("SYSTEM broke off or doubled a word", talk.slips),
        "asked_again": _count("USER had to repeat a request", talk.asked_again),
        "corrected": _count("USER had to put SYSTEM right", talk.corrected),
        "complained": _count("USER complained", talk.complained),
        "unanswered": _count("USER was left without a reply", talk.unanswered),
        "thanked": Measure(Fraction(bool(talk.thanked)), "USER said thanks at the end", _first(talk.thanked)),
    }


def _share(says: str, found: tuple[Place, ...], talk: Conversation) -> Measure:
    some, every = len(found), len(talk.system)
    where = f"{some} of its {every} replies"
    if some == every:
        where = "its only reply" if every == 1 else f"all {every} of its replies"
    return Measure(Fraction(some, every), f"{says} in {where}", _first(found))


def _count(says: str, found: tuple[Place, ...]) -> Measure:
    times = {0: "", 1: "", 2: " twice"}.get(len(found), f" {len(found)} times")
    return Measure(Fraction(min(len(found), _MANY), _MANY), says + times, _first(found))


def _first(found: tuple[Place, ...]) -> Place | None:
    return found[0] if found else None


def _mark(
    case: Dialogue, talk: Conversation, measures: Mapping[str, Measure], mix: Mix, values: Sequence[Decimal]
) -> Mark:
    """The score, and in one sentence what moved it most each way."""
    moves = {name: weight * measures[name].amount for name, weight in mix.weights.items() if measures[name].amount}
    ranked = sorted(moves, key=lambda name: -abs(moves[name]))
    good = [measures[name] for name in ranked if moves[name] > 0]
    bad = [measures[name] for name in ranked if moves[name] < 0][:2]
    told = [item.says for item in good]
    if not bad and (not good or "declined" in mix.weights):
        told.append(mix.clean)
    said = ", but ".join(part for part in (", and ".join(told), " and ".join(item.says for item in bad)) if part)
    shown = [item.place for item in (*good, *bad) if item.place is not None]
    if not shown:
        shown = [fullest_sentence(talk, talk.user if mix is MIXES["Understanding"] else talk.system)]
    quotes = tuple(dict.fromkeys(quote(case, place) for place in shown))
    return Mark(on_scale(mix.start + sum(moves.values()), values), f"{said[0].upper()}{said[1:]}.", quotes)


def _unassessed(case: Dialogue, talk: Conversation, values: Sequence[Decimal]) -> Mark:
    """The middle, beside the fullest statement nobody checked."""
    shown = quote(case, fullest_sentence(talk, talk.system))
    return Mark(on_scale(_HALF, values), _NOT_ASSESSED, (shown,), assessed=False)


def on_scale(place: Fraction, values: Sequence[Decimal]) -> Decimal:
    """The allowed value nearest to a place between 0 and 1; halfway is the higher one."""
    inside = max(Fraction(0), min(Fraction(1), place))
    return values[int(inside * (len(values) - 1) + _HALF)]
