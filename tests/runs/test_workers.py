"""How cases are dealt out: hands are kept full, and towards the end all get done at the same time."""

import asyncio
import os
import sys
import time
from functools import partial

import pytest

from adjudge.engine import CompareSettings
from adjudge.runs import frames
from adjudge.runs.judging import Outcome
from adjudge.runs.plan import Manner, Plan
from adjudge.runs.worker import _PIPE_BYTES, _widen
from adjudge.runs.workers import Halt, Worker, Workers


class Hand(Worker):
    """A worker of this process that does a case in so many seconds, so many at a time."""

    def __init__(self, share, pause, dies_after=None):
        super().__init__(share)
        self.done, self._pause = 0, pause
        self._queue, self._said = asyncio.Queue(), asyncio.Queue()
        self._said.put_nowait((frames.READY, b"null"))
        self._tasks = [asyncio.create_task(self._work()) for _ in range(share)]
        if dies_after is not None:
            self._tasks.append(asyncio.create_task(self._die(dies_after)))

    async def _work(self):
        while True:
            position = await self._queue.get()
            await asyncio.sleep(self._pause)
            self.done += 1
            outcome = Outcome(position, "verdict", "A", None, 0, 0, 0, None, None, b"{}")
            self._said.put_nowait((frames.OUTCOMES, frames.pack_outcomes([outcome])))

    async def _die(self, seconds):
        await asyncio.sleep(seconds)
        self._said.put_nowait(None)

    def send(self, kind, payload=b""):
        if kind == frames.CASES:
            for line in payload.split(b"\n"):
                self._queue.put_nowait(int(line[len(b'{"position":') : line.index(b",")]))
        elif kind == frames.FINISH:
            self._said.put_nowait(None)

    async def receive(self):
        return await self._said.get()

    def kill(self):
        for task in self._tasks:
            task.cancel()

    async def ended(self):
        self.kill()
        return "status 0"


class Hands(Workers):
    """Workers of given speeds, one after another."""

    def __init__(self, hands, *args, **more):
        super().__init__(*args, **more)
        self.hands, self._coming = [], iter(hands)

    async def _start(self, share):
        self.hands.append(next(self._coming)(share))
        return self.hands[-1]


async def deal(pauses, cases, *, known=True, count=None):
    """Run so many cases on workers of these speeds, those after the first `count` in reserve; how many each did."""
    count = count or len(pauses)
    plan, heard = Plan.of("r1", "compare", CompareSettings(judge="embedded")), []
    hands = [pause if callable(pause) else partial(Hand, pause=pause) for pause in pauses]
    lines = (b'{"position":%d,"case":""}' % position for position in range(cases))
    manner = Manner(concurrency=20 * count, workers=count)
    workers = Hands(hands, plan, "journal.db", manner, lines, heard.extend, Halt(), cases=cases if known else None)
    await asyncio.wait_for(workers.run(), 60)
    assert sorted(outcome.position for outcome in heard) == list(range(cases))
    return [hand.done for hand in workers.hands]


async def test_workers_of_equal_speed_get_equally_much():
    assert await deal([0.02, 0.02], 2) == [1, 1]
    done = await deal([0.02, 0.02], 90)
    assert abs(done[0] - done[1]) <= 4


async def test_a_faster_worker_gets_more():
    done = await deal([0.01, 0.04], 400)
    assert done[0] > 2 * done[1]


async def test_who_takes_over_from_the_dead_gets_all_that_those_leave_who_have_nothing_to_do():
    begun = time.monotonic()
    done = await deal([0.1, partial(Hand, pause=0.2, dies_after=0.25), 0.1], 80, count=2)
    assert done == [40, 20, 20]
    assert time.monotonic() - begun < 0.55, "in one go, and not half of it, and half of the rest, and so on"


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("cases", [0, 1, 3, 30, 61, 400])
async def test_every_case_is_done_once_however_many_there_are(known, cases):
    assert sum(await deal([0.001, 0.002, 0.003], cases, known=known)) == cases


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has pipes of a chosen size")
def test_a_workers_pipe_holds_what_some_dozen_cases_come_to():
    import fcntl

    reading, writing = os.pipe()
    _widen(writing)
    held = fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ)
    os.close(reading)
    os.close(writing)
    assert held == _PIPE_BYTES


def test_what_is_no_pipe_stays_as_it_is(tmp_path):
    with (tmp_path / "file").open("wb") as file:
        _widen(file.fileno())
        file.write(b"still a file")
    assert (tmp_path / "file").read_bytes() == b"still a file"
