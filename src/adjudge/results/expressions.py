"""Every column of the flat table as SQL over the lines of a run's files, in the forms in which the lines have them.

A number keeps its form as JSON (3 is not 3.0) and a column of the input's own is kept as JSON, so that rows read back
are the rows that `Table.row` makes of outcomes. `typed` then gives each column the type it has in SQL.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from . import sql
from .column import Column
from .columns import LABEL_NUMBER, LOWEST_EXPERIENCE, Table
from .expressions_own import Expression, own_expressions
from .shape import NUMBERS, TEXTS, Shape

Source = Literal["verdict", "failure", "skipped"]
_SPACE = r"[\s\p{Z}\x0b\x1c-\x1f\x85]"
_AS_SAID = {"DOUBLE": "VARCHAR", "DECIMAL(18, 7)": "VARCHAR"}


def said_kind(table: Table, column: Column) -> str:
    """The type in which a column is kept as it was said."""
    return "VARCHAR" if column.name in table.brought else _AS_SAID.get(column.kind, column.kind)


def typed(table: Table, column: Column, said: str) -> str:
    """What was said, in the column's own type."""
    if column.name not in table.brought:
        return said if column.kind == said_kind(table, column) else f"cast({said} as {column.kind})"
    if column.kind != "VARCHAR":
        return f"cast({said} ->> '$' as {column.kind})"
    # A column with texts and numbers holds texts; a float among them as Python writes it.
    return (
        f"case when json_type({said}) = 'DOUBLE' then cast(cast({said} as DOUBLE) as VARCHAR) else {said} ->> '$' end"
    )


def reading(table: Table, source: Source, wanted: Collection[str], file: str, longest: int) -> str:
    """A SELECT over one file of a run: the wanted columns under their numbers, in the file's order."""
    shape = Shape()
    made = _skipped(shape) if source == "skipped" else _told(table, source, shape)
    extras = [name for name, column in table.extras.items() if column in wanted]
    chosen = []
    for at, column in enumerate(table.columns):
        if column.name in wanted:
            if column.name in table.brought:
                place = extras.index(_key(table.extras, column.name)) + 1
                said = f"nullif(extras[{place}], 'null')"
            else:
                said = made[column.name]() if column.name in made else "null"
            chosen.append(f"cast({said} as {said_kind(table, column)}) as c{at}")
    sieve = {
        "verdict": "verdict is not null",
        "failure": "true",
        "skipped": f"nullif({shape.at('bad')}, '') is not null",
    }[source]
    position = shape.at("position", kind="BIGINT")
    shape.at("case")  # never one column alone: DuckDB reads that far more slowly
    if source == "verdict" and '"verdict"' not in shape.columns():
        shape.at("verdict", "verdict_id")
    pointers = ", ".join(sql.text(_pointer(name)) for name in extras)
    beside = f", json_extract({shape.at('extra', kind='JSON')}, [{pointers}]) as extras" if extras else ""
    options = (
        "format = 'newline_delimited', compression = 'none', hive_partitioning = false, ignore_errors = true, "
        f"maximum_object_size = {longest}"
    )
    lines = f"read_json({sql.path(file)}, columns = {shape.columns()}, {options})"
    return (
        f"select {', '.join(chosen)} from (select *{beside} from {lines}) "
        f"where {position} between 0 and 999999999 and {sieve}"
    )


def _told(table: Table, source: Source, shape: Shape) -> dict[str, Expression]:
    """The columns of a line of verdicts or failures."""
    own = own_expressions(table.protocol, shape, table.criteria) if source == "verdict" else {}

    def at(name: str, kind: str = "VARCHAR") -> Expression:
        return lambda: shape.at(name, kind=kind)

    def judge() -> str:
        line = shape.at("judge")
        return f"coalesce(nullif({own['judge']()}, ''), {line})" if "judge" in own else line

    return {
        **_first(shape, source),
        **own,
        "judge": judge,
        "verdict_id": at("verdict_id"),
        "cost": at("cost"),
        "input_tokens": at("input_tokens", "BIGINT"),
        "output_tokens": at("output_tokens", "BIGINT"),
        "tokens": lambda: f"{shape.at('input_tokens', kind='BIGINT')} + {shape.at('output_tokens', kind='BIGINT')}",
        "calls": at("calls", "BIGINT"),
        "reason": at("reason"),
        "message": at("message"),
        "words_a": lambda: f"{shape.at('words', kind=NUMBERS)}[1]",
        "words_b": lambda: f"{shape.at('words', kind=NUMBERS)}[2]",
        **({"agrees": lambda: _agrees(shape.at("label"), own)} if own else {}),
    }


def _skipped(shape: Shape) -> dict[str, Expression]:
    return {**_first(shape, "skipped"), "message": lambda: shape.at("bad")}


def _first(shape: Shape, source: Source) -> dict[str, Expression]:
    return {
        "position": lambda: shape.at("position", kind="BIGINT"),
        "case": lambda: shape.at("case"),
        "status": lambda: sql.text(source),
        "label": lambda: shape.at("label"),
        "system_a": lambda: f"{shape.at('systems', kind=TEXTS)}[1]",
        "system_b": lambda: f"{shape.at('systems', kind=TEXTS)}[2]",
    }


def _agrees(label: str, own: Mapping[str, Expression]) -> str:
    """The same as `columns.agreement`."""
    bare = f"regexp_replace({label}, '^{_SPACE}+|{_SPACE}+$', '', 'g')"
    number = f"case when regexp_full_match({bare}, {sql.text(LABEL_NUMBER)}, 'i') then try_cast({bare} as DOUBLE) end"
    cases = []
    if "winner" in own:
        winner = own["winner"]()
        cases.append(f"when lower({bare}) in ('a', 'b') then lower({winner}) = lower({bare})")
        cases.append(f"when lower({bare}) = 'tie' then {winner} = 'tie'")
    else:
        cases.append(f"when lower({bare}) in ('a', 'b', 'tie') then null")
    if "likert" in own:
        cases.append(f"else cast({own['likert']()} as DOUBLE) = {number}")
    elif "overall_experience" in own:
        given = f"cast({own['overall_experience']()} as DOUBLE)"
        cases.append(f"when {number} >= {LOWEST_EXPERIENCE} then {given} = {number}")
    return f"case {' '.join(cases)} end"


def _key(extras: Mapping[str, str], column: str) -> str:
    return next(name for name, called in extras.items() if called == column)


def _pointer(name: str) -> str:
    """A key as a JSON pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")
