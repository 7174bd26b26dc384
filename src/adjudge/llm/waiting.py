"""A task that waits for a value from another task, which may run on the event loop of another thread."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

T = TypeVar("T")


class Waiter(Generic[T]):
    """One waiting task; `cancelled` once it has stopped waiting. A queue of them is guarded by its owner's lock."""

    __slots__ = ("_future", "cancelled", "loop")

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._future: asyncio.Future[T] = self.loop.create_future()
        self.cancelled = False

    def resolve(self, value: T) -> bool:
        """Wake the task with this value; False if its loop has ended."""
        if self.loop is running_loop():
            self._set(value)
            return True
        try:
            self.loop.call_soon_threadsafe(self._set, value)
        except RuntimeError:
            self.cancelled = True
        return not self.cancelled

    async def wait(self) -> T:
        """The value, once it is there."""
        return await self._future

    def _set(self, value: T) -> None:
        if not self._future.done():
            self._future.set_result(value)


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop of this thread, if one runs."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
