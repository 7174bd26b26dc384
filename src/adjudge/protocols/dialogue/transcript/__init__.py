"""Reads dialogues from transcript columns, `User: …` text, JSON, JSONL, CSV and TSV.

The form is recognised by the beginning of the file. Annotators' acts and ratings are kept apart from the text.
No utterance is dropped silently: each becomes a turn or an error that names its line. Tool calls and their results are
turns of TOOL. Nothing is guessed: a message without text is an error, and so is a row with more cells than the header.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice, zip_longest
from typing import Any

from ....errors import InputError
from ....inputs.delimited import id_in_cell, read_table, split_header
from ....inputs.json import JsonItem, json_items, member_of, parse_or_explain
from ....inputs.messages import Kind, MessageReader
from ....inputs.text import At, Unreadable, quote
from ....text.decoding import decode
from ..case import Dialogue, Speaker, Turn
from .lines import COLUMN_LINE, OVERALL, Entry, RawDialogue, ratings_in, read_columns, read_labels, split_at_gaps
from .speakers import AGENTS, SPEAKERS, TOOL, USERS, plain, read_label

FORMS = "SPEAKER <tab> utterance, User: …, JSON messages, or CSV with speaker and text columns are allowed"
# Steps whose role in the transcript is not the message's own.
_NAMES = {"tool call": TOOL, "tool result": TOOL, "instructions": "developer"}
# Roles of a chat API whose messages before the conversation are not part of it.
_INSTRUCTIONS = frozenset({"system", "developer"})
_INDENT = "indent the line if it belongs to the utterance before it"
_WARNINGS = 3  # warn about at most this many doubtful labels per dialogue
_log = logging.getLogger(__name__)
_OVERALL_LINE = re.compile(r"\s*+OVERALL\b[\s:]*+([A-Z][A-Za-z_+-]*+)?+[\s:]*+([0-9.,;/\s]*+)")

DIALOGUE = 'an array of {"role", "content"}, or an object with messages, turns or dialogue, is allowed'
ROLES = "SYSTEM (or assistant, agent, bot), USER (or customer, human) and TOOL are allowed"
_MESSAGES = ("messages", "turns", "dialogue")
_LISTS = (*_MESSAGES, "dialog", "conversation")  # as columns of a run are called
_IDS = ("dialogue_id", "conversation_id", "id")
_ROLES = ("role", "speaker")
_TEXTS = ("content", "text", "utterance")
# A message with one of these fields may have no text.
_UNSAID = ("tool_calls", "tools_called", "function_call", "ratings", "act", "refusal", "audio", "error")
_OF_TOOLS = ("tool_calls", "tools_called", "function_call", "tool_call_id", "name", "function", "audio")

_START = re.compile(r"\s*(?:\{|\[\s*[\[{\]\"])")
_ONE_A_LINE = "one JSON value per line is needed"


def read_dialogues(raw: bytes, place: str, *, first_id: int | str | None = None) -> list[Dialogue]:
    """Read the dialogues of a file, at least one. `place` is the name of the file in errors.

    A single dialogue gets the id `first_id` if it is given. Otherwise a dialogue has its own id, else its position.
    """
    dialogues = split_dialogues(raw, place)
    if first_id is not None and len(dialogues) == 1:
        dialogues = [replace(dialogues[0], own_id=first_id)]
    return [build(one, position, place, position) for position, one in enumerate(dialogues, 1)]


def split_dialogues(raw: bytes, place: str) -> list[RawDialogue]:
    """Split a file into dialogues without building them, so that the caller can report an unreadable one alone."""
    text = decode(raw, place).replace("\r\n", "\n")
    # `splitlines` would also split at U+2028 and similar characters, which belong to the text.
    lines = text.split("\n")
    number, opening = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (0, ""))

    def at(line: int) -> str:
        return f"{place}:{line}"

    if is_json(text):
        dialogues = _read_json(text, at)
    elif is_table_header(opening):
        dialogues = _read_rows(lines, at)
    elif COLUMN_LINE.match(opening):
        dialogues = read_columns(lines)
    elif read_label(opening):
        dialogues = read_labels(lines)
    elif opening:
        raise InputError(at(number), f"cannot read {quote(opening)}", FORMS)
    else:
        dialogues = []
    if not dialogues:
        raise InputError(place, "no dialogue", FORMS)
    return dialogues


def build(raw: RawDialogue, position: int, place: str, fallback_id: int | str) -> Dialogue:
    """Build a dialogue from its entries. Errors name the line and, by `position`, the dialogue."""
    turns: list[Turn] = []
    doubtful: dict[str, int] = {}
    overall = raw.overall
    agent = next((entry for entry in raw.entries if plain(entry.role) in AGENTS), None)
    try:
        entries = _conversation(raw.entries, agent)
        for entry, after in zip_longest(entries, entries[1:]):
            role = plain(entry.role)
            if entry.problem:
                raise InputError(f"line {entry.line}", entry.problem.found, entry.problem.allowed)
            if role not in SPEAKERS and role != "tool":
                raise InputError(f"line {entry.line}", f"unknown role {quote(entry.role)}", ROLES)
            if role == "system" and agent and entry.text.strip():
                found = (
                    f"{quote(entry.role)} is a second name for the assistant, "
                    f"besides {quote(agent.role)} on line {agent.line}"
                )
                remedy = "use one name for the assistant's side, and leave out instructions to it"
                raise InputError(f"line {entry.line}", found, remedy)
            speaker: Speaker = "USER" if role in USERS else "TOOL" if role == "tool" else "SYSTEM"
            for label, line in entry.labels.items():
                # The same side speaks next, so this label is probably the other side's answer.
                beside_tool = after is None or "tool" in (role, plain(after.role))
                if not beside_tool and (plain(after.role) in USERS) == (speaker == "USER"):
                    found = f"unknown speaker {quote(label)} between two turns of {quote(entry.role)}"
                    raise InputError(f"line {line}", found, f"{ROLES}; {_INDENT}")
                doubtful.setdefault(label, line)
            if speaker == "USER" and (rated := _OVERALL_LINE.fullmatch(entry.text)):
                # An OVERALL line holds the annotators' verdict. It is read or refused, never taken for an utterance.
                if overall:
                    raise InputError(f"line {entry.line}", f"a second {OVERALL} line", "blank lines separate dialogues")
                word, written = rated[1] or "", rated[2].strip(" ;,")
                overall = entry.ratings or ratings_in(written.replace(";", ",")) or ()
                # A word in capitals is an ACT. Any other word cannot be read as a rating.
                if not overall and (unread := written or ("" if word.isupper() else word)):
                    found = f"cannot read the ratings {quote(unread)}"
                    raise InputError(f"line {entry.line}", found, "numbers such as 4,3,5 are allowed")
            elif entry.text.strip() or entry.ratings or entry.act:
                # Entries without text, ratings and act are left out: there is nothing to judge or to quote.
                turns.append(Turn(speaker, entry.text, entry.line, entry.act or None, entry.ratings))
        for label, line in islice(doubtful.items(), _WARNINGS):
            public_failure = f"{quote(f'{label}:')} is read as part of the utterance before it"
            _log.warning("%s:%d: %s; if it names a speaker, rename it: %s", place, line, public_failure, ROLES)
        return Dialogue(fallback_id if raw.own_id is None else raw.own_id, tuple(turns), overall)
    except InputError as refused:
        found = f"dialogue_id {refused.found}" if refused.place == "dialogue_id" else refused.found
        line = refused.place.removeprefix("line ")
        here = f"{place}:{line if line.isdigit() else raw.line}"
        raise type(refused)(here, f"dialogue {position}: {found}", refused.allowed) from None


def _conversation(entries: Sequence[Entry], agent: Entry | None) -> list[Entry]:
    """Return what the two sides said and did, without a chat API's opening instructions.

    If no other role answers the user, an API's `system` is the assistant, unless it only speaks at the beginning.
    """
    # SYSTEM in capitals is the assistant's side in a transcript, not an API's instructions.
    instructions = [one.api and plain(one.role) in _INSTRUCTIONS and one.role != "SYSTEM" for one in entries]
    rest = list(entries[instructions.index(False) :]) if False in instructions else []
    answers = any(plain(entry.role) == "system" for entry in rest)
    return list(entries) if answers and not agent else rest


# -- messages and rows -------------------------------------------------------------------------------------------------


def is_json(text: str) -> bool:
    """Check whether a text is meant to be JSON. "[10:03] User: …" is not."""
    return _START.match(text) is not None


def is_message_line(line: str) -> bool:
    """Check whether a line of JSONL is one message rather than a whole dialogue."""
    return _is_message(parse_or_explain(line))


def is_table_header(line: str) -> bool:
    """Check whether a line is a header with a speaker column and a text column."""
    names = [name.lower() for name in split_header(line)[1]]
    return any(name in names for name in _ROLES) and any(name in names for name in _TEXTS)


def _read_json(text: str, at: At) -> list[RawDialogue]:
    """Read the dialogues in JSON or JSONL. An array of messages, or one message per line, is one dialogue."""
    first, _, rest = text.lstrip().partition("\n")
    if rest.strip() and not isinstance(parse_or_explain(first), Unreadable):
        # Parse line by line, so that the other lines are read even if one is not JSON.
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        items = [JsonItem(number, line, parse_or_explain(line, _ONE_A_LINE)) for number, line in lines]
    else:
        items = list(json_items([text], at))
    is_lone_object = len(items) == 1 and text.lstrip().startswith("{")
    if items and _is_message(items[0].value) and not is_lone_object:
        reader = MessageReader()
        entries = [entry for item in items for entry in _entries(item.value, item.line, reader)]
        return [RawDialogue(entries, items[0].line)]
    return [_dialogue(item, at) for item in items]


def _dialogue(item: JsonItem, at: At) -> RawDialogue:
    line, _, value = item
    if isinstance(value, list):
        return RawDialogue(_messages(item, at), line)
    if isinstance(value, dict):
        lists = [name for name in _LISTS if isinstance(value.get(name), list)]
        filled = [name for name in lists if value[name]]
        own_id: Any = next((value[name] for name in _IDS if value.get(name) not in (None, "")), None)
        overall = _ratings(value.get("overall_ratings"))
        if len(filled) > 1:
            problem = Unreadable(f"both {filled[0]} and {filled[1]}", "one of them is allowed")
        elif not lists:
            problem = Unreadable(f"no messages in {_json(value)}", DIALOGUE)
        elif isinstance(own_id, Decimal):
            problem = Unreadable(f"the id is {own_id}", "a whole number or text is allowed")
        elif overall is None:
            found = f"the overall_ratings are {_json(value['overall_ratings'])}"
            problem = Unreadable(found, "whole numbers are allowed")
        else:
            return RawDialogue(_messages(member_of(item, (filled or lists)[0]), at), line, own_id, overall)
    elif isinstance(value, Unreadable):
        problem = value
    else:
        problem = Unreadable(f"expected a dialogue, found {_json(value)}", DIALOGUE)
    return RawDialogue([Entry("", "", line, problem=problem)], line)


def _messages(array: JsonItem, at: At) -> list[Entry]:
    """Read the messages in an array, each with its own line number."""
    reader = MessageReader()
    items = json_items([array.text], at)
    return [entry for item in items for entry in _entries(item.value, item.line + array.line - 1, reader)]


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and any(k in value for k in _ROLES) and not any(k in value for k in _MESSAGES)


def _entries(message: Any, line: int, reader: MessageReader, gap: int = 0) -> list[Entry]:
    """Build the entries of a message, or of a table row given as a dict: what is said in it, and each use of a tool."""
    if isinstance(message, dict):
        key = next((name for name in _ROLES if name in message), "")
        role, act, content = message.get(key), message.get("act"), _content(message)
        ratings = _ratings(message.get("ratings"))
        # An item of OpenAI's Responses, such as a call, has a type and no role.
        if not isinstance(role, str) and not (role is None and isinstance(message.get("type"), str)):
            problem = Unreadable(f"no role in {_json(message)}", ROLES)
        elif isinstance(content, Unreadable) and isinstance(role, str):
            problem = content
        elif ratings is None:
            problem = Unreadable(f"the ratings are {_json(message['ratings'])}", "numbers such as 4,3,5 are allowed")
        elif act is not None and not isinstance(act, str):
            problem = Unreadable(f"the act is {_json(act)}", "text is allowed")
        else:
            first = Entry("", "", line, act, ratings, gap, api=key != "speaker")
            try:
                return _steps(reader, message, role, content, first)
            except InputError as error:
                where = error.place.lstrip(".")
                problem = Unreadable(f"{where}: {error.found}" if where else error.found, error.allowed)
    elif isinstance(message, Unreadable):
        problem = message
    else:
        problem = Unreadable(f"expected a message, found {_json(message)}", '{"role", "content"} is allowed')
    return [Entry("", "", line, gap=gap, problem=problem)]


def _steps(
    reader: MessageReader, message: Mapping[str, Any], role: str | None, content: Any, first: Entry
) -> list[Entry]:
    """Build the entries of a readable message. Annotations belong to the first of them."""
    if role is None:
        steps = reader.read(message, "")
    else:
        known = plain(role)
        kind: Kind = "user" if known in USERS else "assistant"
        if known == "tool" or (known == "function" and first.api):
            kind = "tool result"
        given = {name: message[name] for name in _OF_TOOLS if name in message}
        # In a table an `error` may be anything.
        error = {name: value for name, value in message.items() if name == "error" and not isinstance(value, str)}
        steps = reader.read({**given, **error, "content": content}, "", kind=kind)
    # A model's thoughts are said to nobody.
    visible = [step for step in steps if step.kind != "thinking"]
    named = [(_NAMES.get(step.kind, step.kind if role is None else role), step.shown) for step in visible]
    (who, text), *others = named or [("assistant" if role is None else role, "")]
    entry = Entry(who, text, first.line, first.act, first.ratings, first.gap, first.api)
    return [entry, *(Entry(who, text, first.line, api=first.api) for who, text in others)]


def _content(message: Mapping[str, Any]) -> Any:
    """Return the content of a message, whatever its name: "" if there is none, `Unreadable` if it must have one."""
    texts = [(name, message[name]) for name in _TEXTS if message.get(name) not in (None, "", [])]
    if any(text != texts[0][1] for _, text in texts):
        return Unreadable(f"{' and '.join(name for name, _ in texts)} say different things", "one of them is allowed")
    if not texts and isinstance(message.get("refusal"), str):
        texts = [("refusal", message["refusal"])]
    if not texts:
        is_silent = any(name in message for name in (*_TEXTS, *_UNSAID))
        return "" if is_silent else Unreadable(f"no text in {_json(message)}", "content or text is needed")
    return texts[0][1]


def _ratings(value: object) -> tuple[int, ...] | None:
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return ratings_in(value)
    numbers = value if isinstance(value, list) else [value]
    whole = tuple(number for number in numbers if isinstance(number, int) and not isinstance(number, bool))
    return whole if len(whole) == len(numbers) else None


def _json(value: object) -> str:
    return quote(json.dumps(value, ensure_ascii=False, default=float))


def _read_rows(lines: Sequence[str], at: At) -> list[RawDialogue]:
    """Read the dialogues in a table, grouped by the id column if there is one, else split at blank lines."""
    groups: dict[str, list[Entry]] = {}
    readers: dict[str, MessageReader] = {}
    entries: list[Entry] = []
    rows = 0
    id_name = key = ""
    for line, gap, cells in read_table((line + "\n" for line in lines), at):
        values: Any = cells  # An unreadable row keeps the id of the row before it.
        if isinstance(cells, dict):
            values = {name.lower(): cell.strip(" ") for name, cell in cells.items()}
            if len(values) < len(cells):
                raise InputError(at(line), "the names of two columns differ only in capitals", "each column once")
            id_name = next((name for name in _IDS if name in values), "")
            key = values.get(id_name, "")
        read = _entries(values, line, readers.setdefault(key, MessageReader()), gap)
        rows += 1
        entries += read
        groups.setdefault(key, []).extend(read)
    # If no two rows share an `id`, it numbers the rows, not the dialogues.
    if not id_name or (id_name == "id" and len(groups) == rows):
        return split_at_gaps(entries)
    return [RawDialogue(group, group[0].line, id_in_cell(key)) for key, group in groups.items()]
