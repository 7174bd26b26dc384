"""A run with a cascade pays the dear judge only for the cases that the cheap one leaves open, also after a kill."""

import json

import pytest
from runs.conftest import pairs, until, write_lines
from scripted.provider import fails, judges, waits

CASES = 20


def unsure(request):
    """Every fourth case."""
    number = int(request.fenced("TASK").removeprefix("Plan tool ").rstrip("."))
    return number % 4 == 0


def script(request):
    if request.json["model"] == "gpt-4o-mini" and unsure(request):
        return judges(lambda text: 5)
    return judges(lambda text: 9 if text.startswith("Plan") else 3)


def asked(provider):
    return [request.json["model"] for request in provider.requests]


@pytest.fixture
def run(provider, command, tmp_path):
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    write_lines(tmp_path / "pairs.jsonl", pairs(CASES))
    provider.script = script
    given = ("run", "compare", "pairs.jsonl", "--judge", "cascade:openai:gpt-4o-mini>openai:gpt-4o", "--one-order")

    async def start(*more, folder="out"):
        return await command(*given, "--run", folder, *more)

    start.given = given
    return start


async def test_the_dear_judge_is_paid_for_the_open_cases_alone(provider, run, files, command):
    done = await run()
    assert done.code == 0, done.err
    files.check_complete(CASES)
    assert (asked(provider).count("gpt-4o-mini"), asked(provider).count("gpt-4o")) == (CASES, CASES // 4)
    assert "at most about 40 calls" in done.err
    # 1,000 tokens in, 400 of them cached, and 200 out: the sum of what each stage cost.
    for line in files.verdicts:
        stages = line["verdict"]["stages"]
        assert len(stages) == (2 if line["position"] % 4 == 0 else 1)
        assert line["verdict"]["cost_usd"] == pytest.approx(sum(stage["cost_usd"] for stage in stages))
    counted = "select stage, count(*) as cases from results group by stage order by stage"
    shown = await command("show", "out", "--sql", counted, "--format", "json")
    assert shown.code == 0, shown.err
    assert json.loads(shown.out) == [{"stage": 1, "cases": 15}, {"stage": 2, "cases": 5}], shown


async def test_after_kill_9_nothing_is_paid_twice_and_the_verdicts_are_the_same(
    provider, run, files, command, tmp_path
):
    provider.script = lambda request: waits(0.03, script(request))
    process = await command.start(*run.given, "--run", "out", "--concurrency", "2")
    await until(lambda: "gpt-4o" in asked(provider) and provider.calls >= 8)
    process.kill()
    await process.wait()
    provider.script = script
    rest = await command("run", "--resume", "out")
    assert rest.code == 0, rest.err
    files.check_complete(CASES)
    assert provider.calls <= CASES + CASES // 4 + 2 + 2  # of each of the two judges, what was in flight
    killed = {line["case"]: line["verdict"] for line in files.verdicts}
    assert (await run("--journal", "other.db", folder="whole")).code == 0
    whole = type(files)(tmp_path / "whole").verdicts
    assert {line["case"]: line["verdict"] for line in whole} == killed


async def test_a_run_in_batches_sends_the_open_cases_in_batches_of_their_own(provider, run, files):
    provider.batches.polls = 0
    done = await run("--batch", "--poll", "0.05")
    assert done.code == 0, done.err
    files.check_complete(CASES)
    assert sorted(asked(provider)) == sorted(["gpt-4o-mini"] * CASES + ["gpt-4o"] * (CASES // 4))
    assert len(provider.batches.made) == 2


async def test_a_cheap_judge_that_does_not_accept_the_key_stops_the_run_and_the_dear_one_is_not_paid(provider, run):
    provider.script = lambda request: fails(401, "no such key") if "mini" in request.json["model"] else script(request)
    done = await run()
    assert done.code != 0
    assert set(asked(provider)) == {"gpt-4o-mini"}


async def test_a_budget_that_runs_out_leaves_cases_open_and_pays_nothing_twice(provider, run, files, command):
    done = await run("--budget", "0.02", "--max-tokens", "1000", "--concurrency", "1")
    assert files.summary["stopped_by"] == "budget", done.err
    assert files.summary["failures"] == 0
    rest = await command("run", "--resume", "out", "--budget", "5")
    assert rest.code == 0, rest.err
    files.check_complete(CASES)
    assert len(provider.requests) == CASES + CASES // 4
