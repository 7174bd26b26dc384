"""A run with a cascade pays the dear judge only for the cases that the cheap one leaves open, also after a kill."""

import json
from functools import partial

import pytest
from runs.conftest import number_in, until
from scripted.provider import fails, judges, waits

CASES = 20
CASCADE = "cascade:openai:gpt-4o-mini>openai:gpt-4o"


def script(request):
    if request.json["model"] == "gpt-4o-mini" and number_in(request) % 4 == 0:
        return judges(lambda text: 5)
    return judges(lambda text: 9 if text.startswith("Plan") else 3)


def asked(provider):
    return [request.json["model"] for request in provider.requests]


@pytest.fixture
def run(provider, command, priced):
    provider.script = script
    return partial(command.run, CASES, "--judge", CASCADE, "--one-order")


async def test_the_dear_judge_is_paid_for_the_open_cases_alone(provider, run, files, command):
    done = await run()
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


@pytest.mark.slow
async def test_after_kill_9_the_rest_is_judged_nothing_is_paid_twice_and_the_verdicts_are_the_same(
    provider, run, files, command, tmp_path
):
    provider.script = lambda request: waits(0.03, script(request))
    process = await command.start_run(CASES, "--judge", CASCADE, "--one-order", "--concurrency", "2")
    await until(lambda: "gpt-4o" in asked(provider) and provider.calls >= 8)
    process.kill()
    await process.wait()
    provider.script = script
    await command.resume()
    files.check_complete(CASES)
    assert provider.calls <= CASES + CASES // 4 + 2 + 2  # of each of the two judges, what was in flight
    killed = {line["case"]: line["verdict"] for line in files.verdicts}
    await run("--journal", "other.db", folder="whole")
    whole = type(files)(tmp_path / "whole").verdicts
    assert {line["case"]: line["verdict"] for line in whole} == killed


async def test_a_run_in_batches_sends_the_open_cases_in_batches_of_their_own(provider, run, files):
    provider.batches.polls = 0
    await run("--batch", "--poll", "0.05")
    files.check_complete(CASES)
    assert sorted(asked(provider)) == sorted(["gpt-4o-mini"] * CASES + ["gpt-4o"] * (CASES // 4))
    assert len(provider.batches.made) == 2


async def test_a_cheap_judge_that_does_not_accept_the_key_stops_the_run_and_the_dear_one_is_not_paid(provider, run):
    provider.script = lambda request: fails(401, "no such key") if "mini" in request.json["model"] else script(request)
    done = await run(exits=None)
    assert done.code != 0
    assert set(asked(provider)) == {"gpt-4o-mini"}


async def test_a_budget_that_runs_out_leaves_cases_open_and_pays_nothing_twice(provider, run, files, command):
    await run("--budget", "0.02", "--max-tokens", "1000", "--concurrency", "1", exits=1)
    assert files.summary["stopped_by"] == "budget"
    assert files.summary["failures"] == 0
    await command.resume("--budget", "5")
    files.check_complete(CASES)
    assert len(provider.requests) == CASES + CASES // 4
