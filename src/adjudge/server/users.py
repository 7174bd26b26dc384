"""Who may use the service: people, who sign in with a password, and programs, which have tokens; and their roles.

Passwords are kept as Argon2id hashes; a token is 256 random bits, shown once, of which the SHA-256 is kept. All are
looked up at every request: who is removed or revoked is refused from then on, also by a service that is running, and
so is a session from before a password was changed.
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

Role = Literal["viewer", "annotator", "reviewer", "admin"]  # each may do all that those before it may
ROLES: tuple[Role, ...] = get_args(Role)
MAX_TOKEN_RATE = 100_000
_PREFIX = "adj_"
_UNIT = Decimal(10) ** -12  # dollars are added up in whole units of this, so that no digit is lost
_COLUMNS = "name, role, created, hash, budget, rate, spent"
MIN_PASSWORD = 12
MAX_PASSWORD = 1_000
_BESIDE_THE_NAME = 8  # characters that a password has beside its owner's name
OPEN_SERVICE = "local"  # who everybody is on a service that asks nobody to sign in
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Wrong passwords within this many seconds: for one name from one address, for one name, from one address.
ATTEMPT_SECONDS = 900.0
MAX_ATTEMPTS = 10
MAX_ATTEMPTS_IN_ALL = 100


@dataclass(frozen=True, slots=True)
class User:
    """A person; `hash` is that of the password, for a look at it alone."""

    name: str
    role: Role
    created: float
    hash: str = field(repr=False)

    @property
    def stamp(self) -> str:
        """What is another one after every change of the password, or of a token of the same name."""
        return digest(self.hash)


@dataclass(frozen=True, slots=True)
class Token(User):
    """A token without its secret. `budget` is in dollars, `rate` in requests a minute; None is no limit."""

    budget: Decimal | None
    rate: int | None
    spent: Decimal


def check_name(name: str) -> None:
    """Refuse what can be no name of a token or a person."""
    if not _NAME.fullmatch(name):
        raise InputError("NAME", f"{name[:80]!r}", "1 to 64 letters, digits, dots, hyphens and underscores")
    if name == OPEN_SERVICE:
        raise InputError("NAME", repr(name), "this is who everybody is on a service without sign-in; take another")


def check_role(role: str) -> Role:
    """A role that there is."""
    if role not in ROLES:
        raise InputError("role", repr(role[:80]), f"one of {', '.join(ROLES)}")
    return role


def digest(secret: str) -> str:
    """What is kept of a random secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


class UserStore:
    """The people in a database. `clock` says the time in seconds; `hasher` how dear a password's hash is."""

    def __init__(
        self, database: ServiceDatabase, clock: Callable[[], float] = time.time, hasher: PasswordHasher | None = None
    ) -> None:
        self.database, self._clock = database, clock
        self._hasher = hasher or PasswordHasher()

    def add(self, name: str, password: str, role: Role = "viewer") -> None:
        """A new person."""
        check_name(name)
        _check_password(name, password)
        if self.database.rows("select 1 from adjudge_tokens where name = ?", name):
            raise InputError("NAME", f"there is already a token {name}", "a person needs a name of their own")
        adding = "insert into adjudge_users (name, password, role, created) values (?, ?, ?, ?) on conflict do nothing"
        if not self.database.change(adding, name, self._hasher.hash(_plain(password)), role, self._clock()):
            raise InputError("NAME", f"there is already a user {name}", "take another name")

    def listed(self) -> list[User]:
        """All people, by name."""
        return self._where("true")

    def named(self, name: str) -> User | None:
        """The person of this name."""
        return next(iter(self._where("name = ?", name)), None) if _NAME.fullmatch(name) else None

    def check_known(self, name: str) -> None:
        """Refuse a name that nobody has, and say who there is."""
        if self.named(name) is None:
            known = ", ".join(user.name for user in self.listed()) or "there are none"
            raise InputError("NAME", f"no user {name[:80]!r}", f"one of: {known}")

    def remove(self, name: str, *, keep_admin: bool = False) -> None:
        """Refuse this person from now on."""
        left = "delete from adjudge_sessions where kind = 'user' and name not in (select name from adjudge_users)"
        self._change("delete from adjudge_users where name = ?", (name,), (left, ()), keep_admin=keep_admin)

    def set_role(self, name: str, role: Role, *, keep_admin: bool = False) -> None:
        """Give another role, which holds at once."""
        changed = "update adjudge_users set role = ? where name = ?"
        self._change(changed, (role, name), keep_admin=keep_admin and role != "admin")

    def set_password(self, name: str, password: str) -> None:
        """Give another password."""
        _check_password(name, password)
        changed = "update adjudge_users set password = ? where name = ?"
        ended = ("delete from adjudge_sessions where kind = 'user' and name = ?", (name,))
        self._change(changed, (self._hasher.hash(_plain(password)), name), ended)

    def verified(self, name: str, password: str) -> User | None:
        """The person with this name and password. An unknown name takes as long as a wrong password."""
        user = self.named(name)
        try:
            self._hasher.verify(user.hash if user else _nobody(), _plain(password[: MAX_PASSWORD + 1]))
        except VerificationError:
            return None
        return user

    def seconds_to_wait(self, name: str, address: str) -> int:
        """0 if one more password may be tried, and then it counts as wrong until `forgive` says otherwise."""
        now = self._clock()
        limits = self._subjects(name, address)
        # Counted before the password is looked at, so that many at once do not pass the limit together.
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
        """The password was right: what this name tried from this address counts no more."""
        pair, *_ = self._subjects(name, address)
        self.database.change("delete from adjudge_attempts where subject = ?", pair)
        self._take_back(self._subjects(name, address))

    def _take_back(self, subjects: dict[str, int]) -> None:
        newest = "delete from adjudge_attempts where id = (select max(id) from adjudge_attempts where subject = ?)"
        self.database.changes(*((newest, (subject,)) for subject in subjects))

    @staticmethod
    def _subjects(name: str, address: str) -> dict[str, int]:
        """What is counted, and how often it may be: as hashes, for people also type passwords where names belong."""
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
        # Of two admins who remove each other at the same moment, one must see what the other did.
        if not self.database.changes((statement, values), *more, careful=True)[0]:
            self.check_known(name)  # somebody may have removed them meanwhile
            raise ConflictError(f"{name}: is the only admin; make somebody else one first")


@cache
def _nobody() -> str:
    """A hash that no password fits, as dear to look at as a real one."""
    return PasswordHasher().hash(secrets.token_urlsafe(32))


def _plain(password: str) -> bytes:
    """A password in one form, whichever way a keyboard composes its characters."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogateescape")


def _check_password(name: str, password: str) -> None:
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise InputError("password", f"{len(password):,} characters", f"{MIN_PASSWORD} to {MAX_PASSWORD:,} characters")
    if len(password.lower().replace(name.lower(), "")) < _BESIDE_THE_NAME:
        raise InputError("password", "little more than the name", "something that others do not guess")


# -- tokens ------------------------------------------------------------------------------------------------------------


class TokenStore:
    """The tokens in a database, or in a file, which is made when the first one is added."""

    def __init__(self, place: ServiceDatabase | Path) -> None:
        self.database = place if isinstance(place, ServiceDatabase) else FileDatabase(place)

    def add(self, name: str, *, budget: Decimal | None = None, rate: int | None = None, role: Role = "reviewer") -> str:
        """A new token's secret, which is not kept and cannot be shown again."""
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
        """Refuse this token from now on, and end the sessions that were begun with it."""
        names = [token.name for token in self.listed()]
        if name not in names:
            raise InputError("NAME", f"no token {name[:80]!r}", f"one of: {', '.join(names) or 'there are none'}")
        self.database.changes(
            ("delete from adjudge_tokens where name = ?", (name,)),
            ("delete from adjudge_sessions where kind = 'token' and name = ?", (name,)),
        )

    def listed(self) -> list[Token]:
        """All tokens, by name."""
        return self._where("true")

    def named(self, name: str) -> Token | None:
        """The token of this name."""
        return next(iter(self._where("name = ?", name)), None)

    def find(self, secret: str) -> Token | None:
        """The token with this secret; it is found by a hash, so how long it takes tells nothing about a secret."""
        return next(iter(self._where("hash = ?", digest(secret))), None)

    def record(self, name: str, paid: Decimal, verdict_id: str | None) -> None:
        """Keep what a request cost, and which verdict it was answered with."""
        statements: list[Statement] = [
            ("update adjudge_tokens set spent = spent + ? where name = ?", (int(paid / _UNIT), name))
        ]
        if verdict_id is not None:
            statements.append(("insert into adjudge_given values (?, ?) on conflict do nothing", (name, verdict_id)))
        self.database.changes(*statements)

    def was_given(self, name: str, verdict_id: str) -> bool:
        """Whether a token or a person of this name was answered with this verdict."""
        return bool(self.database.rows("select 1 from adjudge_given where name = ? and verdict = ?", name, verdict_id))

    def close(self) -> None:
        """Let go of the database; it is opened again when it is needed."""
        self.database.close()

    def _where(self, condition: str, *values: str) -> list[Token]:
        asked = f"select {_COLUMNS} from adjudge_tokens where {condition} order by name"
        return [
            Token(name, role, created, known, None if budget is None else Decimal(budget), rate, spent * _UNIT)
            for name, role, created, known, budget, rate, spent in self.database.rows(asked, *values)
        ]
