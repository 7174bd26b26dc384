"""Measure a conversation without understanding it: who used which phrase, and where.

Every finding is a place in the transcript that can be quoted, so a sentence about it quotes the words that were found.
The phrases are short English lists, and no binding rule rests on them. In text in another language they find nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import NamedTuple

from ...judges.embedded.phrases import APOLOGIES_AND_REFUSALS, any_of
from ...text.sentences import rough_words, sentence_spans
from ...text.words import count_words, split_words
from .case import Dialogue, Turn
from .verdict import Utterance

# -- phrases -----------------------------------------------------------------------------------------------------------


# In a conversation, also requests that came to nothing without an apology.
DECLINED = any_of(
    *APOLOGIES_AND_REFUSALS,
    "unsuccessful", "not successful", "not available", "isn't available", "unavailable", "sold out", "fully booked",
    "no (?:results?|match(?:es)?|such|longer available)", "there (?:are|is|were|was) (?:no|none|nothing)",
    "there (?:aren't|isn't) any", "(?:has|have) failed",
)  # fmt: skip
REQUEST = any_of(
    "(?:can|could|would|will) you", "can i", "please", "i(?:'d| would) like", "i (?:also )?(?:need|want)",
    "(?:i'm|i am) looking for",
)  # fmt: skip
# Something was done for USER. "Fully booked", or a question whether to book, does not count.
CARRIED_OUT = any_of(
    "(?:have|has|been|is|are|was|were|'ve)(?: now| also| just)? (?:booked|reserved|confirmed|purchased|ordered|sent)",
    "(?:have|has|been|'ve)(?: now| also| just)? (?:scheduled|changed|updated|cancell?ed|refunded)", "successfully",
    "(?:is|was|were) successful", "(?:reference|confirmation) (?:number|code|is)", "taken care of",
)  # fmt: skip
# Praise of anything: users who speak well of something are mostly content with the conversation too.
PRAISE = any_of(
    r"(?<!not\s)(?:great|perfect|awesome|excellent|wonderful|fantastic|amazing|brilliant|lovely|nice|cool|helpful)",
    r"(?<!not\s)exactly", "sounds (?:good|fun|interesting)", "loved?", "good job", "that works",
)  # fmt: skip
NO = any_of(
    r"(?:\A|(?<=[.!?]\s))(?:no|nope|nah)", "(?:don't|do not) (?:know|remember|think so)", "not (?:sure|really)",
    "no idea", "haven't", "have not", "never (?:seen|heard)",
)  # fmt: skip
THANKS = any_of("thanks?(?: you)?", "thx", "cheers", "appreciate it", "much appreciated")
# Only complaints to SYSTEM or about it: USER may also find a film annoying.
COMPLAINT = any_of(
    "(?:this|that|it)(?:'s| is)(?: so| really| just| very)? (?:ridiculous|unacceptable|frustrating|disappointing)",
    "(?:you|you're|you are|this is)(?: so| really| just)? (?:useless|unhelpful|not helpful|no help)",
    "wast(?:e of|ing) my time", "(?:that|this) (?:doesn't|does not|didn't) help", "thanks for nothing", "i give up",
    "(?:terrible|awful|poor) service", "forget it", "how many times", "not good enough", "i'm (?:so )?frustrated",
    "(?:speak|talk) to (?:a|your) (?:human|manager|supervisor|real person)",
)  # fmt: skip
CORRECTION = any_of(
    "no,? i meant", "i (?:already|just) (?:said|told)", "i told you", "as i said", "you misunderstood",
    "(?:that's|that is) (?:not what|wrong|incorrect|not (?:right|correct|true))", "you just (?:told me|said)",
    "not what i (?:asked|said|meant|wanted)", "i (?:didn't|did not) ask",
)  # fmt: skip


# -- places ------------------------------------------------------------------------------------------------------------

_LONGEST = 200  # characters of a quote
_SHORTEST = 3  # words of a quote that is not the whole utterance
_PLENTY = 25  # words; longer sentences do not count as fuller
_WORDS = 5  # a statement with fewer words may be repeated by chance
_LAST_WORDS = 2  # turns of USER that count as the end of a conversation
_MORE_HELP = re.compile(r"\b(?:else|(?:more|further) (?:help|assistance))\b", re.IGNORECASE)
# A small word doubled, or an end that leaves the sentence open.
_SLIP = re.compile(r"\b(the|an|of|to|is|are|and|with|your)\s+\1\b|(?:,|\b(?:and|or|the|an|because))\s*\Z", re.I)
_FULL_FORMS = (("’", "'"), ("cannot", "can not"), ("can't", "can not"), ("won't", "will not"), ("n't", " not"))


class Place(NamedTuple):
    """A place in the transcript: `text[start:end]` of a turn."""

    turn: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation and what was found in it. `system` and `user` are positions in `turns` (`user`: if not empty).

    Neither counts the steps of tools, which are nobody's words; `spoken` are the positions of all other turns.
    """

    turns: tuple[Turn, ...]
    spoken: tuple[int, ...]
    system: tuple[int, ...]
    user: tuple[int, ...]
    found: Mapping[str, tuple[Place, ...]]


def read_conversation(case: Dialogue) -> Conversation:
    """Read a conversation and find everything that is measured in it."""
    turns = case.turns
    spoken = tuple(index for index, turn in enumerate(turns) if turn.speaker != "TOOL")
    system = tuple(index for index, turn in enumerate(turns) if turn.speaker == "SYSTEM")
    user = tuple(index for index, turn in enumerate(turns) if turn.speaker == "USER" and turn.text.strip())

    def find(pattern: re.Pattern[str], among: Iterable[int]) -> tuple[Place, ...]:
        return tuple(Place(at, *match.span()) for at in among if (match := pattern.search(turns[at].text)))

    found = {
        "declined": find(DECLINED, system),
        "complained": find(COMPLAINT, user),
        "corrected": find(CORRECTION, user),
        "slips": find(_SLIP, system),
        "unanswered": tuple(_unanswered(turns, spoken, user)),
    }
    # A turn that declines, complains or corrects counts as nothing else.
    bad = {place.turn for name in ("declined", "complained", "corrected") for place in found[name]}
    others = [index for index in user if index not in bad]
    found["carried_out"] = find(CARRIED_OUT, (index for index in system if index not in bad))
    found["said_no"] = find(NO, (index for index in others if not _ends(turns, spoken, index)))
    found["praised"] = find(PRAISE, others)
    found["thanked"] = find(THANKS, (index for index in others if index in user[-_LAST_WORDS:]))
    return Conversation(turns, spoken, system, user, found)


def _ends(turns: tuple[Turn, ...], spoken: tuple[int, ...], index: int) -> bool:
    """Return whether USER only ends the conversation: "no" to more help, or "no" with thanks, is not a refusal."""
    before = bisect_left(spoken, index) - 1
    offered = before >= 0 and _MORE_HELP.search(turns[spoken[before]].text)
    return bool(offered or THANKS.search(turns[index].text))


def _unanswered(turns: tuple[Turn, ...], spoken: tuple[int, ...], user: Iterable[int]) -> Iterator[Place]:
    """Yield USER's turns before an empty reply of SYSTEM, and a question at the end that got no reply."""
    last = max(index for index in spoken if turns[index].text.strip())
    for index in user:
        after = list(takewhile(lambda at: turns[at].speaker == "SYSTEM", spoken[bisect_right(spoken, index) :]))
        silence = after and not any(turns[at].text.strip() for at in after)
        if silence or (index == last and "?" in turns[index].text):
            yield Place(index, 0, len(turns[index].text))


def words_at(talk: Conversation, place: Place) -> str:
    """Return the words at a place, on one line."""
    return " ".join(talk.turns[place.turn].text[place.start : place.end].split())


def replies_to(talk: Conversation, index: int) -> list[int]:
    """Return SYSTEM's turns after a turn of USER, until USER speaks again."""
    later = talk.spoken[bisect_right(talk.spoken, index) :]
    after = dropwhile(lambda at: talk.turns[at].speaker == "USER", later)
    return list(takewhile(lambda at: talk.turns[at].speaker == "SYSTEM", after))


def asks(text: str) -> bool:
    """Return whether a text asks for something. Thanks such as "that's all I need" are not a request."""
    return "?" in text or bool(REQUEST.search(text) and not THANKS.search(text))


def find_contradiction(talk: Conversation) -> tuple[Place, Place] | None:
    """Return two statements of SYSTEM in the same words, only one of them with a "not", or None."""
    stated: dict[tuple[str, ...], dict[bool, Place]] = {}
    for index in talk.system:
        text = talk.turns[index].text
        for start, end in sentence_spans(text):
            plain = text[start:end].casefold()
            for short, full in _FULL_FORMS:
                plain = plain.replace(short, full)
            words = split_words(plain)
            kept = tuple(word for word in words if word != "not")
            if len(kept) >= _WORDS and not plain.endswith("?"):
                denied = len(words) > len(kept)
                places = stated.setdefault(kept, {})
                places.setdefault(denied, Place(index, start, end))
                if (not denied) in places:
                    return places[not denied], Place(index, start, end)
    return None


def fullest_sentence(talk: Conversation, among: Iterable[int]) -> Place:
    """Return the first of the longest sentences. Return a question only if there is nothing else."""
    texts = ((index, talk.turns[index].text) for index in among)
    places = (Place(index, *span) for index, text in texts for span in sentence_spans(text))

    def size(place: Place) -> tuple[bool, int]:
        sentence = talk.turns[place.turn].text[place.start : place.end]
        return not sentence.endswith("?"), min(rough_words(sentence), _PLENTY)

    return max(places, key=size)


def quote(case: Dialogue, place: Place) -> Utterance:
    """Return the sentence around a place, cut to a readable length. Keep at least three words if there are as many."""
    turn = case.turns[place.turn]
    text = turn.text
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    start, end = next((span for span in sentence_spans(text) if place.start < span[1]), (first, last))
    if place.end - place.start < _LONGEST < place.end - start:
        start = place.start
    for low, high in ((start, end), (start, last), (first, last)):
        start, end = low, _cut(text, low, high)
        if count_words(text[start:end]) >= _SHORTEST:
            break
    else:
        start, end = first, last
    return Utterance(speaker=turn.speaker, quote=text[start:end], turn=place.turn, line=turn.line, start=start, end=end)


def _cut(text: str, start: int, end: int) -> int:
    """Return the end of a passage, or the last gap between words before it becomes too long."""
    if end - start <= _LONGEST:
        return end
    gap = text.rfind(" ", start, start + _LONGEST + 1)
    return start + len(text[start : gap if gap > start else start + _LONGEST].rstrip())
