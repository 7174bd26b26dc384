"""What a run has paid is read off its journal: after kills, with retries, under a limit on dollars or on calls."""

import asyncio
import json
import os
import pty
import re
import signal
import sqlite3
import sys
from decimal import Decimal

import pytest
from runs.conftest import judge_of, pairs, until, write_lines
from scripted.provider import judges, says, waits

from adjudge.journal import Stored, open_journal
from adjudge.judges.budget import LocalBudget
from adjudge.models.common import Usage

OPENAI = ("--judge", "openai:gpt-4o", "--one-order", "--max-tokens", "1000")


@pytest.fixture
def priced(provider, command):
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    return command


def forget_outcomes(folder, *, unread=0):
    """Leave of a run what a kill leaves: the replies, of which the last ones were not read yet."""
    with sqlite3.connect(folder / "journal.db") as journal:
        journal.execute("delete from outcomes")
        journal.execute("delete from verdicts")
        journal.execute(
            "update calls set picodollars = null, input_tokens = 0, output_tokens = 0 where key in "
            "(select key from calls order by key limit ?)",
            [unread],
        )
    (folder / "verdicts.jsonl").write_bytes(b"")
    (folder / "summary.json").unlink()


@pytest.mark.parametrize("unread", [0, 3])
async def test_the_budget_counts_what_a_killed_process_paid(provider, priced, files, tmp_path, unread):
    write_lines(tmp_path / "pairs.jsonl", pairs(8))
    assert (await priced("run", "compare", "pairs.jsonl", "--run", "out", *OPENAI)).code == 0
    whole, calls = files.summary, provider.calls
    forget_outcomes(tmp_path / "out", unread=unread)
    done = await priced("run", "--resume", "out", "--json-progress")
    assert (done.code, provider.calls) == (0, calls), done.err
    shown = json.loads(done.err.splitlines()[-1])
    for name in ("paid_usd", "cost_usd", "calls", "input_tokens", "output_tokens"):
        assert files.summary[name] == shown[name] == whole[name], name
    assert files.summary["paid_usd"] == files.summary["cost_usd"] != "0"


async def test_no_call_is_sent_where_a_killed_process_spent_the_budget(provider, priced, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(12))
    assert (await priced("run", "compare", "pairs.jsonl", "--run", "out", *OPENAI, "--limit", "8")).code == 0
    paid, calls = float(files.summary["paid_usd"]), provider.calls
    forget_outcomes(tmp_path / "out", unread=4)
    done = await priced("run", "--resume", "out", "--budget", paid, "--concurrency", "1")
    assert done.code == 1 and "stopped by the budget" in done.err
    assert provider.calls == calls
    assert (files.summary["verdicts"], float(files.summary["paid_usd"])) == (8, paid)


async def test_replies_that_another_run_paid_for_are_used_and_not_paid(provider, priced, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(3))
    for name in ("first", "out"):
        done = await priced("run", "compare", "pairs.jsonl", "--run", name, "--journal", "shared.db", *OPENAI)
        assert done.code == 0, done.err
    assert provider.calls == 3
    assert files.summary["calls"] == 3 and float(files.summary["cost_usd"]) > 0
    assert files.summary["paid_usd"] == "0"
    assert "$0.0000 was paid by this run; the other replies were already stored" in done.out


async def test_totals_do_not_shrink_when_failures_are_tried_again(provider, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(6))
    provider.script = lambda request: (
        says("nonsense") if int(request.turns[0].split("Plan tool ")[1][0]) < 2 else judges()
    )
    await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider), "--one-order")
    before, calls = files.summary, provider.calls
    assert (before["failures"], before["calls"]) == (2, calls)
    provider.script = lambda request: judges()
    dry = await command("run", "--resume", "out", "--retry-failed", "--dry-run")
    assert "about 2 calls" in dry.err, "the failed cases are asked again"
    assert (await command("run", "--resume", "out", "--retry-failed")).code == 0
    assert files.summary["calls"] == provider.calls == calls + 2
    assert (await command("run", "--resume", "out")).code == 0
    assert files.summary["calls"] == provider.calls, "also when the run is opened once more"


async def test_failures_that_were_not_reached_stay_failures(provider, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(5))
    provider.script = lambda request: says("nonsense")
    args = ("--judge", judge_of(provider), "--one-order", "--concurrency", "1")
    await command("run", "compare", "pairs.jsonl", "--run", "out", *args)
    provider.script = lambda request: judges()
    done = await command("run", "--resume", "out", "--retry-failed", "--max-calls", provider.calls + 2)
    assert done.code == 1, done.err
    told = {name: files.summary[name] for name in ("verdicts", "failures", "open", "reasons")}
    assert told == {"verdicts": 2, "failures": 3, "open": 0, "reasons": {"malformed": 3}}
    assert len(files.failures) == 3 and "still open" not in done.out


async def test_at_most_so_many_calls_are_sent_over_all_resumes(provider, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(10))
    args = ("--judge", judge_of(provider), "--one-order", "--max-calls", "4")
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", *args)
    assert (done.code, provider.calls, files.summary["verdicts"]) == (1, 4, 4), done.err
    assert "4 of at most 4 calls were sent" in done.err and "--max-calls COUNT" in done.err
    assert (await command("run", "--resume", "out")).code == 1 and provider.calls == 4
    assert (await command("run", "--resume", "out", "--max-calls", "7")).code == 1 and provider.calls == 7
    assert (await command("run", "--resume", "out", "--max-calls", "none")).code == 0 and provider.calls == 10
    refused = await command("run", "--resume", "out", "--max-calls", "many")
    assert refused.code == 2 and "--max-calls: many; a whole number of calls, or none" in refused.err


async def test_an_estimate_counts_only_the_cases_of_the_limit(provider, command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(40))
    args = ("--judge", judge_of(provider), "--one-order", "--limit", "5", "--dry-run")
    assert "about 5 calls" in (await command("run", "compare", "pairs.jsonl", "--run", "out", *args)).err


async def test_an_estimate_counts_repairs_as_often_as_this_judge_needed_them(provider, command, tmp_path):
    write_lines(tmp_path / "few.jsonl", pairs(4))
    write_lines(tmp_path / "pairs.jsonl", pairs(24)[4:])
    args = ("--judge", judge_of(provider), "--one-order", "--journal", "shared.db")
    before = await command("run", "compare", "pairs.jsonl", "--run", "out", *args, "--dry-run")
    assert "about 20 calls" in before.err and "up to 40 calls if every reply has to be repaired" in before.err

    def misquote(reply):
        if "criteria" in reply:
            next(iter(reply["criteria"].values()))["quote_1"] = "These words are in neither of the two answers."

    odd = ("Plan tool 1.", "Plan tool 3.")
    provider.script = lambda request: judges(change=misquote if any(one in request.turns[0] for one in odd) else None)
    assert (await command("run", "compare", "few.jsonl", "--run", "few", *args, "--concurrency", "1")).code == 0
    assert provider.calls == 6, "two replies were repaired"
    after = await command("run", "compare", "pairs.jsonl", "--run", "out", *args, "--dry-run")
    assert "about 30 calls" in after.err and "2 of 4 replies in this journal were" in after.err


async def test_a_hang_up_ends_a_run_as_a_termination_does(provider, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(60))
    provider.script = lambda request: waits(0.05, judges())
    args = ("--judge", judge_of(provider), "--one-order", "--concurrency", "2")
    process = await command.start("run", "compare", "pairs.jsonl", "--run", "out", *args)
    await until(lambda: provider.calls > 4)
    process.send_signal(signal.SIGHUP)
    _, err = await process.communicate()
    assert process.returncode == 130, err
    assert files.summary["stopped_by"] == "interrupted"
    assert files.summary["calls"] == files.summary["verdicts"] == len(files.verdicts) > 0


async def test_progress_names_a_provider_from_which_nothing_comes_back(provider, command, tmp_path, monkeypatch):
    monkeypatch.setattr("adjudge.runs.job._SILENCE", 1.0)
    write_lines(tmp_path / "pairs.jsonl", pairs(3))
    provider.script = lambda request: waits(4.0, judges())
    args = ("--judge", judge_of(provider), "--one-order", "--json-progress")
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", *args)
    told = [json.loads(line).get("waits_for") or "" for line in done.err.splitlines() if '"waits_for"' in line]
    assert re.search(r"127\.0\.0\.1:\d+: 3 calls in flight, and nothing has come back for \d s", "\n".join(told))


async def test_nohup_is_respected(provider, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(20))
    provider.script = lambda request: waits(0.05, judges())
    args = ("--judge", judge_of(provider), "--one-order", "--concurrency", "2")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a child inherits it
    try:
        process = await command.start("run", "compare", "pairs.jsonl", "--run", "out", *args)
    finally:
        signal.signal(signal.SIGHUP, before)
    await until(lambda: provider.calls > 4)
    process.send_signal(signal.SIGHUP)
    _, err = await process.communicate()
    assert process.returncode == 0, err
    files.check_complete(20)


async def test_a_closed_terminal_does_not_lose_the_summary(provider, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(60))
    provider.script = lambda request: waits(0.05, judges())
    ours, theirs = pty.openpty()
    args = ("run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider), "--one-order")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "adjudge.cli.main", *args, "--concurrency", "2"),
        cwd=command.folder, env=command.environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    await until(lambda: provider.calls > 4)
    os.close(ours)  # whatever is written now fails
    process.send_signal(signal.SIGHUP)
    assert await process.wait() == 130
    assert files.summary["stopped_by"] == "interrupted"
    assert files.summary["verdicts"] == files.summary["calls"] == len(files.verdicts) > 0


async def test_a_judge_without_a_price_is_not_held_up_by_an_overspent_budget():
    budget = LocalBudget(Decimal(1), spent=Decimal("1.05"))
    assert await budget.reserve(lambda: Decimal(0)) == 0
    assert await budget.reserve(lambda: Decimal("0.01")) is None


async def test_a_reply_that_an_earlier_process_paid_for_is_charged_once(tmp_path):
    for _ in range(2):
        journal = open_journal(tmp_path / "journal.db")
        journal.run_id = "run"
        if journal.get("k") is None:
            await journal.put("k", Stored.now(b"{}", 1))
        else:
            assert [await journal.settle("k"), await journal.settle("k")] == [True, False]
            journal.record_call("k", Decimal("0.5"), Usage())
        journal.close()
    journal = open_journal(tmp_path / "journal.db")
    journal.run_id = "run"
    assert not await journal.settle("k")
    assert (journal.calls_of("run").paid, journal.calls_of("run").sent) == (Decimal("0.5"), 1)
    journal.close()
