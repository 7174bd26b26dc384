"""What `adjudge run` says while it goes on: lines for people, JSON for programs, next to nothing with --quiet."""

import json
import signal

import pytest
from runs.conftest import judge_of, pairs, read_lines, until, write_lines
from scripted.provider import waits


async def test_progress_for_programs_is_json_and_quiet_is_quiet(command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(3))
    told = await command("run", "compare", "pairs.jsonl", "--run", "one", "--json-progress")
    last = json.loads(told.err.splitlines()[-1])
    assert (last["verdicts"], last["goal"]) == (3, 3)
    quiet = await command("run", "compare", "pairs.jsonl", "--run", "two", "--quiet")
    assert (quiet.out, quiet.err) == ("", "")
    assert len(read_lines(tmp_path / "two" / "verdicts.jsonl")) == 3


@pytest.mark.parametrize("shown", ["--json-progress", "--quiet"])
async def test_a_warning_of_a_worker_stands_among_what_the_run_says(provider, command, tmp_path, shown):
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    write_lines(tmp_path / "pairs.jsonl", pairs(3))
    provider.batches.room = 0
    batch = ("--judge", "openai:gpt-4o", "--one-order", "--batch", "--poll", "0.1", shown)
    process = await command.start("run", "compare", "pairs.jsonl", "--run", "out", *batch)
    await until(lambda: provider.batches.turned_away)
    provider.batches.room = 10
    _, err = await process.communicate()
    assert process.returncode == 0, err
    lines = err.decode().splitlines()
    if shown == "--json-progress":
        lines = [each["message"] for each in map(json.loads, lines) if each.get("event") == "warning"]
    (told,) = lines
    assert told.startswith("openai:gpt-4o: the batch queue is full, 3 requests not accepted (") and told.endswith(
        "nothing was paid"
    )


async def test_all_that_a_program_reads_of_a_run_is_json(provider, command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", [{"question": pair.pop("task"), **pair} for pair in pairs(4)])
    provider.script = lambda request: waits(30)
    args = ("--judge", judge_of(provider), "--one-order", "--json-progress")
    process = await command.start("run", "compare", "pairs.jsonl", "--run", "out", *args)
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
