"""Runs of a service that are paused: no new case is begun, and those in flight are finished and stored."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from runs.test_hosting import CASES, WANTED, ended, working
from scripted.provider import after, judges

from adjudge.errors import ConflictError
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.runs.hosting import HostedRuns
from adjudge.runs.plan import RunOptions


@pytest.fixture
def runs(tmp_path):
    return HostedRuns(tmp_path / "data", str(tmp_path / "journal.db"))


@pytest.fixture
def held(provider):
    """The provider replies after this event."""
    event = asyncio.Event()
    provider.script = lambda request: after(event, judges())
    return event


async def until(fact):
    for _ in range(3000):
        if fact():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never came")


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
