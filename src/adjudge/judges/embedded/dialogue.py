"""The embedded Evaluator and Critic. The Evaluator gives six scores from counts, the Critic objects to them.

The share of SYSTEM's replies that apologise or decline counts most. The weights are simple fractions, set by hand. The
Critic looks for a single exchange that contradicts a score and that the Evaluator has not already quoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from ...models import Critique, Evaluation, Mark, Objection
from ...models.cases import Dialogue
from ..base import CriticizeQuestion, EvaluateQuestion
from .conversation import (
    Conversation,
    Place,
    asks,
    find_contradiction,
    fullest_sentence,
    quote,
    read_conversation,
    replies_to,
)

ACCURACY = "Accuracy"
_NOT_ASSESSED = "Whether SYSTEM's statements are true cannot be measured, so this is only the middle of the scale."
_MANY = 2  # an event that happened this often counts in full


class Mix(NamedTuple):
    """Where a criterion starts on a scale from 0 to 1, how far each measure moves it, and the reason if none does."""

    start: Fraction
    weights: Mapping[str, Fraction]
    clean: str


_QUARTER, _HALF, _MOST = Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)
_SUCCESS = Mix(
    _HALF,
    {
        "declined": -Fraction(5, 4), "complained": -_HALF, "unanswered": -_HALF, "said_no": -_HALF,
        "corrected": -_QUARTER, "carried_out": _QUARTER, "praised": _QUARTER, "thanked": _QUARTER,
    },
    "SYSTEM apologised or declined in none of its replies",
)  # fmt: skip
# Criteria of a user's own rubric are scored like TaskSuccess, which is our best guess at what matters.
MIXES: Mapping[str, Mix] = {
    "TaskSuccess": _SUCCESS,
    "Helpfulness": Mix(
        _HALF,
        {"declined": Fraction(-1), "unanswered": -_HALF, "carried_out": _QUARTER, "praised": _QUARTER},
        _SUCCESS.clean,
    ),
    "Understanding": Mix(_MOST, {"corrected": -_HALF, "said_no": -_HALF}, "USER never said no or put SYSTEM right"),
    "Empathy": Mix(
        _QUARTER,
        {"courteous": _MOST, "praised": _QUARTER, "complained": -_QUARTER},
        "SYSTEM has a courteous word in none of its replies",
    ),
    "Fluency": Mix(_MOST, {"slips": -_HALF}, "no reply of SYSTEM breaks off or doubles a word"),
}


# The words for each measure. Some are a share of one speaker's turns, the others are counts.
_SAYS = {
    "declined": "SYSTEM apologised or declined",
    "courteous": "SYSTEM has a courteous word",
    "carried_out": "SYSTEM said that something was done",
    "slips": "SYSTEM broke off or doubled a word",
    "said_no": "USER said no or did not know",
    "corrected": "USER had to put SYSTEM right",
    "complained": "USER complained",
    "praised": "USER had a word of praise",
    "unanswered": "USER was left without a reply",
    "thanked": "USER said thanks at the end",
}
_SHARES = ("declined", "courteous", "said_no")


def evaluate(question: EvaluateQuestion) -> Evaluation:
    """Return an evaluation with a mark for every criterion of the rubric."""
    talk = read_conversation(question.case)
    values = question.rubric.scale.values
    marks = {item.key: _mark(question.case, talk, item.key, values) for item in question.rubric.criteria}
    return Evaluation(judge="embedded", marks=marks)


def _measure(talk: Conversation, name: str) -> tuple[Fraction, str]:
    """Return how much there is of something, from 0 to 1, and a phrase that says it."""
    count, says = len(talk.found[name]), _SAYS[name]
    if name in _SHARES:
        every = len(talk.user if name == "said_no" else talk.system)
        where = f"{count} of its {every} replies"
        if count == every:
            where = "its only reply" if every == 1 else f"all {every} of its replies"
        return Fraction(count, every), f"{says} in {where}"
    if name == "thanked":
        return Fraction(bool(count)), says
    times = {0: "", 1: "", 2: " twice"}.get(count, f" {count} times")
    return Fraction(min(count, _MANY), _MANY), says + times


def _mark(case: Dialogue, talk: Conversation, key: str, values: Sequence[Decimal]) -> Mark:
    """Return the score, with one sentence that names what moved it most in each direction."""
    if key == ACCURACY:
        # Give the middle of the scale, and quote SYSTEM's fullest statement as one that was not checked.
        shown = quote(case, fullest_sentence(talk, talk.system))
        return Mark(value=on_scale(_HALF, values), reason=_NOT_ASSESSED, quotes=(shown,), assessed=False)
    mix = MIXES.get(key, _SUCCESS)
    moves = {name: weight * amount for name, weight in mix.weights.items() if (amount := _measure(talk, name)[0])}
    ranked = sorted(moves, key=lambda name: -abs(moves[name]))
    good = [name for name in ranked if moves[name] > 0][:2]
    bad = [name for name in ranked if moves[name] < 0][:2]
    told = [_measure(talk, name)[1] for name in good]
    if not bad and (not good or "declined" in mix.weights):
        told.append(mix.clean)
    against = " and ".join(_measure(talk, name)[1] for name in bad)
    said = ", but ".join(part for part in (", and ".join(told[:2]), against) if part)
    places = [talk.found[name][0] for name in (*good, *bad)]
    if not places:
        places = [fullest_sentence(talk, talk.user if key == "Understanding" else talk.system)]
    quotes = tuple(dict.fromkeys(quote(case, place) for place in places))
    value = on_scale(mix.start + sum(moves.values()), values)
    return Mark(value=value, reason=f"{said[0].upper()}{said[1:]}.", quotes=quotes)


def on_scale(place: Fraction, values: Sequence[Decimal]) -> Decimal:
    """Return the allowed value nearest to a place between 0 and 1; halfway between two, the higher."""
    inside = max(Fraction(0), min(Fraction(1), place))
    return values[int(inside * (len(values) - 1) + _HALF)]


# -- the Critic --------------------------------------------------------------------------------------------------------


class Moment(NamedTuple):
    """Something in the transcript that speaks for a lower (-1) or a higher (1) score on some criteria."""

    criteria: tuple[str, ...]
    points: int
    comment: str
    places: tuple[Place, ...]


def criticize(question: CriticizeQuestion) -> Critique:
    """Return a critique with an entry for every mark of the evaluation."""
    moments = list(_moments(read_conversation(question.case)))
    values = question.rubric.scale.values
    entries: dict[str, Objection] = {}
    for key, mark in question.evaluation.marks.items():
        # Criteria of a user's own rubric are treated like TaskSuccess.
        known = key if key in MIXES or key == ACCURACY else "TaskSuccess"
        entries[key] = _entry(question.case, mark, [one for one in moments if known in one.criteria], values)
    return Critique(judge="embedded", entries=entries)


def _moments(talk: Conversation) -> Iterator[Moment]:
    """Yield all moments; for each criterion, the most serious first."""
    if (opposites := find_contradiction(talk)) is not None:
        yield Moment((ACCURACY,), -1, "SYSTEM says one thing and later the opposite.", opposites)
    # What happened to USER's last request, and whether USER leaves content.
    both = ("TaskSuccess", "Helpfulness")
    asked = next((index for index in reversed(talk.user) if asks(talk.turns[index].text)), None)
    replies = replies_to(talk, asked) if asked is not None else []
    for place in talk.found["declined"]:
        if place.turn in replies:
            yield Moment(both, -1, "The last thing USER asked for was declined.", (place,))
    for place in talk.found["unanswered"]:
        yield Moment(both, -1, "USER was left without a reply here.", (place,))
    for place in talk.found["praised"]:
        if place.turn == talk.user[-1]:
            yield Moment(both, 1, "USER leaves with a word of praise.", (place,))
    # USER's complaints, and whether SYSTEM answered them with a kind word.
    kind = {place.turn: place for place in talk.found["courteous"]}
    for place in talk.found["complained"]:
        yield Moment(("TaskSuccess",), -1, "USER complains here.", (place,))
        replies = replies_to(talk, place.turn)
        if answered := [kind[index] for index in replies if index in kind]:
            yield Moment(("Empathy",), 1, "SYSTEM answers USER's complaint with a kind word.", (answered[0],))
        elif replies:
            yield Moment(("Empathy",), -1, "USER complains here, and the reply has no kind word for it.", (place,))
    for place in talk.found["corrected"]:
        yield Moment(("Understanding",), -1, "USER has to put SYSTEM right here.", (place,))
    for place in talk.found["slips"]:
        yield Moment(("Fluency",), -1, "SYSTEM breaks off or doubles a word here.", (place,))


def _entry(case: Dialogue, mark: Mark, moments: Sequence[Moment], values: Sequence[Decimal]) -> Objection:
    """Object if a moment contradicts the mark: a bad moment a good mark, or a good moment a poor mark."""
    top = len(values) - 1
    at = min(range(len(values)), key=lambda index: abs(values[index] - mark.value))
    side = 2 * at - top
    # A mark in the middle that was not assessed claims nothing, so any moment contradicts it.
    against = [item for item in moments if item.points * side < 0 or not (mark.assessed or side)]
    quoted = {item.turn for item in mark.quotes} if mark.assessed else set()
    news = [item for item in against if not quoted.intersection(place.turn for place in item.places)]
    if not news:
        comment = "Nothing that can be measured contradicts this score."
        if against:
            comment = "What speaks against this score is already in the Evaluator's reason."
        return Objection(agree=True, comment=comment, suggested=None, contradicts=False, quotes=())
    moment = news[0]
    # Move by a quarter of the scale, which is one value on the shipped scale.
    step = max(1, round(top / 4))
    return Objection(
        agree=False,
        comment=moment.comment,
        suggested=values[max(0, min(top, at + moment.points * step))],
        contradicts=True,
        quotes=tuple(dict.fromkeys(quote(case, place) for place in moment.places)),
        wanted_quote=True,
    )
