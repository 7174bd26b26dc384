"""Dialogues as records: JSON and JSONL messages, and CSV or TSV with an utterance a row, columns found by name.

Nothing is guessed: a message without text is an error, and so is a row with more cells than the header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ...errors import InputError
from ..delimited import id_in_cell, read_table, split_header
from ..json import JsonItem, json_items, member_of, parse_or_explain
from ..text import At, Unreadable, quote
from .lines import Entry, RawDialogue, ratings_in, split_at_gaps

DIALOGUE = 'an array of {"role", "content"}, or an object with messages, turns or dialogue, is allowed'
ROLES = "SYSTEM (or assistant, agent, bot) and USER (or customer, human) are allowed"
_MESSAGES = ("messages", "turns", "dialogue")
_IDS = ("dialogue_id", "conversation_id", "id")
_ROLES = ("role", "speaker")
_TEXTS = ("content", "text", "utterance")
# Where one of these is, a message without text said nothing.
_UNSAID = ("tool_calls", "function_call", "ratings", "act", "refusal")
_UNSAID_PARTS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "reasoning")

_START = re.compile(r"\s*(?:\{|\[\s*[\[{\]\"])")
_ONE_A_LINE = "one JSON value a line is allowed"


def is_json(text: str) -> bool:
    """Whether a text means to be JSON; "[10:03] User: …" does not."""
    return _START.match(text) is not None


def is_message_line(line: str) -> bool:
    """Whether a line of JSONL is one message, and not a dialogue."""
    return _is_message(parse_or_explain(line))


def is_table_header(line: str) -> bool:
    """Whether a line is a header that names a speaker and a text."""
    names = [name.lower() for name in split_header(line)[1]]
    return any(name in names for name in _ROLES) and any(name in names for name in _TEXTS)


def read_json(text: str, at: At) -> list[RawDialogue]:
    """The dialogues in JSON or JSONL: an array of messages is one, and so are messages one a line."""
    first, _, rest = text.lstrip().partition("\n")
    if rest.strip() and not isinstance(parse_or_explain(first), Unreadable):
        # A line that cannot be read leaves the others.
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        items = [JsonItem(number, line, parse_or_explain(line, _ONE_A_LINE)) for number, line in lines]
    else:
        items = list(json_items([text], at))
    is_lone_object = len(items) == 1 and text.lstrip().startswith("{")
    if items and _is_message(items[0].value) and not is_lone_object:
        return [RawDialogue([_entry(item.value, item.line) for item in items], items[0].line)]
    return [_dialogue(item, at) for item in items]


def _dialogue(item: JsonItem, at: At) -> RawDialogue:
    line, _, value = item
    if isinstance(value, list):
        return RawDialogue(_messages(item, at), line)
    if isinstance(value, dict):
        lists = [name for name in _MESSAGES if isinstance(value.get(name), list)]
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
    """The messages in an array, each at its own line."""
    return [_entry(item.value, item.line + array.line - 1) for item in json_items([array.text], at)]


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and any(k in value for k in _ROLES) and not any(k in value for k in _MESSAGES)


def _entry(message: Any, line: int, gap: int = 0) -> Entry:
    """The entry in a message, or in a row by the names of its columns."""
    if isinstance(message, dict):
        key = next((name for name in _ROLES if name in message), "")
        role, act, said = message.get(key), message.get("act"), _said(message)
        ratings = _ratings(message.get("ratings"))
        if not isinstance(role, str):
            problem = Unreadable(f"no role in {_json(message)}", ROLES)
        elif isinstance(said, Unreadable):
            problem = said
        elif ratings is None:
            problem = Unreadable(f"the ratings are {_json(message['ratings'])}", "numbers such as 4,3,5 are allowed")
        elif act is not None and not isinstance(act, str):
            problem = Unreadable(f"the act is {_json(act)}", "text is allowed")
        else:
            return Entry(role, said, line, act, ratings, gap, api=key == "role")
    elif isinstance(message, Unreadable):
        problem = message
    else:
        problem = Unreadable(f"expected a message, found {_json(message)}", '{"role", "content"} is allowed')
    return Entry("", "", line, gap=gap, problem=problem)


def _said(message: Mapping[str, Any]) -> str | Unreadable:
    """What a message says; nothing where it only calls a tool."""
    texts = [(name, message[name]) for name in _TEXTS if message.get(name) not in (None, "", [])]
    if any(text != texts[0][1] for _, text in texts):
        return Unreadable(f"{' and '.join(name for name, _ in texts)} say different things", "one of them is allowed")
    if not texts and isinstance(message.get("refusal"), str):
        texts = [("refusal", message["refusal"])]
    if not texts:
        is_silent = any(name in message for name in (*_TEXTS, *_UNSAID))
        return "" if is_silent else Unreadable(f"no text in {_json(message)}", "content or text is needed")
    content = texts[0][1]
    parts = text_parts(content)
    silent = isinstance(content, list) and all(
        isinstance(part, dict) and part.get("type") in _UNSAID_PARTS for part in content
    )
    if parts is None or not (parts or silent):
        return Unreadable(f"expected text, found {_json(content)}", "text, or a list of parts with text, is allowed")
    return "\n".join(parts)


def text_parts(content: object) -> list[str] | None:
    """The texts in a message's content, without images and calls of tools; None where it is something else."""
    if content is None or isinstance(content, str):
        return [content or ""]
    if not isinstance(content, list):
        return None
    said = [part.get("text") or part.get("refusal") if isinstance(part, Mapping) else part for part in content]
    texts = [part for part in said if isinstance(part, str)]
    return texts if all(part is None or isinstance(part, str) for part in said) else None


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


def read_rows(lines: Sequence[str], at: At) -> list[RawDialogue]:
    """The dialogues in a table, by their id where there is one, else between blank lines."""
    groups: dict[str, list[Entry]] = {}
    entries: list[Entry] = []
    id_name = key = ""
    for line, gap, cells in read_table((line + "\n" for line in lines), at):
        values: Any = cells  # A row that cannot be read belongs to the dialogue before it.
        if isinstance(cells, dict):
            values = {name.lower(): cell.strip(" ") for name, cell in cells.items()}
            if len(values) < len(cells):
                raise InputError(at(line), "two columns have the same name but for capitals", "each column once")
            id_name = next((name for name in _IDS if name in values), "")
            key = values.get(id_name, "")
        entries.append(_entry(values, line, gap))
        groups.setdefault(key, []).append(entries[-1])
    # An `id` that no two rows share numbers the rows, not the dialogues.
    if not id_name or (id_name == "id" and len(groups) == len(entries)):
        return split_at_gaps(entries)
    return [RawDialogue(group, group[0].line, id_in_cell(key)) for key, group in groups.items()]
