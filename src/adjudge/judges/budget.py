"""Money that must not be passed: what a call may cost is set aside before it is sent, what it cost is settled after.

A purse holds for one process. Whoever spends in several gives each a share of its own.
"""

from __future__ import annotations

import threading
from collections import deque
from decimal import Decimal
from typing import Protocol

from .waiting import Waiter


class Budget(Protocol):
    """Where a judge asks before it pays."""

    async def reserve(self, at_most: Decimal) -> bool:
        """Set this much aside; False if the money is used up."""
        ...

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        """Give a reservation back for what was really spent; None: nobody knows, so all of it counts."""
        ...


class Purse:
    """So much money and no more. Whoever comes when all of it is set aside waits: calls mostly cost less than they may.

    What is spent never passes the limit as long as no call costs more than was set aside for it.
    """

    def __init__(self, limit: Decimal, spent: Decimal = Decimal(0)) -> None:
        self.limit = limit
        self._spent = spent
        self._reserved = Decimal(0)
        self._queue: deque[tuple[Decimal, Waiter[bool]]] = deque()
        self._granted: set[Waiter[bool]] = set()
        self._guard = threading.Lock()

    @property
    def spent(self) -> Decimal:
        """What was settled so far."""
        return self._spent

    @property
    def reserved(self) -> Decimal:
        """What is set aside for calls in flight."""
        return self._reserved

    async def reserve(self, at_most: Decimal) -> bool:
        with self._guard:
            if self._spent + at_most > self.limit:
                return False
            if not self._queue and self._spent + self._reserved + at_most <= self.limit:
                self._reserved += at_most
                return True
            waiter: Waiter[bool] = Waiter()
            self._queue.append((at_most, waiter))
            self._look()
        try:
            told = await waiter.told()
        except BaseException:
            with self._guard:
                waiter.gone = True
                if waiter in self._granted:
                    self._granted.discard(waiter)
                    self._reserved -= at_most
                self._look()
            raise
        with self._guard:
            self._granted.discard(waiter)
        return told

    def settle(self, reserved: Decimal, spent: Decimal | None) -> None:
        with self._guard:
            self._reserved -= reserved
            self._spent += reserved if spent is None else spent
            self._look()

    def _look(self) -> None:
        """Tell those who wait what can be told, first come first served. Under the guard."""
        while self._queue:
            at_most, waiter = self._queue[0]
            if not waiter.gone:
                if self._spent + at_most > self.limit:
                    waiter.tell(False)
                elif self._spent + self._reserved + at_most > self.limit:
                    return  # what is in flight may still cost less than it was given
                elif waiter.tell(True):
                    self._reserved += at_most
                    self._granted.add(waiter)
            self._queue.popleft()
