"""`adjudge run` as users start it: from a file to a finished directory, and on from wherever it was left."""

import asyncio
import json
import re
import signal
import socket
from decimal import Decimal
from pathlib import Path

import pytest
from runs.conftest import judge_of, pairs, read_lines, until, write_lines
from scripted.provider import after, fails, judges, says, waits


async def test_every_case_of_a_file_has_a_verdict_in_the_directory(command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(50, label="A"))
    done = await command("run", "compare", "pairs.jsonl", "--run", "out")
    assert done.code == 0, done.err
    files.check_complete(50)
    assert "50 verdicts" in done.out
    assert "none of 50 labelled cases was decided" in done.out
    assert "everything is in out; see: adjudge show out, adjudge export out --format html" in done.out
    assert "undecided 50" in done.out
    line = files.verdicts[0]
    assert line["verdict"]["verdict_id"] == line["verdict_id"]
    assert line["answer"] == line["verdict"]["evaluation"]["winner"]
    assert {line["case"] for line in files.verdicts} == {f"case-{n}" for n in range(50)}


async def test_the_same_command_given_twice_asks_and_pays_nothing_more(provider, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(6))
    args = ("run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider))
    first = await command(*args)
    assert first.code == 0, first.err
    assert provider.calls == 12
    before = (files.path / "verdicts.jsonl").read_bytes()
    again = await command(*args)
    assert again.code == 0, again.err
    assert "6 done, 0 to do now" in again.err
    assert provider.calls == 12
    assert (files.path / "verdicts.jsonl").read_bytes() == before


async def test_another_judge_or_other_cases_are_refused_in_the_same_folder(command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(2))
    assert (await command("run", "compare", "pairs.jsonl", "--run", "out")).code == 0
    other = await command("run", "compare", "pairs.jsonl", "--run", "out", "--seed", "7")
    assert other.code == 2
    assert "holds a run with seed 0, not 7; give another folder" in other.err
    write_lines(tmp_path / "pairs.jsonl", pairs(3))
    more = await command("run", "compare", "pairs.jsonl", "--run", "out")
    assert more.code == 2
    assert "other cases" in more.err


async def test_standard_input_can_be_resumed_although_it_is_gone(command, files):
    rows = "".join(json.dumps(row) + "\n" for row in pairs(4)).encode()
    first = await command("run", "compare", "-", "--run", "out", "--limit", "2", stdin=rows)
    assert first.code == 0, first.err
    assert len(files.verdicts) == 2
    rest = await command("run", "--resume", "out")
    assert rest.code == 0, rest.err
    files.check_complete(4)


async def test_a_dry_run_says_what_it_would_ask_and_asks_nothing(provider, command, files, tmp_path, monkeypatch):
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    write_lines(tmp_path / "pairs.jsonl", pairs(10))
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", "openai:gpt-4o", "--dry-run")
    assert done.code == 0, done.err
    assert "10 cases, 0 done, 10 to do now" in done.err
    assert "about 20 calls" in done.err
    assert "at published prices" in done.err
    assert provider.calls == 0
    assert not files.path.joinpath("verdicts.jsonl").read_bytes()


async def test_a_dry_run_counts_what_the_journal_already_holds(provider, command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(4))
    shared = ("--journal", str(tmp_path / "shared.db"), "--judge", judge_of(provider))
    assert (await command("run", "compare", "pairs.jsonl", "--run", "one", *shared)).code == 0
    done = await command("run", "compare", "pairs.jsonl", "--run", "two", *shared, "--dry-run")
    assert "about 0 calls" in done.err
    assert "about 8 more are already paid" in done.err


async def test_ctrl_c_sends_no_new_call_finishes_what_is_in_flight_and_says_how_to_continue(
    provider, command, files, tmp_path
):
    write_lines(tmp_path / "pairs.jsonl", pairs(30))
    # Replies that need a repair: it would be a new call.
    told = asyncio.Event()
    provider.script = lambda request: after(told, says("nonsense") if "Plan tool 1." in request.turns[0] else judges())
    process = await command.start(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider), "--concurrency", "4"
    )
    await until(lambda: provider.calls == 4)
    process.send_signal(signal.SIGINT)
    while b"finishing the calls in flight" not in (line := await process.stderr.readline()):
        assert line, "it ended"
    told.set()
    _, err = await process.communicate()
    assert process.returncode == 130, err
    assert b"adjudge run --resume out" in err
    assert provider.calls == 4, "four in flight, each case in two orders: the replies are kept, nothing else is sent"
    assert files.summary["stopped_by"] == "interrupted"
    assert files.summary["failures"] == 0
    provider.script = lambda request: judges()
    rest = await command("run", "--resume", "out")
    assert rest.code == 0, rest.err
    files.check_complete(30)
    assert provider.calls <= 60 + 2, "only the repairs come on top"


async def test_after_kill_9_the_rest_is_judged_and_little_is_paid_twice(provider, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(40))
    provider.script = lambda request: waits(0.05)
    process = await command.start(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider), "--one-order",
        "--concurrency", "4",
    )  # fmt: skip
    await until(lambda: provider.calls >= 15)
    process.kill()
    await process.wait()
    rest = await command("run", "--resume", "out")
    assert rest.code == 0, rest.err
    files.check_complete(40)
    assert provider.calls <= 40 + 4


async def test_a_case_that_fails_is_a_failure_with_its_reason_and_the_others_go_on(provider, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(5))
    provider.script = lambda request: fails(400, "not this one") if "Plan tool 3." in request.turns[0] else judges()
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider))
    assert done.code == 1
    files.check_complete(5)
    (failure,) = files.failures
    assert (failure["case"], failure["reason"]) == ("case-3", "rejected")
    assert "not this one" in failure["message"]
    assert "rejected 1" in done.out


async def test_a_passing_failure_is_tried_again_at_the_next_resume_and_a_lasting_one_only_when_asked(
    provider, command, files, tmp_path
):
    write_lines(tmp_path / "pairs.jsonl", pairs(3))
    broken = {"Plan tool 0.": fails(400, "no"), "Plan tool 1.": fails(401, "bad key")}

    def script(request):
        return next((behaviour for task, behaviour in broken.items() if task in request.turns[0]), judges())

    provider.script = script
    await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider), "--one-order")
    assert {line["reason"] for line in files.failures} == {"rejected", "unauthorized"}
    provider.script = lambda request: judges()
    again = await command("run", "--resume", "out")
    assert "1 to do now" in again.err
    files.check_complete(3)
    assert len(files.verdicts) == 2
    last = await command("run", "--resume", "out", "--retry-failed")
    assert last.code == 0, last.err
    files.check_complete(3)
    assert len(files.verdicts) == 3
    assert files.failures == [], "no line of a case that was judged since"


async def test_a_provider_that_is_gone_stops_the_run_and_the_rest_stays_open(command, files, tmp_path, monkeypatch):
    monkeypatch.setattr("adjudge.llm.retry._backoff", lambda *_: 0.01)
    write_lines(tmp_path / "pairs.jsonl", pairs(60))
    # Nobody listens on the port of a server that has gone away.
    with socket.socket() as gone:
        gone.bind(("127.0.0.1", 0))
        port = gone.getsockname()[1]
    done = await command(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", f"http://127.0.0.1:{port}/v1#m", "--one-order",
        "--concurrency", "10",
    )  # fmt: skip
    assert done.code == 1
    assert f"stopped because no call succeeds: http://127.0.0.1:{port}/v1: nothing answers there" in done.err
    # Nothing failed for good: the next resume tries all of them.
    assert (files.summary["failures"], files.summary["open"]) == (0, 60)
    assert files.summary["stopped_by"] == "unreachable"


async def test_a_missing_key_stops_the_run_before_anything_is_asked(command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(60))
    command.environment.pop("OPENAI_API_KEY", None)
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", "openai:gpt-4o")
    assert done.code == 2
    assert "OPENAI_API_KEY" in done.err
    assert not files.path.exists(), "a run that was refused leaves nothing"


@pytest.mark.parametrize("torn", [50, -1])
async def test_files_are_made_whole_from_the_journal(command, files, tmp_path, torn):
    write_lines(tmp_path / "pairs.jsonl", pairs(5))
    assert (await command("run", "compare", "pairs.jsonl", "--run", "out")).code == 0
    path = files.path / "verdicts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:torn])
    again = await command("run", "--resume", "out")
    assert again.code == 0, again.err
    files.check_complete(5)
    assert sorted(path.read_bytes().splitlines()) == sorted(line.rstrip(b"\n") for line in lines)


async def test_two_processes_cannot_carry_out_one_run(provider, command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(4))
    refused = asyncio.Event()
    provider.script = lambda request: after(refused)
    args = ("run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider), "--one-order")
    first = await command.start(*args)
    await until(lambda: provider.calls)
    second = await command(*args)
    assert second.code == 2
    assert "another process is executing this run" in second.err
    refused.set()
    await first.communicate()
    assert first.returncode == 0
    assert provider.calls == 4


async def test_a_shuffled_run_judges_every_case_once(command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(20))
    first = await command("run", "compare", "pairs.jsonl", "--run", "out", "--shuffle", "3", "--limit", "5")
    assert first.code == 0, first.err
    drawn = {line["position"] for line in files.verdicts}
    assert len(drawn) == 5
    assert drawn != set(range(5))
    assert (await command("run", "--resume", "out")).code == 0
    files.check_complete(20)


async def test_dialogues_and_reviews_run_the_same_way(command, tmp_path):
    examples = Path(__file__).parents[2] / "examples"
    talk = await command("run", "dialogue", examples / "dialogue.txt", "--run", "talks")
    assert talk.code == 0, talk.err
    (line,) = read_lines(tmp_path / "talks" / "verdicts.jsonl")
    assert line["answer"] == str(line["verdict"]["output"]["referee_final"]["OverallExperience"])
    review = await command("run", "review", examples / "review.txt", "--run", "reviews")
    assert review.code == 0, review.err
    (line,) = read_lines(tmp_path / "reviews" / "verdicts.jsonl")
    assert line["answer"] == str(line["verdict"]["final_likert_and_justification"]["likert"])


async def test_a_dialogues_rating_is_a_number_and_no_share_of_equal_ones_is_said(command, tmp_path):
    talk = "USER\tBook table {}.\t\t\nSYSTEM\tI booked it.\t\t\nUSER\tOVERALL\tOTHER\t{}\n"
    (tmp_path / "talks.txt").write_text("\n".join(talk.format(number, "3,4,3") for number in range(4)), "utf-8")
    done = await command("run", "dialogue", "talks.txt", "--run", "out")
    assert done.code == 0, done.err
    assert "4 verdicts" in done.out and "agrees with" not in done.out and "label" not in done.out
    assert read_lines(tmp_path / "out" / "verdicts.jsonl")[0]["label"] is not None
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["agreement"] is None
    page = await command("export", "out", "--format", "markdown")
    assert page.code == 0 and "As labelled" not in page.out and "what the label says" not in page.out
    assert (await command("run", "--resume", "out")).out.count("agrees") == 0


async def test_a_budget_stops_the_run_before_it_is_passed_and_more_money_goes_on(provider, command, files, tmp_path):
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    write_lines(tmp_path / "pairs.jsonl", pairs(40))
    args = ("--judge", "openai:gpt-4o", "--one-order", "--max-tokens", "1000", "--concurrency", "4")
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", *args, "--budget", "0.08")
    assert done.code == 1, done.err
    assert re.search(
        r"stopped by the budget: \$0\.0\d+ is spent of a budget of \$0\.08, and one more call may cost up "
        r"to \$0\.0\d+, with a reply of [\d,]+ tokens; .*: adjudge run --resume out --budget USD$",
        done.err, re.MULTILINE,
    ), done.err  # fmt: skip
    assert 0 < float(files.summary["cost_usd"]) <= 0.08
    assert files.summary["open"] > 0
    assert files.summary["failures"] == 0
    paid = provider.calls
    rest = await command("run", "--resume", "out", "--budget", "100")
    assert rest.code == 0, rest.err
    files.check_complete(40)
    assert provider.calls == 40 > paid


async def test_what_both_orders_of_a_case_share_is_counted_as_paid(provider, command, files, tmp_path):
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    write_lines(tmp_path / "pairs.jsonl", [{**row, "b": row["a"]} for row in pairs(3)])
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", "openai:gpt-4o")
    assert done.code == 0, done.err
    assert provider.calls == 3, "both orders ask the same"
    assert Decimal(files.summary["paid_usd"]) == Decimal(files.summary["cost_usd"]) > 0


async def test_a_budget_that_cannot_be_kept_is_refused(provider, command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(3))
    done = await command(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider), "--budget", "1"
    )
    assert done.code == 2
    assert "no price is published" in done.err
    assert provider.calls == 0


async def test_a_run_in_batches_costs_half_and_after_a_stop_collects_what_was_submitted(
    provider, command, files, tmp_path
):
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    write_lines(tmp_path / "pairs.jsonl", pairs(8))
    provider.batches.polls = 10**6
    batch = ("--batch", "--poll", "0.1")
    process = await command.start(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", "openai:gpt-4o", "--one-order", *batch
    )
    await until(lambda: provider.batches.made)
    process.send_signal(signal.SIGINT)
    _, err = await process.communicate()
    assert process.returncode == 130, err
    assert b"a resumed run collects them" in err
    refused = await command("run", "--resume", "out", "--no-batch")
    assert refused.code == 2
    assert "continue with --batch" in refused.err
    for made in provider.batches.made:
        made.polls_left = 0
    done = await command("run", "--resume", "out")
    assert done.code == 0, done.err
    files.check_complete(8)
    assert len(provider.batches.made) == 1
    # 1,000 tokens in and 200 out, at half of 2.50 and 10.00 dollars a million.
    assert [line["cost"] for line in files.verdicts] == ["0.00225"] * 8


async def test_a_run_may_keep_its_journal_on_a_postgres_server(provider, command, files, tmp_path, postgres):
    write_lines(tmp_path / "pairs.jsonl", pairs(6))
    where = postgres.new_place()
    args = ("--journal", where, "--judge", judge_of(provider), "--one-order")
    first = await command("run", "compare", "pairs.jsonl", "--run", "out", *args, "--limit", "3")
    assert first.code == 0, first.err
    rest = await command("run", "--resume", "out", "--journal", where)
    assert rest.code == 0, rest.err
    files.check_complete(6)
    assert provider.calls == 6
    again = await command("run", "compare", "pairs.jsonl", "--run", "again", *args)
    assert again.code == 0, again.err
    assert provider.calls == 6, "another run finds the replies of the first"
