"""A wire that asks through the provider's batch API instead: the same questions, the same replies, half the price.

It speaks as the wire it wraps, so that a reply has the same key in the journal whichever way it came.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ....errors import SetupError
from ....journal import Journal, Stored
from ....verdicts import Failure
from ...roles.base import Prompt
from ..adapting import Sent
from ..anthropic import AnthropicWire
from ..base import Completion, Delivery, Sampling
from ..http import Answered
from ..openai import OpenAIWire
from .anthropic import AnthropicBatches
from .base import BatchApi, BatchSettings, Outcome
from .desk import Desk
from .following import Follower, UnreachableError
from .ledger import Entry, Ledger
from .openai import OpenAIBatches

WITH_BATCHES = ("openai", "anthropic")
_AT_ONCE = 500


class BatchWire:
    """One model, asked in batches."""

    def __init__(self, inner: OpenAIWire | AnthropicWire, settings: BatchSettings) -> None:
        self._inner = inner
        api: BatchApi = (
            AnthropicBatches(inner.poster, inner.headers)
            if isinstance(inner, AnthropicWire)
            else OpenAIBatches(inner.poster, inner.headers)
        )
        self._ledger = Ledger(settings.ledger)
        self._follower = Follower(api, self._ledger, settings, inner.poster)
        self._desks: dict[asyncio.AbstractEventLoop, Desk] = {}

    @property
    def provider(self) -> str:
        return self._inner.provider

    @property
    def model(self) -> str:
        return self._inner.model

    def identity(self) -> Mapping[str, Any]:
        return self._inner.identity()

    def decode(self, body: bytes) -> Completion:
        return self._inner.decode(body)

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        """The reply, when the batch it is in is done. A refusal that names what it does not take is met as ever."""
        if self._inner.poster.needs is not None:
            raise self._inner.poster.needs
        if not key:
            raise ValueError("a question in a batch is named by its key in the journal")
        loop = asyncio.get_running_loop()
        if loop not in self._desks:
            self._desks = {other: desk for other, desk in self._desks.items() if not other.is_closed()}
            self._desks[loop] = Desk(self._follower)
        desk = self._desks[loop]
        really: Sent = {}

        async def post(body: bytes, sent: Sent) -> Outcome:
            nonlocal really
            told = await desk.ask(key, body, sent)
            really = {**told.sent, "batch": told.batch}
            return told.outcome

        delivery = await self._inner.send_by(post, prompt, sampling)
        return delivery if isinstance(delivery, Failure) else replace(delivery, sent=really)

    async def collect(self, journal: Journal, *, wait: bool = True) -> int:
        """Put the replies of earlier processes' batches into the journal; how many there were.

        It waits for batches that are not done; without `wait` those are left to whoever asks their questions.
        """
        kept = 0
        for entry in await asyncio.to_thread(self._ledger.open_entries, self._inner.poster.judge):
            missing = {key: sent for key, sent in entry.sent.items() if journal.get(key) is None}
            if missing:
                try:
                    stored = await self._collect(replace(entry, sent=missing), journal, wait)
                except UnreachableError:
                    continue
                if stored is None:
                    continue
                kept += stored
            await asyncio.to_thread(self._ledger.over, entry.tag)
        return kept

    async def _collect(self, entry: Entry, journal: Journal, wait: bool) -> int | None:
        batch = entry.batch or await self._follower.locate(entry)
        if batch is None:
            return 0
        if entry.batch is None:
            await asyncio.to_thread(self._ledger.submitted, entry.tag, batch)
        results = await self._follower.results(batch, wait=wait)
        if results is None:
            return None
        at = round(time.time(), 3)
        replies = [
            (key, Stored(outcome.body, at, outcome.attempts, {**sent, "batch": batch}))
            for key, sent in entry.sent.items()
            if isinstance(outcome := results.of(key), Answered)
        ]
        for start in range(0, len(replies), _AT_ONCE):
            await asyncio.gather(*(journal.put(key, stored) for key, stored in replies[start : start + _AT_ONCE]))
        return len(replies)

    async def close(self) -> None:
        for desk in [self._desks.pop(loop) for loop in list(self._desks) if loop is asyncio.get_running_loop()]:
            await desk.close()
        self._ledger.close()
        await self._inner.close()


def batched(wire: OpenAIWire | AnthropicWire, spec: str, settings: BatchSettings) -> BatchWire:
    """This wire in batches, if its provider has them."""
    if wire.provider not in WITH_BATCHES:
        raise no_batches(spec)
    return BatchWire(wire, settings)


def no_batches(spec: str) -> SetupError:
    """What to say of a judge that cannot be asked in batches."""
    return SetupError(f"{spec} cannot be asked in batches; {' and '.join(WITH_BATCHES)} can")
