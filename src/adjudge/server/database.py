"""The service's own database: people, tokens, sessions and the audit log, in a SQLite file or on a Postgres server.

The statements are the same for both. Every look-up goes to the database, so that what one process changes holds in all.
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
Outcome = tuple[list[Row], int]  # what a statement found, and how many rows it changed

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
    """Takes statements with `?` for each value; `place` is what messages call it, without a password."""

    place: str
    remote: bool  # whether an answer may take long

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def rows(self, statement: str, *values: Any) -> list[Row]:
        """What a question gives."""
        return self._run([(statement, values)], False, False)[0][0]

    def change(self, statement: str, *values: Any, careful: bool = False) -> int:
        """How many rows a statement changed."""
        return self.changes((statement, values), careful=careful)[0]

    def changes(self, *statements: Statement, careful: bool = False) -> list[int]:
        """The same for several, all or none. `careful`: on the disk when this returns, whatever happens then.

        Of careful changes there is one at a time, in all processes, so that what it depends on cannot change meanwhile.
        """
        return [count for _, count in self._run(statements, True, careful)]

    @abstractmethod
    def _run(self, statements: Sequence[Statement], change: bool, careful: bool) -> list[Outcome]: ...

    @abstractmethod
    def close(self) -> None:
        """Let go of it; it is opened again when it is needed."""


def open_database(place: Path | str) -> ServiceDatabase:
    """The database in a file, which is made with the first change, or at `postgresql://…`."""
    return ServerDatabase(place) if isinstance(place, str) and is_server(place) else FileDatabase(Path(place))


def default_file() -> Path:
    """Where it is unless somebody says otherwise."""
    return data_folder() / "service.db"


class FileDatabase(ServiceDatabase):
    """In a file that only its owner may read, and that may be deleted or replaced meanwhile."""

    remote = False

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.place = path, str(path)
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _run(self, statements: Sequence[Statement], change: bool, careful: bool) -> list[Outcome]:
        with self._lock:
            try:
                connection = self._opened(create=change)
                connection.execute(f"pragma synchronous = {'full' if careful else 'normal'}")
                with connection:
                    if change:
                        # A file has one writer: every change is alone.
                        connection.execute("begin immediate")
                    cursors = (connection.execute(statement, values) for statement, values in statements)
                    return [(cursor.fetchall(), cursor.rowcount) for cursor in cursors]
            except (sqlite3.Error, OSError) as error:
                raise SetupError(f"{self.place}: cannot be read or written: {error}") from None

    def _opened(self, *, create: bool) -> sqlite3.Connection:
        """The file, or an empty database in memory as long as there is none."""
        file = self._identity()
        if self._connection is None or file != self._file or (create and file is None):
            self.close()
            if create or file:
                # Whoever can write here can let himself in: the file is its owner's, and no link to another one.
                make_private(self.path)
                self.path.chmod(0o600)
            place = self.path if create or file else ":memory:"
            self._connection = sqlite3.connect(place, check_same_thread=False, isolation_level=None)
            self._connection.executescript("pragma journal_mode = wal;" + _TABLES.format(number="integer"))
            self._file = self._identity()
        return self._connection

    def _identity(self) -> tuple[int, int] | None:
        try:
            known = self.path.stat()
        except FileNotFoundError:
            return None
        return known.st_dev, known.st_ino


class ServerDatabase(ServiceDatabase):
    """On a Postgres server, over one connection; one that was lost is made anew."""

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
                # Two that make the same table at once would disturb each other.
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
                    # The server was restarted; but what may have been done is not done twice.
                    if ending and change:
                        raise
                    return self._session.attempt(work)
            except JournalError as error:
                raise SetupError(str(error)) from None
