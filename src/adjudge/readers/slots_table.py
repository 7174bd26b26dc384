"""A person's ratings as they stand in a text: a Markdown table, and the lines `Likert: …` and `Justification: …`.

Cells keep their words; what they are worth is decided elsewhere. An error names the line, as `at` calls it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ..cases import Original
from ..errors import InputError
from ..rubric import Rubric
from .slots_blanks import entered_rating, entered_reason
from .slots_dimensions import allowed_names, criterion_key
from .table_rows import is_rule, split_row
from .transcript_entries import shorten

At = Callable[[int], str]

_COLUMNS = {
    "dimension": ("dimension", "criterion"),
    "rating": ("rating", "score"),
    "justification": ("justification", "reason", "comment"),
}
_PLAIN_ORDER = {"dimension": 0, "rating": 1, "justification": 2}
_ROW = "| dimension | rating | justification | is allowed"
_LABEL = re.compile(
    r"[\s>*_-]*?(?:\*\*|__)?(?P<label>(?:likert\s++)?justification|likert(?:\s++(?:score|rating))?+)"
    r"(?:\s*+\([^)\n]*+\))?+\s*+(?:\*\*|__)?+\s*+[:：](?:\*\*|__)?(?P<said>.*)",
    re.IGNORECASE | re.DOTALL,
)
_RATED = re.compile(r"[*\s]*(?:(?:rating|score)\b[*\s]*[:：=]?[*\s]*)?[-+−–]?\d[^\n]*", re.IGNORECASE)
_LINES = "Likert: … and Justification: … are allowed, each once; use JSON for other text"


def ratings_in_table(text: str, rubric: Rubric, at: At) -> dict[str, Original]:
    """What was entered for each criterion, in the order of the table; one that was left blank is not there."""
    columns: Mapping[str, int] | None = None
    seen: dict[str, Original] = {}
    for number, line in enumerate(text.split("\n"), 1):
        cells = split_row(line)
        if not any(cells) or is_rule(cells):
            continue
        if columns is None:
            columns = _header(cells, at(number)) or _PLAIN_ORDER
            if columns is not _PLAIN_ORDER:
                continue
        key, given = _row(line, cells, columns, rubric, at(number))
        if key in seen:
            raise InputError(at(number), f"{shorten(cells[columns['dimension']])} stands twice", "each dimension once")
        seen[key] = given
    return {key: given for key, given in seen.items() if given}


def _header(cells: list[str], place: str) -> dict[str, int] | None:
    names = [cell.strip("*_` ").lower() for cell in cells]
    if not any(name in _COLUMNS["dimension"] for name in names):
        return None
    columns: dict[str, int] = {}
    for index, name in enumerate(names):
        column = next((known for known, words in _COLUMNS.items() if name in words), None)
        if (column is None and name) or column in columns:
            raise InputError(place, f"a column {shorten(cells[index])}", "Dimension, Rating, Justification, each once")
        if column is not None:
            columns[column] = index
    return columns


def _row(line: str, cells: list[str], columns: Mapping[str, int], rubric: Rubric, place: str) -> tuple[str, Original]:
    if len(cells) < 2:
        raise InputError(place, f"cannot read {shorten(line.strip())} as a row", _ROW)
    if any(cells[max(columns.values()) + 1 :]):
        raise InputError(place, f"{len(cells)} cells under {len(columns)} columns", "a | inside a cell is written \\|")

    def cell(column: str) -> str:
        index = columns.get(column, len(cells))
        return cells[index] if index < len(cells) else ""

    key = criterion_key(cell("dimension"), rubric)
    if key is None:
        raise InputError(place, f"unknown dimension {shorten(cell('dimension'))}", allowed_names(rubric))
    return key, Original(entered_rating(cell("rating")), entered_reason(cell("justification")))


def likert_in_lines(text: str, at: At) -> Original:
    """The preference and its reason; a reason may run over several lines, and a number may stand alone."""
    if _RATED.fullmatch(text.strip()):
        return Original(entered_rating(text))
    parts: dict[str, list[str]] = {}
    current: list[str] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if label := _LABEL.fullmatch(line):
            name = "justification" if "justification" in label["label"].lower() else "likert"
            if name in parts:
                raise InputError(at(number), f"{name.capitalize()}: stands twice", _LINES)
            current = parts[name] = [label["said"]]
        elif current is not None:
            current.append(line)
        elif entered_reason(line):
            raise InputError(at(number), f"cannot read {shorten(line.strip())}", _LINES)
    said = {name: "\n".join(lines) for name, lines in parts.items()}
    return Original(entered_rating(said.get("likert", "")), entered_reason(said.get("justification", "")))
