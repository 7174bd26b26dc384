"""A budget: the most that a call can cost is reserved before it is sent, and what it did cost is settled afterwards.

A `LocalBudget` holds for one process; several processes get a share each.
"""

from __future__ import annotations

import threading
from collections import deque
from decimal import Decimal
from typing import Protocol

from ..llm.waiting import Waiter


class Budget(Protocol):
    """What a judge asks before it pays."""

    async def reserve(self, at_most: Decimal) -> bool:
        """Reserve this much; False if it is more than is left."""
        ...

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        """Replace a reservation by what was spent; None: unknown, so assume all of it was spent."""
        ...


class LocalBudget:
    """A spending limit. When all of it is reserved, callers wait, for most calls cost less than their reservation.

    Spending never exceeds the limit as long as no call costs more than its reservation.
    """

    def __init__(self, limit: Decimal, spent: Decimal = Decimal(0)) -> None:
        self.limit = limit
        self._spent = spent
        self._reserved = Decimal(0)
        self._queue: deque[tuple[Decimal, Waiter[bool]]] = deque()
        self._granted: set[Waiter[bool]] = set()
        self._lock = threading.Lock()

    @property
    def spent(self) -> Decimal:
        """What has been spent so far."""
        return self._spent

    @property
    def reserved(self) -> Decimal:
        """What is reserved for calls in flight."""
        return self._reserved

    async def reserve(self, at_most: Decimal) -> bool:
        with self._lock:
            if self._spent + at_most > self.limit:
                return False
            if not self._queue and self._spent + self._reserved + at_most <= self.limit:
                self._reserved += at_most
                return True
            waiter: Waiter[bool] = Waiter()
            self._queue.append((at_most, waiter))
            self._grant()
        try:
            granted = await waiter.wait()
        except BaseException:
            with self._lock:
                waiter.cancelled = True
                if waiter in self._granted:
                    self._granted.discard(waiter)
                    self._reserved -= at_most
                self._grant()
            raise
        with self._lock:
            self._granted.discard(waiter)
        return granted

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        with self._lock:
            self._reserved -= reserved
            self._spent += reserved if spent is None else spent
            self._grant()

    def _grant(self) -> None:
        """Answer the callers that wait, first come first served. Called with the lock held."""
        while self._queue:
            at_most, waiter = self._queue[0]
            if not waiter.cancelled:
                if self._spent + at_most > self.limit:
                    waiter.resolve(False)
                elif self._spent + self._reserved + at_most > self.limit:
                    return  # calls in flight may still cost less than their reservations
                elif waiter.resolve(True):
                    self._reserved += at_most
                    self._granted.add(waiter)
            self._queue.popleft()
