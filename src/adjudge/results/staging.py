"""A run's files read by DuckDB into one table, in the order of the input: nothing passes through Python.

The lines are read once, in the order in which they came, and only the columns that are wanted. Then they are put in
order a stretch of positions at a time: of several verdicts of a case the first counts, of failures the last, and a
verdict before any failure. So the memory needed does not grow with the run.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..errors import InputError
from . import sql
from .columns import Table
from .directory import Run
from .expressions import Source, reading, typed
from .lines import parsed, unfinished_line

_MEMORY = 192  # MB; what was read is kept up to it, so that it is also what is used
_STRETCH = 20_000
ROW_GROUP = 20_480  # rows that are held until they are written; a multiple of 2,048
_LONGEST = 2**20
_LONGEST_OF_ALL = 2**31
_FILES: dict[Source, str] = {"verdict": "verdicts.jsonl", "failure": "failures.jsonl", "skipped": "cases.jsonl"}
_TOO_LONG = "maximum_object_size"


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
