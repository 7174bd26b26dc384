"""Connections to a journal on a Postgres server, and its tables. After a lost connection we retry for half a minute.

Errors are one line and never show a password. A connection pooler must pool sessions, because claims are session locks.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import unquote

from ..errors import InputError, JournalError
from ..extras import missing_extra
from ..redaction import HIDDEN
from . import check_address, masked, secrets_in
from .sql import POSTGRES, TABLES

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
except ImportError:
    raise missing_extra("a journal on a Postgres server", "postgres") from None

# psycopg's log messages about lost connections are not needed: we retry, or raise the error ourselves.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

_DEFAULTS: dict[str, str | int] = {
    "connect_timeout": 10,
    "application_name": "adjudge",
    # A network that drops all packets is noticed within half a minute instead of hours.
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
# SQLSTATE prefixes after which we reconnect: connection errors, deadlocks resolved against us, a server shutting down.
_BEGIN_ANEW = ("08", "40", "57P")
# A claim's look-up must see what was committed before it. A write must be on disk when it is reported as done. The
# server must not end a session that only holds claims. A crashed machine's claims are free after half a minute.
_SETTINGS = """
select set_config(name, wanted, false)
from pg_settings join (values
    ('default_transaction_isolation', 'read committed'), ('synchronous_commit', 'on'), ('idle_session_timeout', '0'),
    ('tcp_keepalives_idle', '15'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')
) as ours (name, wanted) using (name)
where name <> 'synchronous_commit' or setting = 'off'
"""

VERSION = 8
# Verdicts of earlier formats had no number.
_TABLES = (
    "create table if not exists adjudge_format (version integer not null);"
    + TABLES.format(**POSTGRES)
    + """alter table adjudge_verdicts add column if not exists number bigint generated always as identity;
    create index if not exists adjudge_verdicts_by_number on adjudge_verdicts (number);
    delete from adjudge_format;"""
).encode()
_LOCK = 0x61646A7564676501  # "adjudge", 1
PATIENCE = 30.0  # seconds to wait for a server that restarts
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


class ConnectionLostError(JournalError):
    """The server cannot be reached, or the connection was lost while in use."""


class Server:
    """A database server's address and connection parameters. `name` says in errors what is stored there."""

    def __init__(self, url: str, name: str = "the journal") -> None:
        check_address(url)
        self._name = name
        self.place = masked(url)
        self._secrets = {*secrets_in(url), *(unquote(secret) for secret in secrets_in(url))}
        try:
            given = conninfo_to_dict(url)
        except psycopg.Error as error:
            message = str(error).strip()
            found = self.place if any(secret in message for secret in self._secrets) else f"{self.place}: {message}"
            raise InputError("journal", found, "postgresql://user:password@host:port/database") from None
        # If the address was copied from a message or a run, its password is masked. Use PGPASSWORD or ~/.pgpass then.
        self._hint = ""
        if given.get("password") == HIDDEN:
            del given["password"]
            self._hint = "; the password in this address is masked: give the full address, or set PGPASSWORD"
        # If the password equals the user, host or database name, do not hide that name in errors.
        self._secrets -= {str(given.get(name)) for name in ("user", "host", "dbname")}
        self._parameters: dict[str, Any] = {**_DEFAULTS, **given, "client_encoding": "utf8"}
        self.closed = False

    def connect(self) -> Connection:
        """Open a new connection. Raise ConnectionLostError if that fails."""
        if self.closed:
            raise JournalError(f"{self._name} is closed")
        try:
            connection = psycopg.connect(**self._parameters, autocommit=True)
        except (psycopg.Error, OSError) as error:
            message = f"{self.place}: {self._name} cannot be opened: {self.line(error)}{self._hint}"
            raise ConnectionLostError(message) from None
        try:
            connection.execute(_SETTINGS)
        except psycopg.Error as error:
            connection.close()
            raise ConnectionLostError(f"{self.place}: {self._name} cannot be opened: {self.line(error)}") from None
        return connection

    def line(self, error: BaseException) -> str:
        """Return the error's message as one line without secrets."""
        primary = error.diag.message_primary if isinstance(error, psycopg.Error) else None
        text = " ".join((primary or str(error)).split())
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text[:400]


class Session:
    """One connection to the server, opened when needed and used by one thread at a time."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._connection: Connection | None = None

    def run(self, work: Callable[[Connection], T]) -> T:
        """Do work on the connection, and do all of it again if the connection is lost. It must be safe to repeat."""
        return self.persist(lambda: self.attempt(work))

    def persist(self, do: Callable[[], T], forget: Callable[[], None] = lambda: None) -> T:
        """Call `do`. After a lost connection call `forget` and retry, for up to `PATIENCE` seconds in all."""
        began, pause = time.monotonic(), 0.0
        while True:
            try:
                return do()
            except ConnectionLostError as error:
                forget()
                if time.monotonic() - began + pause > PATIENCE:
                    waited = (
                        f"the server was unreachable for {PATIENCE:g} s; continue a run with adjudge run --resume DIR"
                    )
                    raise ConnectionLostError(f"{error}; {waited}") from None
            time.sleep(pause)
            pause = min(max(2 * pause, _FIRST_PAUSE), _LONGEST_PAUSE)

    def attempt(self, work: Callable[[Connection], T]) -> T:
        """Do work on the connection once. If the connection is lost, drop it and raise ConnectionLostError."""
        if self._connection is None:
            self._connection = self.server.connect()
        try:
            return work(self._connection)
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            message = f"{self.server.place}: {self.server.line(error)}"
            if self._connection.closed or (error.sqlstate or "").startswith(_BEGIN_ANEW):
                self.drop()
                raise ConnectionLostError(message) from None
            raise JournalError(message) from None
        except psycopg.Error as error:
            raise JournalError(f"{self.server.place}: {self.server.line(error)}") from None

    def drop(self) -> None:
        """Close the connection. The server then releases the session's locks."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def prepare(connection: Connection, place: str, secret: bytes) -> bytes:
    """Create the tables or upgrade those of an older format, and return the secret; an existing one is kept."""
    version = _version(connection)
    if version < VERSION:
        with connection.transaction():
            # Another process may have created the tables while we waited for the lock, so check again.
            connection.execute("select pg_advisory_xact_lock(%s)", [_LOCK])
            if _version(connection) < VERSION:
                connection.execute(_TABLES)
                keep = "insert into adjudge_fence select %b where not exists (select 1 from adjudge_fence)"
                connection.execute(keep, [secret])
                connection.execute("insert into adjudge_format values (%s)", [VERSION])
    if version > VERSION:
        raise JournalError(f"{place}: written by a newer adjudge (format {version}, this one reads {VERSION})")
    (secret_row,) = connection.execute("select secret from adjudge_fence", binary=True).fetchall()
    return bytes(secret_row[0])


def _version(connection: Connection) -> int:
    # Query the catalogue directly: after the wait for the lock, to_regclass and the like may return an outdated answer.
    known = "select 1 from pg_catalog.pg_class where relname = 'adjudge_format' and pg_table_is_visible(oid)"
    if connection.execute(known).fetchone() is None:
        return 0
    row = connection.execute("select version from adjudge_format").fetchone()
    return int(row[0]) if row else 0
