"""Collects requests into batches: one queue per event loop.

A batch is submitted when it is full or no request was added for a while: recorded in the ledger, submitted, its id
recorded; then each caller gets its answer. A batch that the provider's queue had no space for was never accepted and
not paid, so it is submitted again as a new one.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ...models import Failure
from ..base import Sent
from ..http import refusal_as_failure
from ..retry import Answered, Refused
from .base import Outcome, Poller, UnreachableError
from .ledger import Submission

MAX_RESUBMISSIONS = 12
_SMALLEST_HALF = 8  # requests
_LONGEST_PAUSE = 12  # times the longest pause between two polls: submitting is more work than polling

_log = logging.getLogger("adjudge.batches")


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """The outcome of a request, the batch it was in, and the parameters that were really sent."""

    outcome: Outcome
    batch: str
    sent: Sent


@dataclass(slots=True)
class PendingRequest:
    """A request that has no answer yet, and how many callers wait for it. An answer of None: ask again."""

    line: bytes
    sent: Sent
    answer: asyncio.Future[BatchAnswer | None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    callers: int = 0


@dataclass(slots=True)
class OpenBatch:
    """A batch of ours at the provider; one that was not accepted frees no space when it ends."""

    accepted: bool = True


@dataclass(slots=True)
class QueueSpace:
    """Waits for space in the provider's queue: until one of our batches has ended, or for a pause that grows."""

    first_pause: float
    longest_pause: float
    _open: int = 0
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    @property
    def has_open_batches(self) -> bool:
        """Whether batches of ours are at the provider, so that space will become free."""
        return self._open > 0

    @contextmanager
    def occupied(self) -> Iterator[OpenBatch]:
        """Held while a batch is at the provider."""
        batch = OpenBatch()
        self._open += 1
        try:
            yield batch
        finally:
            self._open -= 1
            if batch.accepted and self._waiting:
                self._waiting.popleft().set_result(None)  # one only: the free space suffices for about one

    async def wait(self, tries: int) -> bool:
        """Wait to submit again; True if one of our batches has ended meanwhile."""
        freed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(freed)
        try:
            await asyncio.wait([freed], timeout=self.pause(tries))
            return freed.done()
        finally:
            if freed in self._waiting:
                self._waiting.remove(freed)

    def pause(self, tries: int) -> float:
        """The longest wait after so many tries."""
        return min(self.first_pause * 2.0**tries, _LONGEST_PAUSE * self.longest_pause)


class BatchQueue:
    """The requests of one judge on one event loop."""

    def __init__(self, poller: Poller) -> None:
        self._poller = poller
        self._api, self._ledger, self._settings = poller.api, poller.ledger, poller.settings
        self._judge = poller.api.endpoint.judge
        self._pending: dict[str, PendingRequest] = {}
        self._next: dict[str, PendingRequest] = {}  # those of the pending ones that are not submitted yet
        self._next_bytes = 0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._own_tags: set[str] = set()
        self._adoption: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._space = QueueSpace(self._settings.poll, self._settings.longest_poll)

    async def ask(self, key: str, body: bytes, sent: Sent) -> BatchAnswer:
        """The answer to a request, from a batch that an earlier process submitted or from the next one."""
        try:
            await self._adopt()
        except UnreachableError as error:
            return BatchAnswer(error.failure, "", sent)
        while (answer := await self._answer(key, body, sent)) is None:
            pass
        return answer

    async def close(self) -> None:
        """Stop waiting. Submitted batches go on at the provider, and the ledger knows them."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        tasks = [*self._tasks, *([self._adoption] if self._adoption else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for request in self._pending.values():
            request.answer.cancel()
        self._pending.clear()
        self._next.clear()

    async def _answer(self, key: str, body: bytes, sent: Sent) -> BatchAnswer | None:
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
            sent = {key: request.sent for key, request in requests.items()}
            self._start(self._submission(sent), [request.line for request in requests.values()])

    def _submission(self, sent: Mapping[str, Sent]) -> Submission:
        return Submission(secrets.token_hex(16), self._judge, time.time(), None, len(sent), sent)

    def _start(self, submission: Submission, lines: list[bytes], tries: int = 0) -> None:
        self._own_tags.add(submission.tag)
        task = asyncio.create_task(self._run(submission, lines, tries))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, submission: Submission, lines: list[bytes], tries: int) -> None:
        """Submit a batch and wait for its answers; without lines, it has been submitted by an earlier process."""
        tag = submission.tag
        try:
            with self._space.occupied() as batch:
                if lines:
                    await asyncio.to_thread(
                        self._ledger.prepare, tag, submission.judge, submission.prepared_at, submission.sent
                    )
                    batch_id = await self._submit(submission, lines)
                    if isinstance(batch_id, Failure):
                        await asyncio.to_thread(self._ledger.finish, tag)
                        self._settle(submission, dict.fromkeys(submission.sent, batch_id))
                        return
                    submission = replace(submission, batch=batch_id)
                    await asyncio.to_thread(self._ledger.submitted, tag, batch_id)
                results = await self._poller.results(str(submission.batch))
                assert results is not None
                batch.accepted = not results.queue_full
            if results.queue_full and await self._resubmit(submission, lines, tries, results.otherwise):
                return
            outcomes = {key: results.of(key) for key in submission.sent}
            failed = [key for key, outcome in outcomes.items() if not isinstance(outcome, Answered)]
            if failed:
                await asyncio.to_thread(self._ledger.failed, tag, failed)
            self._settle(submission, outcomes)
        except UnreachableError as error:
            self._abandon(submission)
            self._settle(submission, dict.fromkeys(submission.sent, error.failure))
        except Exception as error:
            self._abandon(submission)
            for key in submission.sent:
                request = self._pending.pop(key, None)
                if request is not None and request.callers and not request.answer.done():
                    request.answer.set_exception(error)

    async def _submit(self, submission: Submission, lines: list[bytes]) -> str | Failure:
        retries = self._api.endpoint.retries
        attempt = 1
        while True:
            batch_id = await self._api.submit(lines, submission.tag)
            if isinstance(batch_id, str):
                return batch_id
            if isinstance(batch_id, Refused):
                return refusal_as_failure(batch_id, self._api.endpoint)
            # The batch may exist all the same; submitted twice, it would be paid twice.
            found = await self._poller.locate(submission)
            if found is not None:
                return found
            if attempt >= retries.attempts:
                return batch_id
            await asyncio.sleep(min(retries.first_wait * 2.0**attempt, retries.longest_wait))
            attempt += 1

    async def _resubmit(self, submission: Submission, lines: list[bytes], tries: int, why: Failure) -> bool:
        """Submit a batch again that was not accepted, when there may be space; False to give up."""
        if lines and tries >= MAX_RESUBMISSIONS and not self._space.has_open_batches:
            return False
        # After a kill from here on, its requests are asked anew, in a batch with a tag of its own.
        await asyncio.to_thread(self._ledger.finish, submission.tag)
        if not lines:
            for request in filter(None, [self._pending.pop(key, None) for key in submission.sent]):
                request.answer.set_result(None)
            return True
        sent, lines = self._still_wanted(submission.sent, lines)
        if not lines:
            return True
        count, when = len(lines), f"in {_counted(max(1, round(self._space.pause(tries))), 'second')}"
        if self._space.has_open_batches:
            when = f"when one of our batches has ended, or {when}"
        elif tries % 2 and count >= 2 * _SMALLEST_HALF:
            # The batch may be too large; or others fill the queue, so it is not halved at every try.
            half = count // 2
            when = f"{half:,} now and {count - half:,} {when}"
            first = {key: sent.pop(key) for key in list(sent)[:half]}
            self._start(self._submission(first), lines[:half], tries + 1)
            lines = lines[half:]
        _log.warning(
            "%s: the batch queue is full, %s not accepted (%s); submitting again %s; nothing was paid",
            *(self._judge, _counted(count, "request"), why.message.rstrip("."), when),
        )
        freed = await self._space.wait(tries)
        sent, lines = self._still_wanted(sent, lines)
        if lines:
            self._start(self._submission(sent), lines, 0 if freed else tries + 1)
        return True

    def _still_wanted(self, sent: Mapping[str, Sent], lines: list[bytes]) -> tuple[dict[str, Sent], list[bytes]]:
        """The requests that callers still wait for; the others are dropped, since nothing is paid yet."""
        wanted = {}
        for (key, parameters), line in zip(sent.items(), lines, strict=True):
            request = self._pending.get(key)
            if request is not None and request.callers:
                wanted[key] = parameters, line
            else:
                self._pending.pop(key, None)
        return {key: parameters for key, (parameters, _) in wanted.items()}, [line for _, line in wanted.values()]

    def _abandon(self, submission: Submission) -> None:
        """We do not know what became of this batch: the next caller finds out first."""
        self._own_tags.discard(submission.tag)
        self._adoption = None

    def _settle(self, submission: Submission, outcomes: Mapping[str, Outcome]) -> None:
        for key, sent in submission.sent.items():
            request = self._pending.get(key)
            if request is None or request.answer.done():
                continue
            request.answer.set_result(BatchAnswer(outcomes[key], submission.batch or "", sent))
            if not request.callers and not isinstance(outcomes[key], Answered):
                del self._pending[key]  # a reply is paid, so it stays until somebody asks for it

    async def _adopt(self) -> None:
        """Once, take over the batches that an earlier process submitted."""
        if self._adoption is None:
            self._adoption = asyncio.create_task(self._adopt_unfinished())
        task = self._adoption
        try:
            await asyncio.shield(task)
        except UnreachableError:
            if self._adoption is task:
                self._adoption = None
            raise

    async def _adopt_unfinished(self) -> None:
        for submission in await asyncio.to_thread(self._ledger.unfinished, self._judge):
            if submission.tag in self._own_tags:
                continue
            batch = submission.batch or await self._poller.locate(submission)
            if batch is None:
                await asyncio.to_thread(self._ledger.finish, submission.tag)
                continue
            if submission.batch is None:
                await asyncio.to_thread(self._ledger.submitted, submission.tag, batch)
            for key, sent in submission.sent.items():
                self._pending.setdefault(key, PendingRequest(b"", sent))
            self._start(replace(submission, batch=batch), [])


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"
