"""Polls a batch until it has ended, with a growing pause, and finds a batch whose id never reached us.

An error on the way never means that a batch does not exist: what was submitted is paid, so we ask again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from ...models import Failure
from ..http import refusal_as_failure
from ..retry import Endpoint, Refused
from .base import BatchApi, BatchSettings, EndedBatch, LostBatch, Outcome
from .ledger import BatchLedger, Submission

T = TypeVar("T")

_GROWTH = 1.5
_MAX_FAILURES = 20  # in a row, each of them after several attempts


class UnreachableError(Exception):
    """The provider cannot be asked what came of a batch; the ledger keeps it for later."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


@dataclass(frozen=True, slots=True)
class BatchResults:
    """The outcomes of a batch; a request that is not among them has no answer for the reason in `otherwise`."""

    outcomes: dict[str, Outcome]
    otherwise: Failure
    queue_full: bool = False

    def of(self, key: str) -> Outcome:
        return self.outcomes.get(key, self.otherwise)


@dataclass(frozen=True, slots=True)
class Poller:
    """Polls the batches of one judge."""

    api: BatchApi
    ledger: BatchLedger
    settings: BatchSettings
    endpoint: Endpoint

    async def results(self, batch: str, *, wait: bool = True) -> BatchResults | None:
        """The results, once the batch has ended; without `wait`, None if it has not."""
        ended: EndedBatch | None = None
        pause = self.settings.poll
        while ended is None:
            ended = await self._persist(lambda: self.api.look(batch))
            if ended is None:
                if not wait:
                    return None
                await asyncio.sleep(pause * random.uniform(0.8, 1.0))
                pause = min(pause * _GROWTH, self.settings.longest_poll)
        done = ended
        outcomes = await self._persist(lambda: self.api.results(done))
        message = f"batch {batch} has no answer to this request"
        missing = Failure(reason="server_error", message=message, judge=self.endpoint.judge)
        return BatchResults(outcomes, done.failure or missing, done.queue_full)

    async def locate(self, submission: Submission) -> str | None:
        """The id of a batch that may have been submitted; None if it was not."""
        lost = LostBatch(submission.tag, submission.requests, submission.prepared_at, self.ledger.batch_ids())
        for candidate in await self._persist(lambda: self.api.find(lost)):
            if self.api.has_tags:
                return candidate
            results = await self.results(candidate)
            if results is not None and results.outcomes.keys() & submission.sent.keys():
                return candidate
        return None

    async def _persist(self, ask: Callable[[], Awaitable[T | Refused | Failure]]) -> T:
        """Ask until there is an answer, or the provider refuses or stays away."""
        pause = self.settings.poll
        for failures in range(1, _MAX_FAILURES + 1):
            answer = await ask()
            if isinstance(answer, Refused):
                raise UnreachableError(refusal_as_failure(answer, self.endpoint))
            if not isinstance(answer, Failure):
                return answer
            if failures == _MAX_FAILURES:
                raise UnreachableError(answer)
            await asyncio.sleep(pause)
            pause = min(pause * _GROWTH, self.settings.longest_poll)
        raise AssertionError("unreachable")
