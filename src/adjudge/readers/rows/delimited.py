"""CSV and TSV with a header, row by row: line numbers are those of the file, also where cells hold line breaks.

A row that cannot be read is a BadRow, and reading goes on with the line after the one it began on: a quote that
is never closed costs one row, not the rest of the file.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO

from ...cases import MAX_TEXT_BYTES
from ...errors import InputError
from .base import BadRow
from .records import Record
from .sources import lines_of

MAX_CELL = 4 * MAX_TEXT_BYTES
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_DELIMITERS = (",", ";", "\t")


def delimiter_of(header: str) -> str:
    """What separates the columns of a header: that of comma, semicolon and tab which gives the most."""
    return max(_DELIMITERS, key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter), [])))


def read_delimited(stream: BinaryIO, name: str, delimiter: str | None) -> Iterator[Record | BadRow]:
    """The rows below the header; blank ones are passed over. Without a delimiter, the header shows it."""
    # The module keeps one limit for all readers, below that of a text.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
    feed = _Feed(stream)
    header: list[str] = []
    row = 0
    reader = None
    while True:
        if reader is None:
            reader = csv.reader(feed, delimiter=delimiter or delimiter_of(feed.look()), strict=True)
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            line = feed.rewind()
            if not header:
                found = f"cannot read the header: {error}"
                raise InputError(f"{name}, line {line}", found, "quotes are doubled inside quotes") from None
            row += 1
            yield BadRow(f"{name}, line {line}", str(row), _unread(error))
            continue
        line = feed.accept()
        if not any(cell.strip() for cell in cells):
            continue
        place = f"{name}, line {line}"
        if not header:
            header = _header(cells, place)
            continue
        row += 1
        if wrong := _wrong(cells, header):
            yield BadRow(place, str(row), wrong)
        else:
            yield Record(place, row, {column: cell for column, cell in zip(header, cells, strict=True) if column})


class _Feed:
    """Lines for the reader, and those of the row it is at, to begin again behind its first."""

    def __init__(self, stream: BinaryIO) -> None:
        self._lines = lines_of(stream)
        self._again: deque[tuple[int, str]] = deque()
        self._taken: list[tuple[int, str]] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self._taken.append(self._again.popleft() if self._again else self._read())
        return self._taken[-1][1]

    def look(self) -> str:
        """The first line that is not blank."""
        while not self._again or not self._again[-1][1].strip():
            try:
                self._again.append(self._read())
            except StopIteration:
                return ""
        return self._again[-1][1]

    def accept(self) -> int:
        """The row was read; says the line it began on."""
        line = self._taken[0][0]
        self._taken.clear()
        return line

    def rewind(self) -> int:
        """The row was not read: all lines but its first are to be read again; says the line it began on."""
        line = self._taken[0][0]
        self._again.extendleft(reversed(self._taken[1:]))
        self._taken.clear()
        return line

    def _read(self) -> tuple[int, str]:
        number, raw = next(self._lines)
        # Bytes that are no UTF-8 are carried through the cells, where the row's columns are known. A line that is
        # too long is one cell that is.
        return number, (b"x" * (MAX_CELL + 1) if raw is None else raw).decode("utf-8", "surrogateescape")


def _header(cells: list[str], place: str) -> list[str]:
    """The columns' names; of two alike the second is numbered. What stands below no name is left out."""
    names: list[str] = []
    for cell in cells:
        name = cell.strip()
        if _ESCAPED_BYTE.search(name) or "\0" in name:
            raise InputError(place, "a header that is not UTF-8 text", "UTF-8 text is needed")
        numbered, count = name, 1
        while name and numbered in names:
            count += 1
            numbered = f"{name} ({count})"
        names.append(numbered)
    return names


def _wrong(cells: list[str], header: list[str]) -> str | None:
    """Why a row cannot be taken."""
    if len(cells) != len(header):
        found = f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'} under a header of {len(header)}"
        return f"{found}; a text that holds the separator stands in quotes"
    for column, cell in zip(header, cells, strict=True):
        if cell.isascii():
            if "\0" in cell:
                return f"{column}: a NUL byte; text is needed"
        elif escaped := _ESCAPED_BYTE.search(cell):
            return f"{column}: invalid UTF-8 (0x{ord(escaped[0]) - 0xDC00:02x}); UTF-8 text is needed"
        elif "\0" in cell:
            return f"{column}: a NUL byte; text is needed"
    return None


def _unread(error: csv.Error) -> str:
    said = str(error)
    if "unexpected end of data" in said:
        return "a quote that is never closed; quotes are doubled inside quotes"
    if "field larger than field limit" in said:
        return f"a cell of more than {MAX_CELL:,} characters, or a quote that is never closed; a shorter one is needed"
    return f"cannot read the row: {said}; quotes are doubled inside quotes"
