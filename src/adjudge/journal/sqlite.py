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
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from ..errors import JournalError
from ..files import make_private, open_handle
from .base import FIRST_PAUSE, LONGEST_PAUSE, DatabaseJournal, Row, Stored, UnavailableError
from .sql import GET, PUT, SQLITE, TABLES, Kind, statements

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

VERSION = 6
_PUT, _GET = statements(PUT, SQLITE), statements(GET, SQLITE)
_MAX_BATCH = 1000
_BUSY_SECONDS = 60
_NEXT_TRY = 0.0005


class SqliteJournal(DatabaseJournal):
    """A journal in a file."""

    def __init__(self, path: Path, secret: bytes | None = None) -> None:
        super().__init__(_MAX_BATCH)
        self.path = path
        self._writer: sqlite3.Connection | None = None
        try:
            make_private(path)
        except OSError as error:
            reason = "it is a symbolic link; name the file itself" if path.is_symlink() else str(error)
            raise JournalError(f"{path}: the journal cannot be opened: {reason}") from None
        self._reader = _connect(path)
        try:
            self.secret = _prepare(self._reader, path, secret or secrets.token_bytes(32))
        except BaseException:
            self._reader.close()
            raise
        self._reading = threading.Lock()
        # One object a file, for closing any handle of a file drops all its locks.
        claims = os.path.realpath(path.with_name(path.name + ".claims"))
        self._claims = _ALL_CLAIMS.setdefault(claims, _SqliteClaims(claims))

    @asynccontextmanager
    async def claim(self, key: str) -> AsyncIterator[Stored | None]:
        place, pause = int(key[:12], 16), FIRST_PAUSE
        while not self._claims.take(place):
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        try:
            yield self.get(key)
        finally:
            self._claims.give_back(place)

    def close(self) -> None:
        self.writer.close()
        for connection in filter(None, (self._writer, self._reader)):
            connection.close()

    def read(self, kind: Kind, values: Row) -> list[Row]:
        with self._reading:
            try:
                return self._reader.execute(_GET[kind], values).fetchall()
            except sqlite3.Error as error:
                raise JournalError(f"{self.path}: {error}") from None

    def keep(self, kinds: list[tuple[Kind, list[Row]]]) -> None:
        if self._writer is None:
            self._writer = _connect(self.path)
            self._writer.execute("pragma busy_timeout = 0")
        connection = self._writer
        try:
            # SQLite's own way to wait for other processes sleeps longer and longer; they need milliseconds.
            _retried(lambda: connection.execute("begin immediate"), _NEXT_TRY)
            with connection:
                for kind, rows in kinds:
                    connection.executemany(_PUT[kind], rows)
        except sqlite3.OperationalError as error:
            raise UnavailableError(f"{self.path}: what came last could not be kept: {error}") from None
        except sqlite3.Error as error:
            raise JournalError(f"{self.path}: {error}") from None


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


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        # Rows are several kilobytes: larger pages take fewer of them. Only a new file listens to this.
        connection.execute("pragma page_size = 16384")
        # SQLite does not wait here: processes that open a new file at once must do it themselves.
        _retried(lambda: connection.execute("pragma journal_mode = wal"), 0.005)
        connection.execute("pragma synchronous = full")
    except sqlite3.Error as error:
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
            tables = TABLES.format(**SQLITE)
            connection.executescript(f"begin immediate; {tables} {keep} pragma user_version = {VERSION}; commit;")
        elif version > VERSION:
            raise JournalError(f"{path}: written by a newer adjudge (format {version}, this one reads {VERSION})")
        return bytes(connection.execute("select secret from fence").fetchone()[0])
    except sqlite3.Error as error:
        raise JournalError(f"{path}: the journal cannot be opened: {error}") from None
