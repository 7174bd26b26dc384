"""Runs in trouble: workers that die of a case, files that are damaged, another journal, repeated rows, orphans."""

from decimal import Decimal

import pytest
from runs.conftest import pairs, write_lines
from scripted.provider import waits

from adjudge.errors import InputError
from adjudge.runs.plan import RunOptions


def judge_of(provider):
    return f"{provider.url}/v1#m"


async def test_another_journal_is_refused_and_a_lost_one_doubles_nothing(command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(5))
    assert (await command("run", "compare", "pairs.jsonl", "--run", "out")).code == 0
    other = await command("run", "--resume", "out", "--journal", "other.db")
    assert other.code == 2
    assert "journal.db" in other.err
    for path in files.path.glob("journal.db*"):
        path.unlink()
    again = await command("run", "--resume", "out")
    assert again.code == 0, again.err
    files_after = [line["position"] for line in files.verdicts]
    assert sorted(files_after) == [0, 1, 2, 3, 4]


async def test_a_line_that_nobody_can_read_is_made_anew_and_missing_cases_are_said(command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(5))
    assert (await command("run", "compare", "pairs.jsonl", "--run", "out")).code == 0
    path = files.path / "verdicts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"garbage\n" + b"".join(lines[2:]))
    assert (await command("run", "--resume", "out")).code == 0
    assert sorted(path.read_bytes().splitlines(keepends=True)) == sorted(lines)
    path.write_bytes(b"")
    cases = files.path / "cases.jsonl"
    cases.write_bytes(b"".join(cases.read_bytes().splitlines(keepends=True)[:2]))
    short = await command("run", "--resume", "out")
    assert (short.code, "ends before case 3" in short.err) == (2, True), short.err
    cases.unlink()
    gone = await command("run", "--resume", "out")
    assert (gone.code, "is gone" in gone.err) == (2, True), gone.err


async def test_equal_rows_are_paid_once_and_use_the_budget_once(provider, command, files, tmp_path):
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    write_lines(tmp_path / "pairs.jsonl", [*(pairs(1) * 30), *pairs(3)])
    done = await command(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", "openai:gpt-4o", "--one-order", "--budget", "0.2",
        "--max-tokens", "1000",
    )  # fmt: skip
    assert done.code == 0, done.err
    files.check_complete(33)
    assert provider.calls == 3
    assert Decimal(files.summary["paid_usd"]) * 11 == Decimal(files.summary["cost_usd"])


async def test_the_estimate_of_a_resumed_run_is_of_what_is_left(provider, command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(60))
    args = ("run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider), "--one-order")
    assert (await command(*args, "--limit", "50")).code == 0
    told = await command(*args, "--dry-run")
    assert "10 to do now" in told.err
    assert "about 10 calls" in told.err
    assert "already paid" not in told.err


async def test_a_dry_run_and_a_missing_key_bind_nobody(command, files, tmp_path):
    command.environment.pop("OPENAI_API_KEY", None)
    write_lines(tmp_path / "pairs.jsonl", pairs(3))
    args = ("run", "compare", "pairs.jsonl", "--run", "out")
    assert (await command(*args, "--judge", "openai:gpt-4o", "--dry-run")).code == 0
    refused = await command(*args, "--judge", "openai:gpt-4o")
    assert (refused.code, "OPENAI_API_KEY" in refused.err) == (2, True), refused.err
    done = await command(*args)
    assert done.code == 0, done.err
    files.check_complete(3)


async def test_a_judge_that_does_not_exist_is_one_error_and_no_failure_of_cases(command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(3))
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", "nope:x")
    assert done.code == 2, done.err
    assert "nope" in done.err
    assert not (files.path / "failures.jsonl").exists() or not files.failures


async def test_how_to_go_on_is_a_command_that_works_whatever_the_folder_is_called(provider, command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(2))
    provider.script = lambda request: waits(0.2)
    done = await command(
        "run", "compare", "pairs.jsonl", "--run", "my \x1b[31mruns", "--judge", "openai:gpt-4o", "--quiet"
    )
    assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize("budget", ["NaN", "inf", "0", "-1"])
def test_a_budget_is_a_number_of_dollars(budget):
    with pytest.raises(InputError, match="--budget"):
        RunOptions(budget=Decimal(budget))
