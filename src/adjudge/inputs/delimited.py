"""Reads CSV and TSV. Each row comes with the line it begins on, even if cells contain line breaks.

A row that cannot be read becomes `Unreadable`, and reading continues with the next line. If such a row spans several
lines, for example after a quote that is never closed, the whole file is refused: the next row's start is unknown.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from ..errors import InputError, TooLargeError
from ..models.cases import MAX_TEXT_BYTES
from ..text.decoding import UTF8_NEEDED
from .text import At, Unreadable, quote, undecoded

MAX_CELL = 4 * MAX_TEXT_BYTES
MAX_COLUMNS = 1_000  # as many as keys in a JSON object
_ALLOWED = "end lines with a line feed, and write a quote inside a quoted cell twice"
_DELIMITERS = (",", ";", "\t")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
# The csv module has one global limit: raise it, never lower it.
csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))


class TableRow(NamedTuple):
    """A row that is not blank: the line it begins on, the number of blank rows before it, and its cells by column."""

    line: int
    gap: int
    values: dict[str, str] | Unreadable


def split_header(line: str) -> tuple[str, list[str]]:
    """Return the delimiter of a header (the comma, semicolon or tab that gives the most columns) and its columns."""
    found: dict[str, list[str]] = {}
    for delimiter in _DELIMITERS:
        try:
            found[delimiter] = [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
        except csv.Error:
            found[delimiter] = []
    best = max(_DELIMITERS, key=lambda delimiter: len(found[delimiter]))
    return best, found[best]


def read_table(
    lines: Iterable[str | None], at: At, delimiter: str | None = None, *, as_records: bool = False
) -> Iterator[TableRow]:
    """Yield the rows below the header. A None in `lines` is a line that is too long.

    Without a delimiter, it is detected from the header. A row may omit its last cells, and each column name may appear
    once; with `as_records` rows have all cells, and repeated names are numbered. Columns without a name are left out.
    """
    names: list[str] = []
    gap = 0
    for line, cells in _read_rows(lines, at, delimiter):
        if isinstance(cells, list) and not any(cell.strip() for cell in cells):
            gap += 1
            continue
        if not names:
            names = _header(cells, at(line), may_repeat=as_records)
        elif isinstance(cells, Unreadable):
            yield TableRow(line, gap, cells)
        elif len(cells) == len(names) or (not as_records and len(cells) < len(names)):
            cells += [""] * (len(names) - len(cells))
            yield TableRow(line, gap, {name: cell for name, cell in zip(names, cells, strict=True) if name})
        else:
            found = f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'}, but the header has {len(names)}"
            yield TableRow(line, gap, Unreadable(found, "put a text that contains the separator in quotes"))
        gap = 0


def _read_rows(
    lines: Iterable[str | None], at: At, delimiter: str | None
) -> Iterator[tuple[int, list[str] | Unreadable]]:
    """Yield each row with the line it begins on. Raise InputError if an unreadable row spans several lines."""
    # Replace a line that is too long by a cell that is too long, so that csv refuses it.
    feed = (line if line is not None else "x" * (MAX_CELL + 1) for line in lines)
    opening: list[str] = []
    if delimiter is None:
        for line in feed:
            opening.append(line)
            if line.strip():
                break
        delimiter = split_header("".join(opening[-1:]))[0]
    # Without strict mode, a misplaced quote would silently disappear from the text.
    reader = csv.reader(chain(opening, feed), delimiter=delimiter, strict=True)
    while True:
        first = reader.line_num + 1
        try:
            yield first, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # Drop the csv module's advice to programmers, which follows " - ".
            problem = Unreadable(f"cannot read the row: {str(error).partition(' - ')[0]}", _ALLOWED)
            if reader.line_num > first:
                raise InputError(at(first), problem.found, f"{problem.allowed}; the whole file is refused") from None
            yield first, problem


def id_in_cell(cell: str) -> int | str | None:
    """Read an id: an integer if it is written canonically (007 stays text), else text. None for an empty cell."""
    return int(cell) if _WHOLE.fullmatch(cell) else cell or None


def _header(cells: list[str] | Unreadable, place: str, *, may_repeat: bool) -> list[str]:
    if isinstance(cells, Unreadable):
        raise InputError(place, cells.found.replace("row", "header", 1), cells.allowed)
    if len(cells) > MAX_COLUMNS:
        raise TooLargeError(place, f"{len(cells):,} columns", f"at most {MAX_COLUMNS:,} are allowed")
    counts: Counter[str] = Counter()
    names: list[str] = []
    for name in map(str.strip, cells):
        if undecoded(name) or "\0" in name:
            raise InputError(place, "the header is not UTF-8 text", UTF8_NEEDED)
        if name and counts[name] and not may_repeat:
            raise InputError(place, f"the column {quote(name)} appears twice", "each column once")
        numbered = name
        while name and counts[numbered]:
            counts[name] += 1
            numbered = f"{name} ({counts[name]})"
        counts[numbered] += 1
        names.append(numbered)
    return names
