"""A budget: what a call will probably cost is reserved before it is sent, and what it did cost is settled afterwards.

A `LocalBudget` holds for one process; several processes get a share each.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, Protocol

from ..models import Usage

_ENOUGH = 10  # replies, before they say what the next one may take


class LargestReply(NamedTuple):
    """How many replies a role has had, the most tokens of one, and the most tokens a byte of its prompts."""

    replies: int = 0
    output: int = 0
    per_byte: Fraction = Fraction(0)


class SeenReplies:
    """The largest reply to each role so far, and the most tokens that a byte of its prompts took."""

    def __init__(self, roles: Mapping[tuple[str, str], LargestReply] | None = None) -> None:
        self.roles = dict(roles or {})

    def add(self, role: tuple[str, str], prompt_bytes: int, usage: Usage) -> None:
        """Another reply."""
        known = self.roles.get(role, LargestReply())
        per_byte = Fraction(usage.input_tokens, max(1, prompt_bytes))
        self.roles[role] = LargestReply(
            known.replies + 1, max(known.output, usage.output_tokens), max(known.per_byte, per_byte)
        )

    def expected(self, role: tuple[str, str], prompt_bytes: int, most_in: int, most_out: int) -> tuple[int, int]:
        """Tokens to reserve for prompt and reply: as many as the largest took, once ten replies are known."""
        known = self.roles.get(role, LargestReply())
        if known.replies < _ENOUGH:
            return most_in, most_out
        return min(most_in, -int(-known.per_byte * prompt_bytes // 1)), min(most_out, known.output)


class Budget(Protocol):
    """What a judge asks before it pays."""

    @property
    def seen(self) -> SeenReplies: ...

    async def reserve(self, estimate: Callable[[], Decimal]) -> Decimal | None:
        """Reserve what a call is expected to cost and return it; None if it is more than is left."""
        ...

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        """Replace a reservation by what was spent; None: unknown, so assume all of it was spent."""
        ...


class JointBudget:
    """Two budgets that must both allow a call: a run's own, and that of whoever the run is for."""

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
                self._own.settle(reserved, Decimal(0))
        return allowed

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        self._own.settle(reserved, spent)
        self._other.settle(reserved, spent)


class LocalBudget:
    """A spending limit. When all of it is reserved, callers wait, for most calls cost less than their reservation.

    A call may cost more than was expected of it, so the limit may be passed by what is in flight, and by no more.
    """

    def __init__(self, limit: Decimal, spent: Decimal = Decimal(0), seen: SeenReplies | None = None) -> None:
        self.limit = limit
        self.spent = spent
        self.reserved = Decimal(0)
        self.seen = seen or SeenReplies()
        self._queue: deque[tuple[Callable[[], Decimal], asyncio.Future[Decimal | None]]] = deque()

    async def reserve(self, estimate: Callable[[], Decimal]) -> Decimal | None:
        turn: asyncio.Future[Decimal | None] = asyncio.get_running_loop().create_future()
        self._queue.append((estimate, turn))
        self._grant()
        try:
            return await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self.reserved -= turn.result() or 0
            self._grant()
            raise

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        self.reserved -= reserved
        self.spent += reserved if spent is None else spent
        self._grant()

    def _grant(self) -> None:
        """Answer the callers that wait, first come first served; each by what is expected of its call now."""
        while self._queue:
            estimate, turn = self._queue[0]
            if not turn.done():
                amount = estimate()
                if self.spent + amount > self.limit:
                    turn.set_result(None)
                elif self.spent + self.reserved + amount > self.limit:
                    return  # calls in flight may still cost less than their reservations
                else:
                    self.reserved += amount
                    turn.set_result(amount)
            self._queue.popleft()
