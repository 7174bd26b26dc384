"""Work on long texts stands beside the event loop; short work does not leave it."""

import asyncio
import os
import pickle
import re
import threading
import time
from functools import partial

import pytest

from adjudge.computing import WorkerProcess, computed, in_a_process
from adjudge.errors import InputError, TooLargeError
from adjudge.inputs.json import parse_object
from adjudge.protocols.compare import roles as comparer
from adjudge.protocols.rubrics import shipped

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


# -- in a process of its own ------------------------------------------------------------------------------------------


async def test_a_service_works_on_long_texts_in_a_process_of_its_own():
    with in_a_process():
        first = await computed(LONG, os.getpid)
        assert first != os.getpid()
        assert await computed(LONG, os.getpid) == first, "it is started once"
        assert await computed(10, os.getpid) == os.getpid()
        with in_a_process():
            assert await computed(LONG, os.getpid) == first, "services in one process share it"
        assert await computed(LONG, os.getpid) == first
    assert await computed(LONG, os.getpid) == os.getpid()


async def test_the_event_loop_goes_on_although_the_work_holds_the_interpreter_lock():
    """A regular expression that backtracks holds the lock until its end; here only the time limit ends it."""
    with in_a_process():
        working = asyncio.create_task(computed(LONG, re.match, r"(a|aa)+$", "a" * 34 + "b"))
        beats = 0
        while not working.done() and beats < 20:
            await asyncio.sleep(0.005)
            beats += 1
        assert beats == 20, "the loop was stopped while the expression ran"
        assert await working is None


def test_work_that_takes_too_long_is_ended_and_the_next_piece_is_done():
    worker = WorkerProcess(seconds=600)  # a process that starts may take long on a busy machine
    try:
        before = worker.done(os.getpid)
        worker._seconds = 0.5
        with pytest.raises(TooLargeError, match=r"takes longer than 0\.5 s to examine"):
            worker.done(partial(time.sleep, 600))
        worker._seconds = 600
        assert worker.done(os.getpid) not in (before, os.getpid())
    finally:
        worker.close()


async def test_errors_and_what_cannot_be_sent_are_handled():
    with in_a_process():
        with pytest.raises(InputError, match="body: not JSON"):
            await computed(LONG, parse_object, b"[", "body", "fields")
        with pytest.raises(TooLargeError, match="too costly to examine"):
            await computed(LONG, os._exit, 3)  # as if the system had ended it
        local = threading.Lock()
        assert await computed(LONG, lambda: (local, os.getpid())) == (local, os.getpid())
        # A result that cannot be sent is computed here.
        assert type(await computed(LONG, threading.Lock)) is type(local)


def test_the_shapes_of_replies_can_be_sent():
    rubric = shipped("compare")
    for shape in (comparer._replacements_shape(rubric, True), comparer._replacements_shape(rubric, False)):
        sent = pickle.loads(pickle.dumps(shape))
        assert sent.schema == shape.schema
        assert sent.parse("{}") == shape.parse("{}")
