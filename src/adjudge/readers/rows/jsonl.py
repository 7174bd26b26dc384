"""JSON rows: one object a line (JSONL, NDJSON), and one array of objects, read object by object."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import orjson

from ...errors import InputError
from ..json import kind_of, parse_value
from ..json_keys import ONCE, repeated_keys, twice
from .base import BadRow
from .records import Record
from .sources import MAX_LINE_BYTES, lines_of

Parse = Callable[[bytes], Any]

_CHUNK = 65_536
_MARK = re.compile(rb'["\\{}\[\]\n,]')
_IN_STRING = re.compile(rb'["\\\n]')
_OBJECT = "one JSON object a row is allowed"


def fast(raw: bytes) -> Any:
    """JSON as orjson reads it, but no key twice."""
    value = orjson.loads(raw)
    for _, key in repeated_keys(raw, value):
        raise InputError("the row", twice(key), ONCE)
    return value


def strict(raw: bytes) -> Any:
    """JSON with exact numbers and no key twice, as reviews are read everywhere."""
    return parse_value(raw.decode("utf-8"), "the row", _OBJECT)


def read_lines(stream: BinaryIO, name: str, parse: Parse, *, lists: str | None = None) -> Iterator[Record | BadRow]:
    """The rows of JSONL; where `lists` is given, an array on a line stands for an object with that one field."""
    row = 0
    for number, line in lines_of(stream):
        if line is not None and not line.strip():
            continue
        row += 1
        yield _record(line, f"{name}, line {number}", row, parse, lists)


def read_array(stream: BinaryIO, name: str, parse: Parse, *, lists: str | None = None) -> Iterator[Record | BadRow]:
    """The rows of a JSON array, or the one row that is an object."""
    for row, (number, raw) in enumerate(_values(stream, name), 1):
        yield _record(raw, f"{name}, line {number}", row, parse, lists)


def _record(raw: bytes | None, place: str, row: int, parse: Parse, lists: str | None) -> Record | BadRow:
    if raw is None:
        return BadRow(place, str(row), f"a row of more than {MAX_LINE_BYTES:,} bytes; a shorter one is needed")
    try:
        value = parse(raw)
    except (ValueError, InputError) as error:
        return BadRow(place, str(row), _why(raw, error))
    if isinstance(value, list) and lists:
        value = {lists: value}
    if not isinstance(value, dict):
        return BadRow(place, str(row), f"expected an object, found {kind_of(value)}; {_OBJECT}")
    return Record(place, row, value)


def _why(raw: bytes, error: Exception) -> str:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as wrong:
        return f"invalid UTF-8 at byte {wrong.start} (0x{raw[wrong.start]:02x}); UTF-8 text is needed"
    if b"\0" in raw:
        return f"a NUL byte at byte {raw.index(0)}; text is needed"
    if isinstance(error, InputError):
        return f"{error.found}; {error.allowed}"
    return f"not JSON: {error}; {_OBJECT}"


def _values(stream: BinaryIO, name: str) -> Iterator[tuple[int, bytes | None]]:
    """The bytes of each item of the array, with the line it begins on; only one is held at a time."""
    scanner = _Scanner(name)
    first = True
    while chunk := stream.read(_CHUNK):
        if first:
            chunk, first = chunk.removeprefix(b"\xef\xbb\xbf"), False
        yield from scanner.feed(chunk)
    yield from scanner.finish()


class _Scanner:
    """Finds where items end by counting brackets outside of strings; whether they are JSON, the parser says."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._parts: list[bytes] = []
        self._size = 0
        self._line = self._begin = 1
        self._depth = 0
        self._string = self._escaped = False
        self._array: bool | None = None
        self._ended = False

    def feed(self, chunk: bytes) -> Iterator[tuple[int, bytes | None]]:
        at = 0
        if self._array is None:
            blank = chunk[: len(chunk) - len(chunk.lstrip())]
            self._line += blank.count(b"\n")
            at = len(blank)
            if at == len(chunk):
                return
            self._array = chunk[at : at + 1] == b"["
            self._begin = self._line
            at += self._array
        start = at
        while at < len(chunk):
            if self._escaped:
                self._escaped, at = False, at + 1
                continue
            mark = (_IN_STRING if self._string else _MARK).search(chunk, at)
            if mark is None:
                break
            at, sign = mark.end(), mark[0]
            if sign == b"\n":
                self._line += 1
            elif sign == b"\\":
                self._escaped = self._string
            elif sign == b'"':
                self._string = not self._string
            elif sign in b"{[":
                self._depth += 1
            elif sign in b"]}" and self._depth:
                self._depth -= 1
            elif self._array and self._depth == 0 and sign in b",]":
                self._keep(chunk[start : mark.start()])
                yield from self._item(last=sign == b"]")
                start = at
        self._keep(chunk[start:])

    def finish(self) -> Iterator[tuple[int, bytes | None]]:
        if self._array and not self._ended:
            yield self._begin, b"".join(self._parts) or b"["
        elif self._array is False:
            yield from self._item(last=True)
        elif b"".join(self._parts).strip():
            raise InputError(f"{self._name}, line {self._line}", "text after the array", "one JSON array is allowed")

    def _keep(self, part: bytes) -> None:
        if not self._parts and not self._size:
            blank = part[: len(part) - len(part.lstrip())]
            part = part[len(blank) :]
            if not part:
                return
            self._begin = self._line - part.count(b"\n")
        self._size += len(part)
        if self._size <= MAX_LINE_BYTES:
            self._parts.append(part)
        else:
            self._parts.clear()

    def _item(self, *, last: bool) -> Iterator[tuple[int, bytes | None]]:
        too_long = self._size > MAX_LINE_BYTES
        raw = b"".join(self._parts)
        self._parts, self._size = [], 0
        if self._ended:
            raise InputError(f"{self._name}, line {self._line}", "text after the array", "one JSON array is allowed")
        self._ended = last
        if too_long:
            yield self._begin, None
        elif raw or not last:
            yield self._begin, raw
