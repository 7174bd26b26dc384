"""The service's own database: people, tokens, sessions and the audit log, in a SQLite file or on a Postgres server.

Both use the same SQL. Nothing is cached, so that a change made by one process takes effect in all processes.
"""

from __future__ import annotations

import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import JournalError, SetupError
from ..files import make_private
from ..journal import data_folder, is_server

if TYPE_CHECKING:
    from ..journal.postgres_session import Connection

Row = tuple[Any, ...]
Statement = tuple[str, Sequence[Any]]
Outcome = tuple[list[Row], int]  # the rows a statement returned, and how many it changed

_TABLES = """
create table if not exists adjudge_tokens (
    name text primary key, hash text not null unique, role text not null, budget text, rate integer,
    created double precision not null, spent bigint not null
);
create table if not exists adjudge_given (name text not null, verdict text not null, primary key (name, verdict));
create table if not exists adjudge_users (
    name text primary key, password text not null, role text not null, created double precision not null
);
create table if not exists adjudge_sessions (
    hash text primary key, kind text not null, name text not null, stamp text not null,
    created double precision not null, seen double precision not null
);
create table if not exists adjudge_attempts (
    id {number} primary key, subject text not null, at double precision not null
);
create index if not exists adjudge_attempts_by_subject on adjudge_attempts (subject, at);
create table if not exists adjudge_audit (
    id {number} primary key, time text not null, person text not null, action text not null,
    subject text not null, detail text not null
);
create index if not exists adjudge_audit_by_subject on adjudge_audit (subject, id);
create index if not exists adjudge_audit_by_person on adjudge_audit (person, id);
create index if not exists adjudge_audit_by_action on adjudge_audit (action, id);
"""
_LOCK = 0x61646A7564676502  # "adjudge", 2


class ServiceDatabase(ABC):
    """Runs SQL with `?` for each value; `place` is its name in messages, without a password."""

    place: str
    remote: bool  # whether a query may take long

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def rows(self, statement: str, *values: Any) -> list[Row]:
        """Run a query and return its rows."""
        return self._run([(statement, values)], False, False)[0][0]

    def change(self, statement: str, *values: Any, careful: bool = False) -> int:
        """Run a statement that changes data, and return how many rows it changed."""
        return self.changes((statement, values), careful=careful)[0]

    def changes(self, *statements: Statement, careful: bool = False) -> list[int]:
        """Run several statements in one transaction. If `careful`, the change is on the disk when this returns.

        Careful changes of all processes run one at a time, so that the data they depend on cannot change meanwhile.
        """
        return [count for _, count in self._run(statements, True, careful)]

    @abstractmethod
    def _run(self, statements: Sequence[Statement], change: bool, careful: bool) -> list[Outcome]: ...

    @abstractmethod
    def close(self) -> None:
        """Close the connection; the next use opens it again."""


def open_database(place: Path | str) -> ServiceDatabase:
    """Return the database at `postgresql://…`, or in a file, which is created with the first change."""
    return ServerDatabase(place) if isinstance(place, str) and is_server(place) else FileDatabase(Path(place))


def default_file() -> Path:
    """Return the default path of the database file."""
    return data_folder() / "service.db"


class FileDatabase(ServiceDatabase):
    """A SQLite file that only its owner may read. It may be deleted or replaced while it is open.

    Queries have a connection of their own: the event loop, which asks who sent a request, must not wait while another
    thread writes to the disk.
    """

    remote = False

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.place = path, str(path)
        self._locks = {True: self._lock, False: threading.RLock()}  # by whether data is changed
        self._connections: dict[bool, tuple[sqlite3.Connection, tuple[int, int] | None]] = {}

    def close(self) -> None:
        for change in self._locks:
            self._close(change)

    def _close(self, change: bool) -> None:
        with self._locks[change]:
            if change in self._connections:
                self._connections.pop(change)[0].close()

    def _run(self, statements: Sequence[Statement], change: bool, careful: bool) -> list[Outcome]:
        with self._locks[change]:
            try:
                connection = self._opened(change)
                with connection:
                    if change:
                        connection.execute(f"pragma synchronous = {'full' if careful else 'normal'}")
                        # SQLite allows one writer at a time, so every change runs alone.
                        connection.execute("begin immediate")
                    cursors = (connection.execute(statement, values) for statement, values in statements)
                    return [(cursor.fetchall(), cursor.rowcount) for cursor in cursors]
            except (sqlite3.Error, OSError) as error:
                raise SetupError(f"{self.place}: cannot be read or written: {error}") from None

    def _opened(self, change: bool) -> sqlite3.Connection:
        """Return a connection to the file, or for queries to an empty one in memory while the file does not exist."""
        file = self._identity()
        if change not in self._connections or file != self._connections[change][1] or (change and file is None):
            self._close(change)
            if change or file:
                # Anyone who can write to this file can sign in, so only its owner may; links are refused.
                make_private(self.path)
                self.path.chmod(0o600)
            place = self.path if change or file else ":memory:"
            connection = sqlite3.connect(place, check_same_thread=False, isolation_level=None)
            connection.executescript("pragma journal_mode = wal;" + _TABLES.format(number="integer"))
            self._connections[change] = connection, self._identity()
        return self._connections[change][0]

    def _identity(self) -> tuple[int, int] | None:
        try:
            known = self.path.stat()
        except FileNotFoundError:
            return None
        return known.st_dev, known.st_ino


class ServerDatabase(ServiceDatabase):
    """A Postgres server, used over one connection. A lost connection is opened again."""

    remote = True

    def __init__(self, url: str) -> None:
        super().__init__()
        from ..journal.postgres_session import Server, Session

        server = Server(url, "the service's database")
        self.place = server.place
        self._session = Session(server)
        self._is_prepared = False

    def close(self) -> None:
        with self._lock:
            self._session.drop()

    def _run(self, statements: Sequence[Statement], change: bool, careful: bool) -> list[Outcome]:
        from ..journal.postgres_session import ConnectionLostError

        ending = False

        def work(connection: Connection) -> list[Outcome]:
            nonlocal ending
            found: list[Outcome] = []
            with connection.transaction():
                # Creating the tables needs the lock too: two processes doing so at once would conflict.
                if careful or not self._is_prepared:
                    connection.execute("select pg_advisory_xact_lock(%s)", [_LOCK])
                if not self._is_prepared:
                    connection.execute(_TABLES.format(number="bigint generated always as identity").encode())
                for statement, values in statements:
                    cursor = connection.execute(statement.replace("?", "%s").encode(), values)
                    found.append((cursor.fetchall() if cursor.description else [], cursor.rowcount))
                ending = True
            self._is_prepared = True
            return found

        with self._lock:
            try:
                try:
                    return self._session.attempt(work)
                except ConnectionLostError:
                    # The server may have been restarted. Do not repeat a change that may have been committed.
                    if ending and change:
                        raise
                    return self._session.attempt(work)
            except JournalError as error:
                raise SetupError(str(error)) from None
