"""Work on long texts stands beside the event loop; short work does not leave it."""

import asyncio
import threading

import pytest

from adjudge.computing import computed

LONG = 1_000_000


async def test_short_work_is_done_at_once():
    assert await computed(10, threading.current_thread) is threading.current_thread()


async def test_the_event_loop_goes_on_during_long_work():
    free = threading.Event()
    working = asyncio.create_task(computed(LONG, free.wait, timeout=30))
    await asyncio.sleep(0)
    free.set()
    assert await working


async def test_long_work_of_two_callers_never_runs_at_the_same_time():
    at_work, most = [], []

    def work(name):
        at_work.append(name)
        most.append(len(at_work))
        threading.Event().wait(0.01)
        at_work.remove(name)

    await asyncio.gather(*(computed(LONG, work, name) for name in range(5)))
    assert most == [1] * 5


async def test_an_error_of_long_work_reaches_its_caller():
    with pytest.raises(ValueError, match="no number"):
        await computed(LONG, int, "no number")
