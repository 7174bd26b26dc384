"""Budgets: reserve the probable cost of a call before it is sent, and settle its real cost afterwards.

A `LocalBudget` limits one process. Several processes get a share each.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import NamedTuple, Protocol

from ..models.common import Usage

_ENOUGH = 10  # replies seen before we predict the size of the next one


class LargestReply(NamedTuple):
    """How many replies a role has had, the most tokens in one, and the most tokens per byte of its prompts."""

    replies: int = 0
    output: int = 0
    per_byte: Fraction = Fraction(0)


class SeenReplies:
    """The largest reply to each role so far, and the most tokens per byte of its prompts."""

    def __init__(self, roles: Mapping[tuple[str, str], LargestReply] | None = None) -> None:
        self.roles = dict(roles or {})

    def add(self, role: tuple[str, str], prompt_bytes: int, usage: Usage) -> None:
        """Record the token usage of a reply."""
        known = self.roles.get(role, LargestReply())
        per_byte = Fraction(usage.input_tokens, max(1, prompt_bytes))
        self.roles[role] = LargestReply(
            known.replies + 1, max(known.output, usage.output_tokens), max(known.per_byte, per_byte)
        )

    def expected(self, role: tuple[str, str], prompt_bytes: int, most_in: int, most_out: int) -> tuple[int, int]:
        """Return the tokens to reserve for prompt and reply: as many as the largest took, once ten are known."""
        known = self.roles.get(role, LargestReply())
        if known.replies < _ENOUGH:
            return most_in, most_out
        return min(most_in, -int(-known.per_byte * prompt_bytes // 1)), min(most_out, known.output)


class Budget(Protocol):
    """A spending limit that a judge consults before each paid call."""

    @property
    def seen(self) -> SeenReplies: ...

    async def reserve(self, estimate: Callable[[], Decimal]) -> Decimal | None:
        """Reserve the expected cost of a call and return it, or return None if it is more than is left."""
        ...

    def settle(self, reserved: Decimal, spent: Decimal | None, replied: bool = True) -> None:
        """Replace a reservation by what was spent. None means unknown: assume that all of it was spent.

        A call without a reply does not count towards a limit on calls.
        """
        ...

    def charge(self, spent: Decimal) -> None:
        """Add what a killed process paid for a reply, now that it is known."""
        ...


class JointBudget:
    """Two budgets that must both allow a call: the run's own, and that of the person who pays for the run."""

    def __init__(self, own: LocalBudget, other: Budget) -> None:
        self._own, self._other = own, other

    @property
    def seen(self) -> SeenReplies:
        return self._own.seen

    async def reserve(self, estimate: Callable[[], Decimal]) -> Decimal | None:
        reserved = await self._own.reserve(estimate)
        if reserved is None:
            return None
        allowed = None
        try:
            allowed = await self._other.reserve(lambda: reserved)
        finally:
            if allowed is None:
                self._own.settle(reserved, Decimal(0), replied=False)
        return allowed

    def settle(self, reserved: Decimal, spent: Decimal | None, replied: bool = True) -> None:
        for budget in (self._own, self._other):
            budget.settle(reserved, spent, replied)

    def charge(self, spent: Decimal) -> None:
        for budget in (self._own, self._other):
            budget.charge(spent)


class LocalBudget:
    """A limit on dollars and on calls. When all is reserved, callers wait: most calls cost less than their reservation.

    A call may cost more than expected, so calls in flight can exceed the limit, but no new call starts above it.
    """

    def __init__(
        self, limit: Decimal, spent: Decimal = Decimal(0), seen: SeenReplies | None = None, calls: int | None = None
    ) -> None:
        self.limit = limit
        self.spent = spent
        self.reserved = Decimal(0)
        self.seen = seen or SeenReplies()
        self._calls: float = inf if calls is None else calls  # allowed beyond those in flight
        self._in_flight = 0
        self._queue: deque[tuple[Callable[[], Decimal], asyncio.Future[Decimal | None]]] = deque()

    async def reserve(self, estimate: Callable[[], Decimal]) -> Decimal | None:
        turn: asyncio.Future[Decimal | None] = asyncio.get_running_loop().create_future()
        self._queue.append((estimate, turn))
        self._grant()
        try:
            return await turn
        except BaseException:
            if turn.done() and not turn.cancelled() and (granted := turn.result()) is not None:
                self.settle(granted, Decimal(0), replied=False)
            self._grant()
            raise

    def settle(self, reserved: Decimal, spent: Decimal | None, replied: bool = True) -> None:
        self.reserved -= reserved
        self._in_flight -= 1
        self._calls += not replied
        self.charge(reserved if spent is None else spent)

    def charge(self, spent: Decimal) -> None:
        self.spent += spent
        self._grant()

    def _grant(self) -> None:
        """Answer the waiting callers, first come first served, each by the present estimate of its call's cost."""
        while self._queue:
            estimate, turn = self._queue[0]
            if not turn.done():
                amount = estimate()
                # A call without a price is not limited by dollars.
                if (amount and self.spent + amount > self.limit) or self._calls + self._in_flight < 1:
                    turn.set_result(None)
                elif (amount and self.spent + self.reserved + amount > self.limit) or self._calls < 1:
                    return  # wait: calls in flight may cost less than their reservations, or fail
                else:
                    self.reserved += amount
                    self._in_flight += 1
                    self._calls -= 1
                    turn.set_result(amount)
            self._queue.popleft()
