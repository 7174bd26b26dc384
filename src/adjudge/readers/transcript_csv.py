"""Dialogues in CSV or TSV with a header: a row an utterance, columns found by name.

It does not guess: a row that has more cells than the header is an error, not an utterance cut at its first comma.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence

from .transcript_entries import Entry, Record, ratings_in, shorten, split_at_gaps, unreadable

_ROLES = ("speaker", "role")
_TEXTS = ("text", "content", "utterance")
_IDS = ("dialogue_id", "conversation_id", "id")


def header_delimiter(line: str) -> str | None:
    """What separates the columns, if this line is a header that names a speaker and a text."""
    for delimiter in ("\t", ",", ";"):
        names = _names(line.split(delimiter))
        if any(name in names for name in _ROLES) and any(name in names for name in _TEXTS):
            return delimiter
    return None


def read_csv(lines: Sequence[str], delimiter: str) -> list[Record]:
    """The dialogues in rows, by their id where there is one, else between blank lines."""
    # Strict: a quote out of place would otherwise vanish from what was said.
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
    columns: dict[str, int] = {}
    width = 0
    rows: list[tuple[str, Entry]] = []
    gap, end = 0, 0
    try:
        for row in reader:
            start, end = end + 1, reader.line_num
            if not any(cell.strip() for cell in row):
                gap += 1
            elif not columns:
                columns, width = _names(row), len(row)
            else:
                rows.append(_read_row(row, columns, width, start, gap))
                gap = 0
    except csv.Error as error:
        key = rows[-1][0] if rows else ""
        rows.append((key, unreadable(end + 1, f"cannot read the row: {error}", "quotes are doubled inside quotes")))
    return _grouped(rows, next((name for name in _IDS if name in columns), None))


def _grouped(rows: Sequence[tuple[str, Entry]], id_name: str | None) -> list[Record]:
    groups: dict[str, list[Entry]] = {}
    for key, entry in rows:
        groups.setdefault(key, []).append(entry)
    # An `id` no two rows share numbers the rows, not the dialogues.
    if id_name is None or (id_name == "id" and len(groups) == len(rows)):
        return split_at_gaps([entry for _, entry in rows])
    return [Record(group, group[0].line, _id(key)) for key, group in groups.items()]


def _read_row(row: Sequence[str], columns: Mapping[str, int], width: int, line: int, gap: int) -> tuple[str, Entry]:
    """The id a row belongs to, and what it says."""
    cells = {name: row[at].strip(" ") for name, at in columns.items() if at < len(row)}
    key = _first(cells, _IDS)
    if len(row) > width:
        found = f"{len(row)} cells under a header of {width}: {shorten(','.join(row))}"
        return key, unreadable(line, found, "a text that holds the separator stands in quotes", gap=gap)
    rated = cells.get("ratings")
    ratings = ratings_in(rated) if rated else ()
    if ratings is None:
        found = f"cannot read {shorten(rated or '')} as ratings"
        return key, unreadable(line, found, "whole numbers with commas between are allowed", gap=gap)
    return key, Entry(_first(cells, _ROLES), _first(cells, _TEXTS), line, cells.get("act"), ratings, gap)


def _names(cells: Sequence[str]) -> dict[str, int]:
    return {name.strip().strip('"').lower(): at for at, name in enumerate(cells)}


def _first(cells: Mapping[str, str], names: Sequence[str]) -> str:
    return next((cells[name] for name in names if name in cells), "")


def _id(key: str) -> int | str | None:
    # Only what reads back the same: 007 is a name. Short, because int() refuses thousands of digits.
    if key.isascii() and key.isdigit() and len(key) < 19 and str(int(key)) == key:
        return int(key)
    return key or None
