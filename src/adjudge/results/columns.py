"""The columns of a run's flat table, and the SQL that reads each from a case's line (`c`) and its outcome's (`o`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count

from ..protocols.table import FIRST, LAST, WORDS, Column, Kind
from .run import Run

_FOUND = {
    "judge": "coalesce(o.judge, o.cells ->> 'judge')",
    "tokens": "o.input_tokens + o.output_tokens",
    "words_a": "o.words[1]",
    "words_b": "o.words[2]",
    **{name: f'c."{name}"' for name in ("position", "case", "label", "system_a", "system_b")},
}


def columns_of(run: Run, extras: Mapping[str, Kind]) -> tuple[dict[Column, str], list[str]]:
    """Return the columns with the SQL of their cells: those of all runs, of the protocol and its criteria, and of the
    input. Also return the keys of a verdict's stored row. The SQL refers to these by number (`o.own[1]`), as it does to
    extras (`c.extras[1]`).

    SQL names ignore case, so a name that clashes with another is changed: a column of the input becomes `extra_…`, a
    criterion's gets a number.
    """
    criteria = {criterion.key: criterion.name for criterion in run.rubric.criteria}
    own = run.protocol.table.all_columns(criteria, calibrated=run.rubric.calibration is not None)
    stored = {*(column.name for column in own), "stage", "warnings", "agrees"}
    used: set[str] = set()
    keys: list[str] = []
    found = {}
    for column in (*FIRST, *own, *LAST, *(WORDS if run.protocol.table.two_sides else ())):
        cell = _FOUND.get(column.name, f'o."{column.name}"')
        if column.name in stored:
            keys.append(column.name)
            cell = f"o.own[{len(keys)}]"
        found[replace(column, name=_free(column.name, "", used))] = cell
    for at, (name, kind) in enumerate(extras.items(), start=1):
        found[Column(_free(name or "extra", "extra_", used), kind, "from the input")] = f"c.extras[{at}]"
    return found, keys


def criteria(run: Run) -> dict[str, str]:
    """Return the display names of the criteria by column, without the side. A criterion whose key clashes with another
    column has a longer column name."""
    named = {criterion.key: criterion.name for criterion in run.rubric.criteria}
    return {**named, **{f"criterion_{key}": display for key, display in named.items()}}


def criterion_columns(run: Run, suffixes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns of each criterion that end in these suffixes, by the criterion's part of their names."""
    known = {column.name for column in columns_of(run, {})[0]}
    found = {stem: tuple(f"{stem}{suffix}" for suffix in suffixes) for stem in criteria(run)}
    return {stem: columns for stem, columns in found.items() if columns and known.issuperset(columns)}


def text(value: str) -> str:
    """Quote a text for SQL."""
    return "'" + value.replace("'", "''") + "'"


def name(value: str) -> str:
    """Quote a name for SQL."""
    return '"' + value.replace('"', '""') + '"'


def extracted(document: str, keys: Iterable[str]) -> str:
    """Return SQL that extracts these keys of a JSON object as a list of texts."""
    pointers = ", ".join(text("/" + key.replace("~", "~0").replace("/", "~1")) for key in keys)
    return f"json_extract_string({document}, [{pointers}]::VARCHAR[])"


def unit_sql(column: str | None) -> str:
    """Return SQL for the unit of a case `c`. Cases of one unit are not independent: they are drawn together.

    The unit is the cell of this column of the input. Without a column, or where it is empty, it is the task: the same
    prompt with the same context.
    """
    if column is None:
        return "c.task"
    cell = f"trim({extracted('c.extra', [column])}[1])"
    return f"case when {cell} <> '' then hash({cell}) else c.task end"


def _free(name: str, prefix: str, used: set[str]) -> str:
    """Return the name if it is unused, else with the prefix, else with the prefix and a number."""
    numbered = (f"{prefix}{name}_{number}" for number in count(2))
    found = next(it for it in chain([name, f"{prefix}{name}"], numbered) if it.lower() not in used)
    used.add(found.lower())
    return found
