"""The embedded judge in a process pool: it computes, so one process keeps one core busy.

A case that ends its process ends the pool with it. All cases that were in the pool are then tried again, one after
another in a process beside it; the one that ends that too, three times, is a failure.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess

from .job import Job, Judgement, Outcome, engine_for_run
from .plan import Plan, RunOptions, is_embedded

_CASES_A_WORKER = 100  # with fewer, starting the process takes longer than it saves
_TRIES_ALONE = 3


class PoolRunner:
    """Judges in processes, stores in this one."""

    def __init__(self, job: Job, journal: str, options: RunOptions, workers: int) -> None:
        self._job, self._setup, self._workers = job, (job.plan, journal, options), workers
        self._pool = self._open(workers)
        self._single: ProcessPoolExecutor | None = None
        self._alone = asyncio.Lock()

    async def run(self, line: bytes, final: bool = True, attempt: int = 0) -> Outcome:
        """Judge a case and store what came of it."""
        pool = self._pool
        try:
            judgement = await _submit(pool, line, final)
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = self._open(self._workers)
            async with self._alone:
                judgement = await self._judge_alone(line, final)
        return await self._job.store(judgement)

    def stop(self) -> None:
        """Nothing is sent by this judge."""

    def waits_for(self) -> str:
        """It waits for nobody."""
        return ""

    def close(self) -> None:
        """End the processes."""
        for pool in (self._pool, self._single):
            if pool is not None:
                pool.shutdown(wait=False, cancel_futures=True)

    async def _judge_alone(self, line: bytes, final: bool) -> Judgement:
        for _ in range(_TRIES_ALONE):
            if self._single is None:
                self._single = self._open(1)
            try:
                return await _submit(self._single, line, final)
            except BrokenProcessPool:
                self._single = None
        return self._job.crashed(line, f"the process ended in each of {_TRIES_ALONE} tries with this case alone")

    def _open(self, workers: int) -> ProcessPoolExecutor:
        # Not forked: the journal's threads and connections would not survive it.
        spawn = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(workers, mp_context=spawn, initializer=_begin, initargs=self._setup)


async def _submit(pool: ProcessPoolExecutor, line: bytes, final: bool) -> Judgement:
    return await asyncio.wrap_future(pool.submit(_judge, line, final))


def worker_count(plan: Plan, options: RunOptions, cases: int) -> int:
    """How many processes; 0: judge in this one."""
    if not all(map(is_embedded, plan.judges)):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = min(cores, cases // _CASES_A_WORKER) if options.workers is None else options.workers
    return count if count > 1 or options.workers else 0


# -- in the process ---------------------------------------------------------------------------------------------------

_job: Job
_loop: asyncio.AbstractEventLoop


def _begin(plan: Plan, journal: str, options: RunOptions) -> None:
    global _job, _loop
    # Ctrl-C in a terminal reaches every process: the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    # The pool's pipes do not tell when the parent is killed.
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _loop = asyncio.new_event_loop()
    _job = Job(plan, engine_for_run(plan, journal, options))


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _judge(line: bytes, final: bool) -> Judgement:
    return _loop.run_until_complete(_job.judge(line, final))
