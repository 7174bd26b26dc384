"""Who is asking: a token or a signed-in person, with a role, a rate, a budget, and what of the service is theirs.

Without any token and without `--auth` the service is open, which it may be on this machine only. From the first token
on, until it is started anew, every caller needs one, in a header or in a browser's session. A session's id is 256
random bits in a cookie, new at every sign-in; the database holds only its SHA-256.
"""

from __future__ import annotations

import asyncio
import hmac
import math
import secrets
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from decimal import Decimal
from time import monotonic
from typing import Annotated, Literal, TypeVar

from fastapi import Depends, HTTPException, Request, Response
from fastapi.security import HTTPBearer

from ..engine import Engine
from ..errors import InputError
from ..judges.budget import LocalBudget
from ..models import ComparisonVerdict, DialogueVerdict, Failure, ReviewVerdict
from .database import ServiceDatabase
from .guard import LOOPBACK_NAMES
from .users import OPEN_SERVICE, ROLES, Role, Token, TokenStore, User, UserStore, digest

V = TypeVar("V", ComparisonVerdict, DialogueVerdict, ReviewVerdict)
IDLE_SECONDS = 12 * 3600.0
LONGEST_SECONDS = 7 * 86_400.0
_NOTE_EVERY = 60.0  # seconds: not every request needs to be written down
Cookie = Literal["adjudge", "adjudge-sign-in"]  # a session's id, and the secret of a sign-in form

_BEARER = HTTPBearer(
    auto_error=False, scheme_name="token", description="`adjudge token add NAME` makes one; needed once there is any."
)


# -- sessions ----------------------------------------------------------------------------------------------------------

Kind = Literal["user", "token"]


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser that is signed in, as a person or with a token; `csrf` stands in all its forms.

    `stamp` is that of the password or token it was begun with: with another one it is worth nothing.
    """

    secret: str
    kind: Kind
    name: str
    stamp: str

    @property
    def csrf(self) -> str:
        return form_code(self.secret)


class SessionStore:
    """The sessions in a database; `clock` says the time in seconds."""

    def __init__(self, database: ServiceDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database, self._clock = database, clock

    def begin(self, kind: Kind, name: str, stamp: str) -> BrowserSession:
        """A new session, and an end to all that are over."""
        secret, now = secrets.token_urlsafe(32), self._clock()
        over = "delete from adjudge_sessions where created < ? or seen < ?"
        made = "insert into adjudge_sessions values (?, ?, ?, ?, ?, ?)"
        self._database.changes(
            (over, (now - LONGEST_SECONDS, now - IDLE_SECONDS)), (made, (digest(secret), kind, name, stamp, now, now))
        )
        return BrowserSession(secret, kind, name, stamp)

    def find(self, secret: str) -> BrowserSession | None:
        """The session with this id, unless it is over."""
        now = self._clock()
        found = self._database.rows(
            "select kind, name, stamp, seen from adjudge_sessions where hash = ? and created >= ? and seen >= ?",
            *(digest(secret), now - LONGEST_SECONDS, now - IDLE_SECONDS),
        )
        if not found:
            return None
        kind, name, stamp, seen = found[0]
        if now - seen > _NOTE_EVERY:
            self._database.change("update adjudge_sessions set seen = ? where hash = ?", now, digest(secret))
        return BrowserSession(secret, kind, name, stamp)

    def end(self, secret: str) -> None:
        """Sign out."""
        self._database.change("delete from adjudge_sessions where hash = ?", digest(secret))


def form_code(secret: str) -> str:
    """What a form holds to show that it came from a page for whoever has this secret in a cookie."""
    return hmac.digest(secret.encode("utf-8", "surrogateescape"), b"form", "sha256").hex()


def fits(secret: str, given: str) -> bool:
    """Whether a form holds the code of this secret."""
    return hmac.compare_digest(form_code(secret).encode(), given.encode("utf-8", "surrogateescape"))


def cookie(request: Request, name: Cookie) -> str | None:
    """What a browser was given; without the secret of its sign-in form nobody else can sign it in."""
    return request.cookies.get(_at_home(request, name)[0])


def set_cookie(request: Request, response: Response, name: Cookie, value: str | None) -> None:
    """Give it to the browser until it is closed, or take it away."""
    full_name, secure = _at_home(request, name)
    age = None if value else 0
    response.set_cookie(full_name, value or "", age, path="/", httponly=True, samesite="lax", secure=secure)


def _at_home(request: Request, name: Cookie) -> tuple[str, bool]:
    """A cookie's name, and whether it may go over TLS only: everywhere but on this machine without TLS."""
    secure = request.url.scheme == "https" or (request.url.hostname or "").lower() not in LOOPBACK_NAMES
    # Browsers take a name that begins so from this very host only, over TLS.
    return f"__Host-{name}" if secure else name, secure


# -- callers -----------------------------------------------------------------------------------------------------------


class Account(LocalBudget):
    """What this process knows of a token: its budget, and how often it asks.

    What a call cost is kept as soon as it is known, for a run may outlive this process.
    """

    def __init__(self, token: Token, tokens: TokenStore) -> None:
        # A token without a limit is charged too: its list shows what it has spent.
        super().__init__(Decimal("Infinity") if token.budget is None else token.budget)
        self._name, self._tokens = token.name, tokens
        self._left, self._at = 0.0, 0.0  # requests within the rate, at that moment

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        super().settle(reserved, spent)
        self._tokens.record(self._name, reserved if spent is None else spent, None)

    def seconds_to_wait(self, rate: int) -> int:
        """0 if one more request is within the rate, and then it is counted; a minute's worth may come at once."""
        now = monotonic()
        self._left = min(rate, self._left + (now - self._at) * rate / 60) if self._at else rate
        self._at = now
        if self._left < 1:
            return math.ceil((1 - self._left) * 60 / rate)
        self._left -= 1
        return 0


@dataclass(frozen=True, slots=True)
class Caller:
    """One who asks: a token, a person, or on an open service anybody, to whom everything belongs."""

    tokens: TokenStore | None = None
    token: Token | None = None
    user: User | None = None
    session: BrowserSession | None = None
    account: Account | None = None

    @property
    def name(self) -> str | None:
        """The token's or the person's."""
        known = self.token or self.user
        return known.name if known else None

    @property
    def role(self) -> Role:
        """What they may do."""
        known = self.token or self.user
        return known.role if known else "admin"

    @property
    def person(self) -> str:
        """Under which name labels and decisions of this caller are kept; an open service has one person."""
        return self.name or OPEN_SERVICE

    @property
    def scope(self) -> str | None:
        """Whose runs and verdicts they see: their own, or everybody's (None).

        Of people, annotators see their own, for labels must stay blind, and others all. A token is a program's: it
        sees its own unless it is an admin's.
        """
        all_seen = self.role != "annotator" if self.token is None else self.role == "admin"
        return None if all_seen else self.name

    @property
    def shelf(self) -> str | None:
        """Whose rubrics they use and keep: a token its own, people those of all people (None)."""
        return self.token.name if self.token else None

    def may(self, role: Role) -> bool:
        """Whether the caller's role is this one or a higher one."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def needs(self, role: Role) -> None:
        """Refuse a caller whose role may not do this."""
        if not self.may(role):
            raise HTTPException(403, f"role: {self.person} is {self.role}; this needs {role}")

    async def judged(self, engine: Engine, work: Callable[[Engine], Awaitable[V | Failure]]) -> V | Failure:
        """What comes of a judgment, paid from the caller's budget; the verdict is the caller's from now on."""
        outcome = await work(replace(engine, budget=self.account))
        if self.name is not None and self.tokens is not None and not isinstance(outcome, Failure):
            self.tokens.record(self.name, Decimal(0), outcome.verdict_id)
        return outcome

    def may_see(self, verdict_id: str) -> bool:
        """Whether the caller was answered with this verdict, or sees everybody's."""
        return self.scope is None or self.tokens is None or self.tokens.was_given(self.scope, verdict_id)


# Who sent the request that is being answered, for what stands on every page; None before that is known.
CURRENT: ContextVar[Caller | None] = ContextVar("caller", default=None)


@dataclass(slots=True)
class Callers:
    """All who may ask this service. `required`: it is not open; `auth`: people sign in with their passwords."""

    tokens: TokenStore
    users: UserStore
    sessions: SessionStore
    required: bool = False
    auth: bool = False
    # A password's hash takes 64 MB of memory and a good part of a second.
    hashing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    _accounts: dict[tuple[str, float], Account] = field(default_factory=dict)

    def known(self, bearer: str | None, cookie: str | None) -> Caller | None:
        """Who has the secret of this header, or else of this cookie; None for a stranger."""
        self.required = self.required or self.auth or bool(self.tokens.listed())
        if not self.required:
            return Caller()
        session = self.sessions.find(cookie) if bearer is None and cookie else None
        known: User | None = None
        if bearer is not None:
            known = self.tokens.find(bearer)
        elif session is not None and (session.kind == "token" or self.auth):
            known = (self.tokens if session.kind == "token" else self.users).named(session.name)
        if known is None or (session is not None and known.stamp != session.stamp):
            return None
        if isinstance(known, Token):
            return Caller(self.tokens, known, None, session, self._account(known))
        return Caller(self.tokens, None, known, session)

    def payer(self, name: str) -> Account | None:
        """The budget for a run of this name's: a token's own, and for a person none."""
        token = self.tokens.named(name)
        if token is None and self.users.named(name) is None:
            raise InputError("token", f"{name} is revoked or removed", "an admin may continue the run")
        return None if token is None else self._account(token)

    def _account(self, token: Token) -> Account:
        # One for all threads; another token of the same name has its own.
        account = self._accounts.setdefault((token.name, token.created), Account(token, self.tokens))
        # Another process may have spent some of it.
        account.spent = max(account.spent, token.spent)
        return account


async def known_caller(request: Request) -> Caller | None:
    """Who sent this request; None for a stranger."""
    credentials = await _BEARER(request)
    callers: Callers = request.app.state.callers
    asked = credentials.credentials if credentials else None, cookie(request, "adjudge")
    remote = callers.tokens.database.remote
    caller = await asyncio.to_thread(callers.known, *asked) if remote else callers.known(*asked)
    CURRENT.set(caller)
    return caller


async def caller_of(request: Request, _described: Annotated[object, Depends(_BEARER)] = None) -> Caller:
    """Who sent this request, which counts towards the rate; strangers are refused."""
    caller = await known_caller(request)
    if caller is None:
        needed = "authorization: a valid token is needed, as in `Authorization: Bearer TOKEN`"
        raise HTTPException(401, needed, {"www-authenticate": 'Bearer realm="adjudge"'})
    rate = caller.token.rate if caller.token else None
    if rate and caller.account and (wait := caller.account.seconds_to_wait(rate)):
        raise HTTPException(429, f"rate: too many requests with this token; wait {wait} s", {"retry-after": str(wait)})
    if caller.session and request.method not in ("GET", "HEAD"):
        check_origin(request)
    return caller


def check_origin(request: Request) -> None:
    """Refuse what no page of ours sent. A browser says which page did, and the guard has refused all but our own."""
    if "origin" not in request.headers and request.headers.get("sec-fetch-site") != "same-origin":
        raise HTTPException(403, "origin: missing; a form must be sent from a page of this service")


def check_form(given: str | None) -> None:
    """Refuse a form of a signed-in browser without the code that our pages put there."""
    caller = CURRENT.get()
    if caller is not None and caller.session is not None and not fits(caller.session.secret, given or ""):
        raise HTTPException(403, "csrf: missing, or of another session; load the page again and send the form anew")


def _needing(role: Role) -> Callable[[Caller], Awaitable[Caller]]:
    async def needing(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
        caller.needs(role)
        return caller

    return needing


# A route takes one of these first, so that nobody learns from it what their role may not see.
CallerOf = Annotated[Caller, Depends(caller_of)]
AnnotatorOf = Annotated[Caller, Depends(_needing("annotator"))]
ReviewerOf = Annotated[Caller, Depends(_needing("reviewer"))]
AdminOf = Annotated[Caller, Depends(_needing("admin"))]
