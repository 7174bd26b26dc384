"""Runs that a service keeps: continued where they were left, and whatever happens, a run ends or says why not."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import asynccontextmanager
from dataclasses import replace

import orjson
import pytest

from adjudge.errors import ConflictError, InputError, NotFoundError
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.runs.hosting import HostedRuns
from adjudge.runs.uploads import NewRun
from adjudge.server.run_results import prepare

CASES = b"".join(
    json.dumps({"id": f"case-{n}", "task": f"Say {n}.", "a": f"I say {n} to you.", "b": "No."}).encode() + b"\n"
    for n in range(6)
)
WANTED = NewRun(CASES, "hellos.jsonl", CompareSettings(one_order=True), name="hellos")


@pytest.fixture
def runs(tmp_path):
    return HostedRuns(tmp_path / "data", str(tmp_path / "journal.db"))


@asynccontextmanager
async def working(runs):
    task = asyncio.create_task(runs.work())
    try:
        yield
    finally:
        await runs.close()
        await task


async def ended(run):
    for _ in range(3000):
        if (status := run.status()).state not in ("queued", "running"):
            return status
        await asyncio.sleep(0.02)
    raise AssertionError(status)


async def test_a_run_waits_until_somebody_works_and_is_then_executed(runs):
    run = await runs.begin(WANTED)
    assert (run.status().state, run.status().open) == ("queued", 6)
    async with working(runs):
        status = await ended(run)
    assert (status.state, status.verdicts, status.open) == ("finished", 6, 0)
    assert not run.marker.exists()


async def test_a_run_that_was_cancelled_before_its_turn_is_not_executed_until_it_is_resumed(runs):
    run = await runs.begin(WANTED)
    runs.cancel(run)
    status = run.status()
    assert (status.state, status.stopped_by, status.verdicts) == ("stopped", "cancelled", 0)
    async with working(runs):
        await asyncio.sleep(0.1)
        assert run.status().verdicts == 0
        runs.resume(run, {"concurrency": 3})
        status = await ended(run)
    assert (status.state, status.verdicts, status.concurrency) == ("finished", 6, 3)


async def test_a_run_that_another_process_executes_is_left_to_it(runs, tmp_path):
    run = await runs.begin(WANTED)
    with run.directory.locked():
        for forbidden in (lambda: runs.resume(run, {}), lambda: runs.remove(run)):
            with pytest.raises(ConflictError, match="is in progress"):
                forbidden()
        async with working(runs):
            await asyncio.sleep(0.2)
    assert run.status().verdicts == 0
    assert run.marker.exists()


async def test_a_case_that_was_in_flight_at_three_deaths_is_skipped(runs):
    run = await runs.begin(WANTED)
    run.directory.deaths.write_bytes(orjson.dumps({"2": 2}))
    run.directory.in_flight.write_bytes((3).to_bytes(8, "little"))
    async with working(runs):
        status = await ended(run)
    assert (status.state, status.verdicts, status.failures, status.reasons) == ("finished", 5, 1, {"crashed": 1})


async def test_a_run_that_cannot_be_continued_says_so_and_the_others_go_on(runs):
    broken, good = await runs.begin(WANTED), await runs.begin(WANTED)
    broken.directory.cases.unlink()
    async with working(runs):
        assert (await ended(good)).verdicts == 6
        status = await ended(broken)
    assert (status.state, status.stopped_by) == ("stopped", "error")
    assert status.error == "the run cannot be continued as it is; the service's log has the details"


async def test_a_run_that_is_deleted_while_its_table_is_prepared_is_no_error(tmp_path, caplog):
    def deleted_first(run):
        runs.remove(run)
        deleted.set()
        prepare(run)

    runs, deleted = HostedRuns(tmp_path / "data", str(tmp_path / "journal.db"), after=deleted_first), threading.Event()
    run = await runs.begin(WANTED)
    async with working(runs):
        assert await asyncio.to_thread(deleted.wait, 60)
    assert not run.directory.path.exists()
    assert caplog.text == ""


async def test_only_the_owner_finds_a_run_and_no_path_is_one(runs):
    run = await runs.begin(WANTED, "ann")
    assert runs.find(run.run_id, "ann").owner == "ann"
    for run_id, owner in ((run.run_id, "bob"), ("../runs/" + run.run_id, "ann"), ("r" * 18, None)):
        with pytest.raises(NotFoundError):
            runs.find(run_id, owner)
    with pytest.raises(InputError, match=r"hellos\.csv"):
        await runs.begin(replace(WANTED, cases=b"only,these\n1,2\n", source="hellos.csv"))
    assert [each.run_id for each in runs.listed()] == [run.run_id]


async def test_a_run_whose_owners_token_is_revoked_is_not_continued(tmp_path):
    def payer(name):
        raise InputError("token", f"{name} is revoked", "a run needs the token of its owner")

    runs = HostedRuns(tmp_path / "data", str(tmp_path / "journal.db"), payer)
    run = await runs.begin(WANTED, "ann")
    async with working(runs):
        status = await ended(run)
    assert (status.state, status.stopped_by, status.verdicts) == ("stopped", "revoked", 0)
    assert status.error == "token: ann is revoked; a run needs the token of its owner"


async def test_a_queue_that_cannot_be_read_for_a_while_stops_no_run_for_good(runs, caplog):
    queue, aside = runs.folder / "queue", runs.folder / "aside"
    async with working(runs):
        await asyncio.sleep(0)
        queue.rename(aside)
        queue.touch()
        for _ in range(3000):
            if "Not a directory" in caplog.text:
                break
            await asyncio.sleep(0.02)
        queue.unlink()
        aside.rename(queue)
        assert (await ended(await runs.begin(WANTED))).verdicts == 6
