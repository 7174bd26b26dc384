"""A short queue for hashing passwords: a hash takes 64 MB of memory and a good part of a second.

Whoever finds the queue full is told so at once, instead of waiting behind everybody who tries wrong passwords.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ..errors import AdjudgeError

AT_ONCE = 2
MAX_WAITING = 6
RETRY_SECONDS = 2


class QueueFullError(AdjudgeError):
    """As many passwords wait to be hashed as may wait."""

    def __init__(self) -> None:
        super().__init__(f"too many people are signing in at the moment; try again in {RETRY_SECONDS} s")


@dataclass(slots=True)
class HashingQueue:
    """Lets two hash at a time and a few wait."""

    _turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _taken: int = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn to hash; raise QueueFullError at once if too many wait already."""
        if self._taken >= AT_ONCE + MAX_WAITING:
            raise QueueFullError
        self._taken += 1
        try:
            async with self._turns:
                yield
        finally:
            self._taken -= 1
