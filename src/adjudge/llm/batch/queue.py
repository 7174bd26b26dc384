"""Collects requests into batches and follows each until it has ended.

A batch is submitted when it is full or no request was added for a while: recorded in the ledger, submitted, its id
recorded; then each caller gets its answer. An error on the way never means that a batch does not exist: what was
submitted is paid, so we ask again. A batch that the provider's queue had no space for was never accepted and is not
paid, so it is submitted again as a new one.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from ...models import Failure
from ..base import Sent
from ..http import refusal_as_failure
from ..retry import Answered, Refused
from .base import BatchApi, BatchSettings, Outcome
from .ledger import BatchLedger, Submission

MAX_RESUBMISSIONS = 12
_SMALLEST_HALF = 8  # requests
_LONGEST_PAUSE = 12  # times the longest pause between two polls: submitting is more work than polling
_GROWTH = 1.5
_MAX_FAILURES = 20  # in a row, each of them after several attempts

T = TypeVar("T")
_log = logging.getLogger("adjudge.batches")


class UnreachableError(Exception):
    """The provider cannot be asked what came of a batch; the ledger keeps it for later."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


class BatchAnswer(NamedTuple):
    """The outcome of a request, the batch it was in, and the parameters that were really sent."""

    outcome: Outcome
    batch: str
    sent: Sent


@dataclass(slots=True)
class PendingRequest:
    """A request that has no answer yet, and how many callers wait for it."""

    line: bytes
    sent: Sent
    answer: asyncio.Future[BatchAnswer] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    callers: int = 0


class BatchResults(NamedTuple):
    """The outcomes of a batch; a request that is not among them has no answer for the reason in `otherwise`."""

    outcomes: dict[str, Outcome]
    otherwise: Failure
    queue_full: bool

    def of(self, keys: Mapping[str, Sent]) -> dict[str, Outcome]:
        return {key: self.outcomes.get(key, self.otherwise) for key in keys}


class BatchQueue:
    """The requests of one judge."""

    def __init__(self, api: BatchApi, ledger: BatchLedger, settings: BatchSettings) -> None:
        self._api, self._ledger, self._settings = api, ledger, settings
        self._judge = api.endpoint.judge
        self._pending: dict[str, PendingRequest] = {}
        self._next: dict[str, PendingRequest] = {}  # those of the pending ones that are not submitted yet
        self._next_bytes = 0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._own_tags: set[str] = set()  # of batches whose answers come from here
        self._recovered: dict[str, BatchAnswer] = {}
        self._recovery: asyncio.Task[None] | None = None
        self._open = 0  # batches of ours at the provider
        self._freed = asyncio.Condition()

    async def ask(self, key: str, body: bytes, sent: Sent) -> BatchAnswer:
        """The answer to a request, from a batch that an earlier process submitted or from the next one."""
        if self._recovery is None:
            self._recovery = asyncio.create_task(self._recover_all())
        recovery = self._recovery
        try:
            await asyncio.shield(recovery)
        except UnreachableError as error:
            if self._recovery is recovery:
                self._recovery = None
            return BatchAnswer(error.failure, "", sent)
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

    async def close(self) -> None:
        """Stop waiting. Submitted batches go on at the provider, and the ledger knows them."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        tasks = [*self._tasks, *([self._recovery] if self._recovery else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for request in self._pending.values():
            request.answer.cancel()

    async def recover(self, submission: Submission) -> tuple[str, dict[str, Outcome]]:
        """The id and the outcomes of a batch that was prepared earlier; without any if it was never accepted."""
        batch = submission.batch or await self._locate(submission)
        if batch is None:
            return "", {}
        if submission.batch is None:
            await asyncio.to_thread(self._ledger.submitted, submission.tag, batch)
        results = await self._results(batch)
        return batch, {} if results.queue_full else results.of(submission.sent)

    async def _recover_all(self) -> None:
        """Take over what was submitted by an earlier process, or by this one before it lost sight of it."""
        for submission in await asyncio.to_thread(self._ledger.unfinished, self._judge):
            if submission.tag in self._own_tags:
                continue
            batch, outcomes = await self.recover(submission)
            if not outcomes:
                await asyncio.to_thread(self._ledger.finish, submission.tag)
            await self._record_failed(submission.tag, outcomes)
            for key, outcome in outcomes.items():
                if isinstance(outcome, Answered):
                    self._recovered[key] = BatchAnswer(outcome, batch, submission.sent[key])
            self._own_tags.add(submission.tag)

    async def _record_failed(self, tag: str, outcomes: Mapping[str, Outcome]) -> None:
        failed = [key for key, outcome in outcomes.items() if not isinstance(outcome, Answered)]
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

    def _start(self, requests: Mapping[str, PendingRequest], tries: int = 0) -> None:
        task = asyncio.create_task(self._run(requests, tries))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, requests: Mapping[str, PendingRequest], tries: int) -> None:
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
            # We do not know what became of this batch: the next caller finds out first.
            self._own_tags.discard(submission.tag)
            self._recovery = None
            self._settle(requests, dict.fromkeys(sent, error.failure if isinstance(error, UnreachableError) else error))
            return
        finally:
            self._open -= 1
        if results.queue_full and (tries < MAX_RESUBMISSIONS or self._open):
            # After a kill from here on, its requests are asked anew, in a batch with a tag of its own.
            await asyncio.to_thread(self._ledger.finish, submission.tag)
            await self._resubmit(requests, tries, results.otherwise)
            return
        if not results.queue_full:
            async with self._freed:
                self._freed.notify()  # one only: the free space suffices for about one
        outcomes = results.of(sent)
        await self._record_failed(submission.tag, outcomes)
        self._settle(requests, outcomes, batch)

    async def _submit(self, submission: Submission, lines: list[bytes]) -> str | Failure:
        retries = self._api.endpoint.retries
        attempt = 1
        while True:
            batch = await self._api.submit(lines, submission.tag)
            if isinstance(batch, str):
                return batch
            if isinstance(batch, Refused):
                return refusal_as_failure(batch, self._api.endpoint)
            # The batch may exist all the same; submitted twice, it would be paid twice.
            found = await self._locate(submission)
            if found is not None:
                return found
            if attempt >= retries.attempts:
                return batch
            await asyncio.sleep(min(retries.first_wait * 2.0**attempt, retries.longest_wait))
            attempt += 1

    async def _resubmit(self, requests: Mapping[str, PendingRequest], tries: int, why: Failure) -> None:
        """Submit requests again that were not accepted, when one of our batches has ended, or after a pause."""
        requests = self._still_wanted(requests)
        if not requests:
            return
        pause = min(self._settings.poll * 2.0**tries, _LONGEST_PAUSE * self._settings.longest_poll)
        count, when = len(requests), f"in {_counted(max(1, round(pause)), 'second')}"
        if self._open:
            when = f"when one of our batches has ended, or {when}"
        elif tries % 2 and count >= 2 * _SMALLEST_HALF:
            # The batch may be too large; or others fill the queue, so it is not halved at every try.
            half = count // 2
            when = f"{half:,} now and {count - half:,} {when}"
            self._start(dict(list(requests.items())[:half]), tries + 1)
            requests = dict(list(requests.items())[half:])
        _log.warning(
            "%s: the batch queue is full, %s not accepted (%s); submitting again %s; nothing was paid",
            *(self._judge, _counted(count, "request"), why.message.rstrip("."), when),
        )
        try:
            async with self._freed, asyncio.timeout(pause):
                await self._freed.wait()
            tries = -1
        except TimeoutError:
            pass
        if requests := self._still_wanted(requests):
            self._start(requests, tries + 1)

    def _still_wanted(self, requests: Mapping[str, PendingRequest]) -> dict[str, PendingRequest]:
        """The requests that callers still wait for; the others are dropped, since nothing is paid yet."""
        for key in [key for key, request in requests.items() if not request.callers]:
            self._pending.pop(key, None)
        return {key: request for key, request in requests.items() if request.callers}

    def _settle(
        self, requests: Mapping[str, PendingRequest], outcomes: Mapping[str, Outcome | Exception], batch: str = ""
    ) -> None:
        for key, request in requests.items():
            outcome = outcomes[key]
            if not request.callers and not isinstance(outcome, Answered):
                self._pending.pop(key, None)  # a reply is paid, so it stays until somebody asks for it
            elif isinstance(outcome, Exception):
                request.answer.set_exception(outcome)
            else:
                request.answer.set_result(BatchAnswer(outcome, batch, request.sent))

    # -- at the provider ----------------------------------------------------------------------------------------------

    async def _results(self, batch: str) -> BatchResults:
        """The results, once the batch has ended."""
        pause = self._settings.poll
        while (ended := await self._persist(lambda: self._api.look(batch))) is None:
            await asyncio.sleep(pause * random.uniform(0.8, 1.0))
            pause = min(pause * _GROWTH, self._settings.longest_poll)
        outcomes = await self._persist(lambda: self._api.results(ended))
        message = f"batch {batch} has no answer to this request"
        missing = Failure(reason="server_error", message=message, judge=self._judge)
        return BatchResults(outcomes, ended.failure or missing, ended.queue_full)

    async def _locate(self, submission: Submission) -> str | None:
        """The id of a batch that may have been submitted; None if it was not."""
        known = self._ledger.batch_ids()
        for candidate in await self._persist(lambda: self._api.find(submission, known)):
            if self._api.has_tags or (await self._results(candidate)).outcomes.keys() & submission.sent.keys():
                return candidate
        return None

    async def _persist(self, ask: Callable[[], Awaitable[T | Refused | Failure]]) -> T:
        """Ask until there is an answer, or the provider refuses or stays away."""
        pause, failures = self._settings.poll, 0
        while True:
            answer = await ask()
            if isinstance(answer, Refused):
                raise UnreachableError(refusal_as_failure(answer, self._api.endpoint))
            if not isinstance(answer, Failure):
                return answer
            failures += 1
            if failures == _MAX_FAILURES:
                raise UnreachableError(answer)
            await asyncio.sleep(pause)
            pause = min(pause * _GROWTH, self._settings.longest_poll)


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"
