"""Caches a run's table in a file below the run's folder, for a service that queries the same run repeatedly.

The table is built on first use and rebuilt when the run's files have changed. It is replaced atomically, so several
processes may read it at any time. Opening it takes milliseconds, whatever the size of the run.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

import duckdb

from ..files import TEMPORARY, open_private, try_lock
from ..version import __version__
from .columns import text
from .database import Database, staged, start, table_of, workspace
from .run import CASES, FAILURES, VERDICTS, Run

FOLDER = "kept"  # a subfolder, because continuing the run deletes unfinished files beside the run's own
_FILE = "results.duckdb"
_LOCK = "lock"
_FORMAT = 4  # raise it if the columns or the description change within a version
_WRITER = f"{__version__}/{_FORMAT}"
_numbers = count(1)  # of the tables that are open
_PAUSE = 10  # while a run is in progress, its table is rebuilt only after this many times the build time


@dataclass(frozen=True, slots=True)
class CachedTable:
    """A run's cached table, what `describe` returned when it was built, and when that was."""

    path: Path
    description: bytes
    made: float

    def attached(self, connection: duckdb.DuckDBPyConnection, folder: Path, run: Run, schema: str) -> Database:
        """Attach the table for reading as this schema."""
        connection.execute(f"attach {text(str(self.path))} as {schema} (read_only)")
        return table_of(connection, folder, run, schema)


def cached_table(run: Run, describe: Callable[[Database], bytes], *, in_progress: bool = False) -> CachedTable:
    """Return the cached table of a run, after building it if it is missing or outdated.

    `describe` is called once, when the table is built. While a run is `in_progress`, a slightly outdated table is
    accepted, and the old table is used while another process builds a new one.
    """
    if (found := _found(run, in_progress)) is not None:
        return found
    folder = run.folder / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    with open_private(folder / _LOCK, "ab") as lock:
        older = _found(run, in_progress, of_any_age=True)
        if not try_lock(lock.fileno(), wait=older is None):
            assert older is not None
            return older
        # Another process may have built the table while we waited for the lock.
        if (found := _found(run, in_progress)) is not None:
            return found
        for left in folder.glob(f"{TEMPORARY}*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        _make(run, describe)
        found = _found(run, True)
    assert found is not None
    return found


@contextmanager
def reading(run: Run, table: CachedTable, *, alone: bool = False) -> Iterator[Database]:
    """Open a cached table as a database, for our own SQL.

    Its readers share one DuckDB with 192 MB of memory. Who may need much of it, for tables of any size, reads `alone`.
    """
    if alone:
        with workspace() as (connection, place):
            yield table.attached(connection, place, run, "kept")
        return
    number = next(_numbers)
    kept, space = f"kept{number}", f"made{number}"
    with tempfile.TemporaryDirectory(prefix=TEMPORARY) as folder, _shared.cursor() as connection:
        connection.execute(f"attach ':memory:' as {space}; use {space}")
        try:
            yield replace(table.attached(connection, Path(folder), run, kept), space=space)
        finally:
            connection.execute(f"use memory; detach database if exists {kept}; detach {space}")


class _SharedDatabase:
    """DuckDB, started when it is first needed: that takes 30 ms, ten times as long as to attach a table to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started: tuple[duckdb.DuckDBPyConnection, tempfile.TemporaryDirectory[str]] | None = None

    def cursor(self) -> duckdb.DuckDBPyConnection:
        with self._lock:
            if self._started is None:
                folder = tempfile.TemporaryDirectory(prefix=TEMPORARY)
                self._started = start(Path(folder.name)), folder
            return self._started[0].cursor()

    def close(self) -> None:
        with self._lock:
            if self._started is not None:
                connection, folder = self._started
                self._started = None
                connection.close()
                folder.cleanup()


_shared = _SharedDatabase()


def close_shared() -> None:
    """Close the database that readers share, and remove what it wrote; it starts again when it is needed."""
    _shared.close()


def chosen_rows(database: Database, where: str, given: Sequence[Any], words: str, most: int | None = None) -> Database:
    """Return the database with only the rows that match our condition on `r`; `words` describe it."""
    fitting = f"select r.* from {database.schema}.results as r where {where} order by r.position"
    database.query(f"create table chosen as {fitting} {'' if most is None else f'limit {most}'}", *given)
    return replace(database, chosen=f"{database.space}.chosen", where=words or None)


def _state_of(run: Run) -> str:
    """Return the version and the files' sizes and times, which show whether the run's files have changed."""
    states = [path.stat() if (path := run.folder / name).exists() else None for name in (CASES, VERDICTS, FAILURES)]
    return f"{_WRITER} {' '.join(f'{one.st_size}@{one.st_mtime_ns}' if one else '0' for one in states)}"


def _found(run: Run, in_progress: bool, *, of_any_age: bool = False) -> CachedTable | None:
    path = run.folder / FOLDER / _FILE
    with suppress(FileNotFoundError):
        file = path.stat()
        if (about := _about(path, file.st_ino, file.st_mtime_ns)) is not None:
            state, took, description = about
            recent = of_any_age or time.time() - file.st_mtime < max(_PAUSE * took, 2.0)
            if state == _state_of(run) or (in_progress and recent and state.startswith(f"{_WRITER} ")):
                return CachedTable(path, bytes(description), file.st_mtime)
    return None


@lru_cache(maxsize=64)
def _about(path: Path, _file: int, _changed: int) -> tuple[str, float, bytes] | None:
    """Read what a table says of itself, once for each file. One from another version of DuckDB or adjudge is not used
    and will be rebuilt."""
    kept = f"kept{next(_numbers)}"
    with _shared.cursor() as connection, suppress(duckdb.Error, ValueError):
        connection.execute(f"attach {text(str(path))} as {kept} (read_only)")
        try:
            return connection.execute(f"select state, took, description from {kept}.about").fetchone()
        finally:
            connection.execute(f"detach {kept}")
    return None


def _make(run: Run, describe: Callable[[Database], bytes]) -> None:
    began, state = time.monotonic(), _state_of(run)
    with workspace(run.folder / FOLDER) as (connection, folder):
        database = staged(connection, folder, run, "main", searchable=True)
        description = describe(database)
        connection.execute(
            "create table about as select ?::VARCHAR as state, ?::DOUBLE as took, ?::BLOB as description",
            [state, time.monotonic() - began, description],
        )
        connection.execute("use memory")
        connection.execute("detach made")
        made = folder / _FILE
        made.chmod(0o600)
        made.replace(run.folder / FOLDER / _FILE)
