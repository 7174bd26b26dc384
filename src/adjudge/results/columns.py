"""The columns of a run's flat table, and the SQL that finds each in the lines of a case (`c`) and its outcome (`o`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count

from ..models.rows import FIRST, LAST, WORDS, Column, Kind, own_columns
from .run import Run

# More than any table has; rows that each bring names of their own must not make a table of a million columns.
MOST_EXTRAS = 200
_FOUND = {
    "judge": "coalesce(o.judge, o.cells ->> 'judge')",
    "tokens": "o.input_tokens + o.output_tokens",
    "words_a": "o.words[1]",
    "words_b": "o.words[2]",
    **{name: f'c."{name}"' for name in ("position", "case", "label", "system_a", "system_b")},
}


@dataclass(frozen=True)
class Placed:
    """A column, and the SQL expression of its cell; or its place in a verdict's stored row, or in the case's extras."""

    column: Column
    found: str = ""
    row: str | None = None
    extra: str | None = None


def columns_of(run: Run, extras: Mapping[str, set[Kind]]) -> tuple[Placed, ...]:
    """What all runs have, the protocol's and its criteria's columns, and those the input brought along.

    SQL does not tell apart upper and lower case, so a name that meets another one is changed: an input's column becomes
    `extra_…`, a criterion's gets a number.
    """
    criteria = {criterion.key: criterion.name for criterion in run.rubric.criteria}
    own = own_columns(run.protocol, criteria, calibrated=run.rubric.calibration is not None)
    stored = {*(column.name for column in own), "stage", "warnings", "agrees"}
    used: set[str] = set()
    placed = []
    for column in (*FIRST, *own, *LAST, *(() if run.protocol == "dialogue" else WORDS)):
        named = replace(column, name=_free(column.name, "", used))
        if column.name in stored:
            placed.append(Placed(named, row=column.name))
        else:
            placed.append(Placed(named, _FOUND.get(column.name, f'o."{column.name}"')))
    for name, kinds in list(extras.items())[:MOST_EXTRAS]:
        column = Column(_free(name or "extra", "extra_", used), _common(kinds), "from the input")
        placed.append(Placed(column, extra=name))
    return tuple(placed)


def text(value: str) -> str:
    """A text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def name(value: str) -> str:
    """A name in SQL."""
    return '"' + value.replace('"', '""') + '"'


def extracted(document: str, keys: Iterable[str]) -> str:
    """These keys of a JSON object in SQL, as a list of texts."""
    pointers = ", ".join(text("/" + key.replace("~", "~0").replace("/", "~1")) for key in keys)
    return f"json_extract_string({document}, [{pointers}]::VARCHAR[])"


def _free(name: str, prefix: str, used: set[str]) -> str:
    """The name if no other is called so; else with the prefix, else with a number."""
    numbered = (f"{prefix}{name}_{number}" for number in count(2))
    found = next(it for it in chain([name, f"{prefix}{name}"], numbered) if it.lower() not in used)
    used.add(found.lower())
    return found


def _common(kinds: Iterable[Kind]) -> Kind:
    """The one type that holds all values of a column."""
    found = set(kinds)
    if len(found) == 1:
        return found.pop()
    return "DOUBLE" if found == {"BIGINT", "DOUBLE"} else "VARCHAR"
