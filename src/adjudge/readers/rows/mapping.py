"""Which column each field is read from: as it was said, else as the tables of well-known names have it.

What cannot be settled is refused with the columns that were found and with the `--map` that would settle it.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import InputError
from . import known
from .records import MISSING, look_up

_SHOWN = 40
_CLOSE = 0.6


@dataclass(frozen=True)
class Found:
    """The columns of the first rows, those rows to follow paths into, and what was said of them."""

    place: str
    columns: Sequence[str]
    rows: Sequence[Mapping[str, Any]]
    said: Mapping[str, str]
    by_fold: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, place: str, rows: Sequence[Mapping[str, Any]], said: Mapping[str, str]) -> Found:
        columns = list(dict.fromkeys(column for row in rows for column in row))
        by_fold: dict[str, list[str]] = {}
        for column in columns:
            by_fold.setdefault(known.folded(column), []).append(column)
        return cls(place, columns, rows, said, by_fold)

    def named(self, name: str) -> list[str]:
        """The columns of a well-known name; a path is one if any row has it."""
        if "." in name:
            return [name] if self.has(name) else []
        return list(self.by_fold.get(known.folded(name), ()))

    def has(self, column: str) -> bool:
        return any(look_up(row, column) is not MISSING for row in self.rows)

    def shown(self) -> str:
        """The columns, as an error lists them."""
        more = f", … ({len(self.columns)} in all)" if len(self.columns) > _SHOWN else ""
        return ", ".join(self.columns[:_SHOWN]) + more

    def said_of(self, name: str) -> str | None:
        """The column that was said for a field; an empty text means that the field is to be left out."""
        return self.said.get(name)


def check_said(found: Found, allowed: Sequence[str]) -> None:
    """Refuse fields that do not exist and columns that are not there."""
    for name, column in found.said.items():
        if name not in allowed:
            hint = next(iter(difflib.get_close_matches(name, allowed, 1, _CLOSE)), None)
            meant = f"did you mean {hint}? " if hint else ""
            raise InputError(f"--map {name}", "unknown field", f"{meant}one of {', '.join(allowed)}")
        if column and not found.has(column) and not all(map(found.has, three_of(column) or ("\0",))):
            close = difflib.get_close_matches(column, found.columns, 3, _CLOSE)
            meant = f"did you mean {' or '.join(close)}? " if close else ""
            raise InputError(f"--map {name}={column}", "no such column", f"{meant}columns found: {found.shown()}")


def three_of(column: str) -> tuple[str, ...] | None:
    """The three columns of `winner_model_a/winner_model_b/winner_tie`; None if it is one column."""
    parts = tuple(column.split("/"))
    return parts if len(parts) == len(known.WINNER_OF_THREE) else None


def one(found: Found, name: str, tiers: known.Tiers) -> str | None:
    """The column of a field: as it was said, else the only candidate of the first tier that has any."""
    if (said := found.said_of(name)) is not None:
        return said or None
    for tier in tiers:
        candidates = [column for known_name in tier for column in found.named(known_name)]
        if len(candidates) > 1:
            raise ambiguous(found, name, candidates)
        if candidates:
            return candidates[0]
    return None


def first(found: Found, name: str, names: Sequence[str]) -> str | None:
    """The column of a field for which the first known name counts."""
    if (said := found.said_of(name)) is not None:
        return said or None
    return next((column for known_name in names for column in found.named(known_name)), None)


def pair(found: Found, names: tuple[str, str], tiers: known.Pairs) -> tuple[str | None, str | None]:
    """The two columns of two fields that belong together; where one was said, the other may be its partner."""
    said = found.said_of(names[0]), found.said_of(names[1])
    if said[0] is not None and said[1] is not None:
        return said[0] or None, said[1] or None
    for tier in tiers:
        candidates = [(one, two) for first, second in tier for one in found.named(first) for two in found.named(second)]
        fitting = [
            both for both in candidates if all(given in (None, has) for given, has in zip(said, both, strict=True))
        ]
        if len(fitting) > 1:
            which = 0 if len({both[0] for both in fitting}) > 1 else 1
            raise (
                ambiguous_pair(found, names, fitting)
                if said == (None, None)
                else ambiguous(found, names[which], [both[which] for both in fitting])
            )
        if fitting:
            return fitting[0]
    return said[0] or None, said[1] or None


def ambiguous(found: Found, name: str, candidates: Sequence[str]) -> InputError:
    """Two columns that could be one field."""
    choices = " or ".join(option(name, column) for column in dict.fromkeys(candidates))
    return InputError(found.place, f"{name} could be {' or '.join(dict.fromkeys(candidates))}", f"say which: {choices}")


def ambiguous_pair(found: Found, names: tuple[str, str], candidates: Sequence[tuple[str, str]]) -> InputError:
    """Two pairs of columns that could be the same two fields."""
    could = " or ".join(f"{one}, {two}" for one, two in candidates)
    choices = " or ".join(_options(zip(names, both, strict=True)) for both in candidates)
    return InputError(found.place, f"{' and '.join(names)} could be {could}", f"say which: {choices}")


def missing(found: Found, wanted: Sequence[str], used: Sequence[str | None]) -> InputError:
    """No column for some fields; the example takes those that are left."""
    left = [column for column in found.columns if column not in used]
    example = left[: len(wanted)] if len(left) >= len(wanted) else ["COLUMN"] * len(wanted)
    return InputError(
        found.place,
        f"no column for {' and '.join(wanted)}; columns found: {found.shown()}",
        f"name them, such as {_options(zip(wanted, example, strict=True))}",
    )


def option(name: str, column: str) -> str:
    """The option that settles a field."""
    return f"--map {name}={shlex.quote(column)}"


def _options(pairs: Any) -> str:
    return "--map " + " ".join(f"{name}={shlex.quote(column)}" for name, column in pairs)
