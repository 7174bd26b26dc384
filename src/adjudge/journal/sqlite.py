"""The journal in one SQLite file (WAL). Writers queue up and share a commit; each returns when the disk has it.

Several processes may use the same file. Reads are point look-ups and happen on the caller's thread. A claim is a
one-byte lock on a file beside the journal: the system takes it back when its holder dies, so a killed process never
blocks the next one. Where the system has no such locks, claims hold inside this process only.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path

from ..errors import JournalError
from ..files import make_private, open_handle
from .base import FIRST_PAUSE, LONGEST_PAUSE, SECRET_BYTES, Journal, Kind, Row, Stored, Write, by_kind
from .group_commit import BatchThread, tell

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

VERSION = 6
# Tables of earlier formats are among these, so that whatever is missing can be added.
_TABLES = """
create table if not exists replies (
    number integer primary key, key text not null unique, at real not null, attempts integer not null,
    sent text not null, body blob not null
);
create table if not exists verdicts (
    number integer primary key, id text not null unique, inputs blob not null, verdict blob not null
);
create table if not exists drafts (number integer primary key, id text not null, changes blob not null);
create index if not exists drafts_by_id on drafts (id);
create table if not exists draft_owners (id text primary key, owner text not null, at real not null) without rowid;
create trigger if not exists drafts_removed after delete on drafts
    begin delete from draft_owners where id = old.id; end;
create table if not exists runs (id text primary key, config blob not null) without rowid;
create table if not exists outcomes (
    run text not null, position integer not null, verdict text, failure blob,
    primary key (run, position), check ((verdict is null) <> (failure is null))
) without rowid;
create index if not exists outcomes_by_verdict on outcomes (verdict) where verdict is not null;
create table if not exists answers (
    id text primary key, at real not null, request text not null, head text not null, body blob not null
);
create index if not exists answers_by_time on answers (at);
create table if not exists fence (secret blob not null);
"""
_PUT: dict[Kind, str] = {
    "reply": "insert or ignore into replies (key, at, attempts, sent, body) values (?, ?, ?, ?, ?)",
    "verdict": "insert or ignore into verdicts (id, inputs, verdict) values (?, ?, ?)",
    "draft": "insert into drafts (id, changes) values (?, ?)",
    "draft_owner": """insert into draft_owners (id, owner, at) values (?, ?, ?)
        on conflict (id) do update set at = excluded.at""",
    "draft_removal": "delete from drafts where id = ?",
    "run": "insert or ignore into runs (id, config) values (?, ?)",
    "outcome": """insert into outcomes (run, position, verdict, failure) values (?, ?, ?, ?)
        on conflict (run, position) do update set verdict = excluded.verdict, failure = excluded.failure
        where outcomes.verdict is null""",
    "answer_expiry": "delete from answers where at < ?",
    "answer": "insert or replace into answers (id, at, request, head, body) values (?, ?, ?, ?, ?)",
}
_GET: dict[Kind, str] = {
    "reply": "select body, at, attempts, sent from replies where key = ?",
    "verdict": "select id, inputs, verdict from verdicts where id >= ? and id < ? order by id limit 2",
    "verdict_page": """select number, id, inputs, verdict,
        (select group_concat(run, ' ') from outcomes where verdict = verdicts.id)
        from verdicts where number < ? order by number desc limit ?""",
    "verdict_runs": "select run from outcomes where verdict = ?",
    "answer": "select at, request, head, body from answers where id = ?",
    "draft": "select changes from drafts where id = ? order by number",
    "draft_owner": "select owner, at from draft_owners where id = ?",
    "draft_sizes": """select owner, id, at, count(*), sum(length(changes))
        from draft_owners join drafts using (id) group by id""",
    "run": "select config from runs where id = ?",
    "outcome": "select position, verdict, failure from outcomes where run = ? order by position",
}
_MAX_BATCH = 1000
_ROWS_A_PAGE = 1000
_BUSY_SECONDS = 60
_NEXT_TRY = 0.0005


class SqliteJournal(Journal):
    """A journal in a file."""

    def __init__(self, path: Path, secret: bytes | None = None) -> None:
        self.path = path
        try:
            make_private(path)
        except OSError as error:
            reason = "it is a symbolic link; name the file itself" if path.is_symlink() else str(error)
            raise JournalError(f"{path}: the journal cannot be opened: {reason}") from None
        self._reader = _connect(path)
        try:
            self.secret = _prepare(self._reader, path, secret or secrets.token_bytes(SECRET_BYTES))
        except BaseException:
            self._reader.close()
            raise
        self._reading = threading.Lock()
        self._claims = _claims_on(path.with_name(path.name + ".claims"))
        self._writer: BatchThread[Write] = BatchThread("adjudge-journal", lambda: _SqliteWriter(path), _MAX_BATCH)

    def claim(self, key: str) -> AbstractAsyncContextManager[Stored | None]:
        return self._claimed(key)

    @asynccontextmanager
    async def _claimed(self, key: str) -> AsyncIterator[Stored | None]:
        place, pause = int(key[:12], 16), FIRST_PAUSE
        while not self._claims.take(place):
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        try:
            yield self.get(key)
        finally:
            self._claims.give_back(place)

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

    def read(self, kind: Kind, values: Row) -> list[Row]:
        with self._reading:
            try:
                return self._reader.execute(_GET[kind], values).fetchall()
            except sqlite3.Error as error:
                raise JournalError(f"{self.path}: {error}") from None

    def submit(self, write: Write) -> None:
        self._writer.submit(write)


class _SqliteWriter:
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

    def close(self) -> None:
        self._connection.close()

    def _keep(self, jobs: list[Write]) -> None:
        # SQLite's own way to wait for other processes sleeps longer and longer; they need milliseconds.
        _retried(lambda: self._connection.execute("begin immediate"), _NEXT_TRY)
        try:
            for kind, rows in by_kind(jobs).items():
                self._connection.executemany(_PUT[kind], rows)
            self._connection.execute("commit")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("rollback")
            raise


class _SqliteClaims:
    """The claims of this process on one journal."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._held: set[int] = set()
        self._guard = threading.Lock()
        self._file: int | None = None

    def take(self, place: int) -> bool:
        """Hold a place, or say that somebody else does."""
        with self._guard:
            # The system's locks belong to the process: between our own callers the set decides.
            if place in self._held:
                return False
            if fcntl is not None:
                try:
                    if self._file is None:
                        self._file = open_handle(self._path, os.O_RDWR | os.O_CREAT)
                    fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                except BlockingIOError:
                    return False
                except OSError as error:
                    raise JournalError(f"{self._path}: a question cannot be claimed: {error}") from None
            self._held.add(place)
            return True

    def give_back(self, place: int) -> None:
        """Let others have it."""
        with self._guard:
            self._held.discard(place)
            if fcntl is not None and self._file is not None:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)


_ALL_CLAIMS: dict[str, _SqliteClaims] = {}
_ALL_CLAIMS_GUARD = threading.Lock()


def _claims_on(path: Path) -> _SqliteClaims:
    """This process's claims on a journal: one object a file, for closing any handle of a file drops all its locks."""
    name = os.path.realpath(path)
    with _ALL_CLAIMS_GUARD:
        return _ALL_CLAIMS.setdefault(name, _SqliteClaims(name))


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise JournalError(f"{path}: the journal cannot be opened: {error}") from None
    try:
        # Rows are several kilobytes: larger pages take fewer of them. Only a new file listens to this.
        connection.execute("pragma page_size = 16384")
        # SQLite does not wait here: processes that open a new file at once must do it themselves.
        _retried(lambda: connection.execute("pragma journal_mode = wal"), 0.005)
        connection.execute("pragma synchronous = full")
    except sqlite3.Error as error:
        connection.close()
        raise JournalError(f"{path}: the journal cannot be opened: {error}") from None
    return connection


def _retried(statement: Callable[[], object], pause: float) -> None:
    """Wait while other processes hold the file."""
    patience = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            statement()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > patience:
                raise
            time.sleep(pause)


def _prepare(connection: sqlite3.Connection, path: Path, secret: bytes) -> bytes:
    """Bring a file of an older format, or an empty one, up to this one; the secret that stays is the first one."""
    keep = f"insert into fence select x'{secret.hex()}' where not exists (select 1 from fence);"
    try:
        version = connection.execute("pragma user_version").fetchone()[0]
        if version < VERSION:
            connection.executescript(f"begin immediate; {_TABLES} {keep} pragma user_version = {VERSION}; commit;")
        elif version > VERSION:
            raise JournalError(f"{path}: written by a newer adjudge (format {version}, this one reads {VERSION})")
        return bytes(connection.execute("select secret from fence").fetchone()[0])
    except sqlite3.Error as error:
        raise JournalError(f"{path}: the journal cannot be opened: {error}") from None
