"""Runs that a service keeps: continued where they were left, paused and resumed; whatever happens, a run ends or says
why not."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import asynccontextmanager
from dataclasses import replace

import orjson
import pytest
from runs.conftest import until
from scripted.provider import after, judges

from adjudge.errors import ConflictError, InputError, NotFoundError
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.runs.hosting import HostedRuns
from adjudge.runs.plan import RunOptions
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
    await until(lambda: run.status().state not in ("queued", "running"))
    return run.status()


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
        await until(lambda: "Not a directory" in caplog.text)
        queue.unlink()
        aside.rename(queue)
        assert (await ended(await runs.begin(WANTED))).verdicts == 6


# -- paused: no new case is begun, and those in flight are finished and stored ----------------------------------------


@pytest.fixture
def held(provider):
    """The provider replies after this event."""
    event = asyncio.Event()
    provider.script = lambda request: after(event, judges())
    return event


async def test_a_pause_takes_no_new_case_and_finishes_those_in_flight_with_all_their_calls(runs, provider, held):
    both_orders = CompareSettings(judge=f"{provider.url}/v1#m", one_order=False)
    run = await runs.begin(replace(WANTED, settings=both_orders, options=RunOptions(concurrency=1)))
    async with working(runs):
        await until(lambda: provider.calls)
        runs.pause(run)
        status = run.status()
        assert (status.state, status.pausing, status.stopped_by) == ("running", True, None)
        await until(lambda: runs._halts[run.run_id].asked.is_set())
        held.set()
        status = await ended(run)
        assert (status.state, status.stopped_by, status.error, status.pausing) == ("stopped", "paused", None, False)
        # One call at a time and two cases at once, each with two calls.
        assert (status.verdicts, status.failures, status.open, provider.calls) == (2, 0, 4, 4)
        assert [judged["case"] for judged in run.live["latest"]] == ["case-0", "case-1"]
        runs.resume(run, {})
        status = await ended(run)
    assert (status.state, status.stopped_by, status.verdicts) == ("finished", None, 6)
    assert [judged["position"] for judged in run.live["latest"]] == [0, 1, 2, 3, 4, 5], "those of the first session too"


async def test_a_run_that_is_resumed_while_it_pauses_goes_on_and_one_that_is_cancelled_stops(runs, provider, held):
    settings = CompareSettings(judge=f"{provider.url}/v1#m", one_order=True)
    new = replace(WANTED, settings=settings, options=RunOptions(concurrency=1))
    resumed = await runs.begin(new)
    async with working(runs):
        await until(lambda: provider.calls)
        runs.pause(resumed)
        await until(lambda: runs._halts[resumed.run_id].asked.is_set())
        with pytest.raises(ConflictError, match="is in progress"):
            runs.resume(resumed, {"concurrency": 3})
        runs.resume(resumed, {})
        assert (resumed.status().state, resumed.status().pausing) == ("running", False)
        held.set()
        assert ((await ended(resumed)).state, resumed.status().verdicts) == ("finished", 6)
        held.clear()
        cancelled = await runs.begin(replace(new, cases=CASES.replace(b"Say", b"Please say")))
        await until(lambda: provider.calls == 7)
        runs.pause(cancelled)
        await until(lambda: runs._halts[cancelled.run_id].asked.is_set())
        runs.cancel(cancelled)
        assert (cancelled.status().state, cancelled.status().stopped_by) == ("stopped", "cancelled")
        held.set()
        await until(lambda: not runs._tasks)
        assert (cancelled.status().stopped_by, cancelled.marker.exists()) == ("cancelled", False)


async def test_a_run_that_waits_for_its_turn_is_paused_at_once_and_so_is_one_whose_process_died(runs):
    waiting, died = await runs.begin(WANTED), await runs.begin(WANTED)
    runs.pause(waiting)
    assert (waiting.status().state, waiting.status().stopped_by) == ("stopped", "paused")
    died.marker.write_bytes(b"pausing")
    async with working(runs):
        status = await ended(died)
        assert (status.stopped_by, status.verdicts) == ("paused", 0)
        runs.resume(waiting, {})
        assert (await ended(waiting)).verdicts == 6
