"""Tokens: programs that may use the service, what each has spent, and which verdicts a token or person was given.

A token is 256 random bits, shown once; the database holds only its SHA-256. It is looked up at every request, so a
token that is revoked is refused from then on, also by a service that is running.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from ..errors import InputError
from .database import FileDatabase, ServiceDatabase, Statement
from .users import Role, check_name, digest

MAX_TOKEN_RATE = 100_000
_PREFIX = "adj_"
_UNIT = Decimal(10) ** -12  # dollars are added up in whole units of this, so that no digit is lost
_COLUMNS = "name, role, budget, rate, created, spent, hash"


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret. `budget` is in dollars, `rate` in requests a minute; None is no limit."""

    name: str
    role: Role
    budget: Decimal | None
    rate: int | None
    created: float
    spent: Decimal
    stamp: str  # what tells it from another token of the same name


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
            f"insert into adjudge_tokens ({_COLUMNS}) values (?, ?, ?, ?, ?, 0, ?) on conflict do nothing",
            *(name, role, limit, rate, time.time(), digest(secret)),
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
        found = self.database.rows(f"select {_COLUMNS} from adjudge_tokens where {condition} order by name", *values)
        return [
            Token(name, role, None if budget is None else Decimal(budget), rate, created, spent * _UNIT, digest(known))
            for name, role, budget, rate, created, spent, known in found
        ]
