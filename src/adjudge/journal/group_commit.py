"""Group commit: a thread that takes all jobs that have queued up and does them together.

Callers are coroutines of any event loop. They share a slow commit or a round trip to the database.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from ..errors import JournalError


class Awaited(Protocol):
    """Something to do, and the future that gets the result, if anybody waits for it."""

    @property
    def done(self) -> asyncio.Future[Any] | None: ...


J = TypeVar("J", bound=Awaited)


class Worker(Protocol[J]):
    """Does the jobs, on the thread."""

    def work(self, jobs: list[J]) -> None:
        """Do these jobs and give each caller its result."""
        ...

    def close(self) -> None: ...


class BatchThread(Generic[J]):
    """The queue and its thread, which starts with the first job."""

    def __init__(self, name: str, open_worker: Callable[[], Worker[J]], most: int) -> None:
        self._name = name
        self._open_worker = open_worker
        self._most = most
        self._queue: queue.SimpleQueue[J | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, job: J) -> None:
        """Queue a job; jobs are done in the order they came."""
        with self._lock:
            if self._closed:
                raise JournalError("the journal is closed")
            if self._thread is None:
                worker = self._open_worker()
                self._thread = threading.Thread(target=self._run, args=(worker,), name=self._name, daemon=True)
                self._thread.start()
            self._queue.put(job)

    def close(self) -> None:
        """Finish what is queued, then close the worker."""
        with self._lock:
            self._closed = True
            self._queue.put(None)
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, worker: Worker[J]) -> None:
        while (job := self._queue.get()) is not None:
            jobs = [job]
            while len(jobs) < self._most and not self._queue.empty():
                job = self._queue.get()
                if job is None:
                    self._queue.put(None)  # the end, which comes after these
                    break
                jobs.append(job)
            try:
                worker.work(jobs)
            except Exception as problem:
                # The thread must go on, or its callers would wait for ever.
                error = problem if isinstance(problem, JournalError) else JournalError(f"the journal failed: {problem}")
                tell((job, error) for job in jobs)
        worker.close()


def tell(answers: Iterable[tuple[J, object]]) -> list[J]:
    """Give each caller its answer, an error as an error; returns the jobs whose loop has ended meanwhile."""
    waiting: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], object, J]]] = {}
    for job, answer in answers:
        if job.done is not None:
            waiting.setdefault(job.done.get_loop(), []).append((job.done, answer, job))
    unreached: list[J] = []
    for loop, settled in waiting.items():
        try:
            loop.call_soon_threadsafe(_settle, settled)
        except RuntimeError:
            unreached += [job for _, _, job in settled]
    return unreached


def _settle(settled: Sequence[tuple[asyncio.Future[Any], object, Awaited]]) -> None:
    for future, answer, _ in settled:
        # A caller that was cancelled only stopped waiting.
        if future.done():
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
