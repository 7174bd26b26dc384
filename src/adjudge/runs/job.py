"""Judges one case and stores its outcome, in the same way in this process, in a process pool and on a cluster.

An outcome is stored in the journal before it is reported, so a resumed run finds it there.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
import traceback
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..engine import Engine, Judged, case_of
from ..errors import AdjudgeError, InputError, JudgeSpecError
from ..journal import open_journal
from ..judges.base import Judge
from ..judges.budget import Budget
from ..llm.batch.base import BatchSettings
from ..llm.rate_limiter import RateLimits
from ..models.cases import Case
from ..models.common import NOT_SENT, PASSING, Call, Failure
from ..models.verdict import Verdict
from ..protocols.base import protocol_of, row_of
from ..redaction import redact
from .directory import CaseLine, failure_line, read_case, spent_by, verdict_line, without_verdict
from .plan import Plan, RunOptions, Settings, is_embedded

Status = Literal["verdict", "failure", "left"]
# Reasons after which a retry may succeed; all other failures would only happen again.
TRANSIENT = PASSING | {"no_quorum"}
# A jury continues without a member that is down. For a single judge the circuit never opens, and the run waits.
_NEVER = 10**9
_SILENCE = 20.0  # seconds without a reply from a provider, after which the progress says so


class Outcome(NamedTuple):
    """The outcome of one case: the line for the run's files, and what is counted.

    `answer` is the verdict in one word, or the reason for the failure. `agrees` says whether it agrees with the case's
    label; it is None where there is none, or none that can be compared. Status "left" means that the case stays open.
    `unstored` holds a verdict's id, inputs and JSON until they are in the journal.
    """

    position: int
    status: Status
    answer: str
    decided: bool
    agrees: bool | None
    calls: int
    input_tokens: int
    output_tokens: int
    cost: str | None
    paid: str | None
    line: bytes
    message: str = ""
    unstored: tuple[str, bytes, bytes] | None = None


class Runner(ABC):
    """Judges a case somewhere and stores its outcome."""

    @abstractmethod
    async def run(self, line: bytes, final: bool = True, attempt: int = 0) -> Outcome:
        """Judge a case; the arguments are those of `Job.judge`."""

    def stop(self) -> None:  # noqa: B027 - a runner without calls of its own has nothing to stop
        """Send no new calls; those in flight are finished."""

    def waits_for(self) -> str:
        """Return why no call is sent at the moment; empty if calls are sent, or if it is not known."""
        return ""


class Job(Runner):
    """Judges cases in this process, by one plan on one engine; its judges are opened once."""

    def __init__(self, plan: Plan, engine: Engine) -> None:
        self.plan, self.engine = plan, engine
        self._settings = plan.opened()
        self._judges = self._open(self._settings)

    async def run(self, line: bytes, final: bool = True, attempt: int = 0) -> Outcome:
        return await self.store(await self.judge(line, final, attempt))

    def stop(self) -> None:
        self.engine.rate_limits.stop()

    def waits_for(self) -> str:
        for name, limiter in self.engine.rate_limits.named().items():
            seconds, why = limiter.held
            if seconds >= 1:
                return f"{name}: {why or 'rate limit'}, {seconds:.0f} s"
            if limiter.retrying and not limiter.in_flight:
                return f"{name} does not answer; {limiter.retrying} calls will be tried again"
            if limiter.silent >= _SILENCE:
                return (
                    f"{name}: {limiter.in_flight} calls in flight, and nothing has come back for {limiter.silent:.0f} s"
                )
        return ""

    async def judge(self, line: bytes, final: bool = True, attempt: int = 0) -> Outcome:
        """Judge a case without storing anything. Unless this is the `final` try, a transient failure leaves it open.

        `attempt` is how often to ask again where a stored reply is unusable.
        """
        known = read_case(line)
        judged = await self._judge(known, attempt)
        if isinstance(judged, Failure):
            return _failed(known, judged, final, attempt)
        unstored = judged.verdict.verdict_id, judged.inputs, judged.written
        return outcome_of(known, judged.verdict, judged.written)._replace(unstored=unstored)

    async def store(self, outcome: Outcome) -> Outcome:
        """Store the outcome in the journal; a case that was left has none."""
        place = self.plan.run_id, outcome.position
        if outcome.unstored is not None:
            line = *place, without_verdict(outcome.line)
            await self.engine.journal.put_verdict(*outcome.unstored, line, self.plan.rubric)
        elif outcome.status == "failure":
            await self.engine.journal.put_failure(*place, outcome.line)
        return outcome._replace(unstored=None)

    def crashed(self, line: bytes, message: str) -> Outcome:
        """Build the failure of a case that crashes the process, or that was skipped because it does."""
        failure = Failure(reason="crashed", message=message, judge=self._judges[0].name)
        return _failed(read_case(line), failure, True)

    async def calls_for(self, line: bytes, attempt: int = 0) -> tuple[Call, ...]:
        """Judge a case and return its calls, also those of a failure. Its outcome is not stored."""
        known = read_case(line)
        if known.input is None:
            return ()
        case = case_of(self.plan.protocol, known.input)
        asked = [await self._ask(case, attempt)]
        if self._settings.recheck_attempts and (clean := case.without_attempts()) != case:
            asked.append(await self._ask(clean, attempt))
        return tuple(call for one in asked for call in (one.calls if isinstance(one, Failure) else one.verdict.calls))

    def _open(self, settings: Settings[Any]) -> tuple[Judge, ...]:
        self.engine.open_searchers(settings)
        return tuple(self.engine.open_judge(name, settings) for name in settings.judges)

    async def _judge(self, known: CaseLine, attempt: int) -> Judged[Any] | Failure:
        judge = self._judges[0].name
        if known.bad is not None or known.input is None:
            return Failure(reason="invalid", message=known.bad or "no input", judge=judge)
        try:
            return await self._ask(case_of(self.plan.protocol, known.input), attempt)
        except AdjudgeError as error:
            # A missing key or a full disk concerns the whole run, not this case.
            if isinstance(error, JudgeSpecError) or not isinstance(error, InputError):
                raise
            return Failure(reason="invalid", message=str(error), judge=judge)
        except Exception as error:
            # A bug of ours in one case must not end the run with its thousands of other cases.
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
            message = f"unexpected error in adjudge; please report it: {text}"
            return Failure(reason="crashed", message=redact(message)[:500], judge=judge)

    async def _ask(self, case: Case, attempt: int = 0) -> Judged[Any] | Failure:
        engine, settings, judges = self.engine, self._settings, self._judges
        if attempt:
            settings = replace(settings, attempt=attempt)
            judges = self._open(settings)
        return await engine.judge_case(case, settings, *judges)


def engine_for_run(
    plan: Plan, journal: str, options: RunOptions, budget: Budget | None = None, batches: Path | None = None
) -> Engine:
    """Open an engine on the run's journal, with the run's limits."""
    limits = RateLimits(
        start=options.concurrency,
        ceiling=options.concurrency,
        per_minute=options.rate,
        open_after=5 if plan.has_jury else _NEVER,
        max_unsaved=options.concurrency,
    )
    batch = BatchSettings(batches, poll=options.poll) if batches is not None else None
    opened = open_journal(journal)
    opened.run_id = plan.run_id
    return Engine(opened, rate_limits=limits, budget=budget, batches=batch)


def outcome_of(known: CaseLine, verdict: Verdict, written: bytes) -> Outcome:
    """Build the outcome of a case from its verdict."""
    answer, spent = verdict.answer, spent_by(verdict.calls)
    row = row_of(verdict, known.label)
    words = protocol_of(verdict.protocol).table.answer_words(known.input)
    line = verdict_line(known, verdict.verdict_id, answer, written, spent, row, words)
    return Outcome(known.position, "verdict", answer, verdict.decided, row["agrees"], **spent, line=line)


def _failed(known: CaseLine, failure: Failure, final: bool, attempt: int = 0) -> Outcome:
    left = failure.reason in NOT_SENT or (failure.reason in TRANSIENT and not final)
    line = b"" if left else failure_line(known, failure, attempt)
    status: Status = "left" if left else "failure"
    return Outcome(
        known.position, status, failure.reason, True, None, **spent_by(failure.calls), line=line,
        message=failure.message,
    )  # fmt: skip


# -- processes --------------------------------------------------------------------------------------------------------
# The embedded judge is CPU-bound, so one process keeps one core busy. Each process has its own pipe, so that we notice
# and replace one that dies, even in the middle of an answer. Its case is retried; a case that kills its process three
# times is a failure. (A `ProcessPoolExecutor` shares one pipe and its lock among all processes: when one was killed
# while writing, the others waited for ever.)

_CASES_A_WORKER = 100  # with fewer, starting the process takes longer than it saves
_TRIES = 3
_STARTS = 10


class PoolRunner(Runner):
    """Judges cases in a pool of processes, and stores the outcomes from this one."""

    def __init__(self, job: Job, journal: str, options: RunOptions, workers: int) -> None:
        self._job = job
        self._workers = [_Worker(job.plan, journal, options) for _ in range(workers)]
        self._threads = ThreadPoolExecutor(workers, "pool")
        self._idle = [*self._workers]
        self._free = asyncio.Semaphore(workers)

    async def run(self, line: bytes, final: bool = True, attempt: int = 0) -> Outcome:
        async with self._free:
            worker = self._idle.pop()
            try:
                judging = asyncio.get_running_loop().run_in_executor(self._threads, worker.judge, line, final)
                outcome = await judging
            finally:
                # Return the worker even after an error that ends the run, because other cases wait for one.
                self._idle.append(worker)
        if isinstance(outcome, str):
            outcome = self._job.crashed(line, outcome)
        return await self._job.store(outcome)

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.close()
        self._threads.shutdown(wait=False)


class _Worker:
    """A process and the pipe to it."""

    def __init__(self, plan: Plan, journal: str, options: RunOptions) -> None:
        self._setup = plan, journal, options
        self._closed = False  # a case that was interrupted must not start a new process
        self._changing = threading.Lock()  # a run may be closed while a case's thread is starting the process
        self._process: multiprocessing.process.BaseProcess | None = None

    def judge(self, line: bytes, final: bool) -> Outcome | str:
        """Judge a case in the process. Return its outcome, or a message if the process cannot start or keeps dying."""
        for _ in range(_TRIES):
            if not self._start():
                return f"no process could be started in {_STARTS} tries"
            try:
                self._pipe.send((line, final))
                answer: Outcome | Exception = self._pipe.recv()
            except (EOFError, ConnectionError):
                self.end()
                continue
            if isinstance(answer, Exception):
                raise answer
            return answer
        return f"the process crashed in each of {_TRIES} attempts to judge this case alone"

    def _start(self) -> bool:
        """Start the process unless it is running, wait until it is ready, and return whether it is."""
        for _ in range(_STARTS):
            if self._process is not None or self._closed:
                break
            # Do not fork: the journal's threads and connections would not survive it.
            spawn = multiprocessing.get_context("spawn")
            self._pipe, theirs = spawn.Pipe()
            process = spawn.Process(target=_work, args=(theirs, *self._setup), daemon=True)
            process.start()
            with self._changing:
                self._process = process
            if self._closed:
                self.end()
                break
            theirs.close()  # so that the pipe ends with the process
            try:
                self._pipe.recv()
            except (EOFError, ConnectionError):
                self.end()
        return self._process is not None

    def close(self) -> None:
        """Kill the process, and start none again."""
        self._closed = True
        self.end()

    def end(self) -> None:
        """Kill the process; the next case starts a new one."""
        with self._changing:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
            self._pipe.close()


def worker_count(plan: Plan, options: RunOptions, cases: int) -> int:
    """Return how many worker processes to use; 0 means to judge in this process."""
    if not all(map(is_embedded, plan.judges)):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = min(cores, cases // _CASES_A_WORKER) if options.workers is None else options.workers
    return count if count > 1 or options.workers else 0


def _work(pipe: Connection, plan: Plan, journal: str, options: RunOptions) -> None:
    """Judge the cases that come through the pipe, until the run closes the pipe or is killed."""
    # Ctrl-C in a terminal reaches every process. Ignore it here, because the parent decides what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    loop = asyncio.new_event_loop()
    job = Job(plan, engine_for_run(plan, journal, options))
    pipe.send("ready")
    while True:
        try:
            line, final = pipe.recv()
        except (EOFError, ConnectionError):
            return
        try:
            pipe.send(loop.run_until_complete(job.judge(line, final)))
        except ConnectionError:
            return
        except Exception as error:
            pipe.send(error)
