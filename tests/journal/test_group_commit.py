"""Group commit: what queues up during one commit shares the next one."""

import asyncio
import threading

import pytest

from adjudge.journal.group_commit import BatchThread


class Counting:
    """Counts the jobs of each commit; a commit takes until `go_on` is set."""

    def __init__(self):
        self.sizes: list[int] = []
        self.go_on = threading.Event()
        self.go_on.set()

    def work(self, jobs):
        self.go_on.wait(60)
        self.sizes.append(len(jobs))
        return [2 * job for job in jobs]


@pytest.fixture
def counting():
    return Counting()


@pytest.fixture
def thread(counting):
    made = BatchThread("test", counting.work, 100)
    yield made
    made.close()


@pytest.mark.parametrize(("count", "commits"), [(20, 2), (250, 4)])
async def test_jobs_that_queue_up_during_a_commit_share_the_next_one_up_to_the_allowed_number(
    thread, counting, count, commits
):
    counting.go_on.clear()
    results = [thread.submit(job) for job in range(count)]
    counting.go_on.set()
    assert await asyncio.gather(*results) == [2 * job for job in range(count)]
    assert sum(counting.sizes) == count and len(counting.sizes) <= commits
    assert count < 100 or max(counting.sizes) == 100


async def test_a_single_job_does_not_wait_for_others(thread, counting):
    for job in range(3):
        await asyncio.wait_for(thread.submit(job), 60)
    assert counting.sizes == [1, 1, 1]
