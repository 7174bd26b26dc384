"""A connection to a journal on a Postgres server: made when it is needed, and made again once when it was lost.

Errors are one line and never show a password. A pooler in between must keep sessions whole: claims live in them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import unquote

from ..errors import InputError, JournalError, SetupError
from .address import HIDDEN, check_address, masked, secrets_in

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
except ImportError:
    raise SetupError("a journal on a Postgres server needs an extra: pip install 'adjudge[postgres]'") from None

# What it logs about a lost connection is on its way as an error, or was mended; nobody needs to see it twice.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

_DEFAULTS: dict[str, str | int] = {
    "connect_timeout": 10,
    "application_name": "adjudge",
    # A network that swallows everything is noticed in half a minute, not in hours.
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
# Connection trouble, a deadlock that was resolved against us, a server that is told to stop.
_BEGIN_ANEW = ("08", "40", "57P")
# A claim's look-up must see what was committed before it; what is reported kept is on disk; a session that only holds
# claims is not idle; and the claims of a machine that is gone are free in half a minute, not in hours.
_SETTINGS = """
select set_config(name, wanted, false)
from pg_settings join (values
    ('default_transaction_isolation', 'read committed'), ('synchronous_commit', 'on'), ('idle_session_timeout', '0'),
    ('tcp_keepalives_idle', '15'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')
) as ours (name, wanted) using (name)
where name <> 'synchronous_commit' or setting = 'off'
"""


class ConnectionLostError(JournalError):
    """The server cannot be reached, or went away in the middle."""


class Server:
    """Where the journal is, and how to get there."""

    def __init__(self, url: str) -> None:
        check_address(url)
        self.place = masked(url)
        self._secrets = {*secrets_in(url), *(unquote(secret) for secret in secrets_in(url))}
        try:
            given = conninfo_to_dict(url)
        except psycopg.Error as error:
            said = str(error).strip()
            found = self.place if any(secret in said for secret in self._secrets) else f"{self.place}: {said}"
            raise InputError("journal", found, "postgresql://user:password@host:port/database") from None
        # An address as it was shown, or kept with a run: its password comes from PGPASSWORD or ~/.pgpass.
        self._hint = ""
        if given.get("password") == HIDDEN:
            del given["password"]
            self._hint = "; its password is hidden here: name the journal in full, or set PGPASSWORD"
        # A name that happens to be the password too may be shown as what it is.
        self._secrets -= {str(given.get(name)) for name in ("user", "host", "dbname")}
        self._parameters: dict[str, Any] = {**_DEFAULTS, **given, "client_encoding": "utf8"}
        self._spare: Connection | None = None
        self._guard = threading.Lock()
        self._closed = False

    def connect(self) -> Connection:
        """A connection: the one that was put aside, else a new one."""
        with self._guard:
            if self._closed:
                raise JournalError("the journal is closed")
            spare, self._spare = self._spare, None
        if spare is not None:
            return spare
        try:
            connection = psycopg.connect(**self._parameters, autocommit=True)
        except (psycopg.Error, OSError) as error:
            said = f"{self.place}: the journal cannot be opened: {self.line(error)}{self._hint}"
            raise ConnectionLostError(said) from None
        try:
            connection.execute(_SETTINGS)
        except psycopg.Error as error:
            connection.close()
            raise ConnectionLostError(f"{self.place}: the journal cannot be opened: {self.line(error)}") from None
        return connection

    def keep_spare(self, connection: Connection) -> None:
        """Keep an open connection until somebody needs one."""
        with self._guard:
            self._spare = connection

    def close(self) -> None:
        """No more connections; one that nobody wanted ends."""
        with self._guard:
            self._closed = True
            if self._spare is not None:
                self._spare.close()
                self._spare = None

    def line(self, error: BaseException) -> str:
        """An error in one line without a secret."""
        primary = error.diag.message_primary if isinstance(error, psycopg.Error) else None
        text = " ".join((primary or str(error)).split())
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text[:400]


class Session:
    """One connection of the journal's, used by one thread at a time."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._connection: Connection | None = None

    def run(self, work: Callable[[Connection], T]) -> T:
        """Do work that may be done twice: if the connection is lost in the middle, it is begun anew, once."""
        try:
            return self.attempt(work)
        except ConnectionLostError:
            return self.attempt(work)

    def attempt(self, work: Callable[[Connection], T]) -> T:
        """Do work on the connection; a lost one is gone after this, and the error says so."""
        if self._connection is None:
            self._connection = self.server.connect()
        try:
            return work(self._connection)
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            said = f"{self.server.place}: {self.server.line(error)}"
            if self._connection.closed or (error.sqlstate or "").startswith(_BEGIN_ANEW):
                self.drop()
                raise ConnectionLostError(said) from None
            raise JournalError(said) from None
        except psycopg.Error as error:
            raise JournalError(f"{self.server.place}: {self.server.line(error)}") from None

    def put_aside(self) -> None:
        """Let whoever needs a connection first have this one: servers have few."""
        if self._connection is not None:
            self.server.keep_spare(self._connection)
            self._connection = None

    def drop(self) -> None:
        """End the connection, and with it all that the server held for it."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
