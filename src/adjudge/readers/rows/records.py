"""A record as a format gave it: columns and values, before anybody knows which of them is the task.

Here too: how a path such as `messages.0.content` is followed into a record, and what of it stays beside the case.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import orjson

from .base import Scalar

MISSING = object()


@dataclass(frozen=True, slots=True)
class Record:
    """One row: where it stands, its number from 1, its columns; `name` is what a file in a folder is called."""

    place: str
    number: int
    values: Mapping[str, Any]
    name: str | None = None


def look_up(values: Mapping[str, Any], column: str) -> Any:
    """The value of a column, or of a path into nested values; MISSING if it is not there."""
    if column in values:
        return values[column]
    return _follow(values, column.split(".")) if "." in column else MISSING


def _follow(value: Any, steps: list[str]) -> Any:
    for step in steps:
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            # In CSV, what is nested stands as JSON in its cell.
            try:
                value = orjson.loads(value)
            except orjson.JSONDecodeError:
                return MISSING
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and _is_index(step) and -len(value) <= int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value


def _is_index(step: str) -> bool:
    return len(step) < 10 and step.removeprefix("-").isascii() and step.removeprefix("-").isdigit()


def beside(values: Mapping[str, Any], used: Iterable[str]) -> dict[str, Scalar]:
    """All columns but those used; of a column used in part, the rest. Nested values become compact JSON."""
    paths: dict[str, list[list[str]]] = {}
    for column in used:
        if column in values:
            paths[column] = []
        elif "." in column:
            head, *rest = column.split(".")
            paths.setdefault(head, [])
            if head in values:
                paths[head].append(rest)
    left: dict[str, Scalar] = {}
    for column, value in values.items():
        if column not in paths:
            left[column] = scalar(value)
        elif paths[column] and isinstance(value, Mapping | list) and (rest_of := _without(value, paths[column])):
            left[column] = scalar(rest_of)
    return left


def _without(value: Any, paths: list[list[str]]) -> Any:
    """A nested value without the leaves at the paths, and without what holds nothing then."""
    if [] in paths:
        return None
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    kept = {}
    for key, part in items:
        below = [path[1:] for path in paths if _names(path[0], key, value)]
        rest = _without(part, below) if below else part
        if not below or rest:
            kept[key] = rest
    return kept if isinstance(value, Mapping) else list(kept.values())


def _names(step: str, key: Any, within: Any) -> bool:
    if isinstance(within, Mapping):
        return bool(step == key)
    return _is_index(step) and int(step) in (key, key - len(within))


def scalar(value: Any) -> Scalar:
    """A value as it can stand beside a case: numbers, texts and truth as they are, all else as text."""
    if isinstance(value, str | bool | int | None):
        return value
    if isinstance(value, float | Decimal):
        if not math.isfinite(value):
            return str(value)
        return float(value) if isinstance(value, float) or value != int(value) else int(value)
    if isinstance(value, Mapping | list | tuple):
        return orjson.dumps(value, default=_as_text, option=orjson.OPT_NON_STR_KEYS).decode()
    return _as_text(value)


def _as_text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
