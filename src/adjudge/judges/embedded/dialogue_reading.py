"""A conversation read once: who said which cue, what USER asked for and what came back, what SYSTEM asked and got.

It counts and pairs; it weighs nothing. It reads speakers and texts only, never what annotators wrote beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ...cases import Dialogue, Speaker
from ...facts.sentences import rough_words, sentence_spans
from . import dialogue_cues as cues
from .phrases import spoken

READ = 4000  # characters of a turn; what it is about stands in the beginning

_USER_CUES = {
    "thanks": cues.THANKS, "done": cues.DONE, "farewell": cues.FAREWELL, "praise": cues.PRAISE, "no": cues.NO,
    "correction": cues.CORRECTION, "frustration": cues.FRUSTRATION, "dispute": cues.DISPUTE, "request": cues.REQUEST,
    "confusion": cues.CONFUSION,
}  # fmt: skip
_SYSTEM_CUES = {
    "thanks": cues.THANKS, "farewell": cues.FAREWELL, "refusal": cues.REFUSAL, "denial": cues.DENIAL,
    "apology": cues.APOLOGY, "success": cues.SUCCESS, "courtesy": cues.COURTESY, "offer": cues.OFFER,
    "acknowledgement": cues.ACKNOWLEDGEMENT, "mistake": cues.SELF_CONTRADICTION, "confusion": cues.CONFUSION,
}  # fmt: skip
_REPLIES = 8  # turns of an answer that are looked at
_BAD_NEWS = ("refusal", "denial")
_QUESTION_MARKS = ("?", "？", "؟")
_REFERENCE = re.compile(r"\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6,12}\b")

Reply = Literal["answered", "asked back", "refused", "none"]


@dataclass(frozen=True, slots=True)
class Heard:
    """One turn: its words, the cues in it (with the phrase that was found), and how many of its sentences ask."""

    turn: int
    speaker: Speaker
    text: str
    said: str
    words: int
    cues: dict[str, str]
    sentences: int
    questions: int

    @property
    def only_asks(self) -> bool:
        return 0 < self.sentences == self.questions


@dataclass(frozen=True, slots=True)
class Exchange:
    """Something one side asked for, at the turn where it did, and what the other side said before it spoke again."""

    asked: Heard
    replies: tuple[Heard, ...]
    reply: Reply


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """All that the features are made of; one is equal to itself only."""

    turns: tuple[Heard, ...]
    user: tuple[Heard, ...]
    system: tuple[Heard, ...]
    requests: tuple[Exchange, ...]
    questions: tuple[Exchange, ...]

    def with_cue(self, speaker: Speaker, cue: str) -> list[Heard]:
        """The turns of one side in which a cue stands."""
        return [heard for heard in (self.user if speaker == "USER" else self.system) if cue in heard.cues]


def read_dialogue(case: Dialogue) -> Reading:
    """The conversation as the embedded judge hears it."""
    return _read(tuple((turn.speaker, turn.text) for turn in case.turns))


@lru_cache(maxsize=2)  # the Critic hears what the Evaluator heard
def _read(said: tuple[tuple[Speaker, str], ...]) -> Reading:
    turns = tuple(hear(index, speaker, text) for index, (speaker, text) in enumerate(said))
    return Reading(
        turns=turns,
        user=tuple(heard for heard in turns if heard.speaker == "USER"),
        system=tuple(heard for heard in turns if heard.speaker == "SYSTEM"),
        requests=tuple(_requests(turns)),
        questions=tuple(_questions(turns)),
    )


def hear(index: int, speaker: Speaker, text: str) -> Heard:
    """One turn on its own."""
    read = text[:READ]
    said = spoken(read)
    found: dict[str, str] = {}
    for name, cue in (_USER_CUES if speaker == "USER" else _SYSTEM_CUES).items():
        phrase = cue.find_meant(said) if name == "praise" else cue.find(said)
        if phrase is not None:
            found[name] = phrase
    spans = sentence_spans(read)
    asking = sum(1 for start, end in spans if read[start:end].rstrip("\"'”’)! ").endswith(_QUESTION_MARKS))
    if asking == len(spans):  # "is there a film you don't like?" refuses nothing
        for name in _BAD_NEWS:
            found.pop(name, None)
    if speaker == "SYSTEM" and "refusal" not in found and (code := _REFERENCE.search(read)):
        found.setdefault("success", f" {code[0].lower()} ")
    return Heard(index, speaker, text, said, rough_words(read), found, len(spans), asking)


def _requests(turns: tuple[Heard, ...]) -> Iterable[Exchange]:
    """What USER asked for, each with SYSTEM's next words. One that USER goes on from at once is one request."""
    ends = _runs(turns)
    for index, heard in enumerate(turns):
        if heard.speaker != "USER" or not (heard.questions or "request" in heard.cues):
            continue
        if "done" in heard.cues or ("thanks" in heard.cues and not heard.questions and heard.words < 8):
            continue
        if index + 1 < len(turns) and turns[index + 1].speaker == "USER":
            following = turns[index + 1]
            if following.questions or "request" in following.cues:
                continue
        replies = _next_words(turns, ends, index)
        yield Exchange(heard, replies, _kind_of(replies))


def _questions(turns: tuple[Heard, ...]) -> Iterable[Exchange]:
    """What SYSTEM wanted to know, each with what USER said to it; offers of more help are left out."""
    ends = _runs(turns)
    for index, heard in enumerate(turns):
        if heard.speaker == "SYSTEM" and heard.questions and "offer" not in heard.cues:
            replies = _next_words(turns, ends, index)
            if not replies:
                kind: Reply = "none"
            elif any("no" in reply.cues and reply.words < 12 for reply in replies):
                kind = "refused"
            else:
                kind = "asked back" if all(reply.only_asks for reply in replies) else "answered"
            yield Exchange(heard, replies, kind)


def _runs(turns: tuple[Heard, ...]) -> list[int]:
    """For every turn, where its speaker's run ends and the other side begins."""
    ends = [len(turns)] * len(turns)
    for index in range(len(turns) - 2, -1, -1):
        ends[index] = ends[index + 1] if turns[index].speaker == turns[index + 1].speaker else index + 1
    return ends


def _next_words(turns: tuple[Heard, ...], ends: list[int], index: int) -> tuple[Heard, ...]:
    """The other side's turns that follow before this side speaks again."""
    start = ends[index]
    return turns[start : min(ends[start], start + _REPLIES)] if start < len(turns) else ()


def _kind_of(replies: tuple[Heard, ...]) -> Reply:
    if not replies:
        return "none"
    if any("refusal" in reply.cues for reply in replies) and not any("success" in reply.cues for reply in replies):
        return "refused"
    return "asked back" if all(reply.only_asks for reply in replies) else "answered"
