"""Which rows of a run are wanted, and those rows one after another."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..models.rows import Cells
from .columns import Table, table_of
from .database import Database, database_of
from .directory import Outcome, Run, open_run
from .needs import has


@dataclass(frozen=True)
class Selection:
    """A run, its table, and which of its rows are wanted; `database` is None where DuckDB cannot be used."""

    run: Run
    table: Table
    where: str | None
    database: Database | None
    _chosen: bytearray | None

    def wants(self, position: int) -> bool:
        """Whether the row of this position is among those wanted."""
        chosen = self._chosen
        return chosen is None or (position < len(chosen) and bool(chosen[position]))

    def outcomes(self) -> Iterator[Outcome]:
        """What came of the cases, each in full."""
        return self.run.outcomes(self.wants)

    def rows(self) -> Iterator[Cells]:
        """The rows in the order of the input."""
        if self.database is None:
            return map(self.table.row, self.outcomes())
        return self.database.cells(self.table.names, None if self._chosen is None else self.wants)

    def positions(self) -> Iterator[int]:
        """The positions of rows that a condition chose."""
        return (position for position, wanted in enumerate(self._chosen or ()) if wanted)


def rows_of(run: Run, table: Table, names: Collection[str]) -> Iterator[Cells]:
    """All rows of a run, with the columns that are named at least."""
    if not _in_sql(table):
        yield from map(table.row, run.outcomes())
        return
    with database_of(run, table, names) as database:
        yield from database.cells({"position", "status", *names})


def _in_sql(table: Table) -> bool:
    return has("duckdb") and table.distinct


@contextmanager
def select(path: str | Path, where: str | None = None) -> Iterator[Selection]:
    """The rows of a run that fit a condition in SQL; all without one."""
    run = open_run(path)
    table = table_of(run)
    if where is None and not _in_sql(table):
        yield Selection(run, table, None, None, None)
        return
    with database_of(run, table) as database:
        chosen = None if where is None else database.positions(where)
        yield Selection(run, table, where, database, chosen)
