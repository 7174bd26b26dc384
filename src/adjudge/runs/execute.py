"""All open cases of a run, many at a time in one process, until they are done or somebody stops the run.

Cases that failed for a reason that may pass, such as a lost network, are tried once more when all others are done.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, nullcontext, suppress
from dataclasses import dataclass, field
from decimal import Decimal

from ..engine import open_engine
from ..errors import InputError, JournalError, SetupError, plain_reason
from ..judges.budget import Budget, JointBudget, LocalBudget
from .directory import InFlight, RunDirectory, position_of, read_case, whole_lines
from .estimate import Estimate, estimate
from .job import TRANSIENT, Job, Outcome, PoolRunner, Runner, engine_for_run, worker_count
from .plan import Plan, RunOptions
from .progress import Progress
from .state import OutcomeFiles, RunState

_SHOW_EVERY = 0.25
_SUMMARY_EVERY = 10.0
_IN_BATCHES = 5000
# An outage: so many cases in a row failed for a reason that may pass.
_OUTAGE = 10
_FIRST_PAUSE, _LONGEST_PAUSE, _PATIENCE = 5.0, 60.0, 900.0


@dataclass(slots=True)
class Halt:
    """Says that a run should end early: finish what is in flight (`asked`), or drop it (`now`).

    `why` is empty if everything wanted has an outcome.
    """

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    now: asyncio.Event = field(default_factory=asyncio.Event)
    why: str = ""
    detail: str = ""

    def ask(self, why: str, detail: str = "") -> None:
        """End early; the first reason is the one that is told."""
        if not self.why:
            self.why, self.detail = why, detail
        self.asked.set()


class _Outage:
    """Whether the provider is away. While it is, one case at a time tries whether it is back.

    A provider that never answered, or that does not accept the key, stops the run; and so does one that stays away.
    """

    def __init__(self, halt: Halt) -> None:
        self._halt = halt
        self._failures = 0
        self._answered = False
        self._since = self._pause = 0.0
        self._message = ""
        self.probing = asyncio.Lock()

    @property
    def on(self) -> bool:
        """Whether no case should begin but the one that tries."""
        return self._failures >= _OUTAGE

    def note(self, outcome: Outcome) -> None:
        """What came of a case."""
        if outcome.status != "verdict" and outcome.answer in TRANSIENT:
            self._failures += 1
            self._message = outcome.message
            if self._failures == _OUTAGE:
                self._since, self._pause = time.monotonic(), _FIRST_PAUSE
            if self.on and (
                not self._answered or outcome.answer == "unauthorized" or time.monotonic() - self._since > _PATIENCE
            ):
                self._halt.ask("unreachable", outcome.message)
        elif outcome.calls:
            self._failures, self._answered = 0, True

    async def wait(self) -> None:
        """Give the provider time to recover."""
        pause, self._pause = self._pause, min(2 * self._pause, _LONGEST_PAUSE)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._halt.asked.wait(), pause)

    def waits_for(self) -> str:
        """Why cases wait; empty if they do not."""
        return f"the provider does not answer, trying again: {self._message}" if self.on else ""


class _Session:
    """The cases of one session on their way through a runner."""

    def __init__(self, state: RunState, runner: Runner, files: OutcomeFiles, halt: Halt, at_once: int) -> None:
        self._state, self._runner, self._files, self._halt = state, runner, files, halt
        self._at_once = max(1, min(at_once, state.open))
        self._in_flight = InFlight(state.directory, self._at_once)
        self._outage = _Outage(halt)
        self._again = bytearray(state.tally.cases)  # cases to be tried again

    def close(self) -> None:
        self._in_flight.close()

    def waits_for(self) -> str:
        """Why nothing happens at the moment."""
        return self._outage.waits_for() or self._runner.waits_for()

    async def judge_all(self) -> None:
        """All open cases, then those that may succeed at a second try."""
        done = self._state.done
        await self._judge(line for line in self._state.lines() if not done[position_of(line)])
        while any(self._again) and not self._halt.asked.is_set():
            again, self._again = self._again, bytearray(self._state.tally.cases)
            await self._judge((line for line in self._state.lines() if again[position_of(line)]), second=True)

    async def _judge(self, lines: Iterator[bytes], second: bool = False) -> None:
        tasks = [asyncio.create_task(self._work(slot, lines, second)) for slot in range(self._at_once)]
        halting = asyncio.create_task(self._on_halt(tasks))
        try:
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for task in (halting, *tasks):
                task.cancel()
            await asyncio.gather(halting, *tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, BaseException) and not isinstance(error, asyncio.CancelledError):
                raise error

    async def _on_halt(self, tasks: list[asyncio.Task[None]]) -> None:
        await self._halt.asked.wait()
        self._runner.stop()
        await self._halt.now.wait()
        for task in tasks:
            task.cancel()

    async def _work(self, slot: int, lines: Iterator[bytes], second: bool) -> None:
        try:
            more = True
            while more and not self._halt.asked.is_set():
                if not self._outage.on:
                    more = await self._next(slot, lines, second)
                    continue
                async with self._outage.probing:
                    if self._outage.on:
                        await self._outage.wait()
                        more = self._halt.asked.is_set() or await self._next(slot, lines, final=False)
        except BaseException:
            # What concerns the whole run ends it, when the others have finished what they have in flight.
            self._halt.ask("error")
            raise

    async def _next(self, slot: int, lines: Iterator[bytes], final: bool) -> bool:
        line = next(lines, None)
        if line is None:
            return False
        position = position_of(line)
        self._in_flight.note(slot, position)
        outcome = await self._runner.run(line, final, self._state.attempts.get(position, 0))
        self._in_flight.note(slot, None)
        self._files.write(outcome)
        self._outage.note(outcome)
        if outcome.status == "left":
            if outcome.answer == "over_budget":
                self._halt.ask("budget", outcome.message)
            elif outcome.answer in TRANSIENT:
                self._again[position] = True
        return True


async def execute(
    state: RunState, options: RunOptions, progress: Progress, halt: Halt, payer: Budget | None = None
) -> None:
    """Judge what is open. Whatever happens, what is done stays done, and the summary says where the run stands.

    `payer`: a budget beyond the run's own, of whoever the run is for; each call must fit into both.
    """
    directory, tally = state.directory, state.tally
    known = {**state.known, "begun": True, "options": options.stored()}
    if known != state.known:
        directory.write(known)
    state.write_summary()
    files = OutcomeFiles(directory, tally)
    progress.begin(tally, tally.verdicts + tally.failures + state.open)
    failed = True
    try:
        async with _runner(state, options, payer) as runner:
            session = _Session(state, runner, files, halt, cases_at_once(state.plan, options))
            watching = asyncio.create_task(_watch(state, files, session, progress))
            try:
                await session.judge_all()
                files.flush()
                failed = False
            finally:
                watching.cancel()
                session.close()
    except (OSError, JournalError) as error:
        said = str(error)
        if isinstance(error, OSError):
            said = f"{error.filename or directory.path}: {plain_reason(error)}"
        kept = "nothing that was judged is lost: when this is fixed, continue with"
        raise JournalError(f"{said}; {kept} {resume_command(directory)}") from error
    finally:
        progress.end(tally)
        # What made the run stop is worth more than that the sums could not be written either.
        with suppress(OSError, InputError) if failed else nullcontext():
            files.close()
            state.write_summary(halt.why)


@asynccontextmanager
async def _runner(state: RunState, options: RunOptions, payer: Budget | None) -> AsyncIterator[Runner]:
    """What judges a case: this process, a process pool, or a cluster."""
    plan, paid = state.plan, state.tally.paid
    if options.engine == "ray":
        from .ray import ray_runner

        async with ray_runner(plan, state.journal, options, paid, state.open) as runner:
            yield runner
        return
    # Without a limit too: a later session may have one, and wants to know how large the replies were.
    own = LocalBudget(Decimal("Infinity") if options.budget is None else options.budget, paid, state.seen)
    budget = own if payer is None else JointBudget(own, payer)
    batches = state.directory.batches.resolve() if options.batch else None
    async with engine_for_run(plan, state.journal, options, budget, batches) as engine:
        await engine.collect()
        job = Job(plan, engine)
        workers = worker_count(plan, options, state.open)
        if not workers:
            yield job
            return
        with closing(PoolRunner(job, state.journal, options, workers)) as pool:
            yield pool


async def _watch(state: RunState, files: OutcomeFiles, session: _Session, progress: Progress) -> None:
    written = time.monotonic()
    while True:
        await asyncio.sleep(_SHOW_EVERY)
        progress.show(files.tally, session.waits_for())
        # A disk that is full stops the run when the next outcome is written.
        with suppress(OSError, InputError):
            files.flush()
            if time.monotonic() - written > _SUMMARY_EVERY:
                state.write_summary()
                written = time.monotonic()


def cases_at_once(plan: Plan, options: RunOptions) -> int:
    """Cases being judged. The rate limiter bounds the calls; while a reply is read, the next call is ready to be sent.

    With a jury there are more of them, so that its slowest member does not hold up the others.
    """
    return _IN_BATCHES if options.batch else options.concurrency * (4 if plan.has_jury else 2)


async def skip_cases(directory: RunDirectory, journal: str, ids: list[str]) -> None:
    """Make failures of these cases without judging them, because they end the process."""
    async with open_engine(journal) as engine:
        job, missing = Job(directory.plan(), engine), set(ids)
        for line in whole_lines(directory.cases):
            case_id = read_case(line).case_id
            if case_id in ids:
                missing.discard(case_id)
                await job.store(job.crashed(line, "skipped with --skip-case"))
    if missing:
        raise InputError("--skip-case", f"no case {', '.join(sorted(missing))} in this run", "the id of a case")


async def estimated(state: RunState) -> Estimate:
    """What the open cases would ask and cost; the journal learns of the run on the way."""
    async with open_engine(state.journal) as engine:
        await engine.journal.put_run(state.plan.run_id, state.directory.config.read_bytes())
        return await estimate(state, engine)


def check_can_be_asked(expected: Estimate, options: RunOptions) -> None:
    """A judge needs its key, and a budget can be kept only where prices are known."""
    if expected.missing is not None:
        raise expected.missing
    if options.budget is not None and expected.unpriced:
        names = ", ".join(expected.unpriced)
        raise SetupError(f"--budget: no price is published for {names}, so spending cannot be bounded")


def has_open_batches(directory: RunDirectory) -> bool:
    """Whether batches were submitted whose replies are not collected."""
    from ..llm.batch.ledger import BatchLedger

    return bool(BatchLedger(directory.batches).unfinished())


def resume_command(directory: RunDirectory) -> str:
    """How to continue this run."""
    return f"adjudge run --resume {shlex.quote(str(directory.path))}"
