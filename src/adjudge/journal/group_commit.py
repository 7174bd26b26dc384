"""Group commit: a thread takes all queued jobs and does them together.

Callers are coroutines of any event loop. They share a slow commit or a round trip to the database.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from ..errors import JournalError

J = TypeVar("J")


class BatchThread(Generic[J]):
    """A queue and its thread, started by the first job.

    `work` does up to `most` jobs and returns their results in the same order; an exception is raised in the job's
    caller. `unreached` gets the jobs whose callers' event loop has ended meanwhile.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[list[J]], Sequence[object]],
        most: int,
        unreached: Callable[[list[J]], None] = lambda jobs: None,
    ) -> None:
        self._work, self._most, self._unreached = work, most, unreached
        # Each job has the future that gets its result; None if no caller waits for it.
        self._queue: queue.SimpleQueue[tuple[J, asyncio.Future[Any] | None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, job: J) -> asyncio.Future[Any]:
        """Queue a job and return the future of its result. Jobs are done in the order of submission."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._put(job, done)
        return done

    def post(self, job: J) -> None:
        """Queue a job for whose result no caller waits."""
        self._put(job, None)

    def _put(self, job: J, done: asyncio.Future[Any] | None) -> None:
        with self._lock:
            if self._closed:
                raise JournalError("the journal is closed")
            if self._thread.ident is None:
                self._thread.start()
            self._queue.put((job, done))

    def close(self) -> None:
        """Finish the queued jobs and end the thread."""
        with self._lock:
            self._closed = True
            self._queue.put(None)
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while (queued := self._queue.get()) is not None:
            batch = [queued]
            while len(batch) < self._most and not self._queue.empty():
                queued = self._queue.get()
                if queued is None:
                    self._queue.put(None)  # end the loop after these jobs
                    break
                batch.append(queued)
            futures = [done for _, done in batch]
            try:
                ended = _resolve(futures, self._work([job for job, _ in batch]))
                if gone := [job for job, done in batch if done is not None and done.get_loop() in ended]:
                    self._unreached(gone)
            except Exception as problem:
                # The thread must survive, or later callers would wait for ever.
                error = problem if isinstance(problem, JournalError) else JournalError(f"the journal failed: {problem}")
                _resolve(futures, [error] * len(batch))


def _resolve(
    futures: Iterable[asyncio.Future[Any] | None], results: Iterable[object]
) -> set[asyncio.AbstractEventLoop]:
    """Give each caller its result, or raise an exception in it. Return the event loops that have ended."""
    waiting: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], object]]] = {}
    for done, result in zip(futures, results, strict=True):
        if done is not None:
            waiting.setdefault(done.get_loop(), []).append((done, result))
    ended = set()
    for loop, answered in waiting.items():
        try:
            loop.call_soon_threadsafe(_settle, answered)
        except RuntimeError:
            ended.add(loop)
    return ended


def _settle(answered: Iterable[tuple[asyncio.Future[Any], object]]) -> None:
    for done, result in answered:
        if done.done():  # its caller was cancelled
            continue
        if isinstance(result, Exception):
            done.set_exception(result)
        else:
            done.set_result(result)
