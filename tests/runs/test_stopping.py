"""Runs that are stopped: by signals, a full disk, a provider that is gone, a case that ends the process; and what they
say meanwhile."""

import asyncio
import json
import os
import pty
import re
import signal
import socket
import sys

import orjson
import pytest
from runs.conftest import number_in, pairs, until
from scripted.provider import after, fails, judges, says, waits


async def test_ctrl_c_sends_no_new_call_finishes_what_is_in_flight_and_says_how_to_continue(
    provider, command, files, asked
):
    """And nohup is respected: what is ignored at the start stops nothing."""
    hung_up, told = asyncio.Event(), asyncio.Event()
    # The later replies need a repair: it would be a new call.
    provider.script = lambda request: after(hung_up) if provider.calls <= 4 else after(told, says("nonsense"))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a child inherits it
    try:
        process = await command.start_run(12, *asked, "--concurrency", "4")
    finally:
        signal.signal(signal.SIGHUP, before)
    await until(lambda: provider.calls == 4)
    process.send_signal(signal.SIGHUP)
    hung_up.set()
    await until(lambda: provider.calls == 8)
    process.send_signal(signal.SIGINT)
    while b"finishing the calls in flight" not in (line := await process.stderr.readline()):
        assert line, "it ended"
    told.set()
    _, err = await process.communicate()
    assert process.returncode == 130, err
    assert b"adjudge run --resume out" in err
    assert provider.calls == 8, "the replies are kept, nothing else is sent"
    assert (files.summary["stopped_by"], files.summary["failures"]) == ("interrupted", 0)
    provider.script = lambda request: judges()
    await command.resume()
    files.check_complete(12)
    assert provider.calls == 12 + 4, "only the repairs come on top"


@pytest.mark.slow
async def test_a_closed_terminal_ends_a_run_as_a_termination_does_and_does_not_lose_the_summary(
    provider, command, files, asked
):
    provider.script = lambda request: waits(0.05, judges())
    ours, theirs = pty.openpty()
    (command.folder / "pairs.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in pairs(60)))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "adjudge.cli.main", "run", "compare", "pairs.jsonl", "--run", "out", *asked),
        *("--concurrency", "2"),
        cwd=command.folder, env=command.environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    await until(lambda: provider.calls > 4)
    os.close(ours)  # whatever is written now fails
    process.send_signal(signal.SIGHUP)
    assert await process.wait() == 130
    assert files.summary["stopped_by"] == "interrupted"
    assert files.summary["verdicts"] == files.summary["calls"] == len(files.verdicts) > 0


@pytest.mark.slow
async def test_all_that_a_program_reads_of_a_run_is_json_and_a_second_ctrl_c_waits_for_nothing(
    provider, command, asked
):
    provider.script = lambda request: waits(600)
    rows = [{"question": pair.pop("task"), **pair} for pair in pairs(4)]
    process = await command.start_run(rows, *asked, "--json-progress")
    await until(lambda: provider.calls)
    process.send_signal(signal.SIGINT)
    told = []
    while line := await process.stderr.readline():
        told.append(json.loads(line))
        if "finishing" in told[-1].get("message", ""):
            process.send_signal(signal.SIGINT)
    assert await process.wait() == 130
    notes = [each["message"] for each in told if each.get("event") == "note"]
    assert notes[0] == "reading task from question" and notes[-1].startswith("finishing the calls in flight")
    assert told[-1]["event"] == "stopped" and "adjudge run --resume" in told[-1]["message"]


@pytest.mark.slow
async def test_a_run_in_batches_costs_half_and_after_a_stop_collects_what_was_submitted(
    provider, command, files, priced
):
    provider.batches.polls = 10**6
    process = await command.start_run(8, *priced, "--batch", "--poll", "0.1")
    await until(lambda: provider.batches.made)
    process.send_signal(signal.SIGINT)
    _, err = await process.communicate()
    assert process.returncode == 130, err
    assert b"a resumed run collects them" in err
    assert "continue with --batch" in (await command.resume("--no-batch", exits=2)).err
    for made in provider.batches.made:
        made.polls_left = 0
    await command.resume()
    files.check_complete(8)
    assert len(provider.batches.made) == 1
    # 1,000 tokens in and 200 out, at half of 2.50 and 10.00 dollars a million.
    assert [line["cost"] for line in files.verdicts] == ["0.00225"] * 8


@pytest.mark.slow
async def test_a_full_disk_stops_the_run_and_the_message_says_how_to_continue(provider, command, files, asked):
    limited = 'ulimit -f 600; exec "$0" -m adjudge.cli.main "$@"'
    (command.folder / "pairs.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in pairs(120)))
    process = await asyncio.create_subprocess_exec(
        *("bash", "-c", limited, sys.executable, "run", "compare", "pairs.jsonl", "--run", "out", *asked),
        cwd=command.folder, env=command.environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, err = await process.communicate()
    assert process.returncode == 2, err
    assert re.search(b"everything judged so far is saved.*continue with adjudge run --resume out", err), err
    assert b"Traceback" not in err
    await command.resume()
    files.check_complete(120)
    assert provider.calls <= 120 + 40


@pytest.mark.slow
async def test_a_case_that_ends_the_process_is_named_after_three_deaths_and_can_be_skipped(
    provider, command, files, asked
):
    running = []

    def deadly(request):
        if number_in(request) == 3:
            running[-1].kill()
        return judges()

    provider.script = deadly
    running.append(await command.start_run(6, *asked, "--concurrency", "1"))
    _, err = await running[-1].communicate()
    assert running[-1].returncode == -signal.SIGKILL, err
    in_flight, deaths = (files.path / "in_flight").read_bytes(), []
    for _ in range(3):  # the next two die as the first one did
        (files.path / "in_flight").write_bytes(in_flight)
        told = (await command.resume("--dry-run")).err
        deaths.append("the process died three times in a row while it judged " in told)
    assert deaths == [False, False, True]
    assert "case-3" in told and "--skip-case" in told
    assert "no case case-9 in this run" in (await command.resume("--skip-case", "case-9", exits=2)).err
    await command.resume("--skip-case", "case-3", exits=1)
    files.check_complete(6)
    assert [(line["case"], line["reason"]) for line in files.failures] == [("case-3", "crashed")]
    assert "died" not in (await command.resume(exits=1)).err


async def test_a_provider_that_is_gone_stops_the_run_and_the_rest_stays_open(command, files, monkeypatch):
    monkeypatch.setattr("adjudge.llm.retry._backoff", lambda *_: 0.01)
    # Nobody listens on the port of a server that has gone away.
    with socket.socket() as gone:
        gone.bind(("127.0.0.1", 0))
        judge = f"http://127.0.0.1:{gone.getsockname()[1]}/v1"
    done = await command.run(60, "--judge", f"{judge}#m", "--one-order", "--concurrency", "10", exits=1)
    assert f"stopped because no call succeeds: {judge}: nothing answers there" in done.err
    # Nothing failed for good: the next resume tries all of them.
    assert [files.summary[name] for name in ("failures", "open", "stopped_by")] == [0, 60, "unreachable"]


async def test_an_outage_fails_nothing_and_is_waited_for(provider, command, files, asked, monkeypatch):
    monkeypatch.setattr("adjudge.llm.retry._backoff", lambda *_: 0.01)
    monkeypatch.setattr("adjudge.runs.execute._FIRST_PAUSE", 0.05)
    provider.script = lambda request: judges() if not 10 < provider.calls <= 90 else fails(500, "gone")
    await command.run(30, *asked, "--concurrency", "4")
    files.check_complete(30)
    assert len(files.verdicts) == 30


# -- what it says -----------------------------------------------------------------------------------------------------


async def test_progress_for_programs_is_json_and_quiet_is_quiet(command, tmp_path):
    told = await command.run(3, "--json-progress", folder="one")
    last = json.loads(told.err.splitlines()[-1])
    assert (last["verdicts"], last["goal"]) == (3, 3)
    quiet = await command.run(3, "--quiet", folder="two")
    assert (quiet.out, quiet.err) == ("", "")
    assert len((tmp_path / "two" / "verdicts.jsonl").read_bytes().splitlines()) == 3


@pytest.mark.parametrize("shown", ["--json-progress", "--quiet"])
async def test_a_warning_of_a_worker_stands_among_what_the_run_says(provider, command, priced, shown):
    provider.batches.room = 0
    running = asyncio.create_task(command.run(3, *priced, "--batch", "--poll", "0.1", shown))
    await until(lambda: provider.batches.turned_away)
    provider.batches.room = 10
    lines = (await running).err.splitlines()
    if shown == "--json-progress":
        lines = [each["message"] for each in map(json.loads, lines) if each.get("event") == "warning"]
    (told,) = lines
    assert re.fullmatch(r"openai:gpt-4o: the batch queue is full, 3 requests not accepted \(.*nothing was paid", told)


async def test_progress_names_a_provider_from_which_nothing_comes_back(provider, command, asked, monkeypatch):
    monkeypatch.setattr("adjudge.runs.job._SILENCE", 0.5)
    provider.script = lambda request: waits(2.5, judges())
    done = await command.run(3, *asked, "--json-progress")
    told = [json.loads(line).get("waits_for") or "" for line in done.err.splitlines() if '"waits_for"' in line]
    assert re.search(r"127\.0\.0\.1:\d+: 3 calls in flight, and nothing has come back for \d s", "\n".join(told))
