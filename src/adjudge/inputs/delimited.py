"""The one reader of CSV and TSV: rows with the lines they begin on, also where cells hold line breaks.

A row that cannot be read is `Unreadable`, and reading goes on with the line after the one it began on: a quote that is
never closed costs one row, not the rest of the file.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..models.cases import MAX_TEXT_BYTES
from .text import Unreadable

MAX_CELL = 4 * MAX_TEXT_BYTES
DOUBLE_QUOTES = "quotes are doubled inside quotes"
_DELIMITERS = (",", ";", "\t")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


class TableRow(NamedTuple):
    """A row that is not blank, the line it begins on and the blank rows before it; the first one is the header."""

    line: int
    gap: int
    cells: list[str] | Unreadable


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


def read_table(lines: Iterable[str | None], delimiter: str | None = None) -> Iterator[TableRow]:
    """The header and the rows below it; None is a line that is too long. Without a delimiter, the header shows it."""
    _allow_long_cells()
    source = _Lines(lines)
    # Strict: a quote out of place would otherwise vanish from a text.
    reader = csv.reader(source, delimiter=delimiter or split_header(source.first())[0], strict=True)
    gap = 0
    while True:
        try:
            cells: list[str] | Unreadable = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            cells = _explain(error)
        line = source.end_row(again=isinstance(cells, Unreadable))
        if isinstance(cells, list) and not any(cell.strip() for cell in cells):
            gap += 1
        else:
            yield TableRow(line, gap, cells)
            gap = 0


def check_width(cells: list[str], header: list[str], *, short: bool = False) -> Unreadable | None:
    """Why a row does not fit below the header; `short` rows leave their last columns empty."""
    if len(cells) == len(header) or (short and len(cells) < len(header)):
        return None
    found = f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'} under a header of {len(header)}"
    return Unreadable(found, "a text that holds the separator stands in quotes")


def id_in_cell(cell: str) -> int | str | None:
    """An id: a whole number only if it reads back the same (007 is a name); None where the cell is empty."""
    return int(cell) if _WHOLE.fullmatch(cell) else cell or None


class _Lines:
    """Feeds lines to `csv` and keeps those of the current row, so that reading can begin again after its first."""

    def __init__(self, lines: Iterable[str | None]) -> None:
        # A line that is too long becomes a cell that is.
        self._lines = enumerate((line if line is not None else "x" * (MAX_CELL + 1) for line in lines), 1)
        self._again: deque[tuple[int, str]] = deque()
        self._row: list[tuple[int, str]] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self._row.append(self._again.popleft() if self._again else next(self._lines))
        return self._row[-1][1]

    def first(self) -> str:
        """The first line that is not blank; it stays to be read."""
        for numbered in self._lines:
            self._again.append(numbered)
            if numbered[1].strip():
                return numbered[1]
        return ""

    def end_row(self, *, again: bool) -> int:
        """The line that the row began on; `again` gives back the lines after it."""
        if again:
            self._again.extendleft(reversed(self._row[1:]))
        line = self._row[0][0]
        self._row.clear()
        return line


def _allow_long_cells() -> None:
    # The module keeps one limit for everybody; ours may only raise it.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))


def _explain(error: csv.Error) -> Unreadable:
    said = str(error)
    if "unexpected end of data" in said:
        return Unreadable("a quote that is never closed", DOUBLE_QUOTES)
    if "field larger than field limit" in said:
        found = f"a cell of more than {MAX_CELL:,} characters, or a quote that is never closed"
        return Unreadable(found, "a shorter one is needed")
    return Unreadable(f"cannot read the row: {said}", DOUBLE_QUOTES)
