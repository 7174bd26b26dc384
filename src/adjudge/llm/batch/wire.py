"""A wire that uses the provider's batch API: the same requests and replies as single calls, at half the price.

It has the identity of the wire it wraps, so a reply has the same key in the journal either way.

A batch is submitted when it is full or no request was added for a while. We record it in the ledger, submit it, record
its id, and give each caller its answer when it has ended. After an error the batch may exist all the same and is paid,
so we look for it instead of submitting it again. A batch that the provider's queue had no space for was never accepted
and is not paid, so it is submitted again as a new one.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ...errors import SetupError
from ...journal import Journal, Stored
from ...models.common import Failure
from ..anthropic import AnthropicWire
from ..base import FENCE_CODE, Delivery, Prompt, Sampling, Sent, WrappedWire
from ..openai import OpenAIWire
from .anthropic import AnthropicBatches
from .base import BatchApi, BatchError, BatchResults, BatchSettings, Outcome
from .ledger import BatchLedger, Submission
from .openai import OpenAIBatches

WITH_BATCHES = ("openai", "anthropic")
MAX_RESUBMISSIONS = 12
_SMALLEST_HALF = 8  # requests
_LONGEST_PAUSE = 12  # times the longest pause between two polls, because submitting is more work than polling
_GROWTH = 1.5
_MAX_FAILURES = 20  # in a row, each of them after several attempts

T = TypeVar("T")
_log = logging.getLogger("adjudge.batches")


@dataclass(slots=True)
class PendingRequest:
    """A request without an answer yet, and how many callers wait for it."""

    line: bytes
    sent: Sent
    answer: asyncio.Future[Outcome] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    callers: int = 0


Requests = dict[str, PendingRequest]


class BatchWire(WrappedWire):
    """One model, asked in batches."""

    def __init__(self, inner: OpenAIWire | AnthropicWire, settings: BatchSettings) -> None:
        super().__init__(inner)
        self._inner, self._settings = inner, settings
        self._judge = inner.endpoint.judge
        api = AnthropicBatches if isinstance(inner, AnthropicWire) else OpenAIBatches
        self._api: BatchApi = api(inner.endpoint, inner.headers)
        self._ledger = BatchLedger(settings.ledger)
        self._pending: Requests = {}
        self._next: Requests = {}  # the pending requests that are not submitted yet
        self._next_bytes = 0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._own_tags: set[str] = set()  # of batches that this process handles
        self._recovered: dict[str, Delivery] = {}
        self._recovery: asyncio.Task[None] | None = None
        self._open = 0  # batches of ours at the provider
        self._freed = asyncio.Condition()

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        """Return the reply once its batch has ended. If the model rejects a parameter, ask again without it."""
        if self._inner.endpoint.needs is not None:
            raise self._inner.endpoint.needs
        if not key:
            raise ValueError("a request in a batch needs its key in the journal")

        async def post(body: bytes, sent: Sent) -> Outcome:
            # An earlier process may have sent the request with another fence code; its answer comes with that code.
            return await self._ask(key, body, {**sent, FENCE_CODE: prompt.code})

        return await self._inner.send_by(post, prompt, sampling)

    async def collect(self, journal: Journal) -> int:
        """Store in the journal the replies of batches that earlier processes submitted, and return their number."""
        stored = 0
        for submission in await asyncio.to_thread(self._ledger.unfinished, self._judge):
            missing = {key: sent for key, sent in submission.sent.items() if journal.get(key) is None}
            if missing:
                try:
                    outcomes = await self._recover(replace(submission, sent=missing))
                except BatchError:
                    continue
                replies = {key: reply for key, reply in outcomes.items() if isinstance(reply, Delivery)}
                await asyncio.gather(
                    *(journal.put(key, Stored.now(it.body, it.attempts, it.sent)) for key, it in replies.items())
                )
                stored += len(replies)
            await asyncio.to_thread(self._ledger.finish, submission.tag)
        return stored

    async def close(self) -> None:
        """Stop waiting. Submitted batches continue at the provider, and the ledger has a record of them."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        tasks = [*self._tasks, *([self._recovery] if self._recovery else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for request in self._pending.values():
            request.answer.cancel()
        await super().close()

    async def _ask(self, key: str, body: bytes, sent: Sent) -> Outcome:
        """Return the answer to a request, from a batch of an earlier process or from the next batch."""
        if self._recovery is None:
            self._recovery = asyncio.create_task(self._recover_all())
        recovery = self._recovery
        try:
            await asyncio.shield(recovery)
        except BatchError as error:
            if self._recovery is recovery:
                self._recovery = None
            return error.failure
        if key in self._recovered:
            return self._recovered.pop(key)
        request = self._pending.get(key) or self._add(key, body, sent)
        request.callers += 1
        try:
            return await asyncio.shield(request.answer)
        finally:
            request.callers -= 1
            if not request.callers and key in self._next:
                # All callers were cancelled and nothing is paid yet, so drop the request.
                self._next_bytes -= len(self._next.pop(key).line)
                self._pending.pop(key, None)
            elif request.answer.done() and self._pending.get(key) is request:
                del self._pending[key]

    # -- batches of earlier processes ---------------------------------------------------------------------------------

    async def _recover(self, submission: Submission) -> dict[str, Outcome]:
        """Return the outcomes of a batch that was prepared earlier; an empty dict if it was never accepted."""
        batch = submission.batch or await self._locate(submission)
        if batch is None:
            return {}
        if submission.batch is None:
            await asyncio.to_thread(self._ledger.submitted, submission.tag, batch)
        results = await self._results(batch)
        return {} if results.queue_full else results.of(submission.sent)

    async def _recover_all(self) -> None:
        """Collect the answers of batches that an earlier process submitted, or that this one lost track of."""
        for submission in await asyncio.to_thread(self._ledger.unfinished, self._judge):
            if submission.tag in self._own_tags:
                continue
            outcomes = await self._recover(submission)
            if not outcomes:
                await asyncio.to_thread(self._ledger.finish, submission.tag)
            await self._record_failed(submission.tag, outcomes)
            self._recovered |= {key: reply for key, reply in outcomes.items() if isinstance(reply, Delivery)}
            self._own_tags.add(submission.tag)

    async def _record_failed(self, tag: str, outcomes: Mapping[str, Outcome]) -> None:
        failed = [key for key, outcome in outcomes.items() if not isinstance(outcome, Delivery)]
        if failed:
            await asyncio.to_thread(self._ledger.failed, tag, failed)

    # -- batches of our own -------------------------------------------------------------------------------------------

    def _add(self, key: str, body: bytes, sent: Sent) -> PendingRequest:
        request = self._pending[key] = PendingRequest(self._api.line(key, body), sent)
        settings, api = self._settings, self._api
        if self._next and self._next_bytes + len(request.line) > min(settings.most_bytes, api.most_bytes):
            self._submit_next()
        self._next[key] = request
        self._next_bytes += len(request.line)
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if len(self._next) >= min(settings.most_requests, api.most_requests):
            self._submit_next()
        else:
            self._idle_timer = asyncio.get_running_loop().call_later(settings.idle, self._submit_next)
        return request

    def _submit_next(self) -> None:
        requests, self._next, self._next_bytes = self._next, {}, 0
        if requests:
            self._start(requests)

    def _start(self, requests: Requests, tries: int = 0) -> None:
        task = asyncio.create_task(self._run(requests, tries))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, requests: Requests, tries: int) -> None:
        """Submit a batch and wait for its answers."""
        sent = {key: request.sent for key, request in requests.items()}
        submission = Submission(secrets.token_hex(16), self._judge, time.time(), None, len(sent), sent)
        self._own_tags.add(submission.tag)
        self._open += 1
        try:
            await asyncio.to_thread(self._ledger.prepare, submission)
            batch = await self._submit(submission, [request.line for request in requests.values()])
            if isinstance(batch, Failure):
                await asyncio.to_thread(self._ledger.finish, submission.tag)
                self._settle(requests, dict.fromkeys(sent, batch))
                return
            await asyncio.to_thread(self._ledger.submitted, submission.tag, batch)
            results = await self._results(batch)
        except Exception as error:
            # We do not know what happened to this batch. The next call's recovery finds out before it submits anything.
            self._own_tags.discard(submission.tag)
            self._recovery = None
            self._settle(requests, dict.fromkeys(sent, error.failure if isinstance(error, BatchError) else error))
            return
        finally:
            self._open -= 1
        if results.queue_full and (tries < MAX_RESUBMISSIONS or self._open):
            # If we are killed from here on, the requests are submitted again in a new batch with a new tag.
            await asyncio.to_thread(self._ledger.finish, submission.tag)
            await self._resubmit(requests, tries, results.otherwise)
            return
        if not results.queue_full:
            async with self._freed:
                self._freed.notify()  # only one, because the free space suffices for about one batch
        outcomes = results.of(sent)
        await self._record_failed(submission.tag, outcomes)
        self._settle(requests, outcomes)

    async def _submit(self, submission: Submission, lines: list[bytes]) -> str | Failure:
        retries = self._inner.endpoint.retries
        attempt = 1
        while True:
            try:
                return await self._api.submit(lines, submission.tag)
            except BatchError as error:
                failure = error.failure
                if error.refused:
                    return failure
            # The batch may exist despite the error. Submitted twice, it would be paid twice.
            found = await self._locate(submission)
            if found is not None or attempt >= retries.attempts:
                return found or failure
            await asyncio.sleep(min(retries.first_wait * 2.0**attempt, retries.longest_wait))
            attempt += 1

    async def _resubmit(self, requests: Requests, tries: int, why: Failure) -> None:
        """Submit requests that were not accepted again, when one of our batches has ended or after a pause."""
        requests = self._still_wanted(requests)
        if not requests:
            return
        pause = min(self._settings.poll * 2.0**tries, _LONGEST_PAUSE * self._settings.longest_poll)
        count, seconds = len(requests), max(1, round(pause))
        when = f"in {seconds:,} second{'s' * (seconds > 1)}"
        if self._open:
            when = f"when one of our batches has ended, or {when}"
        elif tries % 2 and count >= 2 * _SMALLEST_HALF:
            # The batch may be too large, or other batches fill the queue; so halve it only at every second try.
            half = count // 2
            when = f"{half:,} now and {count - half:,} {when}"
            self._start(dict(list(requests.items())[:half]), tries + 1)
            requests = dict(list(requests.items())[half:])
        _log.warning(
            "%s: the batch queue is full, %s not accepted (%s); submitting again %s; nothing was paid",
            *(self._judge, f"{count:,} request{'s' * (count > 1)}", why.message.rstrip("."), when),
        )
        try:
            async with self._freed, asyncio.timeout(pause):
                await self._freed.wait()
            tries = -1
        except TimeoutError:
            pass
        if requests := self._still_wanted(requests):
            self._start(requests, tries + 1)

    def _still_wanted(self, requests: Requests) -> Requests:
        """Return the requests that callers still wait for. Drop the others, since nothing is paid yet."""
        for key in [key for key, request in requests.items() if not request.callers]:
            self._pending.pop(key, None)
        return {key: request for key, request in requests.items() if request.callers}

    def _settle(self, requests: Requests, outcomes: Mapping[str, Outcome | Exception]) -> None:
        for key, request in requests.items():
            outcome = outcomes[key]
            if not request.callers and not isinstance(outcome, Delivery):
                self._pending.pop(key, None)  # but a reply is paid, so it stays until it is asked for
            elif isinstance(outcome, Exception):
                request.answer.set_exception(outcome)
            else:
                request.answer.set_result(outcome)

    # -- at the provider ----------------------------------------------------------------------------------------------

    async def _results(self, batch: str) -> BatchResults:
        """Poll until the batch has ended, and return its results."""
        pause = self._settings.poll
        while (results := await self._persist(lambda: self._api.results(batch))) is None:
            await asyncio.sleep(pause * random.uniform(0.8, 1.0))
            pause = min(pause * _GROWTH, self._settings.longest_poll)
        return results

    async def _locate(self, submission: Submission) -> str | None:
        """Return the id of a batch that may have been submitted; None if it was not."""
        known = await asyncio.to_thread(self._ledger.batch_ids)
        for candidate in await self._persist(lambda: self._api.find(submission, known)):
            if self._api.has_tags or (await self._results(candidate)).outcomes.keys() & submission.sent.keys():
                return candidate
        return None

    async def _persist(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Repeat a request until it is answered. Raise BatchError if it is refused or fails too often in a row."""
        pause, failures = self._settings.poll, 0
        while True:
            try:
                return await ask()
            except BatchError as error:
                failures += 1
                if error.refused or failures == _MAX_FAILURES:
                    raise
            await asyncio.sleep(pause)
            pause = min(pause * _GROWTH, self._settings.longest_poll)


def batched(wire: OpenAIWire | AnthropicWire, spec: str, settings: BatchSettings) -> BatchWire:
    """Wrap a wire so that it uses batches. Raise SetupError if its provider has no batch API."""
    if wire.provider not in WITH_BATCHES:
        raise no_batches(spec)
    return BatchWire(wire, settings)


def no_batches(spec: str) -> SetupError:
    """Build the error for a judge whose provider has no batch API."""
    return SetupError(f"{spec} has no batch API; {' and '.join(WITH_BATCHES)} have one")
