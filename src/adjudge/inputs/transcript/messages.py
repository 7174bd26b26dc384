"""Dialogues as records: JSON and JSONL messages, and CSV or TSV with an utterance a row, columns found by name.

Nothing is guessed: a message without text is an error, and so is a row with more cells than the header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ...errors import InputError
from ..delimited import id_in_cell, read_table, split_header
from ..json import JsonItem, json_items, member_of, parse_or_explain
from ..text import At, Unreadable, quote
from .lines import Entry, RawDialogue, ratings_in, split_at_gaps, unreadable

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
    one_a_line = rest.strip() and not isinstance(parse_or_explain(first), Unreadable)
    items = list(_lines(text) if one_a_line else json_items([text], at))
    is_lone_object = len(items) == 1 and text.lstrip().startswith("{")
    if items and _is_message(items[0].value) and not is_lone_object:
        return [RawDialogue([_entry_of(item) for item in items], items[0].line)]
    return [_dialogue(item, at) for item in items]


def _lines(text: str) -> Iterator[JsonItem]:
    """The values of JSONL; a line that cannot be read leaves the others."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield JsonItem(number, line, parse_or_explain(line, _ONE_A_LINE))


def _dialogue(item: JsonItem, at: At) -> RawDialogue:
    line, _, value = item

    def refused(found: str, allowed: str) -> RawDialogue:
        return RawDialogue([unreadable(line, found, allowed)], line)

    if isinstance(value, Unreadable):
        return refused(value.found, value.allowed)
    if isinstance(value, list):
        return RawDialogue(_messages(item, at), line)
    if not isinstance(value, dict):
        return refused(f"expected a dialogue, found {_json(value)}", DIALOGUE)
    lists = [name for name in _MESSAGES if isinstance(value.get(name), list)]
    filled = [name for name in lists if value[name]]
    if len(filled) > 1:
        return refused(f"both {filled[0]} and {filled[1]}", "one of them is allowed")
    key = next(iter(filled or lists), None)
    if key is None:
        return refused(f"no messages in {_json(value)}", DIALOGUE)
    own_id: Any = next((value[name] for name in _IDS if value.get(name) not in (None, "")), None)
    if isinstance(own_id, Decimal):
        return refused(f"the id is {own_id}", "a whole number or text is allowed")
    overall = _ratings(value.get("overall_ratings"))
    if overall is None:
        return refused(f"the overall_ratings are {_json(value['overall_ratings'])}", "whole numbers are allowed")
    return RawDialogue(_messages(member_of(item, key), at), line, own_id, overall)


def _messages(array: JsonItem, at: At) -> list[Entry]:
    """The messages in an array, each at its own line."""
    items = json_items([array.text], at)
    return [_entry_of(item._replace(line=item.line + array.line - 1)) for item in items]


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and any(k in value for k in _ROLES) and not any(k in value for k in _MESSAGES)


def _entry_of(item: JsonItem) -> Entry:
    line, _, message = item
    if isinstance(message, Unreadable):
        return unreadable(line, message.found, message.allowed)
    if not isinstance(message, dict):
        return unreadable(line, f"expected a message, found {_json(message)}", '{"role", "content"} is allowed')
    return _entry(message, line)


def _entry(message: Mapping[str, Any], line: int, gap: int = 0) -> Entry:
    """The entry in a message, or in a row by the names of its columns."""
    key = next((name for name in _ROLES if name in message), "")
    role = message.get(key)
    said = _said(message)
    ratings = _ratings(message.get("ratings"))
    act = message.get("act")
    if not isinstance(role, str):
        return unreadable(line, f"no role in {_json(message)}", ROLES, gap)
    if isinstance(said, Unreadable):
        return unreadable(line, said.found, said.allowed, gap)
    if ratings is None:
        return unreadable(
            line, f"the ratings are {_json(message['ratings'])}", "numbers such as 4,3,5 are allowed", gap
        )
    if act is not None and not isinstance(act, str):
        return unreadable(line, f"the act is {_json(act)}", "text is allowed", gap)
    return Entry(role, said, line, act, ratings, gap, api=key == "role")


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
    parts = [content] if isinstance(content, str) else text_parts(content)
    if parts is None or (not parts and not all(_is_unsaid(part) for part in content)):
        return Unreadable(f"expected text, found {_json(content)}", "text, or a list of parts with text, is allowed")
    return "\n".join(parts)


def text_parts(content: object) -> list[str] | None:
    """The texts in a message's parts, without images and calls of tools; None where it is something else."""
    if not isinstance(content, list):
        return None
    said = [part.get("text") or part.get("refusal") if isinstance(part, Mapping) else part for part in content]
    parts = [part for part in said if part is not None]
    return [part for part in parts if isinstance(part, str)] if all(isinstance(part, str) for part in parts) else None


def _is_unsaid(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in _UNSAID_PARTS


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
        if isinstance(cells, Unreadable):
            # It belongs to the dialogue before it.
            entries.append(unreadable(line, cells.found, cells.allowed, gap))
        else:
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
