"""Following a batch at its provider until it is done, with a growing pause; and finding one whose number is not known.

Trouble on the way never means that a batch is not there: what was handed in is paid, and is asked for again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from ....verdicts import Failure
from ..adapting import refusal_as_failure
from ..http import Poster, Refused
from .base import BatchApi, BatchSettings, Ended, Outcome, Wanted
from .ledger import Entry, Ledger

T = TypeVar("T")

_GROWTH = 1.5
_MISSES = 20  # in a row, each of them tried several times


class UnreachableError(Exception):
    """The provider cannot be asked what became of a batch; the ledger keeps it for later."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


@dataclass(frozen=True, slots=True)
class Results:
    """What came of a batch; a question that is not among them has no answer for the reason in `otherwise`."""

    outcomes: dict[str, Outcome]
    otherwise: Failure
    no_room: bool = False

    def of(self, key: str) -> Outcome:
        return self.outcomes.get(key, self.otherwise)


@dataclass(frozen=True, slots=True)
class Follower:
    """Follows the batches of one judge."""

    api: BatchApi
    ledger: Ledger
    settings: BatchSettings
    poster: Poster

    async def results(self, batch: str, *, wait: bool = True) -> Results | None:
        """What came of it, once it is done; without `wait` None if it is not."""
        ended: Ended | None = None
        pause = self.settings.poll
        while ended is None:
            ended = await self._surely(lambda: self.api.look(batch))
            if ended is None:
                if not wait:
                    return None
                await asyncio.sleep(pause * random.uniform(0.8, 1.0))
                pause = min(pause * _GROWTH, self.settings.longest_poll)
        done = ended
        outcomes = await self._surely(lambda: self.api.results(done))
        message = f"batch {batch} brought no answer to it"
        nothing = Failure(reason="server_error", message=message, judge=self.poster.judge)
        return Results(outcomes, done.failure or nothing, done.no_room)

    async def locate(self, entry: Entry) -> str | None:
        """The number of a batch that was perhaps handed in; None if it was not."""
        wanted = Wanted(entry.tag, entry.questions, entry.prepared_at, self.ledger.numbers())
        found = await self._surely(lambda: self.api.find(wanted))
        for candidate in found:
            if self.api.tags:
                return candidate
            results = await self.results(candidate)
            if results is not None and results.outcomes.keys() & entry.sent.keys():
                return candidate
        return None

    async def _surely(self, ask: Callable[[], Awaitable[T | Refused | Failure]]) -> T:
        """An answer, however often the way there is broken."""
        pause = self.settings.poll
        for miss in range(1, _MISSES + 1):
            answer = await ask()
            if isinstance(answer, Refused):
                raise UnreachableError(refusal_as_failure(answer, self.poster))
            if not isinstance(answer, Failure):
                return answer
            if miss == _MISSES:
                raise UnreachableError(answer)
            await asyncio.sleep(pause)
            pause = min(pause * _GROWTH, self.settings.longest_poll)
        raise AssertionError("unreachable")
