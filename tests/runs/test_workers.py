"""How cases are dealt out: hands are kept full, and towards the end all get done at the same time."""

import asyncio
import os
import sys

import pytest

from adjudge.engine import CompareSettings
from adjudge.runs import frames
from adjudge.runs.judging import Outcome
from adjudge.runs.plan import Manner, Plan
from adjudge.runs.worker import _PIPE_BYTES, _widen
from adjudge.runs.workers import Halt, Worker, Workers


class Hand(Worker):
    """A worker of this process that does a case in so many seconds, so many at a time."""

    def __init__(self, share, pause):
        super().__init__(share)
        self.done, self._pause = 0, pause
        self._queue, self._said = asyncio.Queue(), asyncio.Queue()
        self._said.put_nowait((frames.READY, b"null"))
        self._tasks = [asyncio.create_task(self._work()) for _ in range(share)]

    async def _work(self):
        while True:
            position = await self._queue.get()
            await asyncio.sleep(self._pause)
            self.done += 1
            outcome = Outcome(position, "verdict", "A", None, 0, 0, 0, None, None, b"{}")
            self._said.put_nowait((frames.OUTCOMES, frames.pack_outcomes([outcome])))

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
    """Workers of given speeds."""

    def __init__(self, pauses, *args, **more):
        super().__init__(*args, **more)
        self.hands, self._pauses = [], iter(pauses)

    async def _start(self, share):
        self.hands.append(Hand(share, next(self._pauses)))
        return self.hands[-1]


async def deal(pauses, cases, *, known=True):
    """Run so many cases on workers of these speeds; how many each did."""
    plan, heard = Plan.of("r1", "compare", CompareSettings(judge="embedded")), []
    lines = (b'{"position":%d,"case":""}' % position for position in range(cases))
    manner = Manner(concurrency=20 * len(pauses), workers=len(pauses))
    workers = Hands(pauses, plan, "journal.db", manner, lines, heard.extend, Halt(), cases=cases if known else None)
    await asyncio.wait_for(workers.run(), 60)
    assert sorted(outcome.position for outcome in heard) == list(range(cases))
    return [hand.done for hand in workers.hands]


async def test_workers_of_equal_speed_get_equally_much():
    for cases in (2, 90):
        done = await deal([0.02, 0.02], cases)
        assert abs(done[0] - done[1]) <= 4, cases


async def test_a_faster_worker_gets_more():
    done = await deal([0.01, 0.04], 400)
    assert done[0] > 2 * done[1]


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
