"""Turns at the processor, for a run that has a hundred cases under way.

A case is worked on in pieces: asked for, read, decided, written. The same piece of many cases is done one after
another, which finds its code and data in the processor's caches; and what can be sent goes out before it begins, for
whoever read every reply at once would keep the provider waiting for the next questions.
"""

from __future__ import annotations

import asyncio
from collections import deque

_AT_ONCE = 32  # pieces between two looks at the network: a few milliseconds


class Turns:
    """The pieces of work that wait on one event loop, first come first served."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        """Wait until it is this piece's turn."""
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[None] = loop.create_future()
        self._waiting.append(mine)
        if len(self._waiting) == 1:
            # Once round the loop: who got room by what was just done sends first.
            loop.call_soon(loop.call_soon, self._next)
        await mine

    def _next(self) -> None:
        for _ in range(min(_AT_ONCE, len(self._waiting))):
            one = self._waiting.popleft()
            if not one.done():
                one.set_result(None)
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next)


async def turn(turns: Turns | None) -> None:
    """Wait for a turn, where there are turns: who judges one case goes on at once."""
    if turns is not None:
        await turns.take()
