"""What all forms of a transcript share: entries, who is speaking, where dialogues end, and entries → Dialogue.

It knows no file format. A form that cannot read something leaves that in the entry; `build` raises it, because only
there is it known in which dialogue it happened. No utterance is dropped silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...errors import InputError
from ...models.cases import Dialogue, Speaker, Turn
from ..text import Unreadable, quote

USERS = frozenset({"user", "customer", "human"})
AGENTS = frozenset({"assistant", "agent", "bot", "ai"})
SPEAKERS = USERS | AGENTS | {"system"}
# Roles of chat APIs whose messages were never shown to the customer.
_UNSAID = frozenset({"tool", "function", "developer"})
ROLES = "SYSTEM (or assistant, agent, bot) and USER (or customer, human) are allowed"

OVERALL = "OVERALL"
_OVERALL_LINE = re.compile(r"\s*OVERALL\b[\s:]*(?:[A-Z][A-Za-z_+-]*)?[\s:]*([0-9.,;/\s]*)")
_RATINGS = re.compile(r"[0-9]{1,3}(?: *, *[0-9]{1,3})*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line, row or message: `gap` counts the blank lines before it, `api` says that a chat API named the role."""

    role: str
    text: str
    line: int
    act: str | None = None
    ratings: tuple[int, ...] = ()
    gap: int = 0
    api: bool = False
    problem: Unreadable | None = None


@dataclass(frozen=True, slots=True)
class RawDialogue:
    """The entries of one dialogue, the line it begins on, and its own id and overall ratings where it has them."""

    entries: Sequence[Entry]
    line: int
    own_id: int | str | None = None
    overall: tuple[int, ...] = ()


def unreadable(line: int, found: str, allowed: str, *, gap: int = 0) -> Entry:
    """An entry for something that could not be read."""
    return Entry("", "", line, gap=gap, problem=Unreadable(found, allowed))


def ratings_in(text: str) -> tuple[int, ...] | None:
    """The numbers in `3,3,4`; None if it is something else."""
    return tuple(int(number) for number in text.split(",")) if _RATINGS.fullmatch(text) else None


def split_at_gaps(entries: Sequence[Entry]) -> list[RawDialogue]:
    """The dialogues between blank lines.

    Some people put a blank line after every line. The narrowest gap counts that leaves any dialogue with both speakers
    in it; if none does, it is all one dialogue.
    """
    for width in (1, 2):
        groups: list[list[Entry]] = []
        for entry in entries:
            if entry.gap >= width or not groups:
                groups.append([])
            groups[-1].append(entry)
        if any(map(_both_speak, groups)):
            break
    else:
        groups = [list(entries)] if entries else []
    return [RawDialogue(group, group[0].line) for group in groups]


def _both_speak(entries: Iterable[Entry]) -> bool:
    roles = {entry.role.lower() for entry in entries if entry.text.strip() and entry.text != OVERALL}
    return not USERS.isdisjoint(roles) and not (SPEAKERS - USERS).isdisjoint(roles)


def build(raw: RawDialogue, position: int, place: str, fallback_id: int | str) -> Dialogue:
    """The dialogue in its entries; an error names its line and, by `position`, the dialogue."""

    def error(line: int, found: str, allowed: str, kind: type[InputError] = InputError) -> InputError:
        return kind(f"{place}:{line}", f"dialogue {position}: {found}", allowed)

    spoken: list[tuple[Speaker, Entry]] = []
    overall = raw.overall
    agent = next((entry for entry in raw.entries if entry.role.lower() in AGENTS), None)
    for entry in raw.entries:
        if entry.problem:
            raise error(entry.line, entry.problem.found, entry.problem.allowed)
        role = entry.role.lower()
        # Beside an assistant, an API's "system" is the prompt it was given.
        if entry.api and (role in _UNSAID or (role == "system" and agent and entry.role != "SYSTEM")):
            continue
        if role not in SPEAKERS:
            raise error(entry.line, f"unknown role {quote(entry.role)}", ROLES)
        if role == "system" and agent and entry.text.strip():
            found = f"{quote(entry.role)} speaks beside {quote(agent.role)} of line {agent.line}"
            raise error(entry.line, found, "use one name for the assistant's side, and leave out its prompt")
        speaker: Speaker = "USER" if role in USERS else "SYSTEM"
        if speaker == "USER" and (rated := _OVERALL_LINE.fullmatch(entry.text)):
            # However it is spelled, it is the humans' verdict: it is read or refused, and never becomes an utterance.
            if overall:
                raise error(entry.line, f"a second {OVERALL} line", "blank lines separate dialogues")
            written = rated[1].strip(" ;,")
            overall = entry.ratings or ratings_in(written.replace(";", ",")) or ()
            if written and not overall:
                raise error(entry.line, f"ratings {quote(written)}", "numbers such as 4,3,5")
        elif entry.text.strip() or entry.ratings or entry.act:
            # Where nothing was said there is nothing to judge or to quote.
            spoken.append((speaker, entry))
    try:
        turns = tuple(Turn(who, said.text, said.line, said.act or None, said.ratings) for who, said in spoken)
        return Dialogue(fallback_id if raw.own_id is None else raw.own_id, turns, overall)
    except InputError as refused:
        found = f"dialogue_id {refused.found}" if refused.place == "dialogue_id" else refused.found
        at = refused.place.removeprefix("line ")
        raise error(int(at) if at.isdigit() else raw.line, found, refused.allowed, type(refused)) from None
