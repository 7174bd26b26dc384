"""The accounts of the service and their roles: people, who sign in with a password, and programs, which have tokens.

Passwords are stored as Argon2id hashes. A token is 256 random bits, shown once; only its SHA-256 is stored. Accounts
are looked up at every request, so a running service also refuses removed people, revoked tokens, and sessions from
before a password change at once.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from ..errors import ConflictError, InputError
from .database import FileDatabase, ServiceDatabase, Statement

Role = Literal["viewer", "annotator", "reviewer", "admin"]  # each includes the rights of those before it
ROLES: tuple[Role, ...] = get_args(Role)
MAX_TOKEN_RATE = 100_000
_PREFIX = "adj_"
_UNIT = Decimal(10) ** -12  # dollars are summed in integers of this unit, so that no digit is lost
_COLUMNS = "name, role, created, hash, budget, rate, spent"
MIN_PASSWORD = 12
MAX_PASSWORD = 1_000
_BESIDE_THE_NAME = 8  # minimum number of characters in a password besides its owner's name
OPEN_SERVICE = "local"  # the name of every caller on a service without sign-in
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Limits of wrong passwords within this many seconds: per name and address together, and per name or address in all.
ATTEMPT_SECONDS = 900.0
MAX_ATTEMPTS = 10
MAX_ATTEMPTS_IN_ALL = 100


@dataclass(frozen=True, slots=True)
class User:
    """A person, with the hash of the password."""

    name: str
    role: Role
    created: float
    hash: str = field(repr=False)

    @property
    def stamp(self) -> str:
        """A value that changes with the password or token, so that older sessions are no longer valid."""
        return digest(self.hash)


@dataclass(frozen=True, slots=True)
class Token(User):
    """A token without its secret. `budget` is in dollars, `rate` in requests a minute; None means no limit."""

    budget: Decimal | None
    rate: int | None
    spent: Decimal


def check_name(name: str) -> None:
    """Check that this is a valid name of a token or a person; raise InputError if not."""
    if not _NAME.fullmatch(name):
        raise InputError("NAME", f"{name[:80]!r}", "1 to 64 letters, digits, dots, hyphens and underscores")
    if name == OPEN_SERVICE:
        raise InputError("NAME", repr(name), "a service without sign-in uses this name for everybody; take another")


def check_role(role: str) -> Role:
    """Return the role, or raise InputError if there is no such role."""
    if role not in ROLES:
        raise InputError("role", repr(role[:80]), f"one of {', '.join(ROLES)}")
    return role


def digest(secret: str) -> str:
    """Return the hash that is stored of a random secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


class UserStore:
    """The people in a database. `clock` returns the time in seconds; `hasher` sets the cost of a password's hash."""

    def __init__(
        self, database: ServiceDatabase, clock: Callable[[], float] = time.time, hasher: PasswordHasher | None = None
    ) -> None:
        self.database, self._clock = database, clock
        self._hasher = hasher or PasswordHasher()

    def add(self, name: str, password: str, role: Role = "viewer") -> None:
        """Add a person; raise InputError if a person or token has this name."""
        check_name(name)
        _check_password(name, password)
        if self.database.rows("select 1 from adjudge_tokens where name = ?", name):
            raise InputError("NAME", f"there is already a token {name}", "a person needs a name of their own")
        adding = "insert into adjudge_users (name, password, role, created) values (?, ?, ?, ?) on conflict do nothing"
        if not self.database.change(adding, name, self._hasher.hash(_plain(password)), role, self._clock()):
            raise InputError("NAME", f"there is already a user {name}", "take another name")

    def listed(self) -> list[User]:
        """Return all people, sorted by name."""
        return self._where("true")

    def named(self, name: str) -> User | None:
        """Return the person of this name; None if there is none."""
        return next(iter(self._where("name = ?", name)), None) if _NAME.fullmatch(name) else None

    def check_known(self, name: str) -> None:
        """Raise InputError, with a list of the known names, if no person has this name."""
        if self.named(name) is None:
            known = ", ".join(user.name for user in self.listed()) or "there are none"
            raise InputError("NAME", f"no user {name[:80]!r}", f"one of: {known}")

    def remove(self, name: str, *, keep_admin: bool = False) -> None:
        """Remove this person and their sessions. With `keep_admin`, raise ConflictError for the only admin."""
        left = "delete from adjudge_sessions where kind = 'user' and name not in (select name from adjudge_users)"
        self._change("delete from adjudge_users where name = ?", (name,), (left, ()), keep_admin=keep_admin)

    def set_role(self, name: str, role: Role, *, keep_admin: bool = False) -> None:
        """Change a person's role, with immediate effect. With `keep_admin`, one admin must remain."""
        changed = "update adjudge_users set role = ? where name = ?"
        self._change(changed, (role, name), keep_admin=keep_admin and role != "admin")

    def set_password(self, name: str, password: str) -> None:
        """Change a person's password, and end their sessions."""
        _check_password(name, password)
        changed = "update adjudge_users set password = ? where name = ?"
        ended = ("delete from adjudge_sessions where kind = 'user' and name = ?", (name,))
        self._change(changed, (self._hasher.hash(_plain(password)), name), ended)

    def verified(self, name: str, password: str) -> User | None:
        """Return the person if the password is right, else None. An unknown name takes as long as a wrong password."""
        user = self.named(name)
        try:
            self._hasher.verify(user.hash if user else _nobody(), _plain(password[: MAX_PASSWORD + 1]))
        except VerificationError:
            return None
        return user

    def seconds_to_wait(self, name: str, address: str) -> int:
        """Count an attempt as wrong until `forgive` is called, and return 0; or return the seconds to wait."""
        now = self._clock()
        limits = self._subjects(name, address)
        # Count before the password is verified, so that many attempts at once cannot exceed the limit together.
        self.database.changes(
            ("delete from adjudge_attempts where at < ?", (now - ATTEMPT_SECONDS,)),
            *(("insert into adjudge_attempts (subject, at) values (?, ?)", (each, now)) for each in limits),
        )
        asked = "select subject, count(*), min(at) from adjudge_attempts where subject in (?, ?, ?) group by subject"
        counted = self.database.rows(asked, *limits)
        waits = (max(first + ATTEMPT_SECONDS - now, 1.0) for each, count, first in counted if count > limits[each])
        wait = max(waits, default=0.0)
        if wait:
            self._take_back(limits)
        return int(wait + 0.999)

    def forgive(self, name: str, address: str) -> None:
        """Forget all attempts by this name from this address, and the last one by the name and by the address alone."""
        pair, *_ = self._subjects(name, address)
        self.database.change("delete from adjudge_attempts where subject = ?", pair)
        self._take_back(self._subjects(name, address))

    def _take_back(self, subjects: dict[str, int]) -> None:
        newest = "delete from adjudge_attempts where id = (select max(id) from adjudge_attempts where subject = ?)"
        self.database.changes(*((newest, (subject,)) for subject in subjects))

    @staticmethod
    def _subjects(name: str, address: str) -> dict[str, int]:
        """Return the limits of attempts by subject. Subjects are hashed, as people also type passwords as names."""
        pair, alone, place = digest(f"pair {name} {address}"), digest(f"name {name}"), digest(f"address {address}")
        return {pair: MAX_ATTEMPTS, alone: MAX_ATTEMPTS_IN_ALL, place: MAX_ATTEMPTS_IN_ALL}

    def _where(self, condition: str, *values: str) -> list[User]:
        asked = f"select name, role, created, password from adjudge_users where {condition} order by name"
        return [User(*row) for row in self.database.rows(asked, *values)]

    def _change(self, statement: str, values: tuple[str, ...], *more: Statement, keep_admin: bool = False) -> None:
        name = values[-1]
        self.check_known(name)
        if keep_admin:
            others = "exists (select 1 from adjudge_users as other where other.role = 'admin' and other.name <> ?)"
            statement, values = f"{statement} and (role <> 'admin' or {others})", (*values, name)
        # `careful` serializes changes: if two admins remove each other at once, the second must see the first removal.
        if not self.database.changes((statement, values), *more, careful=True)[0]:
            self.check_known(name)  # another process may have removed them meanwhile
            raise ConflictError(f"{name}: is the only admin; make somebody else an admin first")


@cache
def _nobody() -> str:
    """Return a hash that no password matches and that takes as long to verify as a real one."""
    return PasswordHasher().hash(secrets.token_urlsafe(32))


def _plain(password: str) -> bytes:
    """Normalize a password, because keyboards compose the same characters in different ways."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogateescape")


def _check_password(name: str, password: str) -> None:
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise InputError("password", f"{len(password):,} characters", f"{MIN_PASSWORD} to {MAX_PASSWORD:,} characters")
    if len(password.lower().replace(name.lower(), "")) < _BESIDE_THE_NAME:
        raise InputError("password", "little more than the name", "choose something that others cannot guess")


# -- tokens ------------------------------------------------------------------------------------------------------------


class TokenStore:
    """The tokens in a database, or in a file, which is created when the first token is added."""

    def __init__(self, place: ServiceDatabase | Path) -> None:
        self.database = place if isinstance(place, ServiceDatabase) else FileDatabase(place)

    def add(self, name: str, *, budget: Decimal | None = None, rate: int | None = None, role: Role = "reviewer") -> str:
        """Add a token and return its secret, which is not stored and cannot be shown again."""
        check_name(name)
        if budget is not None and not (budget.is_finite() and 0 < budget <= 1_000_000):
            raise InputError("--budget", str(budget), "a number of dollars above 0, up to 1,000,000")
        if rate is not None and not 1 <= rate <= MAX_TOKEN_RATE:
            raise InputError("--rate", str(rate), f"1 to {MAX_TOKEN_RATE:,} requests a minute")
        if self.database.rows("select 1 from adjudge_users where name = ?", name):
            raise InputError("NAME", f"there is already a user {name}", "a token needs a name of its own")
        secret = _PREFIX + secrets.token_urlsafe(32)
        limit = None if budget is None else format(budget, "f")
        if not self.database.change(
            f"insert into adjudge_tokens ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, 0) on conflict do nothing",
            *(name, role, time.time(), digest(secret), limit, rate),
        ):
            raise InputError("NAME", f"there is already a token {name}", "revoke it first, or take another")
        return secret

    def revoke(self, name: str) -> None:
        """Delete this token, and end the sessions that were started with it."""
        names = [token.name for token in self.listed()]
        if name not in names:
            raise InputError("NAME", f"no token {name[:80]!r}", f"one of: {', '.join(names) or 'there are none'}")
        self.database.changes(
            ("delete from adjudge_tokens where name = ?", (name,)),
            ("delete from adjudge_sessions where kind = 'token' and name = ?", (name,)),
        )

    def listed(self) -> list[Token]:
        """Return all tokens, sorted by name."""
        return self._where("true")

    def named(self, name: str) -> Token | None:
        """Return the token of this name; None if there is none."""
        return next(iter(self._where("name = ?", name)), None)

    def find(self, secret: str) -> Token | None:
        """Return the token with this secret, or None. It is found by hash, so the time taken reveals no secret."""
        return next(iter(self._where("hash = ?", digest(secret))), None)

    def record(self, name: str, paid: Decimal, verdict_id: str | None) -> None:
        """Store what a request cost, and which verdict it returned."""
        statements: list[Statement] = [
            ("update adjudge_tokens set spent = spent + ? where name = ?", (int(paid / _UNIT), name))
        ]
        if verdict_id is not None:
            statements.append(("insert into adjudge_given values (?, ?) on conflict do nothing", (name, verdict_id)))
        self.database.changes(*statements)

    def was_given(self, name: str, verdict_id: str) -> bool:
        """Return whether a token or a person of this name has received this verdict."""
        return bool(self.database.rows("select 1 from adjudge_given where name = ? and verdict = ?", name, verdict_id))

    def given(self, name: str) -> frozenset[str]:
        """Return the ids of all verdicts that a token or a person of this name has received."""
        return frozenset(row[0] for row in self.database.rows("select verdict from adjudge_given where name = ?", name))

    def close(self) -> None:
        """Close the database; the next use opens it again."""
        self.database.close()

    def _where(self, condition: str, *values: str) -> list[Token]:
        asked = f"select {_COLUMNS} from adjudge_tokens where {condition} order by name"
        return [
            Token(name, role, created, known, None if budget is None else Decimal(budget), rate, spent * _UNIT)
            for name, role, created, known, budget, rate, spent in self.database.rows(asked, *values)
        ]
