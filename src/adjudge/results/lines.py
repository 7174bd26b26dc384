"""Lines of JSON as a run writes them: whole ones only, with the place where each begins.

A run that was killed may leave half a line at the end; it is not there yet, so it is not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

_POSITION = re.compile(rb'\{\s*"position"\s*:\s*(\d{1,15})\s*[,}]')
_VERDICT = b'"verdict"'
_INPUT = b',"input":'
_AT_ONCE = 2**20


def whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Where each line begins, and its bytes; none for a file that is not there yet."""
    try:
        file = path.open("rb", buffering=_AT_ONCE)
    except FileNotFoundError:
        return
    with file:
        at = 0
        for raw in file:
            if not raw.endswith(b"\n"):
                return
            if not raw.isspace():
                yield at, raw
            at += len(raw)


def unfinished_line(path: Path) -> bytes:
    """What stands after the last whole line."""
    with path.open("rb") as file:
        begin = end = file.seek(0, os.SEEK_END)
        tail = b""
        while begin and b"\n" not in tail:
            begin = max(0, begin - _AT_ONCE)
            file.seek(begin)
            tail = file.read(end - begin)
    return tail.rpartition(b"\n")[2]


def position_of(raw: bytes) -> int | None:
    """The position a line speaks of, without reading the rest; None if it is no line of a run."""
    if found := _POSITION.match(raw):
        return int(found[1])
    position = (parsed(raw) or {}).get("position")
    return position if isinstance(position, int) and position >= 0 else None


def parsed(raw: bytes) -> dict[str, Any] | None:
    """The object in a line, or None if it holds none."""
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return document if isinstance(document, dict) else None


def before_input(raw: bytes) -> dict[str, Any] | None:
    """What a line of cases says before the case's own texts, which are by far its largest part; else all of it."""
    head = parsed(raw[:at] + b"}") if (at := raw.find(_INPUT)) >= 0 else None
    return parsed(raw) if head is None else head


def split_verdict(raw: bytes) -> tuple[dict[str, Any], bytes] | None:
    """A line of verdicts: what stands around the verdict, and the verdict's own bytes, with all their digits.

    The verdict is the last field. A word inside a text cannot be taken for it: quotation marks are escaped there; and
    where it is a key of something else, what stands before it is not a whole object.
    """
    at = raw.find(_VERDICT)
    while at >= 0:
        head = parsed(raw[:at].rstrip().removesuffix(b",") + b"}")
        tail = raw[at + len(_VERDICT) :].strip()
        if head is not None and tail.startswith(b":") and tail.endswith(b"}"):
            return head, tail[1:-1].strip()
        at = raw.find(_VERDICT, at + 1)
    whole = parsed(raw)
    if whole is None or not isinstance(whole.get("verdict"), dict):
        return None
    return whole, orjson.dumps(whole.pop("verdict"))
