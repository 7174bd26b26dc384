"""Rows on standard output: a table for people, or a list of objects for programs. Both as the rows come."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain, islice
from typing import Any, BinaryIO

import orjson

from ..models.base import escape_controls
from .documents import Grid, grid_lines

# Widths are found from the first rows; those of later ones are the same, so that a million rows need no memory.
_AT_A_TIME = 500
_PIPED = 400
WIDEST = 48


def print_table(
    names: Sequence[str], rows: Iterable[Sequence[Any]], width: int | None, words: int | None, *, whole: bool
) -> int:
    """A table; columns without a value are left out unless they were asked for. Numbers stand on the right."""
    count = 0
    each = iter(rows)
    while batch := list(islice(each, _AT_A_TIME)):
        count += len(batch)
        kept = [at for at in range(len(names)) if whole or any(row[at] is not None for row in batch)]
        numbers = [] if words else [at for at in kept if _numeric(row[at] for row in batch)]
        grid = Grid(tuple(names[at] for at in kept), tuple(tuple(_cell(row[at]) for at in kept) for row in batch), 0)
        right = {place for place, at in enumerate(kept) if at in numbers}
        for line in grid_lines(grid, width or _PIPED, right=right, widest_cell=_PIPED if words else WIDEST):
            sys.stdout.buffer.write(f"{line}\n".encode("utf-8", "replace"))
    if not count:
        sys.stdout.write("no rows\n")
    return count


def print_json(names: Sequence[str], rows: Iterable[Sequence[Any]], file: BinaryIO) -> int:
    """A JSON list, one object a line."""
    count = 0
    for row, comma in _with_commas(rows):
        document = orjson.dumps(dict(zip(_distinct(names), row, strict=True)), default=_plain)
        file.write((b"[\n" if not count else b"") + escape_controls(document) + comma)
        count += 1
    file.write(b"]\n" if count else b"[]\n")
    return count


def _with_commas(rows: Iterable[Any]) -> Iterator[tuple[Any, bytes]]:
    each = iter(rows)
    held = list(islice(each, 1))
    for row in chain(each):
        yield held[0], b",\n"
        held = [row]
    if held:
        yield held[0], b"\n"


def _distinct(names: Sequence[str]) -> list[str]:
    """Names that do not hide each other: the second `count` becomes `count_2`."""
    given: list[str] = []
    for name in names:
        number, free = 2, name
        while free in given:
            number, free = number + 1, f"{name}_{number}"
        given.append(free)
    return given


def _numeric(values: Iterable[Any]) -> bool:
    return all(
        value is None or (isinstance(value, int | float | Decimal) and not isinstance(value, bool)) for value in values
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}".replace("-", "−")
    if isinstance(value, Decimal):
        return format(value.normalize(), "f").replace("-", "−")
    return str(value).replace("-", "−") if isinstance(value, int) else str(value)


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else str(value)
