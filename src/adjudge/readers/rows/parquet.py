"""Rows of a Parquet file, read with DuckDB; what is held in memory is one row group, as the file's writer cut it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...errors import InputError, SetupError
from .base import BadRow
from .records import Record
from .sources import Source

if TYPE_CHECKING:
    import duckdb

_ROWS_AT_A_TIME = 64
_GLOB = re.compile(r"[*?\[]")


def read_parquet(source: Source) -> Iterator[Record | BadRow]:
    """The rows in the file's order."""
    try:
        import duckdb
    except ImportError:
        raise SetupError("Parquet needs DuckDB: pip install 'adjudge[runs]'") from None
    with source.reading():
        pass  # An unreadable file is said in the same words as any other.
    # One thread: more would hold more row groups, and the judge is slower than any file.
    with duckdb.connect(config={"threads": 1}) as connection:
        try:
            yield from _rows(connection, source)
        except duckdb.Error as error:
            raise InputError(source.name, str(error).split("\n")[0], "a Parquet file is needed") from None


def _rows(connection: duckdb.DuckDBPyConnection, source: Source) -> Iterator[Record]:
    # Not a pattern: a file may be called [draft].parquet.
    path = _GLOB.sub(lambda sign: f"[{sign[0]}]", str(source.path))
    described: list[Any] = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [path]).fetchall()
    columns = [name for name, *_ in described]
    chosen = ", ".join(_selected(name, kind) for name, kind, *_ in described)
    result = connection.execute(f"SELECT {chosen} FROM read_parquet(?)", [path])
    row = 0
    while rows := result.fetchmany(_ROWS_AT_A_TIME):
        for values in rows:
            row += 1
            yield Record(f"{source.name}, row {row}", row, dict(zip(columns, values, strict=True)))


def _selected(name: str, kind: str) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    # Times with a zone would need one more package, only to stand beside a case.
    return f"CAST({quoted} AS VARCHAR) AS {quoted}" if "TIME ZONE" in kind else quoted
