"""Somebody who waits to be told something by another task, perhaps of another event loop on another thread.

What is told, and who may go first, is the business of those who keep the queue, under a lock of their own.
"""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

T = TypeVar("T")


class Waiter(Generic[T]):
    """One waiting task; `gone` once it has given up."""

    __slots__ = ("_future", "gone", "loop")

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._future: asyncio.Future[T] = self.loop.create_future()
        self.gone = False

    def tell(self, value: T) -> bool:
        """Wake it; False if its loop has ended and nobody will ever hear this."""
        if self.loop is running_loop():
            self._hear(value)
            return True
        try:
            self.loop.call_soon_threadsafe(self._hear, value)
        except RuntimeError:
            self.gone = True
        return not self.gone

    async def told(self) -> T:
        """Wait for it."""
        return await self._future

    def _hear(self, value: T) -> None:
        if not self._future.done():
            self._future.set_result(value)


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop of this thread, if one runs."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
