"""Keys that stand twice in a JSON object, of which parsers silently keep the last.

Whether a parser dropped any is known by counting strings, so that a million plain rows cost next to nothing; only a
text that has one is walked. Whether it is JSON, its parser has said before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

ONCE = "each key once"

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"(?P<key>[ \t\n\r]*:)?|[{}]', re.DOTALL)


def repeated_keys(raw: bytes, value: Any) -> Iterator[tuple[int, str]]:
    """Where a key stands that its object had before, and the key; `value` is what the text was parsed to."""
    quotes, kept = raw.count(b'"'), 2 * _strings(value)
    if quotes == kept:
        return iter(())
    plain = raw.replace(rb"\\", b"") if rb"\\" in raw else raw
    if quotes - plain.count(rb"\"") == kept:
        return iter(())
    return _walk(raw)


def twice(key: str) -> str:
    """What is said of a key that stands twice."""
    return f"the key {key!r:.60} stands twice in an object"


def _strings(value: Any) -> int:
    """How many strings stand in a value, keys too."""
    count = 0
    left = [value if type(value) is dict else [value]]
    for each in left:
        parts: Iterable[Any] = each
        if type(each) is dict:
            count += len(each)
            parts = each.values()
        for part in parts:
            kind = type(part)
            if kind is str:
                count += 1
            elif kind is dict or kind is list:
                left.append(part)
    return count


def _walk(raw: bytes) -> Iterator[tuple[int, str]]:
    objects: list[set[str]] = []
    for token in _TOKEN.finditer(raw):
        if token[0] == b"{":
            objects.append(set())
        elif token[0] == b"}":
            objects.pop()
        elif token["key"] is not None:
            key = json.loads(raw[token.start() : token.start("key")].decode("utf-8", "surrogatepass"))
            if key in objects[-1]:
                yield token.start(), key
            objects[-1].add(key)
