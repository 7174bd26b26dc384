"""The columns that the input brought along: under their own names, with `extra_` before one that meets one of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .column import Cells, Column, Kind
from .directory import Run

# More than any table has; rows that each bring names of their own must not make a table of a million columns.
MOST = 200
_LONG = 2**63


def extra_columns(run: Run, taken: set[str]) -> tuple[tuple[Column, ...], dict[str, str]]:
    """The columns, and what each name of the input is called among them. SQL does not tell apart upper and lower case,
    so neither may names here."""
    kinds: dict[str, set[Kind]] = {}
    for _, case in run.case_lines(inputs=False):
        for name, value in (case.get("extra") or {}).items():
            if name in kinds or len(kinds) < MOST:
                found = kinds.setdefault(name, set())
                if value is not None:
                    found.add(_kind(value))
    used = {name.lower() for name in taken}
    mapping: dict[str, str] = {}
    for name in kinds:
        mapping[name] = _free(name, used)
        used.add(mapping[name].lower())
    columns = tuple(Column(mapping[name], _common(found), "from the input") for name, found in kinds.items())
    return columns, mapping


def extra_cells(extra: Mapping[str, Any], mapping: Mapping[str, str]) -> Cells:
    """The cells of a row, as they stood in the input."""
    return {mapping[name]: value for name, value in extra.items() if name in mapping}


def _free(name: str, used: set[str]) -> str:
    free = name or "extra"
    if free.lower() in used:
        free = f"extra_{name}"
    number = 2
    while free.lower() in used:
        free = f"extra_{name}_{number}"
        number += 1
    return free


def _kind(value: object) -> Kind:
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, int):
        return "BIGINT" if -_LONG <= value < _LONG else "VARCHAR"
    return "DOUBLE" if isinstance(value, float) else "VARCHAR"


def _common(found: set[Kind]) -> Kind:
    """The one type that holds all values of a column."""
    if len(found) == 1:
        return next(iter(found))
    return "DOUBLE" if found == {"BIGINT", "DOUBLE"} else "VARCHAR"
