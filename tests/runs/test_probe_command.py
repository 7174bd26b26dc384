"""`adjudge probe`: a judge that follows length, or the order, is found out; a fair one is not; calls are told first."""

import json

import pytest
from runs.conftest import judge_of, number_in, pairs, write_lines
from scripted.provider import fails, judges

CASES = 10
RUBRIC = """\
name: mine
version: "1"
protocol: compare
scale: {min: 1, max: 10}
criteria:
  - {key: warmth, name: Warmth, weight: 1, guidance: How warm it is.}
  - {key: truth, name: Truth, weight: 2, guidance: How true it is.}
"""


def is_fair(_):
    return judges(lambda text: 9 if "Plan" in text else 3)


def follows_length(_):
    return judges()


def prefers_the_first(_):
    def change(reply):
        for marks in reply["criteria"].values():
            marks |= {"score_1": 9, "score_2": 3}
        return reply | {"preference": "answer_1"}

    return judges(change=change)


@pytest.fixture
def probe(provider, command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(CASES))
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}

    async def run(script, *more, source="pairs.jsonl", judge=None):
        provider.script = script
        done = await command("probe", source, "--judge", judge or judge_of(provider), "--format", "json", *more)
        probes = {each["probe"]: each for each in json.loads(done.out)["probes"]} if done.out else {}
        return done, probes

    return run


async def test_a_judge_that_follows_length_moves_with_padding(probe):
    done, found = await probe(follows_length, "--probes", "swap", "padding", "bold")
    assert done.code == 0, done.err
    assert (found["padding"]["cases"], found["padding"]["toward"]["value"]) == (CASES, 1.0)
    assert found["padding"]["net"]["value"] > 0.4
    assert found["padding"]["found"] is True
    assert found["swap"]["found"] is False
    assert found["bold"]["found"] is False


async def test_what_moves_has_its_right_size(probe):
    def follows_length_in_every_third_case(request):
        return is_fair(request) if number_in(request) % 3 else judges()

    _, found = await probe(follows_length_in_every_third_case, "--probes", "padding")
    padding = found["padding"]
    assert (padding["toward"]["value"], padding["away"]["value"]) == (4 / CASES, 0.0)
    # Both answers are of one length before: four cases go from a tie to a win.
    assert padding["net"]["value"] == pytest.approx(4 * 0.5 / CASES)
    assert padding["found"] is True


async def test_a_fair_judge_does_not_move(probe):
    done, found = await probe(is_fair)
    assert done.code == 0, done.err
    assert set(found) == {"swap", "padding", "lists", "bold"}
    for each in found.values():
        assert (each["toward"]["value"], each["net"]["value"], each["found"]) == (0.0, 0.0, False)
        low, high = each["net"]["interval"]
        assert low < 0 < high


async def test_a_judge_that_prefers_the_first_answer_is_found_by_its_two_orders(probe, provider):
    done, found = await probe(prefers_the_first, "--probes", "swap")
    assert done.code == 0, done.err
    assert (found["swap"]["toward"]["value"], found["swap"]["net"]["value"], found["swap"]["found"]) == (1.0, 0.5, True)
    assert len(provider.requests) == 2 * CASES


async def test_the_calls_are_told_before_anything_is_sent_and_a_bad_output_is_refused(probe, provider, command):
    done, _ = await probe(is_fair, "--dry-run")
    assert (done.code, done.out, provider.requests) == (0, "", [])
    assert f"4 runs, {4 * CASES} cases to judge, about {4 * 2 * CASES} calls" in done.err
    done = await command("probe", "pairs.jsonl", "--judge", judge_of(provider), "-o", "probes.pdf")
    assert (done.code, provider.requests) == (2, []) and "no format is known for .pdf" in done.err


async def test_the_budget_holds_for_all_runs_together_and_nothing_is_paid_twice(probe, provider):
    # A call costs about $0.004, but might cost twenty times as much: each run alone would stay below the budget.
    bounded = ("--probes", "padding", "--concurrency", "1", "--budget", "0.18")
    done, _ = await probe(is_fair, *bounded, judge="openai:gpt-4o")
    assert done.code == 1
    assert "stopped by the budget of $0.18" in done.err
    assert 2 * CASES <= len(provider.requests) < 4 * CASES
    done, found = await probe(is_fair, "--probes", "padding", "--budget", "5", judge="openai:gpt-4o")
    assert done.code == 0, done.err
    assert len(provider.requests) == 4 * CASES
    assert found["padding"]["cases"] == CASES


async def test_a_run_brings_its_judge_and_its_replies_along(provider, command, probe):
    provider.script = is_fair
    await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider), "--quiet")
    assert len(provider.requests) == 2 * CASES
    done = await command("probe", "out", "--probes", "swap", "padding", "--quiet")
    assert done.code == 0, done.err
    assert len(provider.requests) == 4 * CASES
    assert f"Probes of {judge_of(provider)}" in done.out
    assert "no bias is shown" in done.out


async def test_fewer_cases_are_drawn_at_random_and_a_dialogue_run_is_refused(provider, command, probe, tmp_path):
    done, found = await probe(is_fair, "--n", "5", "--probes", "bold")
    assert (done.code, found["bold"]["cases"]) == (0, 5)
    (tmp_path / "talk.txt").write_text("SYSTEM\tHello, how can I help?\nUSER\tA table for two.\n")
    await command("run", "dialogue", "talk.txt", "--run", "talks", "--quiet")
    done = await command("probe", "talks")
    assert (done.code, done.err) == (2, "adjudge: INPUT: talks: a dialogue run; probes are for comparisons\n")


async def test_what_failed_and_what_had_nothing_to_change_are_told_apart(probe, tmp_path):
    def fails_once_with_padding(request):
        padded = "These are the points that matter here." in request.fenced("ANSWER 1") + request.fenced("ANSWER 2")
        return fails(400) if padded and "Plan tool 3." in request.fenced("TASK") else is_fair(request)

    done, found = await probe(fails_once_with_padding, "--probes", "padding")
    assert done.code == 1
    assert (found["padding"]["cases"], found["padding"]["cannot"]) == (CASES - 1, 0)
    write_lines(tmp_path / "bold.jsonl", [row | {"a": f"**{row['a']}**", "b": "**b**"} for row in pairs(CASES)])
    done, found = await probe(is_fair, "--probes", "bold", "--run", "bold", source="bold.jsonl")
    assert done.code == 0, done.err
    assert (found["bold"]["cases"], found["bold"]["cannot"], found["bold"]["found"]) == (0, CASES, None)


async def test_a_rubric_of_ones_own_is_what_is_asked_about(probe, provider, command, tmp_path):
    (tmp_path / "mine.yaml").write_text(RUBRIC)
    done, found = await probe(is_fair, "--rubric", "mine.yaml", "--probes", "swap")
    assert done.code == 0, done.err
    assert set(found) == {"swap"} and all(
        "Warmth" in request.system + "".join(request.turns) for request in provider.requests
    )
    done, _ = await probe(is_fair, "--rubric", "none.yaml")
    assert done.code == 2 and "none.yaml: file not found" in done.err
