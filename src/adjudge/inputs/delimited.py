"""The one reader of CSV and TSV: rows with the lines they begin on, also where cells hold line breaks.

A row that cannot be read is `Unreadable`, and reading goes on with the next line. Where it has several lines, as behind
a quote that is never closed, the whole file is refused: where the next row begins would be a guess.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from ..errors import InputError
from ..models.cases import MAX_TEXT_BYTES
from .text import UTF8_NEEDED, At, Unreadable, quote, undecoded

MAX_CELL = 4 * MAX_TEXT_BYTES
_ALLOWED = "lines end with a line feed, and quotes are doubled inside quotes"
_DELIMITERS = (",", ";", "\t")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


class TableRow(NamedTuple):
    """A row that is not blank: the line it begins on, the blank rows before it, and its cells by the header's names."""

    line: int
    gap: int
    values: dict[str, str] | Unreadable


def split_header(line: str) -> tuple[str, list[str]]:
    """What separates the columns of a header (comma, semicolon or tab, whichever gives the most), and their names."""
    _allow_long_cells()
    found: dict[str, list[str]] = {}
    for delimiter in _DELIMITERS:
        try:
            found[delimiter] = [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
        except csv.Error:
            found[delimiter] = []
    best = max(_DELIMITERS, key=lambda delimiter: len(found[delimiter]))
    return best, found[best]


def read_table(
    lines: Iterable[str | None], at: At, delimiter: str | None = None, *, short_rows: bool = True, twice: bool = False
) -> Iterator[TableRow]:
    """The rows below the header; None is a line that is too long. Without a delimiter, the header shows it.

    `short_rows` may leave their last columns empty. A column that is there `twice` is numbered, else it is refused; one
    without a name is left out.
    """
    names: list[str] = []
    gap = 0
    for line, cells in _read_rows(lines, at, delimiter):
        if isinstance(cells, list) and not any(cell.strip() for cell in cells):
            gap += 1
            continue
        if not names:
            names = _header(cells, at(line), twice=twice)
        elif isinstance(cells, Unreadable):
            yield TableRow(line, gap, cells)
        elif len(cells) == len(names) or (short_rows and len(cells) < len(names)):
            cells += [""] * (len(names) - len(cells))
            yield TableRow(line, gap, {name: cell for name, cell in zip(names, cells, strict=True) if name})
        else:
            found = f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'}, but the header has {len(names)}"
            yield TableRow(line, gap, Unreadable(found, "put a text that contains the separator in quotes"))
        gap = 0


def _read_rows(
    lines: Iterable[str | None], at: At, delimiter: str | None
) -> Iterator[tuple[int, list[str] | Unreadable]]:
    """Each row with the line it begins on; of one that cannot be read on several lines, nobody knows where it ends."""
    # A line that is too long becomes a cell that is.
    feed = (line if line is not None else "x" * (MAX_CELL + 1) for line in lines)
    opening: list[str] = []
    if delimiter is None:
        for line in feed:
            opening.append(line)
            if line.strip():
                break
        delimiter = split_header("".join(opening[-1:]))[0]
    _allow_long_cells()
    # Strict: a quote out of place would otherwise vanish from a text.
    reader = csv.reader(chain(opening, feed), delimiter=delimiter, strict=True)
    while True:
        first = reader.line_num + 1
        try:
            yield first, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # Without the module's advice to programmers.
            problem = Unreadable(f"cannot read the row: {str(error).partition(' - ')[0]}", _ALLOWED)
            if reader.line_num > first:
                raise InputError(at(first), problem.found, f"{problem.allowed}; the whole file is refused") from None
            yield first, problem


def id_in_cell(cell: str) -> int | str | None:
    """An id: a whole number only if it reads back the same (007 is a name); None where the cell is empty."""
    return int(cell) if _WHOLE.fullmatch(cell) else cell or None


def _header(cells: list[str] | Unreadable, place: str, *, twice: bool) -> list[str]:
    if isinstance(cells, Unreadable):
        raise InputError(place, cells.found.replace("row", "header", 1), cells.allowed)
    counts: Counter[str] = Counter()
    names: list[str] = []
    for name in map(str.strip, cells):
        if undecoded(name) or "\0" in name:
            raise InputError(place, "the header is not UTF-8 text", UTF8_NEEDED)
        if name and counts[name] and not twice:
            raise InputError(place, f"the column {quote(name)} appears twice", "each column once")
        numbered = name
        while name and counts[numbered]:
            counts[name] += 1
            numbered = f"{name} ({counts[name]})"
        counts[numbered] += 1
        names.append(numbered)
    return names


def _allow_long_cells() -> None:
    # The module keeps one limit for everybody; ours may only raise it.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
