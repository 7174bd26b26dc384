"""The embedded judge in a pool of processes: it computes, so one process keeps one core busy.

Each process has a pipe of its own, so that one that ends, even in the middle of an answer, is noticed and replaced. Its
case is tried again; a case that ends its process three times is a failure. (A `ProcessPoolExecutor` shares one pipe and
its lock among all processes: one that was killed while it wrote left the others waiting for ever.)
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection

from .job import Job, Judgement, Outcome, Runner, engine_for_run
from .plan import Plan, RunOptions, is_embedded

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
                judgement = await judging
            finally:
                # Also after an error that ends the run: others wait for a process.
                self._idle.append(worker)
        if isinstance(judgement, str):
            judgement = self._job.crashed(line, judgement)
        return await self._job.store(judgement)

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

    def judge(self, line: bytes, final: bool) -> Judgement | str:
        """What the process makes of a case; or why it cannot be judged, which is that the process ends."""
        for _ in range(_TRIES):
            if not self._start():
                return f"no process could be started in {_STARTS} tries"
            try:
                self._pipe.send((line, final))
                answer: Judgement | Exception = self._pipe.recv()
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


# -- in the process ---------------------------------------------------------------------------------------------------


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
