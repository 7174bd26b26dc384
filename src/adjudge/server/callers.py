"""Who is asking: the bearer token of a request, its rate, its budget, and what of the service is its own.

Without any token the service is open, which it may be on this machine only. From the first token on, until it is
started anew, every caller needs one.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from time import monotonic
from typing import Annotated, Literal, TypeVar, get_args

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPBearer

from ..engine import Engine
from ..errors import InputError
from ..judges.budget import Budget, LocalBudget, SeenReplies
from ..models import ComparisonVerdict, DialogueVerdict, Failure, ReviewVerdict
from .tokens import Token, TokenStore

Role = Literal["viewer", "annotator", "reviewer", "admin"]  # each may do all that those before it may

V = TypeVar("V", ComparisonVerdict, DialogueVerdict, ReviewVerdict)

_BEARER = HTTPBearer(
    auto_error=False, scheme_name="token", description="`adjudge token add NAME` makes one; needed once there is any."
)


@dataclass(slots=True)
class Metered:
    """A budget as one request sees it: the token's, and beside it what this request has paid."""

    budget: LocalBudget
    paid: Decimal = Decimal(0)

    @property
    def seen(self) -> SeenReplies:
        return self.budget.seen

    async def reserve(self, estimate: Callable[[], Decimal]) -> Decimal | None:
        return await self.budget.reserve(estimate)

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        self.paid += reserved if spent is None else spent
        self.budget.settle(reserved, spent)


@dataclass(frozen=True, slots=True)
class Charged:
    """A token's budget as a run sees it: what each call costs is kept at once, for a run may outlive this process."""

    budget: LocalBudget
    record: Callable[[Decimal], None]

    @property
    def seen(self) -> SeenReplies:
        return self.budget.seen

    async def reserve(self, estimate: Callable[[], Decimal]) -> Decimal | None:
        return await self.budget.reserve(estimate)

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        self.budget.settle(reserved, spent)
        self.record(reserved if spent is None else spent)


@dataclass(slots=True)
class Caller:
    """One who asks, as this process knows him; without a token the service is open and everything is everybody's."""

    tokens: TokenStore | None = None
    token: Token | None = None
    budget: LocalBudget = field(default_factory=lambda: LocalBudget(Decimal("Infinity")))
    role: Role = "admin"
    _left: float = 0.0  # requests within the rate, at that moment
    _at: float = 0.0

    @property
    def name(self) -> str | None:
        """The token's."""
        return self.token.name if self.token else None

    @property
    def person(self) -> str:
        """Under which name labels and decisions of this caller are kept; an open service has one person."""
        return self.name or "local"

    def may(self, role: Role) -> bool:
        """Whether the caller may do what this role may."""
        ranks = get_args(Role)
        return ranks.index(self.role) >= ranks.index(role)

    def needs(self, role: Role) -> None:
        """Refuse a caller whose role may not do this."""
        if not self.may(role):
            raise HTTPException(403, f"role: {self.person} is {self.role}; this needs {role}")

    async def judged(self, engine: Engine, work: Callable[[Engine], Awaitable[V | Failure]]) -> V | Failure:
        """What comes of a judgment, paid from the caller's budget; the verdict is the caller's from now on."""
        if self.token is None or self.tokens is None:
            return await work(engine)
        metered, verdict_id = Metered(self.budget), None
        try:
            outcome = await work(replace(engine, budget=metered))
            verdict_id = None if isinstance(outcome, Failure) else outcome.verdict_id
            return outcome
        finally:
            self.tokens.record(self.token.name, metered.paid, verdict_id)

    def may_see(self, verdict_id: str) -> bool:
        """Whether the caller was answered with this verdict."""
        return self.token is None or self.tokens is None or self.tokens.was_given(self.token.name, verdict_id)

    def seconds_to_wait(self) -> int:
        """0 if one more request is within the rate, and then it is counted; a minute's worth may come at once."""
        if self.token is None or self.token.rate is None:
            return 0
        rate, now = self.token.rate, monotonic()
        self._left = min(rate, self._left + (now - self._at) * rate / 60) if self._at else rate
        self._at = now
        if self._left < 1:
            return math.ceil((1 - self._left) * 60 / rate)
        self._left -= 1
        return 0


@dataclass(slots=True)
class Callers:
    """All who ask this service. `required`: there is no open service, whatever tokens there are."""

    tokens: TokenStore | None = None
    required: bool = False
    _known: dict[str, Caller] = field(default_factory=dict)

    def known(self, secret: str | None) -> Caller | None:
        """Who has this secret; None for a stranger."""
        self.required = self.required or (self.tokens is not None and bool(self.tokens.listed()))
        if not self.required:
            return Caller()
        token = self.tokens.find(secret) if self.tokens and secret else None
        return None if token is None else self._of(token)

    def payer(self, name: str) -> Budget:
        """The budget of the token of this name, for a run of its owner's."""
        tokens = self.tokens
        token = next((token for token in tokens.listed() if token.name == name), None) if tokens else None
        if token is None or tokens is None:
            raise InputError("token", f"{name} is revoked", "a run needs the token of its owner")
        return Charged(self._of(token).budget, lambda paid: tokens.record(name, paid, None))

    def _of(self, token: Token) -> Caller:
        caller = self._known.get(token.name)
        if caller is None or caller.token is None or caller.token.created != token.created:
            # A token without a limit is charged too: its list shows what it has spent.
            limit = Decimal("Infinity") if token.budget is None else token.budget
            caller = self._known[token.name] = Caller(self.tokens, token, LocalBudget(limit))
        # Another process may have spent some of it.
        caller.budget.spent = max(caller.budget.spent, token.spent)
        return caller


async def known_caller(request: Request) -> Caller | None:
    """Who sent this request; None for a stranger."""
    credentials = await _BEARER(request)
    callers: Callers = request.app.state.callers
    return callers.known(credentials.credentials if credentials else None)


async def caller_of(request: Request, _described: Annotated[object, Depends(_BEARER)] = None) -> Caller:
    """Who sent this request, which counts towards the rate; strangers are refused."""
    caller = await known_caller(request)
    if caller is None:
        needed = "authorization: a valid token is needed, as in `Authorization: Bearer TOKEN`"
        raise HTTPException(401, needed, {"www-authenticate": 'Bearer realm="adjudge"'})
    if wait := caller.seconds_to_wait():
        raise HTTPException(429, f"rate: too many requests with this token; wait {wait} s", {"retry-after": str(wait)})
    return caller


CallerOf = Annotated[Caller, Depends(caller_of)]
