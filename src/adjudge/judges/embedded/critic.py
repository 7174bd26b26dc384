"""The embedded Critic: objects where one moment of the transcript contradicts a score, and agrees everywhere else.

The Evaluator takes shares over the whole conversation; the Critic looks for the one exchange that a share hides. A
moment that the Evaluator quotes itself is no news.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from ...models import Critique, Mark, Objection
from ...models.cases import Dialogue
from ..base import CriticizeQuestion
from .conversation import Conversation, Place, asks, find_contradiction, quote, read_conversation, replies_to
from .evaluator import ACCURACY, MIXES


class Moment(NamedTuple):
    """Something at a place that asks for a lower (-1) or a higher (1) score of some criteria."""

    criteria: tuple[str, ...]
    points: int
    comment: str
    places: tuple[Place, ...]


def criticize(question: CriticizeQuestion) -> Critique:
    """An entry for every mark of the evaluation."""
    moments = list(find_moments(read_conversation(question.case)))
    values = question.rubric.scale.values
    entries = {
        key: _entry(question.case, mark, [item for item in moments if _concerns(item, key)], values)
        for key, mark in question.evaluation.marks.items()
    }
    return Critique(judge="embedded", entries=entries)


def find_moments(talk: Conversation) -> Iterator[Moment]:
    """All of them, for each criterion the gravest first."""
    if (opposites := find_contradiction(talk)) is not None:
        yield Moment((ACCURACY,), -1, "SYSTEM says one thing and later the opposite.", opposites)
    yield from _last_request(talk)
    yield from _complaints(talk)
    for place in talk.corrected:
        yield Moment(("Understanding",), -1, "USER has to put SYSTEM right here.", (place,))
    for place in talk.slips:
        yield Moment(("Fluency",), -1, "SYSTEM breaks off or doubles a word here.", (place,))


def _last_request(talk: Conversation) -> Iterator[Moment]:
    """What came of the last thing that USER asked for, and whether USER leaves content."""
    both = ("TaskSuccess", "Helpfulness")
    asked = next((index for index in reversed(talk.user) if asks(talk.turns[index].text)), None)
    replies = replies_to(talk, asked) if asked is not None else []
    for place in talk.declined:
        if place.turn in replies:
            yield Moment(both, -1, "The last thing USER asked for was declined.", (place,))
    for place in talk.unanswered:
        yield Moment(both, -1, "USER was left without a reply here.", (place,))
    for place in talk.praised:
        if place.turn == talk.user[-1]:
            yield Moment(both, 1, "USER leaves with a word of praise.", (place,))


def _complaints(talk: Conversation) -> Iterator[Moment]:
    """What USER complained of, and whether SYSTEM had a kind word for it."""
    kind = {place.turn: place for place in talk.courteous}
    for place in talk.complained:
        yield Moment(("TaskSuccess",), -1, "USER complains here.", (place,))
        replies = replies_to(talk, place.turn)
        answered = [kind[index] for index in replies if index in kind]
        if answered:
            yield Moment(("Empathy",), 1, "SYSTEM answers USER's complaint with a kind word.", (answered[0],))
        elif replies:
            yield Moment(("Empathy",), -1, "USER complains here, and the reply has no kind word for it.", (place,))


def _concerns(moment: Moment, key: str) -> bool:
    """A criterion of a user's own rubric is looked at as TaskSuccess is."""
    return (key if key in MIXES or key == ACCURACY else "TaskSuccess") in moment.criteria


def _entry(case: Dialogue, mark: Mark, moments: Sequence[Moment], values: Sequence[Decimal]) -> Objection:
    """An objection if a moment contradicts the mark: a low one a good mark, a high one a poor one."""
    at = min(range(len(values)), key=lambda index: abs(values[index] - mark.value))
    side = 2 * at - (len(values) - 1)
    # A mark that was not assessed claims nothing, so that anything found says more.
    against = [item for item in moments if item.points * side < 0 or not (mark.assessed or side)]
    if not against:
        return _agree("Nothing that can be measured contradicts this score.")
    quoted = {item.turn for item in mark.quotes} if mark.assessed else set()
    news = [item for item in against if not quoted.intersection(place.turn for place in item.places)]
    if not news:
        return _agree("What speaks against this score is already in the Evaluator's reason.")
    moment = news[0]
    # One value on the shipped scale; on a finer one as much of the whole.
    step = max(1, round((len(values) - 1) / 4))
    suggested = values[max(0, min(len(values) - 1, at + moment.points * step))]
    return Objection(
        agree=False,
        comment=moment.comment,
        suggested=suggested,
        contradicts=True,
        quotes=tuple(dict.fromkeys(quote(case, place) for place in moment.places)),
        wanted_quote=True,
    )


def _agree(comment: str) -> Objection:
    return Objection(agree=True, comment=comment, suggested=None, contradicts=False, quotes=())
