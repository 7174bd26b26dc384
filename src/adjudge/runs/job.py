"""One case judged and its outcome stored: the same in this process, in a process pool, and on a cluster.

An outcome is in the journal before it is reported, so a run that is resumed finds it there.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import traceback
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..engine import CompareSettings, Engine, Judged, case_of
from ..errors import AdjudgeError, InputError, JudgeSpecError
from ..journal import open_journal
from ..judges.base import Judge
from ..judges.budget import Budget
from ..llm.batch.base import BatchSettings
from ..llm.rate_limiter import RateLimits
from ..models import Call, Failure
from ..models.cases import Comparison, Dialogue, Review
from ..models.common import NOT_SENT, PASSING
from ..models.rows import Verdict, answer_of, row_of
from ..redaction import redact
from ..text.findings import without_attempts
from .directory import CaseLine, failure_line, read_case, spent_by, verdict_line
from .plan import Plan, RunOptions, Settings, is_embedded

Status = Literal["verdict", "failure", "left"]
# A later try may well succeed; all other failures would only repeat.
TRANSIENT = PASSING | {"no_quorum"}
# A jury continues without a member that is down. For a single judge the run waits.
_NEVER = 10**9


class Outcome(NamedTuple):
    """What came of one case: the line for the run's files, and what is counted.

    `answer` is the verdict in one word, or the reason why there is none. A case that is left has no outcome yet.
    `unstored` are a verdict's id, inputs and JSON until they are in the journal.
    """

    position: int
    status: Status
    answer: str
    decided: bool
    label: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    cost: str | None
    paid: str | None
    line: bytes
    message: str = ""
    unstored: tuple[str, bytes, bytes] | None = None


class Runner(ABC):
    """Judges a case somewhere and stores what came of it."""

    @abstractmethod
    async def run(self, line: bytes, final: bool = True, attempt: int = 0) -> Outcome:
        """Judge a case; the arguments are those of `Job.judge`."""

    def stop(self) -> None:  # noqa: B027 - a runner without calls of its own has nothing to stop
        """Send no new call; what is in flight is finished."""

    def waits_for(self) -> str:
        """Why no call is sent at the moment; empty if calls are sent, or if it is not known."""
        return ""


class Job(Runner):
    """One plan on one engine; its judges are opened once."""

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
        return ""

    async def judge(self, line: bytes, final: bool = True, attempt: int = 0) -> Outcome:
        """Judge a case, and store nothing. Unless this is the `final` try, a failure that may pass leaves it open.

        `attempt`: how often to ask again where a stored reply is unusable.
        """
        known = read_case(line)
        judged = await self._judge(known, attempt)
        if isinstance(judged, Failure):
            return _failed(known, judged, final, attempt)
        unstored = judged.verdict.verdict_id, judged.inputs, judged.written
        return outcome_of(known, judged.verdict, judged.written)._replace(unstored=unstored)

    async def store(self, outcome: Outcome) -> Outcome:
        """Keep what came of a case."""
        place = self.plan.run_id, outcome.position
        if outcome.unstored is not None:
            await self.engine.journal.put_verdict(*outcome.unstored, place)
        elif outcome.status == "failure":
            await self.engine.journal.put_outcome(*place, None, outcome.line)
        return outcome._replace(unstored=None)

    def crashed(self, line: bytes, message: str) -> Outcome:
        """The failure of a case that cannot be judged because it ends the process, or was skipped for that."""
        failure = Failure(reason="crashed", message=message, judge=self._judges[0].name)
        return _failed(read_case(line), failure, True)

    async def calls_for(self, line: bytes) -> tuple[Call, ...]:
        """The replies behind a case that can be had now; nothing is stored."""
        known = read_case(line)
        if known.input is None:
            return ()
        case = case_of(self.plan.protocol, known.input)
        asked = [await self._ask(case)]
        if self._settings.recheck_attempts and (clean := without_attempts(case)) != case:
            asked.append(await self._ask(clean))
        return tuple(call for one in asked for call in (one.calls if isinstance(one, Failure) else one.verdict.calls))

    def _open(self, settings: Settings) -> tuple[Judge, ...]:
        if isinstance(settings, CompareSettings):
            self.engine.searcher(settings)  # one that does not exist is refused now, and not case by case
        return tuple(self.engine.judge(name, settings) for name in settings.judges)

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
            # An error of ours in one case must not end the other thousands.
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
            message = f"unexpected error in adjudge; please report it: {text}"
            return Failure(reason="crashed", message=redact(message)[:500], judge=judge)

    async def _ask(self, case: Comparison | Dialogue | Review, attempt: int = 0) -> Judged[Any] | Failure:
        engine, settings, judges = self.engine, self._settings, self._judges
        if attempt:
            settings = replace(settings, attempt=attempt)
            judges = self._open(settings)
        return await engine.judge_case(case, settings, *judges)


def engine_for_run(
    plan: Plan, journal: str, options: RunOptions, budget: Budget | None = None, batches: Path | None = None
) -> Engine:
    """An engine over the run's journal with its limits."""
    limits = RateLimits(
        start=options.concurrency,
        ceiling=options.concurrency,
        per_minute=options.rate,
        open_after=5 if plan.has_jury else _NEVER,
        max_unsaved=options.concurrency,
    )
    batch = BatchSettings(batches, poll=options.poll) if batches is not None else None
    return Engine(open_journal(journal), rate_limits=limits, budget=budget, batches=batch)


def outcome_of(known: CaseLine, verdict: Verdict, written: bytes) -> Outcome:
    """A verdict as what came of a case."""
    answer, spent = answer_of(verdict), spent_by(verdict.calls)
    line = verdict_line(known, verdict.verdict_id, answer, written, spent, row_of(verdict, known.label))
    return Outcome(
        known.position, "verdict", answer, getattr(verdict, "decided", True), known.label, **spent, line=line
    )


def _failed(known: CaseLine, failure: Failure, final: bool, attempt: int = 0) -> Outcome:
    left = failure.reason in NOT_SENT or (failure.reason in TRANSIENT and not final)
    line = b"" if left else failure_line(known, failure, attempt)
    status: Status = "left" if left else "failure"
    return Outcome(
        known.position, status, failure.reason, True, known.label, **spent_by(failure.calls), line=line,
        message=failure.message,
    )  # fmt: skip


# -- processes --------------------------------------------------------------------------------------------------------
# The embedded judge computes, so one process keeps one core busy. Each process has a pipe of its own, so that one that
# ends, even in the middle of an answer, is noticed and replaced. Its case is tried again; a case that ends its process
# three times is a failure. (A `ProcessPoolExecutor` shares one pipe and its lock among all processes: one that was
# killed while it wrote left the others waiting for ever.)

_CASES_A_WORKER = 100  # with fewer, starting the process takes longer than it saves
_TRIES = 3
_STARTS = 10


class PoolRunner(Runner):
    """Judges in processes, stores in this one."""

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
                # Also after an error that ends the run: others wait for a process.
                self._idle.append(worker)
        if isinstance(outcome, str):
            outcome = self._job.crashed(line, outcome)
        return await self._job.store(outcome)

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.end()
        self._threads.shutdown(wait=False)


class _Worker:
    """A process and the pipe to it."""

    def __init__(self, plan: Plan, journal: str, options: RunOptions) -> None:
        self._setup = plan, journal, options
        self._process: multiprocessing.process.BaseProcess | None = None

    def judge(self, line: bytes, final: bool) -> Outcome | str:
        """What the process makes of a case; or why it cannot be judged, which is that the process ends."""
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
        return f"the process ended in each of {_TRIES} tries with this case alone"

    def _start(self) -> bool:
        """Start the process unless it is there, and wait until it is ready; whether it is."""
        for _ in range(_STARTS):
            if self._process is not None:
                return True
            # Not forked: the journal's threads and connections would not survive it.
            spawn = multiprocessing.get_context("spawn")
            self._pipe, theirs = spawn.Pipe()
            self._process = spawn.Process(target=_work, args=(theirs, *self._setup), daemon=True)
            self._process.start()
            theirs.close()  # so that the pipe ends with the process
            try:
                self._pipe.recv()
            except (EOFError, ConnectionError):
                self.end()
        return self._process is not None

    def end(self) -> None:
        """End the process; the next case starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
            self._pipe.close()


def worker_count(plan: Plan, options: RunOptions, cases: int) -> int:
    """How many processes; 0: judge in this one."""
    if not all(map(is_embedded, plan.judges)):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = min(cores, cases // _CASES_A_WORKER) if options.workers is None else options.workers
    return count if count > 1 or options.workers else 0


def _work(pipe: Connection, plan: Plan, journal: str, options: RunOptions) -> None:
    """Judge what comes through the pipe, until it ends: when the run closes it or is killed."""
    # Ctrl-C in a terminal reaches every process: the parent decides what it means.
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
