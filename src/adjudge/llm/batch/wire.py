"""A wire that uses the provider's batch API: the same requests and replies as single calls, at half the price.

It has the identity of the wire it wraps, so a reply has the same key in the journal either way.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from ...errors import SetupError
from ...journal import Journal, Stored
from ...models import Failure
from ..anthropic import AnthropicWire
from ..base import FENCE_CODE, Delivery, Prompt, Sampling, Sent, WrappedWire
from ..openai import OpenAIWire
from ..retry import Answered
from .anthropic import AnthropicBatches
from .base import BatchSettings, Outcome
from .ledger import BatchLedger
from .openai import OpenAIBatches
from .queue import BatchQueue, UnreachableError

WITH_BATCHES = ("openai", "anthropic")


class BatchWire(WrappedWire):
    """One model, asked in batches."""

    def __init__(self, inner: OpenAIWire | AnthropicWire, settings: BatchSettings) -> None:
        super().__init__(inner)
        self._inner = inner
        api = AnthropicBatches if isinstance(inner, AnthropicWire) else OpenAIBatches
        self._ledger = BatchLedger(settings.ledger)
        self._queue = BatchQueue(api(inner.endpoint, inner.headers), self._ledger, settings)

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        """The reply, once its batch has ended. A parameter that the model refuses is left out of the next batch."""
        if self._inner.endpoint.needs is not None:
            raise self._inner.endpoint.needs
        if not key:
            raise ValueError("a request in a batch needs its key in the journal")
        really_sent: Sent = {}

        async def post(body: bytes, sent: Sent) -> Outcome:
            nonlocal really_sent
            # An earlier process may have asked with another code: that one comes back with the answer.
            answer = await self._queue.ask(key, body, {**sent, FENCE_CODE: prompt.code})
            really_sent = {**answer.sent, "batch": answer.batch}
            return answer.outcome

        delivery = await self._inner.send_by(post, prompt, sampling)
        return delivery if isinstance(delivery, Failure) else replace(delivery, sent=really_sent)

    async def collect(self, journal: Journal) -> int:
        """Store the replies of batches that earlier processes submitted in the journal, and return their number."""
        stored = 0
        for submission in await asyncio.to_thread(self._ledger.unfinished, self._inner.endpoint.judge):
            missing = {key: sent for key, sent in submission.sent.items() if journal.get(key) is None}
            if missing:
                try:
                    batch, outcomes = await self._queue.recover(replace(submission, sent=missing))
                except UnreachableError:
                    continue
                replies = {key: reply for key, reply in outcomes.items() if isinstance(reply, Answered)}
                await asyncio.gather(
                    *(
                        journal.put(key, Stored.now(reply.body, reply.attempts, {**missing[key], "batch": batch}))
                        for key, reply in replies.items()
                    )
                )
                stored += len(replies)
            await asyncio.to_thread(self._ledger.finish, submission.tag)
        return stored

    async def close(self) -> None:
        await self._queue.close()
        self._ledger.close()
        await super().close()


def batched(wire: OpenAIWire | AnthropicWire, spec: str, settings: BatchSettings) -> BatchWire:
    """This wire in batches, if its provider has a batch API."""
    if wire.provider not in WITH_BATCHES:
        raise no_batches(spec)
    return BatchWire(wire, settings)


def no_batches(spec: str) -> SetupError:
    """The error for a judge whose provider has no batch API."""
    return SetupError(f"{spec} has no batch API; {' and '.join(WITH_BATCHES)} have one")
