"""A run's files read by DuckDB into one table, in the order of the input: nothing passes through Python.

The lines are read once, in the order in which they came, and only the columns that are wanted. Then they are put in
order a stretch of positions at a time: of several verdicts of a case the first counts, of failures the last, and a
verdict before any failure. So the memory needed does not grow with the run.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

from ..errors import InputError
from ..models.rows import Column
from . import sql
from .columns import Table
from .directory import Run
from .lines import parsed, unfinished_line

_MEMORY = 192  # MB; what was read is kept up to it, so that it is also what is used
_STRETCH = 20_000
ROW_GROUP = 20_480  # rows that are held until they are written; a multiple of 2,048
_LONGEST = 2**20
_LONGEST_OF_ALL = 2**31
Source = Literal["verdict", "failure", "skipped"]
_FILES: dict[Source, str] = {"verdict": "verdicts.jsonl", "failure": "failures.jsonl", "skipped": "cases.jsonl"}
_TOO_LONG = "maximum_object_size"
# What a line says of a case beside its row, with its type; and how a column is found in it.
_LINE = {
    "position": "BIGINT",
    "case": "VARCHAR",
    "verdict_id": "VARCHAR",
    "label": "VARCHAR",
    "systems": "VARCHAR[]",
    "words": "BIGINT[]",
    "calls": "BIGINT",
    "input_tokens": "BIGINT",
    "output_tokens": "BIGINT",
    "cost": "VARCHAR",
    "reason": "VARCHAR",
    "message": "VARCHAR",
    "judge": "VARCHAR",
    "bad": "VARCHAR",
    "extra": "JSON",
}
_FOUND = {
    "tokens": "input_tokens + output_tokens",
    "system_a": "systems[1]",
    "system_b": "systems[2]",
    "words_a": "words[1]",
    "words_b": "words[2]",
}
# Numbers are kept as the texts they are in JSON, so that 3 stays 3 and 3.0 stays 3.0 in what is written elsewhere.
_AS_SAID = {"DOUBLE": "VARCHAR", "DECIMAL(18, 7)": "VARCHAR"}


def staged(duckdb: Any, run: Run, table: Table, folder: Path, wanted: Collection[str] | None = None) -> Path:
    """A database file with the table `said`, all rows in order, and the view `results`, where columns have types."""
    if not table.distinct:
        found = "criteria whose names differ in upper and lower case only"
        raise InputError(str(run.folder), found, "SQL takes them for the same; adjudge export has CSV and JSONL")
    names = {"position", "status", *(table.names if wanted is None else wanted)}
    file = folder / "results.duckdb"
    connection = duckdb.connect(":memory:", config=settings(folder))
    try:
        connection.execute(f"attach {sql.text(str(file))} as made (row_group_size {ROW_GROUP})")
        connection.execute("use made")
        _read(duckdb, connection, run, table, names)
        _drop_unfinished(connection, run, table)
        _put_in_order(connection, table, names)
        _name(connection, table, names)
        connection.execute("use memory")
        connection.execute("detach made")
    finally:
        connection.close()
    return file


def settings(folder: Path) -> dict[str, Any]:
    """How DuckDB is to work: within so much memory, and beyond it in this folder."""
    return {
        "memory_limit": f"{_MEMORY}MB",
        "temp_directory": str(folder),
        "threads": min(4, os.cpu_count() or 1),
        "autoinstall_known_extensions": "false",
    }


def _read(duckdb: Any, connection: Any, run: Run, table: Table, names: Collection[str]) -> None:
    """The lines of all files as the table `found`."""
    longest = _LONGEST
    while True:
        sources = [
            reading(table, source, names, str((run.folder / name).absolute()), longest)
            for source, name in _FILES.items()
            if (run.folder / name).exists()
        ]
        if not sources:
            raise InputError(str(run.folder), "it has no cases", "the files as the run wrote them")
        try:
            connection.execute(f"create table found as {' union all '.join(sources)}")
            return
        except duckdb.Error as error:
            too_large = _TOO_LONG in str(error) or isinstance(error, duckdb.OutOfMemoryException)
            if not too_large or longest >= _LONGEST_OF_ALL:
                said = str(error).strip().splitlines()[0]
                raise InputError(
                    str(run.folder), f"its lines cannot be read: {said}", "the files as the run wrote them"
                ) from None
            # Lines of many megabytes: one at a time, and room for them.
            longest = min(16 * longest, _LONGEST_OF_ALL)
            connection.execute("set threads = 1")
            connection.execute(f"set memory_limit = '{_MEMORY + 8 * longest // 10**6}MB'")


def _drop_unfinished(connection: Any, run: Run, table: Table) -> None:
    """A last line without its end is not there yet, though DuckDB reads it if it happens to be whole."""
    position, status = (f"c{table.names.index(name)}" for name in ("position", "status"))
    for source, name in _FILES.items():
        path = run.folder / name
        if path.exists() and (line := parsed(unfinished_line(path))) is not None:
            read = f"select max(rowid) from found where {status} = ? and {position} = try_cast(? as BIGINT)"
            connection.execute(f"delete from found where rowid = ({read})", [source, str(line.get("position"))])


def _put_in_order(connection: Any, table: Table, names: Collection[str]) -> None:
    position, status = (f"c{table.names.index(name)}" for name in ("position", "status"))
    first = (
        f"order by case {status} when 'verdict' then 0 when 'failure' then 1 else 2 end, "
        f"case {status} when 'failure' then -place else place end"
    )
    columns = ", ".join(f"c{at}" for at, name in enumerate(table.names) if name in names)
    connection.execute("create table said as from found limit 0")
    last = connection.execute(f"select max({position}) from found").fetchone()[0]
    for begin in range(0, 0 if last is None else last + 1, _STRETCH):
        connection.execute(
            f"insert into said select {columns} from (select rowid as place, * from found "
            f"where {position} >= {begin} and {position} < {begin + _STRETCH}) "
            f"qualify row_number() over (partition by {position} {first}) = 1 order by {position}"
        )
    connection.execute("drop table found")


def _name(connection: Any, table: Table, names: Collection[str]) -> None:
    # Names of columns come from strangers: they appear once, as quoted names.
    chosen = ", ".join(
        f"{typed(table, column, f'c{at}')} as {sql.name(column.name)}"
        for at, column in enumerate(table.columns)
        if column.name in names
    )
    connection.execute(f"create view results as select {chosen} from said")


def reading(table: Table, source: Source, wanted: Collection[str], file: str, longest: int) -> str:
    """A SELECT over one file of a run: the wanted columns under their numbers, in the file's order."""
    # Never an empty struct: every row has a judge.
    stored = [column for column in table.columns if column.name in table.own & {*wanted, "judge"}]
    row = ", ".join(f"{sql.name(column.name)} {said_kind(table, column)}" for column in stored)
    fields = {**_LINE, **({"row": f"STRUCT({row})"} if source == "verdict" else {})}
    extras = [name for name, called in table.extras.items() if called in wanted]
    pointers = ", ".join(sql.text(_pointer(name)) for name in extras)
    beside = f", json_extract(extra, [{pointers}]) as extras" if extras else ""
    chosen = []
    for at, column in enumerate(table.columns):
        if column.name in wanted:
            found = _found(table, column, source, extras)
            chosen.append(f"cast({found} as {said_kind(table, column)}) as c{at}")
    sieve = {"verdict": "row is not null", "failure": "true", "skipped": "nullif(bad, '') is not null"}[source]
    kinds = ", ".join(f"{sql.name(name)}: {sql.text(kind)}" for name, kind in fields.items())
    options = (
        "format = 'newline_delimited', compression = 'none', hive_partitioning = false, ignore_errors = true, "
        f"maximum_object_size = {longest}"
    )
    lines = f"read_json({sql.path(file)}, columns = {{{kinds}}}, {options})"
    return (
        f"select {', '.join(chosen)} from (select *{beside} from {lines}) "
        f"where position between 0 and 999999999 and {sieve}"
    )


def _found(table: Table, column: Column, source: Source, extras: list[str]) -> str:
    """Where a column is found in a line."""
    if column.name in table.brought:
        name = next(name for name, called in table.extras.items() if called == column.name)
        return f"nullif(extras[{extras.index(name) + 1}], 'null')"
    if column.name == "status":
        return sql.text(source)
    if column.name == "message" and source == "skipped":
        return "bad"
    if column.name in table.own and source == "verdict":
        return f'"row".{sql.name(column.name)}'
    if column.name in _LINE:
        return sql.name(column.name)
    return _FOUND.get(column.name, "null")


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


def _pointer(name: str) -> str:
    """A key as a JSON pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")
