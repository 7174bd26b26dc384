"""The local engine: worker processes of this machine, fed and listened to by one parent.

Judging is more work for a processor than waiting for a provider is, so one process is not enough for a fast one. A
worker that dies costs nothing but time: its cases go to another, which finds what was paid in the journal.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import orjson

from .. import errors
from ..judges.budget import Budget
from . import frames
from .judging import Outcome
from .plan import Manner, Plan

Hear = Callable[[Sequence[Outcome]], None]
_DEATHS = 3  # workers that may end one after another without anything done in between
_SMALLEST_CHUNK = 4
_IN_BATCHES = 5000


@dataclass(slots=True)
class Halt:
    """Says that a run should end early, and why: finish what is begun (`asked`), or drop it (`now`)."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    now: asyncio.Event = field(default_factory=asyncio.Event)
    why: str = ""

    def ask(self, why: str) -> None:
        """End early; the first reason is the one that is told."""
        self.why = self.why or why
        self.asked.set()


@dataclass(slots=True, eq=False)
class _Worker:
    process: asyncio.subprocess.Process
    share: int
    begun: dict[int, bytes] = field(default_factory=dict)
    reserved: list[Decimal] = field(default_factory=list)
    finishing: bool = False

    def send(self, kind: int, payload: bytes = b"") -> None:
        assert self.process.stdin is not None
        if not self.process.stdin.is_closing():
            self.process.stdin.write(frames.frame(kind, payload))


class LocalWorkers:
    """Carries out one plan over an iterator of case lines."""

    def __init__(
        self, plan: Plan, journal: str, manner: Manner, lines: Iterator[bytes], hear: Hear, halt: Halt,
        purse: Budget | None = None, cases: int | None = None, more: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self._plan, self._journal, self._manner, self._more = plan, journal, manner, dict(more or {})
        self._lines, self._hear, self._halt, self._purse = lines, hear, halt, purse
        self._returned: deque[bytes] = deque()
        self._exhausted = False
        self._workers: set[_Worker] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._deaths = 0
        self._count = worker_count(plan, manner, cases)

    async def run(self) -> None:
        """Until all is done, or the halt is asked for; an error that concerns the whole run is raised."""
        shares = [self._manner.concurrency // self._count] * self._count
        for at in range(self._manner.concurrency % self._count):
            shares[at] += 1
        listening = {asyncio.create_task(self._tend(share)) for share in shares}
        halting = asyncio.create_task(self._heed())
        try:
            # An error in one worker asks the others to finish what they have begun; only then is it told.
            ended = await asyncio.gather(*listening, return_exceptions=True)
            for error in ended:
                if isinstance(error, BaseException):
                    raise error
        finally:
            halting.cancel()
            for task in (*listening, *self._tasks):
                task.cancel()
            await asyncio.gather(halting, *listening, *self._tasks, return_exceptions=True)
            for worker in self._workers:
                if worker.process.returncode is None:
                    worker.process.kill()
                await worker.process.wait()

    async def _heed(self) -> None:
        """Passes a halt on to the workers."""
        await self._halt.asked.wait()
        self._finish_all()
        await self._halt.now.wait()
        for worker in self._workers:
            if worker.process.returncode is None:
                worker.process.kill()

    async def _tend(self, share: int) -> None:
        """One worker's place: a worker that dies is replaced as long as there is progress."""
        while True:
            worker = await self._start(share)
            self._workers.add(worker)
            if self._halt.asked.is_set():
                worker.send(frames.FINISH, b"now")
                worker.finishing = True
            else:
                self._feed(worker)
            error = await self._listen(worker)
            self._workers.discard(worker)
            status = await worker.process.wait()
            if error is not None:
                self._halt.ask("error")
                raise error
            for amount in worker.reserved:
                # It may have been paid: nobody lives who could tell.
                if self._purse is not None:
                    self._purse.settle(amount, amount)
            if not worker.begun and worker.finishing:
                return
            self._returned.extend(worker.begun.values())
            if self._halt.asked.is_set() or not (worker.begun or self._open()):
                return
            self._deaths += 1
            if self._deaths >= _DEATHS:
                self._halt.ask("error")
                raise errors.JournalError(
                    f"workers end one after another without a result (the last with status {status}); "
                    "nothing that was paid is lost"
                )

    async def _start(self, share: int) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "adjudge.runs.worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**20, start_new_session=True,
        )  # fmt: skip
        worker = _Worker(process, share)
        known = {
            "plan": self._plan.stored(),
            "journal": self._journal,
            "concurrency": share,
            "at_once": self._at_once(share),
            "rate": None if self._manner.rate is None else self._manner.rate / self._count,
            "budget": self._purse is not None,
            "jury": self._plan.has_jury,
            **self._more,
        }
        worker.send(frames.PLAN, orjson.dumps(known))
        return worker

    def _at_once(self, share: int) -> int:
        # A batch should be large, and takes long: many cases wait for it together.
        return _IN_BATCHES if self._manner.batch else cases_at_once(self._plan, share)

    def _open(self) -> bool:
        """Whether cases are left that no worker has."""
        return bool(self._returned) or not self._exhausted

    def _feed(self, worker: _Worker) -> None:
        """Keep a worker's hands full, and no more: what it has not begun another could take."""
        at_once = self._at_once(worker.share)
        chunk = max(_SMALLEST_CHUNK, at_once // 2)
        while not worker.finishing and len(worker.begun) < at_once + chunk:
            lines = self._take(chunk)
            if not lines:
                break
            for line in lines:
                worker.begun[position_of(line)] = line
            worker.send(frames.CASES, b"\n".join(lines))
        if not self._open() and not any(other.begun for other in self._workers):
            self._finish_all()

    def _take(self, count: int) -> list[bytes]:
        taken: list[bytes] = []
        while len(taken) < count:
            if self._returned:
                taken.append(self._returned.popleft())
                continue
            line = next(self._lines, None)
            if line is None:
                self._exhausted = True
                break
            taken.append(line.rstrip(b"\n"))
        return taken

    def _finish_all(self) -> None:
        for worker in self._workers:
            if not worker.finishing:
                worker.finishing = True
                worker.send(frames.FINISH, b"now" if self._halt.asked.is_set() else b"")

    async def _listen(self, worker: _Worker) -> Exception | None:
        """What a worker says, until it ends; the error that stops the run, if it says one."""
        assert worker.process.stdout is not None
        error: Exception | None = None
        while True:
            try:
                size, kind = frames.HEAD.unpack(await worker.process.stdout.readexactly(frames.HEAD.size))
                payload = await worker.process.stdout.readexactly(size)
            except (asyncio.IncompleteReadError, ConnectionError):
                return error
            if kind == frames.OUTCOMES:
                outcomes = frames.unpack_outcomes(payload)
                for outcome in outcomes:
                    worker.begun.pop(outcome.position, None)
                if any(outcome.answer == "over_budget" for outcome in outcomes if outcome.status == "left"):
                    self._halt.ask("budget")
                self._deaths = 0
                self._hear(outcomes)
                if not self._halt.asked.is_set():
                    self._feed(worker)
            elif kind == frames.RESERVE and self._purse is not None:
                number, amount = orjson.loads(payload)
                task = asyncio.create_task(self._grant(worker, self._purse, number, Decimal(amount)))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            elif kind == frames.SETTLE and self._purse is not None:
                reserved, spent = orjson.loads(payload)
                worker.reserved.remove(Decimal(reserved))
                self._purse.settle(Decimal(reserved), None if spent is None else Decimal(spent))
            elif kind == frames.FOUND and self._purse is not None:
                self._purse.found(Decimal(orjson.loads(payload)))
            elif kind == frames.STOPPED:
                name, text = orjson.loads(payload)
                error = told_again(name, text)

    async def _grant(self, worker: _Worker, purse: Budget, number: int, amount: Decimal) -> None:
        granted = await purse.reserve(amount)
        if granted:
            worker.reserved.append(amount)
        worker.send(frames.GRANTED, orjson.dumps([number, granted]))


def worker_count(plan: Plan, manner: Manner, cases: int | None = None) -> int:
    """How many processes: one a core while there is enough for each to do; one where a model lives in the process."""
    if manner.workers is not None:
        return min(manner.workers, manner.concurrency)
    if sys.platform == "win32" or manner.batch or any(name.startswith("gguf:") for name in plan.judges):
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    enough = cores if cases is None else max(1, cases // 40)
    return max(1, min(cores, enough, manner.concurrency))


def cases_at_once(plan: Plan, concurrency: int) -> int:
    """Cases in flight in a worker. The pace limits calls; while one case is written down another is asked about.

    With a jury there are more of them, lest its slowest member hold up the others.
    """
    return concurrency * (4 if plan.has_jury else 2)


def position_of(line: bytes) -> int:
    """A line's position without reading the rest: it stands first."""
    return int(line[len(b'{"position":') : line.index(b",")])


def told_again(name: str, text: str) -> Exception:
    """A worker's error in this process."""
    kind = getattr(errors, name, errors.AdjudgeError)
    if issubclass(kind, errors.InputError):
        return errors.AdjudgeError(text)
    error: Exception = kind(text)
    return error
