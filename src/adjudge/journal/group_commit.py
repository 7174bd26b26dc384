"""Group commit: a thread takes all queued jobs and does them together.

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
    """A job, with the future that gets its result; None if no caller waits for it."""

    @property
    def done(self) -> asyncio.Future[Any] | None: ...


J = TypeVar("J", bound=Awaited)


class BatchThread(Generic[J]):
    """A queue and its thread, started by the first job. `work` does up to `most` jobs and resolves their futures."""

    def __init__(self, name: str, work: Callable[[list[J]], None], most: int) -> None:
        self._work, self._most = work, most
        self._queue: queue.SimpleQueue[J | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, job: J) -> None:
        """Queue a job. Jobs are done in the order of submission."""
        with self._lock:
            if self._closed:
                raise JournalError("the journal is closed")
            if self._thread.ident is None:
                self._thread.start()
            self._queue.put(job)

    def close(self) -> None:
        """Finish the queued jobs and end the thread."""
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
                    self._queue.put(None)  # end the loop after these jobs
                    break
                jobs.append(job)
            try:
                self._work(jobs)
            except Exception as problem:
                # The thread must survive, or later callers would wait for ever.
                error = problem if isinstance(problem, JournalError) else JournalError(f"the journal failed: {problem}")
                resolve((job, error) for job in jobs)


def resolve(answers: Iterable[tuple[J, object]]) -> list[J]:
    """Set each job's result; an exception is raised in its caller. Return the jobs whose event loop is closed."""
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
        # The future is already done if its caller was cancelled.
        if job.done is None or job.done.done():
            continue
        if isinstance(answer, Exception):
            job.done.set_exception(answer)
        else:
            job.done.set_result(answer)
