"""Group commit: a thread that takes all jobs that have queued up and does them together.

Callers are coroutines of any event loop. They share a slow commit or a round trip to the database.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar

from ..errors import JournalError


class Awaited(Protocol):
    """Something to do, and the future that gets the result, if anybody waits for it."""

    @property
    def done(self) -> asyncio.Future[Any] | None: ...


J = TypeVar("J", bound=Awaited)


class BatchThread(Generic[J]):
    """The queue and its thread, which starts with the first job; `work` does jobs and gives each caller its result."""

    def __init__(self, name: str, work: Callable[[list[J]], None], most: int) -> None:
        self._work, self._most = work, most
        self._queue: queue.SimpleQueue[J | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, job: J) -> None:
        """Queue a job; jobs are done in the order they came."""
        with self._lock:
            if self._closed:
                raise JournalError("the journal is closed")
            if self._thread.ident is None:
                self._thread.start()
            self._queue.put(job)

    def close(self) -> None:
        """Finish what is queued."""
        with self._lock:
            self._closed = True
            self._queue.put(None)
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            jobs = [job]
            while len(jobs) < self._most and not self._queue.empty():
                job = self._queue.get()
                if job is None:
                    self._queue.put(None)  # the end, which comes after these
                    break
                jobs.append(job)
            try:
                self._work(jobs)
            except Exception as problem:
                # The thread must go on, or its callers would wait for ever.
                error = problem if isinstance(problem, JournalError) else JournalError(f"the journal failed: {problem}")
                tell((job, error) for job in jobs)


def tell(answers: Iterable[tuple[J, object]]) -> list[J]:
    """Give each caller its answer, an error as an error; returns the jobs whose loop has ended meanwhile."""
    waiting: dict[asyncio.AbstractEventLoop, list[tuple[J, object]]] = {}
    for job, answer in answers:
        if job.done is not None:
            waiting.setdefault(job.done.get_loop(), []).append((job, answer))
    unreached: list[J] = []
    for loop, answered in waiting.items():
        try:
            loop.call_soon_threadsafe(_settle, answered)
        except RuntimeError:
            unreached += [job for job, _ in answered]
    return unreached


def _settle(answered: Iterable[tuple[Awaited, object]]) -> None:
    for job, answer in answered:
        # A caller that was cancelled only stopped waiting.
        if job.done is None or job.done.done():
            continue
        if isinstance(answer, Exception):
            job.done.set_exception(answer)
        else:
            job.done.set_result(answer)
