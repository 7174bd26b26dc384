"""A run as one flat table: its columns, and a row for every outcome. All commands over results use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from ..models.rows import FIRST, LAST, WORDS, Cells, Column, Kind, own_columns
from .directory import Outcome, Protocol, Run

# More than any table has; rows that each bring names of their own must not make a table of a million columns.
MOST_EXTRAS = 200
_LONG = 2**63


@dataclass(frozen=True)
class Table:
    """The columns of a run; `own` are those a stored row has, `extras` says what the input's own are called here."""

    protocol: Protocol
    columns: tuple[Column, ...]
    own: frozenset[str]
    extras: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def scores(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.score)

    @property
    def distinct(self) -> bool:
        """Whether SQL, which takes upper and lower case for the same, can tell all columns apart."""
        return len({name.lower() for name in self.names}) == len(self.columns)

    @property
    def brought(self) -> frozenset[str]:
        """The columns that the input brought along."""
        return frozenset(self.extras.values())

    def row(self, outcome: Outcome) -> Cells:
        """A cell for every column, in their order; what is not known is None."""
        case, line = outcome.case, outcome.line
        systems = case.get("systems") or (None, None)
        words = line.get("words") or (None, None)
        tokens = (line.get("input_tokens"), line.get("output_tokens"))
        label = case.get("label")
        known = {
            **line,
            **(line.get("row") or {}),
            "position": case["position"],
            "case": case["case"],
            "status": outcome.status,
            "tokens": None if None in tokens else sum(tokens),
            "label": None if label is None else str(label),
            "system_a": systems[0],
            "system_b": systems[1],
            "words_a": words[0],
            "words_b": words[1],
        }
        brought = case.get("extra") or {}
        return {
            **{column.name: known.get(column.name) for column in self.columns if column.name not in self.brought},
            **{column: brought.get(name) for name, column in self.extras.items()},
        }


def table_of(run: Run) -> Table:
    """The columns of a run: what all runs have, its protocol's, its criteria's, and those the input brought along."""
    own = own_columns(run.protocol, {criterion.key: criterion.name for criterion in run.rubric.criteria})
    before = (*FIRST, *own, *LAST, *(() if run.protocol == "dialogue" else WORDS))
    extras, called = _extra_columns(run, {column.name for column in before})
    stored = frozenset({*(column.name for column in own), "judge", "warnings", "agrees"})
    return Table(run.protocol, (*before, *extras), stored, called)


def minus(first: int | float | None, second: int | float | None) -> int | float | None:
    """The exact difference of two decimals; empty if one is."""
    if first is None or second is None:
        return None
    apart = Decimal(str(first)) - Decimal(str(second))
    return int(apart) if apart == apart.to_integral_value() else float(apart)


def _extra_columns(run: Run, taken: set[str]) -> tuple[tuple[Column, ...], dict[str, str]]:
    """The input's own columns, and what each of its names is called among them: itself, or `extra_…` where it meets
    one of ours. SQL does not tell apart upper and lower case, so neither may names here."""
    kinds: dict[str, set[Kind]] = {}
    for _, case in run.case_lines(inputs=False):
        for name, value in (case.get("extra") or {}).items():
            if name in kinds or len(kinds) < MOST_EXTRAS:
                found = kinds.setdefault(name, set())
                if value is not None:
                    found.add(_kind(value))
    used = {name.lower() for name in taken}
    called: dict[str, str] = {}
    for name in kinds:
        called[name] = _free(name, used)
        used.add(called[name].lower())
    columns = tuple(Column(called[name], _common(found), "from the input") for name, found in kinds.items())
    return columns, called


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
