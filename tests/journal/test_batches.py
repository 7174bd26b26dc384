"""The thread that works off what callers queue up: they share a commit, and nobody waits in vain for company."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from adjudge.journal import batches
from adjudge.journal.batches import BatchThread, tell


class Job:
    def __init__(self) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class Counting:
    """Does nothing, and counts how often."""

    sizes: list[int]

    def __init__(self) -> None:
        self.sizes = []

    def work(self, jobs: list[Job]) -> None:
        self.sizes.append(len(jobs))
        tell((job, None) for job in jobs)

    def close(self) -> None: ...


@pytest.fixture
def counting() -> Counting:
    return Counting()


@pytest.fixture
def thread(counting: Counting, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchThread[Job]]:
    monkeypatch.setattr(batches, "_NEXT_ONE", 0.3)
    monkeypatch.setattr(batches, "_ALL", 0.8)
    made: BatchThread[Job] = BatchThread("test", lambda: counting, 100)
    yield made
    made.close()


async def submit(thread: BatchThread[Job], count: int, *, expected: bool, more: bool = False) -> float:
    """Seconds until the last of so many jobs was done; with `more`, one is still on its way."""
    with ExitStack() as on_their_way:
        for _ in range(count if expected else 0):
            thread.expecting.__enter__()
        if more:
            on_their_way.enter_context(thread.expecting)
        begun, jobs = time.monotonic(), [Job() for _ in range(count)]
        for job in jobs:
            if expected:
                thread.expecting.__exit__()
            thread.submit(job, expected=expected)
        await asyncio.gather(*(job.done for job in jobs))
        return time.monotonic() - begun


async def test_who_comes_while_there_is_a_crowd_waits_for_company(thread: BatchThread[Job], counting: Counting) -> None:
    await submit(thread, 20, expected=True)
    waited = asyncio.create_task(submit(thread, 1, expected=False))
    await asyncio.sleep(0.05)
    await submit(thread, 1, expected=False)
    assert await waited >= 0.3
    assert counting.sizes[-1] == 2


async def test_the_last_that_was_expected_waits_for_nobody(thread: BatchThread[Job], counting: Counting) -> None:
    await submit(thread, 20, expected=True)
    assert await submit(thread, 20, expected=True) < 0.2
    assert sum(counting.sizes) == 40


async def test_while_another_is_on_its_way_company_is_awaited(thread: BatchThread[Job]) -> None:
    await submit(thread, 20, expected=True)
    assert await submit(thread, 20, expected=True, more=True) >= 0.3


async def test_who_never_expected_anybody_does_not_take_each_for_the_last(
    thread: BatchThread[Job], counting: Counting
) -> None:
    jobs = [Job() for _ in range(20)]
    for job in jobs:
        thread.submit(job, expected=True)
    await asyncio.gather(*(job.done for job in jobs))
    late = Job()
    thread.submit(late, expected=True)
    await asyncio.sleep(0.1)
    assert not late.done.done()
    await late.done


async def test_one_caller_alone_waits_for_nobody(thread: BatchThread[Job]) -> None:
    await submit(thread, 1, expected=False)
    assert await submit(thread, 1, expected=False) < 0.2


async def test_that_all_were_there_is_forgotten_with_their_commit(thread: BatchThread[Job], counting: Counting) -> None:
    await submit(thread, 20, expected=True)
    await submit(thread, 20, expected=True)
    assert await submit(thread, 2, expected=False) >= 0.3


async def test_company_that_keeps_coming_is_not_awaited_for_ever(thread: BatchThread[Job], counting: Counting) -> None:
    await submit(thread, 20, expected=True)
    jobs = []
    for _ in range(15):
        jobs.append(Job())
        thread.submit(jobs[-1])
        await asyncio.sleep(0.1)
    await asyncio.gather(*(job.done for job in jobs))
    assert 15 > counting.sizes[-1] > 3, "they came together, but not all of them"
