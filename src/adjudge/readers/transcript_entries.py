"""What the forms of a transcript share: an entry per line read, who is speaking, and how entries become a Dialogue.

It knows no file format. A form that cannot read something leaves the problem in the entry;
`build` raises it, because only there is it known in which dialogue it happened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..cases import Dialogue, Speaker, Turn
from ..errors import InputError

USERS = frozenset({"user", "customer", "human"})
AGENTS = frozenset({"assistant", "agent", "bot", "ai"})
SPEAKERS = USERS | AGENTS | {"system"}
# What they hold was never said to the customer.
UNHEARD = frozenset({"tool", "function", "developer"})
ROLES = "SYSTEM (or assistant, agent, bot) and USER (or customer, human) are allowed"

OVERALL = "OVERALL"
_OVERALL_LINE = re.compile(r"\s*OVERALL\b[\s:]*(?:[A-Z][A-Za-z_+-]*)?[\s:]*([0-9.,;/\s]*)")
_RATINGS = re.compile(r"[0-9]{1,3}(?: *, *[0-9]{1,3})*")
_SHORT = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """What was found where it could not be read, and what is allowed there."""

    found: str
    allowed: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One line, row or message as it was read; `gap` counts the blank lines before it."""

    role: str
    text: str
    line: int
    act: str | None = None
    ratings: tuple[int, ...] = ()
    gap: int = 0
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """The entries of one dialogue, the line it begins on and what it says of itself."""

    entries: Sequence[Entry]
    line: int
    own_id: int | str | None = None
    overall: tuple[int, ...] = ()


def unreadable(line: int, found: str, allowed: str, *, gap: int = 0) -> Entry:
    """An entry that stands for something that could not be read."""
    return Entry("", "", line, gap=gap, problem=Problem(found, allowed))


def shorten(text: str) -> str:
    """A text as an error quotes it: on one line, and not all of it."""
    return repr(text if len(text) <= _SHORT else text[: _SHORT - 1] + "…")


def ratings_in(text: str) -> tuple[int, ...] | None:
    """The numbers in `3,3,4`; None if it is something else."""
    return tuple(int(number) for number in text.split(",")) if _RATINGS.fullmatch(text) else None


def split_at_gaps(entries: Sequence[Entry]) -> list[Record]:
    """The dialogues between blank lines.

    Some people set every line apart with a blank one. The narrowest gap counts that leaves any dialogue with both
    speakers in it; if none does, it is all one dialogue.
    """
    for width in (1, 2):
        groups = _split(entries, width)
        if any(_both_speak(group) for group in groups):
            break
    else:
        groups = [list(entries)]
    return [Record(group, group[0].line) for group in groups if group]


def _split(entries: Iterable[Entry], width: int) -> list[list[Entry]]:
    groups: list[list[Entry]] = [[]]
    for entry in entries:
        if entry.gap >= width and groups[-1]:
            groups.append([])
        groups[-1].append(entry)
    return groups


def _both_speak(entries: Iterable[Entry]) -> bool:
    roles = {entry.role.lower() for entry in entries if entry.text.strip() and entry.text != OVERALL}
    return not USERS.isdisjoint(roles) and not (SPEAKERS - USERS).isdisjoint(roles)


def build(record: Record, position: int, place: str, fallback_id: int | str) -> Dialogue:
    """The dialogue in a record; an error says its line and, by `position`, the dialogue."""
    spoken: list[tuple[Speaker, Entry]] = []
    overall = record.overall
    # Beside an assistant, "system" is the prompt it was given; alone, it is the SYSTEM of our transcripts.
    has_agent = any(entry.role.lower() in AGENTS for entry in record.entries)
    for entry in record.entries:
        if entry.problem:
            raise _error(place, entry.line, position, entry.problem.found, entry.problem.allowed)
        role = entry.role.lower()
        if role in UNHEARD or (role == "system" and has_agent):
            continue
        if role not in SPEAKERS:
            raise _error(place, entry.line, position, f"unknown role {shorten(entry.role)}", ROLES)
        speaker: Speaker = "USER" if role in USERS else "SYSTEM"
        if speaker == "USER" and (rated := _OVERALL_LINE.fullmatch(entry.text)):
            if overall:
                raise _error(place, entry.line, position, f"a second {OVERALL} line", "blank lines separate dialogues")
            # However it is spelled, it is the humans' verdict: it is read or refused, and never becomes an utterance.
            written = rated[1].strip(" ;,")
            overall = entry.ratings or ratings_in(written.replace(";", ",")) or ()
            if written and not overall:
                raise _error(place, entry.line, position, f"ratings {shorten(written)}", "numbers such as 4,3,5")
        elif entry.text.strip() or entry.ratings or entry.act:
            # Where nothing was said there is nothing to judge or to quote.
            spoken.append((speaker, entry))
    try:
        turns = tuple(Turn(who, said.text, said.line, said.act or None, said.ratings) for who, said in spoken)
        return Dialogue(fallback_id if record.own_id is None else record.own_id, turns, overall)
    except InputError as error:
        found = f"dialogue_id {error.found}" if error.place == "dialogue_id" else error.found
        at = error.place.removeprefix("line ")
        line = int(at) if at.isdigit() else record.line
        raise _error(place, line, position, found, error.allowed, type(error)) from None


def _error(
    place: str, line: int, position: int, found: str, allowed: str, kind: type[InputError] = InputError
) -> InputError:
    return kind(f"{place}:{line}", f"dialogue {position}: {found}", allowed)
