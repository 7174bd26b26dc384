"""What can be measured in a conversation without understanding it: who apologised, repeated, complained, and where.

Every finding is a place in the transcript that can be quoted. Nothing is weighed here, and nothing is read but the
speakers and what they said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ...cases import Dialogue, Turn
from ...text.sentences import rough_words, sentence_spans, word_set
from ...verdicts import Utterance
from ...words import count_words, split_words
from . import phrases

_LONGEST = 200  # characters of a quote
_SHORTEST = 3  # words of a quote that is not the whole utterance
_PLAIN = 25  # words from which one sentence shows as much as another
_WORDS = 4  # fewer words are said twice without anybody noticing
_ALIKE = 0.75  # share of their words that two requests have in common when one repeats the other
_LOOKED_BACK = 6
_LAST_WORDS = 2  # turns of USER that are the end of a conversation
_NEGATIONS = word_set("not no never")
_ROUTINE = re.compile(r"\b(?:anything else|welcome|bye|have a (?:good|great|nice|lovely) )", re.IGNORECASE)
_SLIP = re.compile(r"\b(the|an|of|to|is|are|and|for|with|your)\s+\1\b|(?:,|\b(?:and|or|the|an|because))\s*\Z", re.I)


class Place(NamedTuple):
    """Where something shows: a turn, and the stretch of its text."""

    turn: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of both sides (as positions in `turns`; of USER only those with words), and what was found in them."""

    turns: tuple[Turn, ...]
    system: tuple[int, ...]
    user: tuple[int, ...]
    declined: tuple[Place, ...]
    courteous: tuple[Place, ...]
    repeated: tuple[Place, ...]
    slips: tuple[Place, ...]
    asked_again: tuple[Place, ...]
    corrected: tuple[Place, ...]
    complained: tuple[Place, ...]
    thanked: tuple[Place, ...]
    unanswered: tuple[Place, ...]

    def replies_to(self, turn: int) -> tuple[int, ...]:
        """SYSTEM's turns after one of USER's, before USER speaks again; what USER adds at once belongs to it."""
        at = turn + 1
        while at < len(self.turns) and self.turns[at].speaker == "USER":
            at += 1
        end = at
        while end < len(self.turns) and self.turns[end].speaker == "SYSTEM":
            end += 1
        return tuple(index for index in range(at, end) if self.turns[index].text.strip())


def read_conversation(case: Dialogue) -> Conversation:
    """The conversation with everything that is measured in it."""
    turns = tuple(case.turns)
    system = tuple(index for index, turn in enumerate(turns) if turn.speaker == "SYSTEM")
    user = tuple(index for index, turn in enumerate(turns) if turn.speaker == "USER" and turn.text.strip())
    find = partial(_find, turns)
    last = [index for index in user[-_LAST_WORDS:] if phrases.complains(turns[index].text) is None]
    return Conversation(
        turns=turns,
        system=system,
        user=user,
        declined=find(system, lambda text: phrases.declines(text) or phrases.comes_back_empty(text)),
        courteous=find(system, phrases.is_courteous),
        repeated=tuple(_repeated(turns, system)),
        slips=find(system, _slip),
        asked_again=tuple(_asked_again(turns, user)),
        corrected=find(user, phrases.corrects),
        complained=find(user, phrases.complains),
        thanked=find(last, phrases.thanks),
        unanswered=tuple(_unanswered(turns, user)),
    )


def _find(
    turns: tuple[Turn, ...], among: Iterable[int], look: Callable[[str], phrases.Span | None]
) -> tuple[Place, ...]:
    return tuple(Place(index, *span) for index in among if (span := look(turns[index].text)) is not None)


def _slip(text: str) -> phrases.Span | None:
    """A small word said twice, or an end that leaves the sentence open."""
    match = _SLIP.search(text)
    return match.span() if match else None


def _repeated(turns: tuple[Turn, ...], system: Iterable[int]) -> Iterator[Place]:
    """Replies that SYSTEM gave before, word for word; offers of more help and farewells aside."""
    said: set[tuple[str, ...]] = set()
    for index in system:
        text = turns[index].text
        words = tuple(split_words(text.casefold()))
        if len(words) >= _WORDS and not _ROUTINE.search(text):
            if words in said:
                yield _whole(turns, index)
            said.add(words)


def _asked_again(turns: tuple[Turn, ...], user: Iterable[int]) -> Iterator[Place]:
    """What USER says almost as a few turns before; thanks aside."""
    said: list[frozenset[str]] = []
    for index in user:
        words = frozenset(split_words(turns[index].text.casefold()))
        if len(words) < _WORDS or phrases.thanks(turns[index].text):
            continue
        if any(len(words & past) >= _ALIKE * len(words | past) for past in said[-_LOOKED_BACK:]):
            yield _whole(turns, index)
        said.append(words)


def _unanswered(turns: tuple[Turn, ...], user: tuple[int, ...]) -> Iterator[Place]:
    """What USER said before an empty reply of SYSTEM, and a question at the end to which nobody replied."""
    spoken = [index for index, turn in enumerate(turns) if turn.text.strip()]
    for index in user:
        after = [(turn.speaker, bool(turn.text.strip())) for turn in turns[index + 1 : index + 3]]
        silence = after[:1] == [("SYSTEM", False)] and after[1:] != [("SYSTEM", True)]
        if silence or (index == spoken[-1] and "?" in turns[index].text):
            yield _whole(turns, index)


def _whole(turns: tuple[Turn, ...], index: int) -> Place:
    return Place(index, 0, len(turns[index].text))


def last_request(talk: Conversation) -> int | None:
    """The last turn in which USER asks for something."""
    return next((index for index in reversed(talk.user) if phrases.asks(talk.turns[index].text)), None)


def find_contradiction(talk: Conversation) -> tuple[Place, Place] | None:
    """Two statements of SYSTEM in the same words, one of them with a "not"."""
    stated: dict[tuple[str, ...], dict[bool, Place]] = {}
    for index in talk.system:
        text = talk.turns[index].text
        for start, end in sentence_spans(text):
            words = split_words(_spelled_out(text[start:end]))
            kept = tuple(word for word in words if word not in _NEGATIONS)
            if len(kept) <= _WORDS or text[start:end].endswith("?"):
                continue
            denied = len(words) > len(kept)
            places = stated.setdefault(kept, {})
            places.setdefault(denied, Place(index, start, end))
            if (before := places.get(not denied)) is not None:
                return before, Place(index, start, end)
    return None


def _spelled_out(sentence: str) -> str:
    plain = sentence.casefold().replace("’", "'")
    for short, full in (("cannot", "can not"), ("can't", "can not"), ("won't", "will not"), ("n't", " not")):
        plain = plain.replace(short, full)
    return plain


def fullest_sentence(talk: Conversation, among: Iterable[int]) -> Place:
    """The sentence that says most, the first of its kind: no question if there is anything else."""
    places = [Place(index, start, end) for index in among for start, end in sentence_spans(talk.turns[index].text)] or [
        _whole(talk.turns, index) for index in among
    ]

    def says(place: Place) -> tuple[bool, int]:
        sentence = talk.turns[place.turn].text[place.start : place.end]
        return not sentence.endswith("?"), min(rough_words(sentence), _PLAIN)

    return max(places, key=says)


def quote(case: Dialogue, place: Place) -> Utterance:
    """The sentence around a place, cut to a readable length; never fewer than three words of a longer utterance."""
    turn = case.turns[place.turn]
    text = turn.text
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    around = ((low, high) for low, high in sentence_spans(text) if low <= place.start < high)
    start, end = next(around, (first, last))
    if place.end - place.start < _LONGEST < place.end - start:
        start = place.start
    for low, high in ((start, end), (start, last), (first, last)):
        start, end = low, _cut(text, low, high)
        if count_words(text[start:end]) >= _SHORTEST:
            break
    else:
        start, end = first, last
    return Utterance(turn.speaker, text[start:end], place.turn, turn.line, start, end)


def _cut(text: str, start: int, end: int) -> int:
    """The end of a stretch, or the last gap between words before it becomes too long."""
    if end - start <= _LONGEST:
        return end
    gap = text.rfind(" ", start, start + _LONGEST + 1)
    return start + len(text[start : gap if gap > start else start + _LONGEST].rstrip())
