"""The embedded Evaluator and Critic. The Evaluator gives six scores from counts, the Critic objects to them.

The share of SYSTEM's replies with a phrase of apology or refusal counts most. The weights are simple fractions, set by
hand. The Critic looks for a single exchange that contradicts a score and that the Evaluator has not already quoted.
Every sentence quotes the words that were counted; what they mean is left to the reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from .case import Dialogue
from .conversation import (
    Conversation,
    Place,
    asks,
    find_contradiction,
    fullest_sentence,
    quote,
    read_conversation,
    replies_to,
    words_at,
)
from .questions import CriticizeQuestion, EvaluateQuestion
from .verdict import Critique, Evaluation, Mark, Objection

ACCURACY = "Accuracy"
_MIDDLE = "so this is only the middle of the scale"
_NOT_ASSESSED = {
    ACCURACY: f"Whether SYSTEM's statements are true cannot be measured, {_MIDDLE}.",
    "Empathy": f"How USER feels, and whether SYSTEM is aware of it, cannot be measured, {_MIDDLE}.",
}
_UNKNOWN = f"Nothing that the embedded judge measures speaks to this, {_MIDDLE}."
_MANY = 2  # an event that happened this often counts in full


class Mix(NamedTuple):
    """Where a criterion starts on a scale from 0 to 1, and how far each measure moves it."""

    start: Fraction
    weights: Mapping[str, Fraction]


_QUARTER, _HALF, _MOST = Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)
MIXES: Mapping[str, Mix] = {
    "TaskSuccess": Mix(
        _HALF,
        {
            "declined": -Fraction(5, 4), "complained": -_HALF, "unanswered": -_HALF, "said_no": -_HALF,
            "corrected": -_QUARTER, "carried_out": _QUARTER, "praised": _QUARTER, "thanked": _QUARTER,
        },
    ),
    "Helpfulness": Mix(
        _HALF, {"declined": Fraction(-1), "unanswered": -_HALF, "carried_out": _QUARTER, "praised": _QUARTER}
    ),
    "Understanding": Mix(_MOST, {"corrected": -_HALF, "said_no": -_HALF}),
    "Fluency": Mix(_MOST, {"slips": -_HALF}),
}  # fmt: skip
# What a measure is called where it counted nothing.
_NOUNS = {
    "declined": "phrase of apology or refusal",
    "complained": "complaint",
    "unanswered": "missing reply",
    "said_no": "“no”",
    "corrected": "correction",
    "slips": "doubled small word or open end",
}
_OF_SYSTEM = ("declined", "carried_out", "slips")  # all others are measured in USER's turns
_SHARES = ("declined", "said_no")  # these count as a share of the speaker's turns, the others by their number


def evaluate(question: EvaluateQuestion, *_: object) -> Evaluation:
    """Return an evaluation with a mark for every criterion of the rubric."""
    talk = read_conversation(question.case)
    values = question.rubric.scale.values
    marks = {item.key: _mark(question.case, talk, item.key, values) for item in question.rubric.criteria}
    return Evaluation(judge="embedded", marks=marks)


def _amount(talk: Conversation, name: str) -> Fraction:
    """Return how much there is of something, from 0 to 1."""
    count = len(talk.found[name])
    if name in _SHARES:
        return Fraction(count, len(talk.system if name in _OF_SYSTEM else talk.user))
    return Fraction(bool(count)) if name == "thanked" else Fraction(min(count, _MANY), _MANY)


def _says(talk: Conversation, name: str) -> str:
    """Say what was found first, in its own words, and in how many of the speaker's turns it was counted."""
    count = len(talk.found[name])
    every, turns = (len(talk.system), "replies") if name in _OF_SYSTEM else (len(talk.user), "turns")
    where = f"{count} of its {every} {turns}"
    if count == every:
        where = f"its only {'turn' if turns == 'turns' else 'reply'}" if every == 1 else f"all {every} of its {turns}"
    like = " or the like" if count > 1 and name != "unanswered" else ""
    return f"{_shown(talk, name, talk.found[name][0])}{like}, counted in {where}"


def _shown(talk: Conversation, name: str, place: Place) -> str:
    """Say what is at one place, in its own words."""
    if name == "unanswered":
        return "USER gets no words in reply"
    words = f"“{words_at(talk, place)}”"
    if name == "slips":
        return f"SYSTEM writes {words}" if " " in words else f"SYSTEM ends a reply with {words}"
    return f"{'SYSTEM' if name in _OF_SYSTEM else 'USER'} says {words}"


def _mark(case: Dialogue, talk: Conversation, key: str, values: Sequence[Decimal]) -> Mark:
    """Return the score, with one sentence that names what moved it most in each direction."""
    if key not in MIXES:
        # Give the middle of the scale, and quote SYSTEM's fullest statement as one that was not checked.
        shown, reason = quote(case, fullest_sentence(talk, talk.system)), _NOT_ASSESSED.get(key, _UNKNOWN)
        return Mark(value=on_scale(_HALF, values), reason=reason, quotes=(shown,), assessed=False)
    mix = MIXES[key]
    moves = {name: weight * amount for name, weight in mix.weights.items() if (amount := _amount(talk, name))}
    ranked = sorted(moves, key=lambda name: -abs(moves[name]))
    good = [name for name in ranked if moves[name] > 0][:2]
    bad = [name for name in ranked if moves[name] < 0][:2]
    both = (", and ".join(_says(talk, name) for name in part) for part in (good, bad))
    sentence = ", but ".join(filter(None, both)) or _clean(mix)
    places = [talk.found[name][0] for name in (*good, *bad)]
    if not places:
        places = [fullest_sentence(talk, talk.user if key == "Understanding" else talk.system)]
    quotes = tuple(dict.fromkeys(quote(case, place) for place in places))
    return Mark(value=on_scale(mix.start + sum(moves.values()), values), reason=f"{sentence}.", quotes=quotes)


def _clean(mix: Mix) -> str:
    *first, last = (_NOUNS[name] for name, weight in mix.weights.items() if weight < 0)
    return f"No {' or '.join(filter(None, (', '.join(first), last)))} was counted"


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


def criticize(question: CriticizeQuestion, *_: object) -> Critique:
    """Return a critique with an entry for every mark of the evaluation."""
    moments = list(_moments(read_conversation(question.case)))
    values = question.rubric.scale.values
    entries: dict[str, Objection] = {}
    for key, mark in question.evaluation.marks.items():
        entries[key] = _entry(question.case, mark, [one for one in moments if key in one.criteria], values)
    return Critique(judge="embedded", entries=entries)


def _moments(talk: Conversation) -> Iterator[Moment]:
    """Yield all moments; for each criterion, the most serious first."""
    if (opposites := find_contradiction(talk)) is not None:
        yield Moment((ACCURACY,), -1, "SYSTEM says the same words once with and once without “not”.", opposites)
    # What happened to USER's last request, and how USER leaves.
    both = ("TaskSuccess", "Helpfulness")
    asked = next((index for index in reversed(talk.user) if asks(talk.turns[index].text)), None)
    replies = replies_to(talk, asked) if asked is not None else []

    def moment(criteria: tuple[str, ...], points: int, when: str, name: str, place: Place) -> Moment:
        return Moment(criteria, points, f"{when}{_shown(talk, name, place)}.", (place,))

    for place in talk.found["declined"]:
        if place.turn in replies:
            yield moment(both, -1, "In reply to USER's last question or request, ", "declined", place)
    for place in talk.found["unanswered"]:
        yield moment(both, -1, "Here ", "unanswered", place)
    for place in talk.found["praised"]:
        if place.turn == talk.user[-1]:
            yield moment(both, 1, "In its last turn, ", "praised", place)
    for place in talk.found["complained"]:
        yield moment(("TaskSuccess",), -1, "", "complained", place)
    for place in talk.found["corrected"]:
        yield moment(("Understanding",), -1, "", "corrected", place)
    for place in talk.found["slips"]:
        yield moment(("Fluency",), -1, "", "slips", place)


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
        comment = "Nothing that was measured contradicts this score."
        if against:
            comment = "What speaks against this score is in a turn that the Evaluator already quotes."
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
