"""Dialogues as records: JSON and JSONL messages, and CSV or TSV with an utterance a row, columns found by name.

Nothing is guessed: a message without text is an error, and so is a row with more cells than the header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..delimited import check_width, id_in_cell, read_table, split_header
from ..json import JsonItem, json_items, member_of, parse_or_explain
from ..text import Unreadable, quote
from .turns import ROLES, Entry, RawDialogue, ratings_in, split_at_gaps, unreadable

DIALOGUE = 'an array of {"role", "content"}, or an object with messages, turns or dialogue, is allowed'
_MESSAGES = ("messages", "turns", "dialogue")
_IDS = ("dialogue_id", "id", "conversation_id")
_TABLE_IDS = ("dialogue_id", "conversation_id", "id")
_ROLES = ("role", "speaker")
_TEXTS = ("content", "text", "utterance")
# Where one of these is, a message without text said nothing.
_CALLS = ("tool_calls", "function_call")
_UNSAID_PARTS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "reasoning")

_START = re.compile(r"\s*(?:\{|\[\s*[\[{\]\"])")
_ONE_A_LINE = "one JSON value a line is allowed"


def is_json(text: str) -> bool:
    """Whether a text means to be JSON; "[10:03] User: …" does not."""
    return _START.match(text) is not None


def is_message_line(line: str) -> bool:
    """Whether a line of JSONL is one message, and not a dialogue."""
    return _is_message(parse_or_explain(line, ""))


def is_table_header(line: str) -> bool:
    """Whether a line is a header that names a speaker and a text."""
    names = [name.lower() for name in split_header(line)[1]]
    return any(name in names for name in _ROLES) and any(name in names for name in _TEXTS)


def read_json(text: str) -> list[RawDialogue]:
    """The dialogues in JSON or JSONL: an array of messages is one, and so are messages one a line."""
    items = list(_lines(text) if _is_one_a_line(text) else json_items([text]))
    if items and _is_message(items[0].value) and not _is_lone_object(text, items):
        return [RawDialogue([_entry(item) for item in items if not _is_prompt(item.value)], items[0].line)]
    return [_dialogue(item) for item in items]


def _is_one_a_line(text: str) -> bool:
    first, _, rest = text.lstrip().partition("\n")
    return bool(rest.strip()) and not isinstance(parse_or_explain(first, ""), Unreadable)


def _is_lone_object(text: str, items: Sequence[JsonItem]) -> bool:
    return len(items) == 1 and text.lstrip().startswith("{")


def _lines(text: str) -> Iterator[JsonItem]:
    """The values of JSONL; a line that cannot be read leaves the others."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield JsonItem(number, line, parse_or_explain(line, _ONE_A_LINE))


def _dialogue(item: JsonItem) -> RawDialogue:
    line, _, value = item

    def refused(found: str, allowed: str) -> RawDialogue:
        return RawDialogue([unreadable(line, found, allowed)], line)

    if isinstance(value, Unreadable):
        return refused(value.found, value.allowed)
    if isinstance(value, list):
        return RawDialogue(_messages(item), line)
    if not isinstance(value, dict):
        return refused(f"no dialogue but {_json(value)}", DIALOGUE)
    key = next((name for name in _MESSAGES if isinstance(value.get(name), list)), None)
    if key is None:
        return refused(f"no messages in {_json(value)}", DIALOGUE)
    own_id = next((value[name] for name in _IDS if value.get(name) not in (None, "")), None)
    if own_id is not None and not _is_id(own_id):
        return refused(f"the id {_json(own_id)}", "a whole number or text is allowed")
    overall = _ratings(value.get("overall_ratings"))
    if overall is None:
        return refused(f"the overall_ratings {_json(value['overall_ratings'])}", "whole numbers are allowed")
    return RawDialogue(_messages(member_of(item, key)), line, own_id, overall)


def _messages(array: JsonItem) -> list[Entry]:
    """The messages in an array, each at its own line."""
    items = (item._replace(line=item.line + array.line - 1) for item in json_items([array.text]))
    return [_entry(item) for item in items if not _is_prompt(item.value)]


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and any(k in value for k in _ROLES) and not any(k in value for k in _MESSAGES)


def _is_prompt(message: object) -> bool:
    # An API's "system" is the prompt nobody saw; a transcript's SYSTEM is the one that answers.
    role = message.get("role") if isinstance(message, dict) else None
    return isinstance(role, str) and role.lower() == "system" and role != "SYSTEM"


def _entry(item: JsonItem) -> Entry:
    line, _, message = item
    if isinstance(message, Unreadable):
        return unreadable(line, message.found, message.allowed)
    if not isinstance(message, dict):
        return unreadable(line, f"no message but {_json(message)}", '{"role", "content"} is allowed')
    key = next((name for name in _ROLES if name in message), "")
    role = message.get(key)
    if not isinstance(role, str):
        return unreadable(line, f"no role in {_json(message)}", ROLES)
    said = _said(message)
    if isinstance(said, Unreadable):
        return unreadable(line, said.found, said.allowed)
    ratings = _ratings(message.get("ratings"))
    act = message.get("act")
    if ratings is None:
        return unreadable(line, f"the ratings {_json(message['ratings'])}", "whole numbers are allowed")
    if act is not None and not isinstance(act, str):
        return unreadable(line, f"the act {_json(act)}", "text is allowed")
    return Entry(role, said, line, act, ratings, api=key == "role")


def _said(message: Mapping[str, Any]) -> str | Unreadable:
    """What a message says; nothing where it only calls a tool."""
    key = next((name for name in _TEXTS if name in message), None)
    if key is None and not any(name in message for name in (*_CALLS, "refusal", "ratings", "act")):
        return Unreadable(f"no text in {_json(message)}", f"{' or '.join(_TEXTS)} is needed")
    content = message[key] if key and message[key] is not None else message.get("refusal")
    if content is None or isinstance(content, str):
        return content or ""
    parts = text_parts(content)
    if parts is None or (not parts and not all(_is_unsaid(part) for part in content)):
        return Unreadable(f"no text but {_json(content)}", "text, or a list of parts with text, is allowed")
    return "\n".join(parts)


def text_parts(content: object) -> list[str] | None:
    """The texts in a message's parts, without images and calls of tools; None where it is not a list."""
    if not isinstance(content, list):
        return None
    parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
    return [part for part in parts if isinstance(part, str)]


def _is_unsaid(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in _UNSAID_PARTS


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return value.isascii() or value.encode("utf-8", "replace").decode() == value
    return isinstance(value, int) and not isinstance(value, bool)


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


def read_table_rows(lines: Sequence[str]) -> list[RawDialogue]:
    """The dialogues in a table, by their id where there is one, else between blank lines."""
    (first, _, header), *table = read_table(line + "\n" for line in lines)
    if isinstance(header, Unreadable):
        return [RawDialogue([unreadable(first, header.found, header.allowed)], first)]
    names = [name.strip().lower() for name in header]
    if twice := next((name for name in names if name and names.count(name) > 1), None):
        return [RawDialogue([unreadable(first, f"the column {quote(twice)} appears twice", "each column once")], first)]
    id_name = next((name for name in _TABLE_IDS if name in names), "")
    rows: list[tuple[str, Entry]] = []
    for line, gap, cells in table:
        problem = cells if isinstance(cells, Unreadable) else check_width(cells, names, short=True)
        values = {} if problem or isinstance(cells, Unreadable) else dict(zip(names, cells, strict=False))
        # A row that cannot be read belongs to the dialogue before it.
        key = rows[-1][0] if problem and rows else values.get(id_name, "").strip(" ")
        entry = Entry("", "", line, gap=gap, problem=problem) if problem else _row_entry(values, line, gap)
        rows.append((key, entry))
    groups: dict[str, list[Entry]] = {}
    for key, entry in rows:
        groups.setdefault(key, []).append(entry)
    # An `id` that no two rows share numbers the rows, not the dialogues.
    if not id_name or (id_name == "id" and len(groups) == len(rows)):
        return split_at_gaps([entry for _, entry in rows])
    return [RawDialogue(group, group[0].line, id_in_cell(key)) for key, group in groups.items()]


def _row_entry(values: Mapping[str, str], line: int, gap: int) -> Entry:
    key = next((name for name in _ROLES if name in values), "")
    text = next((values[name] for name in _TEXTS if name in values), "")
    written = values.get("ratings", "").strip(" ")
    ratings = ratings_in(written) if written else ()
    if ratings is None:
        found = f"cannot read {quote(written)} as ratings"
        return unreadable(line, found, "whole numbers with commas between are allowed", gap=gap)
    act = values.get("act", "").strip(" ")
    return Entry(values.get(key, "").strip(" "), text.strip(" "), line, act, ratings, gap, api=key == "role")
