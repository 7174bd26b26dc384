"""Group commit: what queues up during one commit shares the next one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from adjudge.journal.group_commit import BatchThread


class Counting:
    """Counts the jobs of each commit; a commit takes until `go_on` is set."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.go_on = threading.Event()
        self.go_on.set()

    def work(self, jobs: list[int]) -> list[int]:
        self.go_on.wait(60)
        self.sizes.append(len(jobs))
        return [2 * job for job in jobs]


@pytest.fixture
def counting() -> Counting:
    return Counting()


@pytest.fixture
def thread(counting: Counting) -> Iterator[BatchThread[int]]:
    made: BatchThread[int] = BatchThread("test", counting.work, 100)
    yield made
    made.close()


async def test_jobs_that_queue_up_during_a_commit_share_the_next_one(
    thread: BatchThread[int], counting: Counting
) -> None:
    counting.go_on.clear()
    results = [thread.submit(job) for job in range(20)]
    counting.go_on.set()
    assert await asyncio.gather(*results) == [2 * job for job in range(20)]
    assert sum(counting.sizes) == 20
    assert len(counting.sizes) <= 2


async def test_a_commit_takes_no_more_than_the_allowed_number_of_jobs(
    thread: BatchThread[int], counting: Counting
) -> None:
    counting.go_on.clear()
    results = [thread.submit(job) for job in range(250)]
    counting.go_on.set()
    assert await asyncio.gather(*results) == [2 * job for job in range(250)]
    assert sum(counting.sizes) == 250
    assert max(counting.sizes) == 100


async def test_a_single_job_does_not_wait_for_others(thread: BatchThread[int], counting: Counting) -> None:
    for job in range(3):
        await asyncio.wait_for(thread.submit(job), 60)
    assert counting.sizes == [1, 1, 1]
