"""Who is asking: the bearer token of a request, its rate, its budget, and what of the service is its own.

Without any token the service is open, which it may be on this machine only. From the first token on, until it is
started anew, every caller needs one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Annotated, TypeVar

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPBearer

from ..engine import Engine
from ..judges.budget import LocalBudget, SeenReplies
from ..models import ComparisonVerdict, DialogueVerdict, Failure, ReviewVerdict
from .tokens import Token, Tokens

V = TypeVar("V", ComparisonVerdict, DialogueVerdict, ReviewVerdict)

_BEARER = HTTPBearer(
    auto_error=False, scheme_name="token", description="`adjudge token add NAME` makes one; needed once there is any."
)


@dataclass(slots=True)
class _Account:
    """What this process remembers of a token: its budget, and how many requests it has left at a moment."""

    token: Token
    budget: LocalBudget | None
    left: float
    at: float

    def seconds_to_wait(self) -> int:
        """0 if one more request is within the rate, and then it is counted; a minute's worth may come at once."""
        rate, now = self.token.rate, time.monotonic()
        if rate is None:
            return 0
        self.left = min(rate, self.left + (now - self.at) * rate / 60)
        self.at = now
        if self.left < 1:
            return math.ceil((1 - self.left) * 60 / rate)
        self.left -= 1
        return 0


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
class Caller:
    """One who asks; without a name the service is open and everything is everybody's."""

    name: str | None = None
    budget: LocalBudget | None = None
    tokens: Tokens | None = None

    async def judged(self, engine: Engine, work: Callable[[Engine], Awaitable[V | Failure]]) -> V | Failure:
        """What comes of a judgment, paid from the caller's budget; the verdict is the caller's from now on."""
        if self.name is None or self.tokens is None:
            return await work(engine)
        # A token without a limit is charged too, so that its list shows what it has spent.
        metered = Metered(self.budget or LocalBudget(Decimal("Infinity")))
        verdict_id = None
        try:
            outcome = await work(replace(engine, budget=metered))
            verdict_id = None if isinstance(outcome, Failure) else outcome.verdict_id
            return outcome
        finally:
            self.tokens.record(self.name, metered.paid, verdict_id)

    def may_see(self, verdict_id: str) -> bool:
        """Whether a verdict is the caller's."""
        return self.name is None or self.tokens is None or self.tokens.was_given(self.name, verdict_id)


@dataclass(slots=True)
class Callers:
    """All who ask this service. `required`: there is no open service, whatever tokens there are."""

    tokens: Tokens | None = None
    required: bool = False
    _accounts: dict[str, _Account] = field(default_factory=dict)

    def known(self, secret: str | None) -> Caller | None:
        """Who has this secret; None for a stranger."""
        if self.tokens is None:
            return Caller()
        self.required = self.required or bool(self.tokens.listed())
        if not self.required:
            return Caller()
        token = self.tokens.find(secret) if secret else None
        if token is None:
            return None
        account = self._account(token)
        return Caller(token.name, account.budget, self.tokens)

    def seconds_to_wait(self, caller: Caller) -> int:
        """How long a caller who asks too often has to wait."""
        return 0 if caller.name is None else self._accounts[caller.name].seconds_to_wait()

    def _account(self, token: Token) -> _Account:
        known = self._accounts.get(token.name)
        if known is None or known.token.created != token.created:
            budget = None if token.budget is None else LocalBudget(token.budget, token.spent)
            known = self._accounts[token.name] = _Account(token, budget, float(token.rate or 0), time.monotonic())
        elif known.budget is not None:
            # Another process may have spent some of it.
            known.budget.spent = max(known.budget.spent, token.spent)
        return known


async def known_caller(request: Request) -> Caller | None:
    """Who sent this request; None for a stranger."""
    credentials = await _BEARER(request)
    callers: Callers = request.app.state.callers
    return callers.known(credentials.credentials if credentials else None)


async def _caller_of(request: Request, _described: Annotated[object, Depends(_BEARER)]) -> Caller:
    caller = await known_caller(request)
    if caller is None:
        needed = "authorization: a valid token is needed, as in `Authorization: Bearer TOKEN`"
        raise HTTPException(401, needed, {"www-authenticate": 'Bearer realm="adjudge"'})
    if wait := request.app.state.callers.seconds_to_wait(caller):
        raise HTTPException(429, f"rate: too many requests with this token; wait {wait} s", {"retry-after": str(wait)})
    return caller


CallerOf = Annotated[Caller, Depends(_caller_of)]
