"""Finds out who sent a request (a token or a signed-in person), and what their role, rate limit and budget allow.

Without any token and without `--auth` the service is open, which is allowed only on this machine. Once a token exists,
every caller needs one, in a header or in a browser's session, until the service is restarted. A session's id is 256
random bits in a cookie, new at every sign-in; the database stores only its SHA-256.
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
from ..models.cases import Case
from ..models.common import Failure
from ..models.verdict import Verdict
from ..protocols.settings import Settings
from .database import ServiceDatabase
from .guard import LOOPBACK_NAMES
from .hashing import HashingQueue
from .users import OPEN_SERVICE, ROLES, Role, Token, TokenStore, User, UserStore, digest

V = TypeVar("V", bound=Verdict)
IDLE_SECONDS = 12 * 3600.0
LONGEST_SECONDS = 7 * 86_400.0
_SEEN_EVERY = 60.0  # seconds between updates of `seen`, so that not every request causes a write
Cookie = Literal["adjudge", "adjudge-sign-in"]  # a session's id, and the secret of a sign-in form

_BEARER = HTTPBearer(
    auto_error=False, scheme_name="token", description="`adjudge token add NAME` makes one; needed if any exists."
)


# -- sessions ----------------------------------------------------------------------------------------------------------

Kind = Literal["user", "token"]


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser that is signed in, as a person or with a token. All its forms contain `csrf`.

    `stamp` identifies the password or token used to sign in. When that changes, the session is no longer valid.
    """

    secret: str
    kind: Kind
    name: str
    stamp: str

    @property
    def csrf(self) -> str:
        return form_code(self.secret)


class SessionStore:
    """The sessions in a database; `clock` returns the time in seconds."""

    def __init__(self, database: ServiceDatabase, clock: Callable[[], float] = time.time) -> None:
        self._database, self._clock = database, clock

    def begin(self, kind: Kind, name: str, stamp: str) -> BrowserSession:
        """Create a session, and delete all expired ones."""
        secret, now = secrets.token_urlsafe(32), self._clock()
        over = "delete from adjudge_sessions where created < ? or seen < ?"
        made = "insert into adjudge_sessions values (?, ?, ?, ?, ?, ?)"
        self._database.changes(
            (over, (now - LONGEST_SECONDS, now - IDLE_SECONDS)), (made, (digest(secret), kind, name, stamp, now, now))
        )
        return BrowserSession(secret, kind, name, stamp)

    def find(self, secret: str) -> BrowserSession | None:
        """Return the session with this id; None if it is unknown or has expired."""
        now = self._clock()
        found = self._database.rows(
            "select kind, name, stamp, seen from adjudge_sessions where hash = ? and created >= ? and seen >= ?",
            *(digest(secret), now - LONGEST_SECONDS, now - IDLE_SECONDS),
        )
        if not found:
            return None
        kind, name, stamp, seen = found[0]
        if now - seen > _SEEN_EVERY:
            self._database.change("update adjudge_sessions set seen = ? where hash = ?", now, digest(secret))
        return BrowserSession(secret, kind, name, stamp)

    def end(self, secret: str) -> None:
        """Delete a session, which signs its browser out."""
        self._database.change("delete from adjudge_sessions where hash = ?", digest(secret))


def form_code(secret: str) -> str:
    """Return the CSRF code for a form. It proves that the page was made for the browser that holds this secret."""
    return hmac.digest(secret.encode("utf-8", "surrogateescape"), b"form", "sha256").hex()


def fits(secret: str, given: str) -> bool:
    """Return whether the code in a form belongs to this secret."""
    return hmac.compare_digest(form_code(secret).encode(), given.encode("utf-8", "surrogateescape"))


def cookie(request: Request, name: Cookie) -> str | None:
    """Return a cookie's value, or None. The sign-in secret keeps another site from signing this browser in."""
    return request.cookies.get(_cookie_settings(request, name)[0])


def set_cookie(request: Request, response: Response, name: Cookie, value: str | None) -> None:
    """Set a cookie that lasts until the browser is closed, or delete it (None)."""
    full_name, secure = _cookie_settings(request, name)
    age = None if value else 0
    response.set_cookie(full_name, value or "", age, path="/", httponly=True, samesite="lax", secure=secure)


def _cookie_settings(request: Request, name: Cookie) -> tuple[str, bool]:
    """Return a cookie's full name and whether it needs TLS, which it does except over plain HTTP on this machine."""
    secure = request.url.scheme == "https" or (request.url.hostname or "").lower() not in LOOPBACK_NAMES
    # Browsers accept a cookie with this prefix only over TLS and only from this exact host.
    return f"__Host-{name}" if secure else name, secure


# -- callers -----------------------------------------------------------------------------------------------------------


class Account(LocalBudget):
    """What this process knows about a token: its budget, and its use of the rate limit.

    The cost of a call is stored as soon as it is known, because a run may outlive this process.
    """

    def __init__(self, token: Token, tokens: TokenStore) -> None:
        # Charge tokens without a limit too: the list of tokens shows what each has spent.
        super().__init__(Decimal("Infinity") if token.budget is None else token.budget)
        self._name, self._tokens = token.name, tokens
        self._left, self._at = 0.0, 0.0  # requests still allowed, and when that was computed

    def charge(self, spent: Decimal) -> None:
        super().charge(spent)
        self._tokens.record(self._name, spent, None)

    def seconds_to_wait(self, rate: int) -> int:
        """Count a request and return 0, or return the seconds to wait. A minute's worth may come at once."""
        now = monotonic()
        self._left = min(rate, self._left + (now - self._at) * rate / 60) if self._at else rate
        self._at = now
        if self._left < 1:
            return math.ceil((1 - self._left) * 60 / rate)
        self._left -= 1
        return 0


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request: a token, a person, or on an open service anybody, with access to everything."""

    tokens: TokenStore | None = None
    token: Token | None = None
    user: User | None = None
    session: BrowserSession | None = None
    account: Account | None = None

    @property
    def name(self) -> str | None:
        """The name of the token or person; None on an open service."""
        known = self.token or self.user
        return known.name if known else None

    @property
    def role(self) -> Role:
        """The role of the token or person; admin on an open service."""
        known = self.token or self.user
        return known.role if known else "admin"

    @property
    def person(self) -> str:
        """The name under which this caller's labels and decisions are stored. An open service has one person."""
        return self.name or OPEN_SERVICE

    @property
    def scope(self) -> str | None:
        """Whose runs and verdicts the caller sees: those of this name, or everybody's (None).

        Annotators see only their own, because labels must stay blind; all other people see everything. A token belongs
        to a program and sees only its own, unless its role is admin.
        """
        all_seen = self.role != "annotator" if self.token is None else self.role == "admin"
        return None if all_seen else self.name

    @property
    def rubric_owner(self) -> str | None:
        """Whose rubrics the caller uses and stores: a token has its own, all people share theirs (None)."""
        return self.token.name if self.token else None

    def may(self, role: Role) -> bool:
        """Return whether the caller's role is this one or a higher one."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def needs(self, role: Role) -> None:
        """Raise a 403 error if the caller's role is lower than this one."""
        if not self.may(role):
            raise HTTPException(403, f"role: {self.person} is {self.role}; this needs {role}")

    async def judge(self, engine: Engine, case: Case, settings: Settings[V]) -> V | Failure:
        """Judge a case with the caller's budget, and record that the caller may see the verdict."""
        outcome = await replace(engine, budget=self.account).judge(case, settings)
        if self.name is not None and self.tokens is not None and not isinstance(outcome, Failure):
            self.tokens.record(self.name, Decimal(0), outcome.verdict_id)
        return outcome

    def may_see(self, verdict_id: str) -> bool:
        """Return whether the caller has received this verdict before, or may see everybody's."""
        return self.scope is None or self.tokens is None or self.tokens.was_given(self.scope, verdict_id)


# The sender of the current request, for the parts that every page shows; None until it is known.
CURRENT: ContextVar[Caller | None] = ContextVar("caller", default=None)


@dataclass(slots=True)
class Callers:
    """Everyone who may use this service. `required`: it is not open; `auth`: people sign in with their passwords.

    Who knows `setup_code` may make the first admin.
    """

    tokens: TokenStore
    users: UserStore
    sessions: SessionStore
    required: bool = False
    auth: bool = False
    setup_code: str | None = None
    hashing: HashingQueue = field(default_factory=HashingQueue)
    _accounts: dict[tuple[str, float], Account] = field(default_factory=dict)

    def known(self, bearer: str | None, cookie: str | None) -> Caller | None:
        """Return the caller with the secret in this header, or else in this cookie; None if it is not valid."""
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

    def needs_admin(self) -> bool:
        """Return whether there is no admin yet, and a code with which one can be made."""
        return self.auth and self.setup_code is not None and all(each.role != "admin" for each in self.users.listed())

    def names_with(self, role: Role) -> list[str]:
        """Return the names of the people and tokens with this role or a higher one; none on an open service."""
        known = (*(self.users.listed() if self.auth else ()), *self.tokens.listed())
        return sorted(each.name for each in known if ROLES.index(each.role) >= ROLES.index(role))

    def payer(self, name: str) -> Account | None:
        """Return the budget for a run paid by this name: that of a token, None for a person."""
        token = self.tokens.named(name)
        if token is None and self.users.named(name) is None:
            raise InputError("token", f"{name} is revoked or removed", "an admin may continue the run")
        return None if token is None else self._account(token)

    def _account(self, token: Token) -> Account:
        # All threads share one account. A later token of the same name gets another, as its creation time differs.
        account = self._accounts.setdefault((token.name, token.created), Account(token, self.tokens))
        # Another process may have spent part of the budget.
        account.spent = max(account.spent, token.spent)
        return account


async def known_caller(request: Request) -> Caller | None:
    """Return who sent this request; None without a valid token or session."""
    credentials = await _BEARER(request)
    callers: Callers = request.app.state.callers
    asked = credentials.credentials if credentials else None, cookie(request, "adjudge")
    # A session notes when it was last seen, which has to wait for other changes.
    waits = callers.tokens.database.remote or asked[1] is not None
    caller = await asyncio.to_thread(callers.known, *asked) if waits else callers.known(*asked)
    CURRENT.set(caller)
    return caller


async def caller_of(request: Request, _described: Annotated[object, Depends(_BEARER)] = None) -> Caller:
    """Return who sent this request, and count it towards the rate limit. Raise 401 for an unknown caller."""
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
    """Raise 403 if no header says which page sent this request. The guard has already refused pages of other sites."""
    if "origin" not in request.headers and request.headers.get("sec-fetch-site") != "same-origin":
        raise HTTPException(403, "origin: missing; a form must be sent from a page of this service")


def check_form(given: str | None) -> None:
    """Raise 403 if a form from a signed-in browser lacks the CSRF code that our pages put there."""
    caller = CURRENT.get()
    if caller is not None and caller.session is not None and not fits(caller.session.secret, given or ""):
        raise HTTPException(403, "csrf: missing, or from another session; reload the page and send the form again")


def _needing(role: Role) -> Callable[[Caller], Awaitable[Caller]]:
    async def needing(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
        caller.needs(role)
        return caller

    return needing


# Routes take one of these as their first parameter: callers without the role are refused before they learn anything.
CallerOf = Annotated[Caller, Depends(caller_of)]
MayLabel = Annotated[Caller, Depends(_needing("annotator"))]
MayJudge = Annotated[Caller, Depends(_needing("reviewer"))]
MayManage = Annotated[Caller, Depends(_needing("admin"))]
