"""The journal in one SQLite file (WAL). Writers queue up and share a commit; each returns when the disk has it.

Several processes may use the same file. Reads are point look-ups and happen on the caller's thread.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path

from ..errors import JournalError
from .base import Stored
from .batches import BatchThread, tell
from .claims import claims_on
from .rows import Kind, Row, RowJournal, Write, by_kind

# What each format added to the one before it; a file of any of them is brought up to the last when it is opened.
_STEPS = (
    """
    create table if not exists replies (
        number integer primary key, key text not null unique, at real not null, attempts integer not null,
        sent text not null, body blob not null
    );
    create table if not exists verdicts (
        number integer primary key, id text not null unique, inputs blob not null, verdict blob not null
    );
    """,
    """
    create table if not exists drafts (number integer primary key, id text not null, changes blob not null);
    create index if not exists drafts_by_id on drafts (id);
    """,
    """
    create table if not exists runs (id text primary key, config blob not null) without rowid;
    create table if not exists outcomes (
        run text not null, position integer not null, verdict text, failure blob,
        primary key (run, position), check ((verdict is null) <> (failure is null))
    ) without rowid;
    """,
)
VERSION = len(_STEPS)
# The beginning of a statement, one row of it, and what happens to a row that is there already.
_PUT: dict[Kind, tuple[str, str, str]] = {
    "reply": ("insert or ignore into replies (key, at, attempts, sent, body) values ", "(?, ?, ?, ?, ?)", ""),
    "verdict": ("insert or ignore into verdicts (id, inputs, verdict) values ", "(?, ?, ?)", ""),
    "draft": ("insert into drafts (id, changes) values ", "(?, ?)", ""),
    "run": ("insert or ignore into runs (id, config) values ", "(?, ?)", ""),
    "outcome": (
        "insert into outcomes (run, position, verdict, failure) values ",
        "(?, ?, ?, ?)",
        " on conflict (run, position) do update set verdict = excluded.verdict, failure = excluded.failure"
        " where outcomes.verdict is null",
    ),
}
_GET: dict[Kind, str] = {
    "reply": "select body, at, attempts, sent from replies where key = ?",
    "verdict": "select id, inputs, verdict from verdicts where id >= ? and id < ? order by id limit 2",
    "draft": "select changes from drafts where id = ? order by number",
    "run": "select config from runs where id = ?",
    "outcome": "select position, verdict, failure from outcomes where run = ? order by position",
}
_MAX_BATCH = 1000
_ROWS_AT_ONCE = 64
_ROWS_A_PAGE = 1000
_BUSY_SECONDS = 60
_NEXT_TRY = 0.0005


class SqliteJournal(RowJournal):
    """A journal in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # It holds the texts that are judged: a new one is for its owner's eyes.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise JournalError(f"{path}: the journal cannot be opened: {error}") from None
        self._reader = _connect(path)
        try:
            _prepare(self._reader, path)
        except BaseException:
            self._reader.close()
            raise
        self._reading = threading.Lock()
        self._claims = claims_on(path.with_name(path.name + ".claims"))
        self._writer = BatchThread("adjudge-journal", lambda: _Writer(path), _MAX_BATCH)

    def claim(self, key: str) -> AbstractAsyncContextManager[Stored | None]:
        return self._claims.hold(key, self.get)

    def outcomes(self, run_id: str) -> Iterator[tuple[int, str | None, bytes | None]]:
        # A connection of its own: other reads go on while somebody walks through a million rows.
        with closing(_connect(self.path)) as connection:
            try:
                cursor = connection.execute(_GET["outcome"], (run_id,))
                while rows := cursor.fetchmany(_ROWS_A_PAGE):
                    yield from rows
            except sqlite3.Error as error:
                raise JournalError(f"{self.path}: {error}") from None

    def close(self) -> None:
        self._writer.close()
        self._reader.close()

    def _read(self, kind: Kind, values: Row) -> list[Row]:
        with self._reading:
            try:
                return self._reader.execute(_GET[kind], values).fetchall()
            except sqlite3.Error as error:
                raise JournalError(f"{self.path}: {error}") from None


class _Writer:
    """Commits what has queued up, and tells each caller."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = _connect(path)
        self._connection.execute("pragma busy_timeout = 0")

    def work(self, jobs: list[Write]) -> None:
        try:
            self._keep(jobs)
        except (sqlite3.Error, ValueError, OverflowError) as problem:
            # A transaction is kept as a whole: those that are well are kept without the one that is not. But a full
            # disk or a file that others hold is nobody's fault, and to try one by one would only wait for each.
            if len(jobs) > 1 and not isinstance(problem, sqlite3.OperationalError):
                for job in jobs:
                    self.work([job])
            else:
                tell((job, JournalError(f"{self._path}: a {job.kind} could not be kept: {problem}")) for job in jobs)
        else:
            tell((job, None) for job in jobs)

    def _keep(self, jobs: list[Write]) -> None:
        self._begin()
        try:
            for kind, rows in by_kind(jobs).items():
                for at in range(0, len(rows), _ROWS_AT_ONCE):
                    self._insert(kind, rows[at : at + _ROWS_AT_ONCE])
            self._connection.execute("commit")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("rollback")
            raise

    def _begin(self) -> None:
        """Wait for the other processes that write: milliseconds, but SQLite's own way sleeps longer and longer."""
        patience = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                self._connection.execute("begin immediate")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > patience:
                    raise
                time.sleep(_NEXT_TRY)

    def _insert(self, kind: Kind, rows: list[Row]) -> None:
        """Many rows in one statement: the interpreter is let go and wanted back once."""
        head, one_row, tail = _PUT[kind]
        values = [value for row in rows for value in row]
        self._connection.execute(head + ", ".join([one_row] * len(rows)) + tail, values)

    def close(self) -> None:
        self._connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise JournalError(f"{path}: the journal cannot be opened: {error}") from None
    try:
        # Rows are several kilobytes: larger pages take fewer of them. Only a new file listens to this.
        connection.execute("pragma page_size = 16384")
        _use_wal(connection)
        connection.execute("pragma synchronous = full")
    except sqlite3.Error as error:
        connection.close()
        raise JournalError(f"{path}: the journal cannot be opened: {error}") from None
    return connection


def _use_wal(connection: sqlite3.Connection) -> None:
    # SQLite does not wait for its turn here: processes that open a new file at once must do it themselves.
    patience = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > patience:
                raise
            time.sleep(0.005)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a file of an older format, or an empty one, up to this one."""
    try:
        version = connection.execute("pragma user_version").fetchone()[0]
        if version < VERSION:
            # Steps may be repeated: of two processes that open an old file at once, the second repeats the first's.
            steps = "".join(_STEPS[version:])
            connection.executescript(f"begin immediate; {steps} pragma user_version = {VERSION}; commit;")
    except sqlite3.Error as error:
        raise JournalError(f"{path}: the journal cannot be opened: {error}") from None
    if version > VERSION:
        raise JournalError(f"{path}: written by a newer adjudge (format {version}, this one reads {VERSION})")
