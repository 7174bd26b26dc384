"""Who may use the service: named tokens in a SQLite file, what each has spent, and which verdicts it was given.

A token is 256 random bits, shown once; the file holds only its SHA-256. It is read at every request, so a token that
is revoked is refused from then on, also by a service that is running.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from ..errors import InputError, SetupError
from ..journal import data_folder

MAX_TOKEN_RATE = 100_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PREFIX = "adj_"
_UNIT = Decimal(10) ** -12  # dollars are added up in whole units of this, so that no digit is lost
_SCHEMA = """
create table if not exists tokens (
    name text primary key, hash blob not null, budget text, rate integer, created real not null,
    spent integer not null default 0
);
create table if not exists verdicts (token text not null, id text not null, primary key (token, id)) without rowid;
"""


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret. `budget` is in dollars, `rate` in requests a minute; None is no limit."""

    name: str
    budget: Decimal | None
    rate: int | None
    created: float
    spent: Decimal


class TokenStore:
    """The tokens in a file, which is made when the first one is added."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or data_folder() / "tokens.db"
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # which one the connection is to: it may be deleted or replaced

    def add(self, name: str, *, budget: Decimal | None = None, rate: int | None = None) -> str:
        """A new token's secret, which is not kept and cannot be shown again."""
        if not _NAME.fullmatch(name):
            raise InputError("NAME", f"{name[:80]!r}", "1 to 64 letters, digits, dots, hyphens and underscores")
        if budget is not None and not (budget.is_finite() and 0 < budget <= 1_000_000):
            raise InputError("--budget", str(budget), "a number of dollars above 0, up to 1,000,000")
        if rate is not None and not 1 <= rate <= MAX_TOKEN_RATE:
            raise InputError("--rate", str(rate), f"1 to {MAX_TOKEN_RATE:,} requests a minute")
        secret = _PREFIX + secrets.token_urlsafe(32)
        limit = None if budget is None else format(budget, "f")
        try:
            with self._open(create=True) as database:
                database.execute(
                    "insert into tokens (name, hash, budget, rate, created) values (?, ?, ?, ?, ?)",
                    (name, _hash(secret), limit, rate, time.time()),
                )
        except sqlite3.IntegrityError:
            raise InputError("NAME", f"there is already a token {name}", "revoke it first, or take another") from None
        return secret

    def revoke(self, name: str) -> None:
        """Refuse this token from now on."""
        with self._open() as database:
            if not database.execute("delete from tokens where name = ?", (name,)).rowcount:
                known = ", ".join(token.name for token in self.listed()) or "there are none"
                raise InputError("NAME", f"no token {name[:80]!r}", f"one of: {known}")

    def listed(self) -> list[Token]:
        """All tokens, by name."""
        return [token for token, _ in self._rows()]

    def find(self, secret: str) -> Token | None:
        """The token with this secret. Every one is compared in constant time."""
        given = _hash(secret)
        found = [token for token, known in self._rows() if hmac.compare_digest(known, given)]
        return found[0] if found else None

    def record(self, name: str, paid: Decimal, verdict_id: str | None) -> None:
        """Keep what a request cost, and which verdict it was answered with."""
        with self._open() as database:
            database.execute("update tokens set spent = spent + ? where name = ?", (int(paid / _UNIT), name))
            if verdict_id is not None:
                database.execute("insert or ignore into verdicts values (?, ?)", (name, verdict_id))

    def was_given(self, name: str, verdict_id: str) -> bool:
        """Whether a token of this name was answered with this verdict."""
        with self._open() as database:
            given = database.execute("select 1 from verdicts where token = ? and id = ?", (name, verdict_id))
            return given.fetchone() is not None

    def _rows(self) -> list[tuple[Token, bytes]]:
        with self._open() as database:
            rows = database.execute("select name, budget, rate, created, spent, hash from tokens order by name")
            return [
                (Token(name, None if budget is None else Decimal(budget), rate, created, spent * _UNIT), known)
                for name, budget, rate, created, spent, known in rows
            ]

    @contextmanager
    def _open(self, *, create: bool = False) -> Iterator[sqlite3.Connection]:
        """The database, in a transaction of its own; an empty one in memory as long as there is no file."""
        try:
            file = self._identity()
            if self._connection is None or file != self._file or (create and file is None):
                self.close()
                self._connection = self._connect() if create or file else _prepared(":memory:")
                self._file = self._identity()
            with self._connection:
                yield self._connection
        except sqlite3.IntegrityError:
            raise
        except (sqlite3.Error, OSError) as error:
            raise SetupError(f"{self.path}: the tokens cannot be read or written: {error}") from None

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _identity(self) -> tuple[int, int] | None:
        try:
            known = self.path.stat()
        except FileNotFoundError:
            return None
        return known.st_dev, known.st_ino

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Whoever can write here can let himself in: the file is its owner's, and no link to another one.
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            if hasattr(os, "fchmod"):
                os.fchmod(handle, 0o600)
        finally:
            os.close(handle)
        return _prepared(self.path)


def _prepared(place: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(place, check_same_thread=False)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = normal")
    connection.executescript(_SCHEMA)
    return connection


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
