"""Executes a run: judges its open cases, many at a time, until they are done or the run is stopped.

Cases that failed for a transient reason, such as a lost network, are tried once more when all others are done.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, nullcontext, suppress
from dataclasses import dataclass, field

from ..engine import open_engine
from ..errors import InputError, JournalError, SetupError, plain_reason
from ..judges.budget import Budget, JointBudget, LocalBudget
from .directory import InFlight, RunDirectory, position_of, read_case
from .estimate import Estimate
from .job import TRANSIENT, Job, Outcome, PoolRunner, Runner, engine_for_run, worker_count
from .plan import Plan, RunOptions
from .progress import Progress
from .state import OutcomeFiles, RunState

_SHOW_EVERY = 0.25
_SUMMARY_EVERY = 10.0
_IN_BATCHES = 5000
# An outage is assumed when this many cases in a row fail for a transient reason.
_OUTAGE = 10
_FIRST_PAUSE, _LONGEST_PAUSE, _PATIENCE = 5.0, 60.0, 900.0


@dataclass(slots=True)
class Halt:
    """A request to stop a run early: to take no new case (`asked`), to send no new call (`no_calls`), or to drop the
    calls in flight as well (`now`).

    `why` is empty if nothing stopped the run.
    """

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    no_calls: asyncio.Event = field(default_factory=asyncio.Event)
    now: asyncio.Event = field(default_factory=asyncio.Event)
    why: str = ""
    detail: str = ""

    def ask(self, why: str, detail: str = "") -> None:
        """Ask the run to stop after its calls in flight. Only the first reason is reported."""
        if not self.why:
            self.why, self.detail = why, detail
        self.asked.set()
        self.no_calls.set()

    def pause(self) -> None:
        """Ask the run to stop after its cases in flight, with all calls that they need."""
        if not self.why:
            self.why = "paused"
        self.asked.set()


class _Outage:
    """Detects that the provider is down. During an outage one case at a time probes whether it is back.

    The run is stopped if the provider never answered, does not accept the key, or stays down for too long.
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
        """Whether only the probing case should be judged now."""
        return self._failures >= _OUTAGE

    def record(self, outcome: Outcome) -> None:
        """Record the outcome of a case. This may begin or end an outage, or stop the run."""
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
        """Pause so that the provider can recover. The pause is doubled each time, and ends early if the run stops."""
        pause, self._pause = self._pause, min(2 * self._pause, _LONGEST_PAUSE)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._halt.asked.wait(), pause)

    def waits_for(self) -> str:
        """Return why cases wait; empty if they do not."""
        return f"the provider does not answer, trying again: {self._message}" if self.on else ""


class _Session:
    """Sends the open cases of a run through a runner, many at a time."""

    def __init__(self, state: RunState, runner: Runner, files: OutcomeFiles, halt: Halt, at_once: int) -> None:
        self._state, self._runner, self._files, self._halt = state, runner, files, halt
        self._at_once = max(1, min(at_once, state.open))
        self._in_flight = InFlight(state.directory, self._at_once)
        self._outage = _Outage(halt)
        self._again = bytearray(state.tally.cases)  # cases to be tried again

    def close(self) -> None:
        self._in_flight.close()

    def waits_for(self) -> str:
        """Return why nothing happens at the moment; empty if cases are being judged."""
        return self._outage.waits_for() or self._runner.waits_for()

    async def judge_all(self) -> None:
        """Judge all open cases, then retry those that failed for a transient reason."""
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
        await self._halt.no_calls.wait()
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
            # This error concerns the whole run: stop it after the other tasks have finished their cases.
            self._halt.ask("error")
            raise

    async def _next(self, slot: int, lines: Iterator[bytes], final: bool) -> bool:
        line = next(lines, None)
        if line is None:
            return False
        position = position_of(line)
        self._in_flight.mark(slot, position)
        outcome = await self._runner.run(line, final, self._state.attempts.get(position, 0))
        self._in_flight.mark(slot, None)
        self._files.write(outcome)
        self._outage.record(outcome)
        if outcome.status == "left":
            if outcome.answer == "over_budget":
                self._halt.ask("budget", outcome.message)
            elif outcome.answer in TRANSIENT:
                self._again[position] = True
        return True


async def execute(
    state: RunState, options: RunOptions, progress: Progress, halt: Halt, payer: Budget | None = None
) -> None:
    """Judge the open cases. Even after an error, finished cases stay stored and the summary is written.

    `payer` is the budget of the person who pays for the run; each call must fit into it and into the run's own budget.
    """
    directory, tally = state.directory, state.tally
    config = {**state.config, "begun": True, "options": options.stored()}
    if config != state.config:
        directory.write(config)
    state.write_summary()
    files = OutcomeFiles(state)
    progress.begin(tally, tally.done + state.open)
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
        problem = str(error)
        if isinstance(error, OSError):
            problem = f"{error.filename or directory.path}: {plain_reason(error)}"
        remedy = f"everything judged so far is saved: fix the problem, then continue with {resume_command(directory)}"
        raise JournalError(f"{problem}; {remedy}") from error
    finally:
        try:
            # If the run has failed, report that error and not that the summary could not be written either.
            with suppress(OSError, InputError, JournalError) if failed else nullcontext():
                files.close()
                await asyncio.to_thread(state.recount)
                await asyncio.to_thread(state.measure_conduct)
                state.write_summary(halt.why)
        finally:
            with suppress(OSError):  # the terminal may be gone
                progress.end(tally)


@asynccontextmanager
async def _runner(state: RunState, options: RunOptions, payer: Budget | None) -> AsyncIterator[Runner]:
    """Open the runner that judges cases: in this process, in a process pool, or on a cluster."""
    plan, tally = state.plan, state.tally
    if options.engine == "ray":
        from .ray import ray_runner

        async with ray_runner(plan, state.journal, options, tally, state.open) as runner:
            yield runner
        return
    batches = state.directory.batches.resolve() if options.batch else None
    async with engine_for_run(plan, state.journal, options, batches=batches) as engine:
        if await engine.collect():
            await asyncio.to_thread(state.recount)
        # We need a budget even without a limit: it records reply sizes, which a later session with a limit will use.
        limit, calls = options.limits(tally.sent)
        own = LocalBudget(limit, tally.paid, state.seen, calls)
        engine.budget = own if payer is None else JointBudget(own, payer)
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
        with suppress(OSError):
            progress.show(state.tally, session.waits_for())
        # Ignore a full disk here: it stops the run when the next outcome is written.
        with suppress(OSError, InputError, JournalError):
            files.flush()
            if time.monotonic() - written > _SUMMARY_EVERY:
                await asyncio.to_thread(state.recount)
                state.write_summary()
                written = time.monotonic()


def cases_at_once(plan: Plan, options: RunOptions) -> int:
    """Return how many cases to judge at once: more than calls allowed, so that a call is ready while a reply is read.

    With a jury there are more cases at once, so that its slowest member does not hold up the others.
    """
    return _IN_BATCHES if options.batch else options.concurrency * (4 if plan.has_jury else 2)


async def skip_cases(directory: RunDirectory, journal: str, ids: list[str]) -> None:
    """Store a failure for each of these cases without judging it, because it crashes the process."""
    async with open_engine(journal) as engine:
        job, missing = Job(directory.plan(), engine), set(ids)
        with directory.cases.open("rb") as lines:
            for line in lines:
                case_id = read_case(line).case_id
                if case_id in ids:
                    missing.discard(case_id)
                    await job.store(job.crashed(line, "skipped with --skip-case"))
    if missing:
        raise InputError("--skip-case", f"no case {', '.join(sorted(missing))} in this run", "give the id of a case")


def check_can_be_asked(expected: Estimate, options: RunOptions) -> None:
    """Raise SetupError if a judge's key is missing, or if a budget is set and a judge has no known price."""
    if expected.missing is not None:
        raise expected.missing
    if options.budget is not None and expected.unpriced:
        names = ", ".join(expected.unpriced)
        found = f"no price is published for {names}, so spending cannot be limited"
        raise SetupError(f"--budget: {found}; leave it out, or name another judge")


def has_open_batches(directory: RunDirectory) -> bool:
    """Return whether there are submitted batches whose replies have not been collected."""
    from ..llm.batch.ledger import BatchLedger

    return bool(BatchLedger(directory.batches).unfinished())


def resume_command(directory: RunDirectory) -> str:
    """Return the shell command that continues this run."""
    return f"adjudge run --resume {shlex.quote(str(directory.path))}"
