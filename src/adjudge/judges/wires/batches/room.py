"""A provider takes only so many tokens in batches at once. Who found no room waits here, until a batch of ours ends or
for a while that grows: others may fill the queue too.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

TRIES = 12
_LONGEST = 12  # times the longest pause between two looks: handing in is more work than looking


@dataclass(slots=True)
class Stay:
    """A batch of ours at the provider; one that found no room frees none when it goes."""

    found_room: bool = True


@dataclass(slots=True)
class Room:
    """The batches of one desk that are at the provider, and those that wait to be."""

    first_pause: float
    longest_pause: float
    _inside: int = 0
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    @property
    def is_ours(self) -> bool:
        """Whether batches of ours are there, so that room will come."""
        return self._inside > 0

    @contextmanager
    def taken(self) -> Iterator[Stay]:
        """While a batch is at the provider."""
        stay = Stay()
        self._inside += 1
        try:
            yield stay
        finally:
            self._inside -= 1
            if stay.found_room and self._waiting:
                # One at a time: what became free is room for about as much again.
                self._waiting.popleft().set_result(None)

    async def wait(self, tries: int) -> bool:
        """Until somebody may try again; True if a batch of ours has ended."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await asyncio.wait([turn], timeout=self.pause(tries))
            return turn.done()
        finally:
            if turn in self._waiting:
                self._waiting.remove(turn)

    def pause(self, tries: int) -> float:
        """How long to wait after so many tries in vain."""
        return min(self.first_pause * 2.0**tries, _LONGEST * self.longest_pause)
