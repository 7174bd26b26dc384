"""Dialogues in JSON and JSONL: arrays of messages, or objects that hold one under `messages`, `turns` or `dialogue`.

The standard parser reads the values; a walk over the same text then finds the line each message begins on.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .json_keys import ONCE, repeated_keys, twice
from .transcript_entries import ROLES, Entry, Record, ratings_in, shorten, unreadable

DIALOGUE = 'an array of {"role", "content"}, or an object with messages, turns or dialogue, is allowed'
_MESSAGES = ("messages", "turns", "dialogue")
_IDS = ("dialogue_id", "id", "conversation_id")
_ROLE_KEYS = ("role", "speaker")
_TEXT_KEYS = ("content", "text", "utterance")

_TOO_MUCH = "JSON that is nested too deeply or holds too long a number"
_START = re.compile(r"\s*(?:\{|\[\s*[\[{\]\"])")
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Source:
    text: str
    line_at: Callable[[int], int]


def is_json(text: str) -> bool:
    """Whether a text means to be JSON; "[10:03] User: …" does not."""
    return _START.match(text) is not None


def is_message_line(line: str) -> bool:
    """Whether a line of JSONL is one message, and not a dialogue."""
    try:
        return _is_message(json.loads(line))
    except (ValueError, RecursionError):
        return False


def read_json(text: str, place: str) -> list[Record]:
    """The dialogues in JSON or JSONL."""
    try:
        value = json.loads(text)
        newlines = [match.start() for match in re.finditer("\n", text)]
        source = _Source(text, lambda at: bisect_left(newlines, at) + 1)
        items = [(_skip(text, 0), value)]
        if isinstance(value, list) and not (value and _is_message(value[0])):
            items = list(_items(text, items[0][0]))
        refused = _refused(source, value, [at for at, _ in items])
        return [refused.get(at) or _record(source, at, item) for at, item in items]
    except json.JSONDecodeError as error:
        if _is_next_line(error):
            return _read_lines(text)
        found = f"not JSON: {error.msg} at column {error.colno}"
        raise InputError(f"{place}:{error.lineno}", found, "JSON, or one JSON value a line, is allowed") from None
    except (RecursionError, ValueError):
        raise InputError(f"{place}:1", _TOO_MUCH) from None


def _is_next_line(error: json.JSONDecodeError) -> bool:
    """Whether one line is a JSON value of its own and what follows begins on another."""
    read = error.doc[: error.pos]
    return error.msg == "Extra data" and "\n" not in read.strip() and "\n" in read[len(read.rstrip()) :]


def _read_lines(text: str) -> list[Record]:
    """The dialogues in JSONL: one a line, or one in all if the first line is a message."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    number, line = lines[0]
    if not _is_message(json.loads(line)):
        return [_read_line(line, number) for number, line in lines]
    return [Record([entry for at, each in lines for entry in _read_line(each, at, is_message=True).entries], number)]


def _read_line(line: str, number: int, *, is_message: bool = False) -> Record:
    try:
        value = json.loads(line)
        source = _Source(line, lambda _: number)
        for _, key in repeated_keys(_bytes(line), value):
            return Record([unreadable(number, twice(key), ONCE)], number)
        if is_message:
            return Record(list(_entries(source, [(0, value)])), number)
        return _record(source, _skip(line, 0), value)
    except json.JSONDecodeError as error:
        found = f"not JSON: {error.msg} at column {error.colno}"
    except (RecursionError, ValueError):
        found = _TOO_MUCH
    return Record([unreadable(number, found, "one JSON value a line is allowed")], number)


def _refused(source: _Source, value: object, starts: list[int]) -> dict[int, Record]:
    """The records in which a key stands twice, by where they begin."""
    raw = _bytes(source.text)
    refused: dict[int, Record] = {}
    at = counted = 0
    for place, key in repeated_keys(raw, value):
        # From the last place on: a text may hold thousands of them.
        at += len(raw[counted:place].decode("utf-8", "surrogatepass"))
        counted = place
        start = starts[bisect_right(starts, at) - 1]
        if start not in refused:
            entry = unreadable(source.line_at(at), twice(key), ONCE)
            refused[start] = Record([entry], source.line_at(start))
    return refused


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _record(source: _Source, at: int, value: object) -> Record:
    line = source.line_at(at)
    if isinstance(value, list):
        return Record(list(_entries(source, _items(source.text, at))), line)
    if not isinstance(value, dict):
        return Record([unreadable(line, f"no dialogue but {_quote(value)}", DIALOGUE)], line)
    key = next((name for name in _MESSAGES if isinstance(value.get(name), list)), None)
    if key is None:
        return Record([unreadable(line, f"no messages in {_quote(value)}", DIALOGUE)], line)
    own_id = next((value[name] for name in _IDS if value.get(name) not in (None, "")), None)
    if own_id is not None and not _is_id(own_id):
        found = f"the id {_quote(own_id)}"
        return Record([unreadable(line, found, "a whole number or text is allowed")], line)
    overall = _ratings(value.get("overall_ratings"))
    if overall is None:
        found = f"the overall_ratings {_quote(value['overall_ratings'])}"
        return Record([unreadable(line, found, "whole numbers are allowed")], line)
    messages = _items(source.text, _members(source.text, at)[key])
    return Record(list(_entries(source, messages)), line, own_id, overall)


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return value.isascii() or value.encode("utf-8", "replace").decode() == value
    return isinstance(value, int) and not isinstance(value, bool)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and any(k in value for k in _ROLE_KEYS) and not any(k in value for k in _MESSAGES)


def _entries(source: _Source, messages: Iterable[tuple[int, Any]]) -> Iterator[Entry]:
    for at, message in messages:
        line = source.line_at(at)
        if not isinstance(message, dict):
            yield unreadable(line, f"no message but {_quote(message)}", '{"role", "content"} is allowed')
            continue
        key = next((name for name in _ROLE_KEYS if name in message), None)
        role = message[key] if key else None
        if not isinstance(role, str):
            yield unreadable(line, f"no role in {_quote(message)}", ROLES)
            continue
        # An API's "system" is the prompt nobody saw; a transcript's SYSTEM is the one that answers.
        if key == "role" and role.lower() == "system" and role != "SYSTEM":
            continue
        yield _entry(role, message, line)


def _entry(role: str, message: dict[str, Any], line: int) -> Entry:
    content = next((message[name] for name in _TEXT_KEYS if name in message), None)
    text = _text(content)
    ratings = _ratings(message.get("ratings"))
    act = message.get("act")
    if text is None:
        return unreadable(line, f"no text but {_quote(content)}", "text, or a list of parts with text, is allowed")
    if ratings is None:
        return unreadable(line, f"the ratings {_quote(message['ratings'])}", "whole numbers are allowed")
    if act is not None and not isinstance(act, str):
        return unreadable(line, f"the act {_quote(act)}", "text is allowed")
    return Entry(role, text, line, act, ratings)


def _text(content: object) -> str | None:
    """What a message says; nothing where it only calls a tool, None where it is not text at all."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        return None
    parts = [part.get("text") if isinstance(part, dict) else part for part in content]
    return "\n".join(part for part in parts if isinstance(part, str))


def _ratings(value: object) -> tuple[int, ...] | None:
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return ratings_in(value)
    numbers = value if isinstance(value, list) else [value]
    whole = tuple(number for number in numbers if isinstance(number, int) and not isinstance(number, bool))
    return whole if len(whole) == len(numbers) else None


def _quote(value: object) -> str:
    return shorten(json.dumps(value, ensure_ascii=False))


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _items(text: str, at: int) -> Iterator[tuple[int, Any]]:
    """The values of the array at `at`, each with where it begins; the text is known to be JSON."""
    at = _skip(text, at + 1)
    while text[at] != "]":
        value, end = _DECODER.raw_decode(text, at)
        yield at, value
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _members(text: str, at: int) -> dict[str, int]:
    """Where the value of each key of the object at `at` begins."""
    begins: dict[str, int] = {}
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, end) + 1)
        begins[key] = at
        _, end = _DECODER.raw_decode(text, at)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return begins
