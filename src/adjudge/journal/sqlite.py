"""The journal in one SQLite file (WAL mode). Writers share a commit, and each returns when its data is on disk.

Several processes may use the same file. Reads are point look-ups and happen on the caller's thread. A claim is a
one-byte lock on a file beside the journal. The operating system releases it when its holder dies, so a killed process
never blocks the next one. On systems without such locks (Windows), claims exclude only callers in the same process.
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
from .base import FIRST_PAUSE, LONGEST_PAUSE, Row, Stored, UnavailableError
from .database import DatabaseJournal
from .sql import GET, PUT, SQLITE, TABLES, Kind, statements

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

VERSION = 9
_PUT, _GET = statements(PUT, SQLITE), statements(GET, SQLITE)
_MAX_BATCH = 1000
_BUSY_SECONDS = 60
_NEXT_TRY = 0.0005


class SqliteJournal(DatabaseJournal):
    """A journal in a SQLite file."""

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
        # One object per file, because closing any handle of a file releases all the process's locks on it.
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

    def write_rows(self, kinds: list[tuple[Kind, list[Row]]]) -> None:
        if self._writer is None:
            self._writer = _connect(self.path)
            self._writer.execute("pragma busy_timeout = 0")
        connection = self._writer
        try:
            # SQLite's busy handler sleeps longer and longer, but other processes hold the lock only for milliseconds.
            _retried(lambda: connection.execute("begin immediate"), _NEXT_TRY)
            with connection:
                for kind, rows in kinds:
                    connection.executemany(_PUT[kind], rows)
        except sqlite3.OperationalError as error:
            raise UnavailableError(f"{self.path}: the last entries could not be stored: {error}") from None
        except sqlite3.Error as error:
            raise JournalError(f"{self.path}: {error}") from None


class _SqliteClaims:
    """This process's claims on one journal."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._held: set[int] = set()
        self._guard = threading.Lock()
        self._file: int | None = None

    def take(self, place: int) -> bool:
        """Lock a byte of the claims file, or return False if another caller or process holds it."""
        with self._guard:
            # File locks belong to the process, so this set excludes callers within it.
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
                    raise JournalError(f"{self._path}: a call cannot be locked: {error}") from None
            self._held.add(place)
            return True

    def give_back(self, place: int) -> None:
        """Release the lock."""
        with self._guard:
            self._held.discard(place)
            if fcntl is not None and self._file is not None:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)


_ALL_CLAIMS: dict[str, _SqliteClaims] = {}


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        # Rows are several kilobytes long and need fewer pages if these are larger. Only a new file is affected.
        connection.execute("pragma page_size = 16384")
        # SQLite does not wait for a lock here, so we retry in case several processes open a new file at once.
        _retried(lambda: connection.execute("pragma journal_mode = wal"), 0.005)
        connection.execute("pragma synchronous = full")
    except sqlite3.Error as error:
        raise JournalError(f"{path}: the journal cannot be opened: {error}") from None
    return connection


def _retried(statement: Callable[[], object], pause: float) -> None:
    """Execute a statement, and retry for up to `_BUSY_SECONDS` while another process has locked the database."""
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
    """Create the tables or upgrade those of an older format, and return the secret; an existing one is kept."""
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
