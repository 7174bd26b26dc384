"""The flat table as a DuckDB table `results`, for questions in SQL.

Made anew for each question, in a folder that is gone afterwards. Once it is filled it is opened for reading only, with
neither files nor network within reach, so that SQL from anywhere can be asked of it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ..errors import InputError
from . import sql
from .column import Cells, Column
from .columns import Table
from .needs import need

_BATCH = 2_000
MEMORY = "512MB"
_USUAL_OBJECT = 16_777_216
_SEALED = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": MEMORY,
}


@dataclass(frozen=True)
class Database:
    """The results of a run, to be asked in SQL."""

    columns: tuple[Column, ...]
    _connection: Any
    _errors: type[Exception]

    def ask(self, question: str, place: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """The names of the answer's columns, and its rows one after another."""
        asked = sql.readable(question, [column.name for column in self.columns])
        try:
            statements = self._connection.extract_statements(asked)
            if len(statements) != 1 or statements[0].type.name != "SELECT":
                raise InputError(place, "not one SELECT", "a single question is allowed: select … from results")
            answer = self._connection.execute(asked)
        except self._errors as error:
            raise self._refused(error, place) from None
        return [str(about[0]) for about in answer.description], self._rows(answer, place)

    def positions(self, where: str) -> bytearray:
        """For each position from 0 whether its row fits a condition."""
        question = f"select position from results where (\n{where}\n) order by position"
        chosen = bytearray()
        for (position,) in self.ask(question, "--where")[1]:
            chosen.extend(bytes(position + 1 - len(chosen)))
            chosen[position] = 1
        return chosen

    def _rows(self, answer: Any, place: str) -> Iterator[tuple[Any, ...]]:
        while True:
            try:
                rows = answer.fetchmany(_BATCH)
            except self._errors as error:
                raise self._refused(error, place) from None
            if not rows:
                return
            yield from rows

    def _refused(self, error: Exception, place: str) -> InputError:
        said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        names = ", ".join(column.name for column in self.columns)
        return InputError(place, said.rstrip(".;!"), f"the columns of results are {names}")


@contextmanager
def database_of(table: Table, rows: Iterable[Cells]) -> Iterator[Database]:
    """The rows as a database; it is gone when the block ends."""
    duckdb = need("duckdb", "a question in SQL")
    with tempfile.TemporaryDirectory(prefix="adjudge-") as folder:
        file = fill(duckdb, Path(folder), table, rows)
        connection = duckdb.connect(str(file), read_only=True, config={**_SEALED, "temp_directory": folder})
        try:
            connection.execute("set lock_configuration = true")
            yield Database(table.columns, connection, duckdb.Error)
        finally:
            connection.close()


def fill(duckdb: Any, folder: Path, table: Table, rows: Iterable[Cells]) -> Path:
    """A database file with the table `results`, filled through a file of lines so that memory stays as it is."""
    lines, file = folder / "rows.jsonl", folder / "results.duckdb"
    longest = write_rows(lines, table, rows)
    # Names of columns come from strangers: they appear once, as quoted names, and the lines know them by number.
    kinds = ", ".join(f"c{at}: '{column.kind}'" for at, column in enumerate(table.columns))
    named = ", ".join(f"c{at} as {sql.name(column.name)}" for at, column in enumerate(table.columns))
    connection = duckdb.connect(str(file), config={"memory_limit": MEMORY, "temp_directory": str(folder)})
    try:
        connection.execute(
            f"create table results as select {named} from read_json({sql.text(str(lines))}, "
            f"format = 'newline_delimited', columns = {{{kinds}}}, maximum_object_size = {max(longest, _USUAL_OBJECT)})"
        )
    finally:
        connection.close()
    lines.unlink()
    return file


def write_rows(path: Path, table: Table, rows: Iterable[Cells]) -> int:
    """The rows as lines of JSON with numbered columns; how long the longest is."""
    longest = 0
    with path.open("wb") as file:
        for row in rows:
            cells = {f"c{at}": _typed(row[column.name], column) for at, column in enumerate(table.columns)}
            line = orjson.dumps(cells, option=orjson.OPT_APPEND_NEWLINE)
            longest = max(longest, len(line) + 1)
            file.write(line)
    return longest


def _typed(value: Any, column: Column) -> Any:
    # A column with texts and numbers holds texts.
    if column.kind != "VARCHAR" or value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)
