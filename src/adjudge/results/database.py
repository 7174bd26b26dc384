"""The flat table in DuckDB: as `results` for questions in SQL, and as rows for whoever writes them elsewhere.

Made anew for each command, in a folder that is gone afterwards. Once it is filled it is opened for reading only, with
neither files nor network within reach, so that SQL from anywhere can be asked of it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ..errors import InputError
from ..models.rows import Cells
from . import sql
from .columns import Table
from .directory import Run
from .needs import need
from .staging import staged

_BATCH = 2_000
_MEMORY = "512MB"
_SEALED = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": _MEMORY,
}


@dataclass(frozen=True)
class Database:
    """The results of a run, to be asked in SQL."""

    table: Table
    file: Path
    _connection: Any
    _errors: type[Exception]

    def ask(self, question: str, place: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """The names of the answer's columns, and its rows one after another."""
        asked = sql.readable(question, self.table.names)
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

    def cells(self, names: Collection[str], chosen: Callable[[int], bool] | None = None) -> Iterator[Cells]:
        """Rows in the order of the input, with the cells that `Table.row` gives them, of the columns that are named.

        All these must have been wanted when the database was made.
        """
        return (row for _, row in self._cells(names, chosen=chosen))

    def cells_at(self, positions: Sequence[int], names: Collection[str]) -> dict[int, Cells]:
        """The same rows by position, those of these positions only."""
        if not positions:
            return {}
        place = f"c{self.table.names.index('position')}"
        sieve = (
            f"where {place} between {min(positions)} and {max(positions)} and {place} in (select unnest(?::BIGINT[]))"
        )
        return dict(self._cells({"status", *names}, sieve, [list(positions)]))

    def _cells(
        self,
        names: Collection[str],
        sieve: str = "",
        given: list[Any] | None = None,
        chosen: Callable[[int], bool] | None = None,
    ) -> Iterator[tuple[int, Cells]]:
        places = [at for at, name in enumerate(self.table.names) if name in names]
        keys = [self.table.names[at] for at in places]
        brought, kinds = self.table.brought, {column.name: column.kind for column in self.table.columns}
        # What is kept as JSON: numbers that may be whole or not, and what the input brought along.
        as_json = [at for at, name in enumerate(keys) if kinds[name] == "DOUBLE" or name in brought]
        columns = ", ".join(f"c{at}" for at in (self.table.names.index("position"), *places))
        loads = orjson.loads
        answer = self._connection.execute(f"select {columns} from said {sieve}", given)
        for position, *row in self._rows(answer, "DIR"):
            if chosen is not None and not chosen(position):
                continue
            for at in as_json:
                if row[at] is not None:
                    row[at] = loads(row[at])
            yield position, dict(zip(keys, row, strict=True))

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
        return InputError(place, said.rstrip(".;!"), f"the columns of results are {', '.join(self.table.names)}")


@contextmanager
def database_of(
    run: Run, table: Table, wanted: Collection[str] | None = None, purpose: str = "a question in SQL"
) -> Iterator[Database]:
    """A run as a database with all columns, or with those that are wanted; it is gone when the block ends."""
    duckdb = need("duckdb", purpose)
    with tempfile.TemporaryDirectory(prefix="adjudge-") as folder:
        file = staged(duckdb, run, table, Path(folder), wanted)
        connection = duckdb.connect(str(file), read_only=True, config={**_SEALED, "temp_directory": folder})
        try:
            connection.execute("set lock_configuration = true")
            yield Database(table, file, connection, duckdb.Error)
        finally:
            connection.close()
