"""Workers fed and listened to by one parent, whatever they are: the engines say how one is started and reached.

A worker that dies costs nothing but time: its cases go to another, which finds what was paid in the journal.
"""

from __future__ import annotations

import asyncio
import os
import sys
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
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
GiveUp = Callable[[bytes, str], Awaitable[Outcome]]
_DEATHS = 3  # workers that may end one after another without anything done in between
_DEATHS_AT_WORK = 12  # the same for workers that had begun to work
_IN_COMPANY = 3  # deaths of workers that had a case among others, before it is tried alone
_ALONE = 3  # deaths of workers that had nothing else, before it is given up
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


class Worker(ABC):
    """The parent's end of one worker: what it has begun and set aside, and the way to it and back."""

    def __init__(self, share: int) -> None:
        self.share = share
        self.begun: dict[int, bytes] = {}
        self.reserved: list[Decimal] = []
        self.ready = False
        self.finishing = False

    @abstractmethod
    def send(self, kind: int, payload: bytes = b"") -> None:
        """Say something to it; without effect when it is gone."""

    @abstractmethod
    async def receive(self) -> tuple[int, bytes] | None:
        """What it says next; None when it has ended."""

    @abstractmethod
    def kill(self) -> None:
        """End it at once."""

    @abstractmethod
    async def ended(self) -> str:
        """Wait for its end; how it ended."""


class Workers(ABC):
    """Carries out one plan over an iterator of case lines, on workers of any kind."""

    def __init__(
        self, plan: Plan, journal: str, manner: Manner, lines: Iterator[bytes], hear: Hear, halt: Halt,
        purse: Budget | None = None, cases: int | None = None, more: Mapping[str, Any] | None = None,
        give_up: GiveUp | None = None,
    ) -> None:  # fmt: skip
        self._plan, self._journal, self._manner, self._more = plan, journal, manner, dict(more or {})
        self._lines, self._hear, self._halt, self._purse = lines, hear, halt, purse
        self._returned: deque[bytes] = deque()
        self._suspects: deque[bytes] = deque()
        self._deaths_of: Counter[int] = Counter()
        self._give_up = give_up
        self._exhausted = False
        self._workers: set[Worker] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._deaths = 0
        self._over = asyncio.Event()  # no worker that is not there yet will be needed
        self._cases = self._left = cases
        self._count = worker_count(plan, manner, cases)

    @abstractmethod
    async def _start(self, share: int) -> Worker | None:
        """A worker that can take cases; None if all was over before it came to that."""

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
                worker.kill()
                await worker.ended()

    async def _heed(self) -> None:
        """Passes a halt on to the workers."""
        await self._halt.asked.wait()
        self._finish_all()
        await self._halt.now.wait()
        for worker in self._workers:
            worker.kill()

    async def _tend(self, share: int) -> None:
        """One worker's place; what goes wrong here ends the run for all."""
        try:
            await self._keep_staffed(share)
        except BaseException:
            self._halt.ask("error")
            raise

    async def _keep_staffed(self, share: int) -> None:
        """A worker that dies is replaced as long as there is progress."""
        while True:
            worker = await self._start(share)
            if worker is None:
                return
            self._workers.add(worker)
            if self._halt.asked.is_set():
                worker.send(frames.FINISH, b"now")
                worker.finishing = True
            else:
                self._feed(worker)
            try:
                error = await self._listen(worker)
            except BaseException:
                worker.kill()
                await worker.ended()
                raise
            finally:
                self._workers.discard(worker)
            # At once: whoever looks meanwhile must not take the run for done.
            given_up = self._take_back(worker)
            status = await worker.ended()
            if error is not None:
                raise error
            for amount in worker.reserved:
                # It may have been paid: nobody lives who could tell.
                if self._purse is not None:
                    self._purse.settle(amount, amount)
            if not worker.begun and worker.finishing:
                return
            if given_up is not None and self._give_up is not None:
                self._hear([await self._give_up(given_up, status)])
                self._deaths = 0
            if self._halt.asked.is_set() or not (worker.begun or self._open()):
                return
            self._deaths += 1
            if self._deaths >= (_DEATHS_AT_WORK if worker.ready else _DEATHS):
                raise errors.JournalError(
                    f"workers end one after another without a result (the last: {status}); "
                    "nothing that was paid is lost"
                )

    def _take_back(self, worker: Worker) -> bytes | None:
        """The cases a worker had go to others. One that was there whenever workers died is sent alone from then on;
        and if that worker dies too, it is given up.
        """
        if not worker.ready:
            self._returned.extend(worker.begun.values())
            return None
        for position, line in worker.begun.items():
            self._deaths_of[position] += 1
            deaths = self._deaths_of[position]
            if deaths >= _IN_COMPANY + _ALONE and len(worker.begun) == 1:
                return line
            (self._suspects if deaths >= _IN_COMPANY else self._returned).append(line)
        return None

    def _known(self, share: int) -> dict[str, Any]:
        """What a worker must know before its first case."""
        return {
            "plan": self._plan.stored(),
            "journal": self._journal,
            "concurrency": share,
            "at_once": self._at_once(share),
            "rate": None if self._manner.rate is None else self._manner.rate / self._count,
            "budget": self._purse is not None,
            "jury": self._plan.has_jury,
            **self._more,
        }

    def _at_once(self, share: int) -> int:
        # A batch should be large, and takes long: many cases wait for it together.
        return _IN_BATCHES if self._manner.batch else cases_at_once(self._plan, share)

    def _open(self) -> bool:
        """Whether cases are left that no worker has."""
        return bool(self._returned or self._suspects) or not self._exhausted

    def _fair_share(self, worker: Worker) -> int:
        """Towards the end nobody takes more than his part of what is left: all should be done at the same time.

        Who has nothing any more has no part in it, for he is fed when he has done something; but until the first case
        is done, those who are still on their way have theirs.
        """
        if self._left is None:
            return sys.maxsize
        busy = sum(bool(other.begun) for other in self._workers if other is not worker)
        workers = self._count if self._left == self._cases else busy + 1
        return max(1, -(-self._left // workers))

    def _feed(self, worker: Worker) -> None:
        """Keep a worker's hands full, and no more: what it has not begun another could take."""
        if self._suspects:
            if not worker.begun and not worker.finishing:
                self._send(worker, [self._suspects.popleft()])
            return
        at_once = self._at_once(worker.share)
        chunk = max(_SMALLEST_CHUNK, at_once // 2)
        most = self._fair_share(worker)
        while not worker.finishing and len(worker.begun) < min(at_once + chunk, most):
            lines = self._take(min(chunk, most - len(worker.begun)))
            if not lines:
                break
            self._send(worker, lines)
        if not self._open() and not any(other.begun for other in self._workers):
            self._finish_all()

    def _send(self, worker: Worker, lines: list[bytes]) -> None:
        for line in lines:
            worker.begun[position_of(line)] = line
        worker.send(frames.CASES, b"\n".join(lines))

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
        self._over.set()
        for worker in self._workers:
            if not worker.finishing:
                worker.finishing = True
                worker.send(frames.FINISH, b"now" if self._halt.asked.is_set() else b"")

    async def _listen(self, worker: Worker) -> Exception | None:
        """What a worker says, until it ends; the error that stops the run, if it says one."""
        error: Exception | None = None
        while (message := await worker.receive()) is not None:
            kind, payload = message
            if kind == frames.OUTCOMES:
                outcomes = frames.unpack_outcomes(payload)
                for outcome in outcomes:
                    if worker.begun.pop(outcome.position, None) is not None and self._left is not None:
                        self._left -= 1
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
            elif kind == frames.READY:
                worker.ready = True
            elif kind == frames.STOPPED:
                name, text = orjson.loads(payload)
                error = told_again(name, text)
        return error

    async def _grant(self, worker: Worker, purse: Budget, number: int, amount: Decimal) -> None:
        granted = await purse.reserve(lambda: amount) is not None
        if granted and worker not in self._workers:
            purse.settle(amount, Decimal(0))  # it died while it waited, so it paid nothing
        elif granted:
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
    """Cases that a worker is at. The pace limits calls; while one reply is read, the next question is ready to be sent.

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
