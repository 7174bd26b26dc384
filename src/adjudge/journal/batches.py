"""A thread that works off what callers queue up, as much at once as has come together.

Callers are coroutines of any event loop. A slow commit or a round trip is so shared by all who wait for one.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from ..errors import JournalError

# What is done for many costs little more than for one: while callers come in numbers, the next is awaited for so many
# seconds, and all of them for no longer than so many.
_NEXT_ONE, _ALL = 0.006, 0.012


class Job(Protocol):
    """Something to do, and whom to tell; nobody if `done` is None."""

    @property
    def done(self) -> asyncio.Future[Any] | None: ...


J = TypeVar("J", bound=Job)


class Worker(Protocol[J]):
    """Does the jobs, on the thread."""

    def work(self, jobs: list[J]) -> None:
        """Do these jobs and tell each caller what came of it."""
        ...

    def close(self) -> None: ...


class Expecting:
    """How many jobs are on their way: held with `with` until each is there, on any loop. `met`: some were, none is."""

    def __init__(self) -> None:
        self.count = 0
        self.met = False
        self._guard = threading.Lock()

    def __enter__(self) -> None:
        with self._guard:
            self.count += 1
            self.met = False

    def __exit__(self, *_: object) -> None:
        with self._guard:
            self.count -= 1
            self.met = not self.count


class BatchThread(Generic[J]):
    """The queue and its thread, which starts with the first job."""

    def __init__(self, name: str, open_worker: Callable[[], Worker[J]], most: int) -> None:
        self._name = name
        self._open_worker = open_worker
        self._most = most
        self._queue: queue.SimpleQueue[J | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._guard = threading.Lock()
        self._closed = False
        self._crowded = False
        self.expecting = Expecting()
        self._all_there = threading.Event()

    def submit(self, job: J, *, expected: bool = False) -> None:
        """Queue a job; jobs are begun in the order they came, and at once when all that were expected are there."""
        with self._guard:
            if self._closed:
                raise JournalError("the journal is closed")
            if self._thread is None:
                worker = self._open_worker()
                self._thread = threading.Thread(target=self._run, args=(worker,), name=self._name, daemon=True)
                self._thread.start()
            self._queue.put(job)
            if expected and self.expecting.met:
                self.expecting.met = False
                self._all_there.set()

    def close(self) -> None:
        """Finish what is queued, then let the worker go."""
        with self._guard:
            self._closed = True
            self._queue.put(None)
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, worker: Worker[J]) -> None:
        last = False
        while not last:
            jobs, last = self._gather()
            self._crowded = len(jobs) > 1
            if not jobs:
                continue
            try:
                worker.work(jobs)
            except Exception as problem:
                # The thread goes on whatever happens: callers that nobody answers would wait forever.
                error = problem if isinstance(problem, JournalError) else JournalError(f"the journal failed: {problem}")
                tell((job, error) for job in jobs)
        worker.close()

    def _gather(self) -> tuple[list[J], bool]:
        """All that has queued up, and whether it is the last."""
        jobs: list[J] = []
        job = self._queue.get()
        if self._crowded:
            self._await_company()
        self._all_there.clear()
        while job is not None:
            jobs.append(job)
            if len(jobs) >= self._most:
                return jobs, False
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                return jobs, False
        return jobs, True

    def _await_company(self) -> None:
        """Until nobody comes for a while, or all who were expected are there."""
        patience, there = time.monotonic() + _ALL, self._queue.qsize()
        while not self._all_there.wait(_NEXT_ONE) and time.monotonic() < patience and self._queue.qsize() != there:
            there = self._queue.qsize()


def tell(answers: Iterable[tuple[J, object]]) -> list[J]:
    """Give each caller its answer, an error as an error; returns the jobs whose loop has ended meanwhile."""
    waiting: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], object, J]]] = {}
    for job, answer in answers:
        if job.done is not None:
            waiting.setdefault(job.done.get_loop(), []).append((job.done, answer, job))
    unreached: list[J] = []
    for loop, told in waiting.items():
        try:
            loop.call_soon_threadsafe(_settle, told)
        except RuntimeError:
            unreached += [job for _, _, job in told]
    return unreached


def _settle(told: Sequence[tuple[asyncio.Future[Any], object, Job]]) -> None:
    for future, answer, _ in told:
        # A caller that was cancelled only stopped waiting.
        if future.done():
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
