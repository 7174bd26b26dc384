"""Bytes → Dialogues, in every form people keep them: transcript columns, `User: …` text, JSON, JSONL, CSV and TSV.

The form is recognised by how the file begins. Annotators' acts and ratings are kept beside the turns, never in them.
No utterance is dropped silently: each becomes a turn or an error that names its line.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, zip_longest

from ...errors import InputError
from ...models.cases import Dialogue, Speaker, Turn
from ..text import decode, quote
from .lines import (
    AGENTS,
    COLUMN_LINE,
    LABEL_LINE,
    OVERALL,
    SPEAKERS,
    USERS,
    Entry,
    RawDialogue,
    ratings_in,
    read_columns,
    read_labels,
)
from .messages import ROLES, is_json, is_table_header, read_json, read_rows

FORMS = "SPEAKER <tab> utterance, User: …, JSON messages, or CSV with speaker and text columns are allowed"
# Roles of a chat API: results of tools, which nobody said, and the instructions before the conversation.
_TOOLS = frozenset({"tool", "function"})
_INSTRUCTIONS = frozenset({"system", "developer"})
_INDENT = "indent the line if it belongs to the utterance before it"
_WARNINGS = 3  # labels of one dialogue
_log = logging.getLogger(__name__)
_OVERALL_LINE = re.compile(r"\s*+OVERALL\b[\s:]*+([A-Z][A-Za-z_+-]*+)?+[\s:]*+([0-9.,;/\s]*+)")


def read_dialogues(raw: bytes, place: str, *, first_id: int | str | None = None) -> list[Dialogue]:
    """The dialogues in some bytes, at least one; `place` is what errors call the file.

    A dialogue has the id given for it, `first_id`, if it is the only one; else its own, else its position.
    """
    dialogues = split_dialogues(raw, place)
    if first_id is not None and len(dialogues) == 1:
        dialogues = [replace(dialogues[0], own_id=first_id)]
    return [build(one, position, place, position) for position, one in enumerate(dialogues, 1)]


def split_dialogues(raw: bytes, place: str) -> list[RawDialogue]:
    """The dialogues in some bytes before they are built, so that one that cannot be read leaves the others."""
    text = decode(raw, place).replace("\r\n", "\n")
    # Not splitlines: U+2028 and others like it are characters somebody typed.
    lines = text.split("\n")
    number, opening = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (0, ""))

    def at(line: int) -> str:
        return f"{place}:{line}"

    if is_json(text):
        dialogues = read_json(text, at)
    elif is_table_header(opening):
        dialogues = read_rows(lines, at)
    elif COLUMN_LINE.match(opening):
        dialogues = read_columns(lines)
    elif LABEL_LINE.match(opening):
        dialogues = read_labels(lines)
    elif opening:
        raise InputError(at(number), f"cannot read {quote(opening)}", FORMS)
    else:
        dialogues = []
    if not dialogues:
        raise InputError(place, "no dialogue", FORMS)
    return dialogues


def build(raw: RawDialogue, position: int, place: str, fallback_id: int | str) -> Dialogue:
    """The dialogue in its entries; an error names its line and, by `position`, the dialogue."""
    turns: list[Turn] = []
    doubtful: dict[str, int] = {}
    overall = raw.overall
    agent = next((entry for entry in raw.entries if entry.role.lower() in AGENTS), None)
    try:
        said = _conversation(raw.entries, agent)
        for entry, after in zip_longest(said, said[1:]):
            role = entry.role.lower()
            if entry.problem:
                raise InputError(f"line {entry.line}", entry.problem.found, entry.problem.allowed)
            if role not in SPEAKERS:
                raise InputError(f"line {entry.line}", f"unknown role {quote(entry.role)}", ROLES)
            if role == "system" and agent and entry.text.strip():
                found = f"{quote(entry.role)} speaks beside {quote(agent.role)} of line {agent.line}"
                remedy = "use one name for the assistant's side, and leave out instructions to it"
                raise InputError(f"line {entry.line}", found, remedy)
            speaker: Speaker = "USER" if role in USERS else "SYSTEM"
            for label, line in entry.labels.items():
                # Between two turns of one side, it stands where the other side should answer.
                if after is not None and (after.role.lower() in USERS) == (speaker == "USER"):
                    found = f"unknown speaker {quote(label)} between two turns of {quote(entry.role)}"
                    raise InputError(f"line {line}", found, f"{ROLES}; {_INDENT}")
                doubtful.setdefault(label, line)
            if speaker == "USER" and (rated := _OVERALL_LINE.fullmatch(entry.text)):
                # However it is spelled, it is the people's verdict: it is read or refused, and never an utterance.
                if overall:
                    raise InputError(f"line {entry.line}", f"a second {OVERALL} line", "blank lines separate dialogues")
                word, written = rated[1] or "", rated[2].strip(" ;,")
                overall = entry.ratings or ratings_in(written.replace(";", ",")) or ()
                # An ACT is in capitals; any other word was said.
                if not overall and (unread := written or ("" if word.isupper() else word)):
                    found = f"cannot read the ratings {quote(unread)}"
                    raise InputError(f"line {entry.line}", found, "numbers such as 4,3,5 are allowed")
            elif entry.text.strip() or entry.ratings or entry.act:
                # Where nothing was said there is nothing to judge or to quote.
                turns.append(Turn(speaker, entry.text, entry.line, entry.act or None, entry.ratings))
        for label, line in islice(doubtful.items(), _WARNINGS):
            said_of = f"{quote(f'{label}:')} is read as part of the utterance before it"
            _log.warning("%s:%d: %s; if it names a speaker: %s", place, line, said_of, ROLES)
        return Dialogue(fallback_id if raw.own_id is None else raw.own_id, tuple(turns), overall)
    except InputError as refused:
        found = f"dialogue_id {refused.found}" if refused.place == "dialogue_id" else refused.found
        line = refused.place.removeprefix("line ")
        here = f"{place}:{line if line.isdigit() else raw.line}"
        raise type(refused)(here, f"dialogue {position}: {found}", refused.allowed) from None


def _conversation(entries: Sequence[Entry], agent: Entry | None) -> list[Entry]:
    """What the two sides said: without an API's results of tools, and the instructions it begins with.

    Where nobody else answers the user, an API's `system` is the assistant's side, unless it only speaks first.
    """
    said = [entry for entry in entries if not (entry.api and entry.role.lower() in _TOOLS)]
    # A transcript's SYSTEM is the one that answers.
    instructions = [one.api and one.role.lower() in _INSTRUCTIONS and one.role != "SYSTEM" for one in said]
    rest = said[instructions.index(False) :] if False in instructions else []
    answers = any(entry.role.lower() == "system" for entry in rest)
    return said if answers and not agent else rest
