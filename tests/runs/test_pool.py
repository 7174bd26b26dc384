"""The embedded judge's process pool: killed processes are replaced, and a case that always ends its process fails."""

import asyncio
import os
import pickle
import signal
import threading
from contextlib import suppress
from pathlib import Path

import orjson
import pytest
from runs.conftest import read_lines, until

from adjudge import CompareSettings
from adjudge.errors import InputError, JudgeSpecError, RubricError
from adjudge.runs.job import Job, PoolRunner, engine_for_run, worker_count
from adjudge.runs.plan import Plan, RunOptions


def pool_of(pid):
    """The processes of a run's pool; any of them may end while we look."""
    found = []
    with suppress(OSError):
        lists = [task / "children" for task in Path(f"/proc/{pid}/task").iterdir()]
        children = [child for children in lists for child in children.read_text().split()]
        found += [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    return found


@pytest.mark.slow
async def test_a_killed_process_is_replaced_and_its_cases_are_judged(command, files):
    running = asyncio.create_task(command.run(200, "--workers", "1"))  # enough for it to be killed in the middle
    verdicts = files.path / "verdicts.jsonl"
    await until(lambda: verdicts.exists() and verdicts.stat().st_size > 0)
    os.kill(pool_of(os.getpid())[0], signal.SIGKILL)
    await running
    files.check_complete(200)


async def test_a_case_that_always_ends_its_process_is_a_failure(command, files):
    running = asyncio.create_task(command.run(1, "--workers", "1", exits=1))

    def kill_the_pool():
        for child in pool_of(os.getpid()):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        return running.done()

    await until(kill_the_pool)
    await running
    files.check_complete(1)
    assert [line["reason"] for line in files.failures] == ["crashed"]


@pytest.mark.slow
async def test_a_killed_run_leaves_no_process_behind_and_goes_on(command, files):
    process = await command.start_run(60, "--workers", "1")
    await until(lambda: (files.path / "verdicts.jsonl").exists() and read_lines(files.path / "verdicts.jsonl"))
    assert pool_of(process.pid)
    process.kill()
    await process.communicate()  # until nobody holds its pipes
    await command.resume()
    files.check_complete(60)


async def test_an_error_of_one_case_does_not_leave_the_others_waiting_for_its_process(tmp_path):
    options, journal = RunOptions(), str(tmp_path / "journal.db")
    plan = Plan.of("r1", CompareSettings())
    async with engine_for_run(plan, journal, options) as engine:
        pool = PoolRunner(Job(plan, engine), journal, options, 1)
        broken = (pool.run(b'{"position":%d,' % number) for number in range(3))
        ended = await asyncio.wait_for(asyncio.gather(*broken, return_exceptions=True), 120)
        pool.close()
    assert [type(error) for error in ended] == [orjson.JSONDecodeError] * 3


async def test_a_pool_that_is_closed_in_the_middle_of_a_case_starts_no_process_again(tmp_path):
    options, journal = RunOptions(), str(tmp_path / "journal.db")
    plan = Plan.of("r1", CompareSettings())
    started, before = set(), set(pool_of(os.getpid()))

    def processes():
        started.update(set(pool_of(os.getpid())) - before)
        return started

    async with engine_for_run(plan, journal, options) as engine:
        pool = PoolRunner(Job(plan, engine), journal, options, 1)
        judging = asyncio.create_task(pool.run(b"{}"))
        await until(processes)
        judging.cancel()
        pool.close()
        await until(lambda: processes() and not any(one.name.startswith("pool") for one in threading.enumerate()))
    assert len(started) == 1


def test_a_pool_is_for_many_cases_of_the_embedded_judge_alone():
    def workers(judge, cases, **more):
        return worker_count(Plan("r1", "compare", {"judge": judge}, ""), RunOptions(**more), cases)

    assert workers("embedded", 50) == 0
    assert workers("embedded", 10**6) in (0, len(os.sched_getaffinity(0)))
    assert workers("embedded", 10, workers=3) == 3
    assert workers("openai:gpt-4o", 10**6) == workers("jury:embedded+openai:gpt-4o", 10**6) == 0


def test_an_error_comes_back_from_another_process_as_it_was():
    for kind in (InputError, JudgeSpecError, RubricError):
        error = pickle.loads(pickle.dumps(kind("judge", "nope", "one that exists")))
        assert (type(error), str(error), error.place) == (kind, "judge: nope; one that exists", "judge")
