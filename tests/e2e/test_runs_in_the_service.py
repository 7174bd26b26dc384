"""Runs in the service as it is started by a user: it is killed, and what it did goes on and adds up."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from contextlib import asynccontextmanager

import aiohttp
import pytest
from scripted.provider import after, judges, waits

SENTENCE = "Keep the first version small enough that two people can finish it within a fortnight."


def pairs(count):
    """Comparisons that differ from each other, and whose answers hold what the scripted judge quotes."""
    return "".join(
        json.dumps(
            {"id": f"case-{n}", "task": f"Plan tool {n}.", "a": f"Plan {n}. {SENTENCE}", "b": f"{SENTENCE} {n}."}
        )
        + "\n"
        for n in range(count)
    )


@asynccontextmanager
async def serving(provider, journal, data):
    """A service that judges with the scripted provider in one order; its process and its address."""
    options = ("--port", "0", "--judge", f"{provider.url}/v1#m", "--one-order", "--data", str(data))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "adjudge.cli.main", "serve", *options),
        env={**os.environ, "ADJUDGE_JOURNAL": str(journal)},
        stderr=asyncio.subprocess.PIPE,
    )
    said = []
    try:
        while line := (await process.stderr.readline()).decode():
            said.append(line)
            if found := re.search(r"running on (http://\S+)", line):
                break
        else:
            raise AssertionError("".join(said))
        reading = asyncio.create_task(process.stderr.read())
        yield process, found[1]
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
    await reading
    assert process.returncode in (0, -signal.SIGTERM, -signal.SIGKILL)


async def begin(url, count):
    settings = {"protocol": "compare", "source": "pairs.jsonl", "concurrency": "10"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{url}/api/runs", params=settings, data=pairs(count).encode()) as answer,
    ):
        assert answer.status == 201, await answer.text()
        return (await answer.json())["run_id"]


async def until(url, run_id, holds):
    """The run's status as soon as it fits."""
    async with asyncio.timeout(150), aiohttp.ClientSession() as session:
        while True:
            async with session.get(f"{url}/api/runs/{run_id}") as answer:
                status = await answer.json()
            if holds(status):
                return status
            await asyncio.sleep(0.1)


def adds_up(status, cases):
    assert status["state"] == "finished", status
    assert (status["cases"], status["verdicts"], status["failures"], status["open"]) == (cases, cases, 0, 0)
    assert sum(status["answers"].values()) + status["undecided"] == cases
    assert status["calls"] == cases


@pytest.mark.slow
async def test_after_kill_9_an_uploaded_run_of_1000_cases_goes_on_by_itself_and_adds_up(provider, tmp_path):
    killed = asyncio.Event()
    provider.script = lambda request: waits(0.01, judges()) if provider.calls <= 600 else after(killed)
    journal, data = tmp_path / "journal.db", tmp_path / "data"
    async with serving(provider, journal, data) as (process, url):
        run_id = await begin(url, 1000)
        await until(url, run_id, lambda status: status["verdicts"] >= 200)
        process.kill()
        await process.wait()
    killed.set()
    asked = provider.calls
    assert 200 <= asked < 1000, "it was killed in the middle"
    async with serving(provider, journal, data) as (_, url):
        status = await until(url, run_id, lambda status: status["state"] != "running")
    adds_up(status, 1000)
    assert provider.calls <= 1000 + 10, "only what was in flight is asked again"
    lines = (data / "runs" / run_id / "verdicts.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["position"] for line in lines) == list(range(1000))


async def test_a_service_that_is_told_to_stop_stops_although_somebody_follows_a_run(provider, tmp_path, monkeypatch):
    (tmp_path / "spilled").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "spilled"))
    provider.script = lambda request: waits(30, judges())
    async with serving(provider, tmp_path / "journal.db", tmp_path / "data") as (process, url):
        run_id = await begin(url, 20)
        async with aiohttp.ClientSession() as session, session.get(f"{url}/api/runs/{run_id}/events") as answer:
            assert (await answer.content.readline()) == b"event: progress\n"
            async with session.get(f"{url}/api/runs/{run_id}/rows") as rows:
                assert rows.status == 200 and any((tmp_path / "spilled").iterdir())
            process.terminate()
            async with asyncio.timeout(60):
                rest = (await answer.content.read()).decode()
                await process.wait()
            assert rest.endswith("event: end\ndata: {}\n\n")
    assert (tmp_path / "data" / "queue" / run_id).exists(), "it is continued when the service is started again"
    assert not any((tmp_path / "spilled").iterdir()), "what was written to read results is gone"


@pytest.mark.slow
async def test_of_two_processes_on_one_postgres_one_executes_a_run_and_the_other_takes_over(
    provider, postgres, tmp_path
):
    killed = asyncio.Event()
    provider.script = lambda request: waits(0.15, judges()) if provider.calls <= 60 else after(killed)
    place, data = postgres.new_place(), tmp_path / "data"
    async with (
        serving(provider, place, data) as (first, url),
        serving(provider, place, data) as (_, other_url),
    ):
        whole = await begin(url, 20)
        status = await until(other_url, whole, lambda status: status["state"] == "finished")
        adds_up(status, 20)
        assert provider.calls == 20, "each case is asked by one of them"

        run_id = await begin(url, 90)
        status = await until(other_url, run_id, lambda status: status["verdicts"] >= 25)
        first.kill()
        await first.wait()
        killed.set()
        asked = provider.calls
        status = await until(other_url, run_id, lambda status: status["state"] == "finished")
        adds_up(status, 90)
        # The first twenty are the same cases: their replies are in the journal.
        assert asked < 90 <= provider.calls <= 90 + 10


@pytest.mark.slow
async def test_any_process_cancels_a_run_that_another_executes(provider, tmp_path):
    provider.script = lambda request: waits(1.0, judges())
    journal, data = tmp_path / "journal.db", tmp_path / "data"
    async with (
        serving(provider, journal, data) as (_, url),
        serving(provider, journal, data) as (_, other_url),
        aiohttp.ClientSession() as session,
    ):
        run_id = await begin(url, 80)
        await until(url, run_id, lambda status: status["state"] == "running" and status["verdicts"])
        async with session.post(f"{other_url}/api/runs/{run_id}/cancel") as answer:
            status = await answer.json()
        assert (status["state"], status["stopped_by"]) == ("stopped", "cancelled")
        asked = provider.calls
        await asyncio.sleep(1.0)
        assert provider.calls <= asked + 40, "calls in flight, and what was sent until it was noticed"
        provider.script = lambda request: judges()
        for _ in range(600):
            async with session.post(f"{other_url}/api/runs/{run_id}/resume") as answer:
                if answer.status == 200:
                    break
                assert answer.status == 409
            await asyncio.sleep(0.1)
        adds_up(await until(url, run_id, lambda status: status["state"] == "finished"), 80)
