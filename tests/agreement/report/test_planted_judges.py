"""Judges with a planted fault: the report finds it and its size, and accuses no fair one.

What needs both orders is asked over the network, where the judge sees what a provider sees, and nothing else; slowly
that is so for all judges and several sets of pairs. Quickly, habits are planted in the verdicts of one run.
"""

import asyncio
import shutil
from dataclasses import replace

import orjson
import pytest
from agreement.report.judged import joined
from agreement.report.planted import (
    BOLD,
    LIST,
    better,
    draw,
    follows,
    follows_length,
    longer,
    planted_pairs,
    prefers_first,
    script_of,
    with_errors,
    write_pairs,
)
from results.building import Given, write_run
from runs.conftest import Command
from scripted.provider import ScriptedProvider

from adjudge.agreement.report import build_report
from adjudge.agreement.report.joining import read_pairs
from adjudge.protocols.compare.case import Comparison
from adjudge.results.run import open_run
from adjudge.statistics.bias import bias_report

RULES = {"first": prefers_first(0.65), "length": follows_length(0.5), "fair": with_errors(0.15)}


async def judged(folder, pairs, names):
    """A run of each of these planted judges over the same pairs."""
    command = Command(folder)
    write_pairs(folder / "pairs.jsonl", pairs)
    async with ScriptedProvider() as provider:
        provider.script = script_of(RULES)
        for name in names:
            judge = f"{provider.url}/v1#{name}"
            done = await command("run", "compare", "pairs.jsonl", "--judge", judge, "--run", name)
            assert done.code == 0, done.err


def reports_on(pairs, folder, names=tuple(RULES)):
    asyncio.run(judged(folder, pairs, names))
    return {name: build_report(open_run(folder / name), "truth", draws=199) for name in names}


def habit_of(bias, name):
    return next(each for each in bias.habits if each.name == name)


# -- over the network -------------------------------------------------------------------------------------------------


def test_a_judge_that_prefers_the_first_answer_is_found_out_with_the_right_size(tmp_path):
    pairs = planted_pairs(60)
    found = reports_on(pairs, tmp_path, ["first"])["first"]
    first, flips = found.bias.order.first_wins, found.bias.order.flips
    shown = [texts for row in pairs for texts in ((row["a"], row["b"]), (row["b"], row["a"]))]
    assert found.biases["order"] is True
    assert first.value == pytest.approx(sum(draw(*texts) < 0.65 for texts in shown) / len(shown))
    assert first.interval[0] < 0.65 < first.interval[1]
    # Each order is drawn by itself: they agree in 2 × 0.65 × 0.35 of the cases.
    assert flips.interval[0] < 1 - 2 * 0.65 * 0.35 < flips.interval[1]
    assert found.consistency.orders.value == pytest.approx(1 - flips.value)


@pytest.mark.slow
def test_over_several_sets_of_pairs_every_planted_bias_is_found_and_its_size_held(tmp_path):
    held, accused = 0, 0
    for seed in (2, 3):
        (folder := tmp_path / str(seed)).mkdir()
        found = reports_on(planted_pairs(80, seed), folder)
        assert found["first"].biases["order"] is True and found["length"].biases["length"] is True
        sizes = (found["first"].bias.order.first_wins, 0.65), (habit_of(found["length"].bias, "length").followed, 0.5)
        held += sum(figure.interval[0] < size < figure.interval[1] for figure, size in sizes)
        accused += sum(bool(bias) for bias in found["fair"].biases.values())
    assert held >= 3  # of 4 intervals; fewer about once in seventy
    assert accused <= 2  # of 8 findings on fair judges; more about six times in a thousand


# -- habits, planted in the verdicts ----------------------------------------------------------------------------------

MANY = planted_pairs(140, seed=3)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    rows = [
        Given(
            *(row["id"], Comparison(row["task"], row["a"], row["b"]), row["truth"]),
            systems=(row["model_a"], row["model_b"]),
        )
        for row in MANY
    ]
    return write_run(tmp_path_factory.mktemp("habits") / "run", rows)


def judged_by(rule, run, folder):
    """The same run as a judge of this rule would have judged it, alike in both orders."""
    made = shutil.copytree(run, folder)
    lines = [orjson.loads(line) for line in (made / "verdicts.jsonl").read_bytes().splitlines()]
    for line in lines:
        winner = ("tie", "A", "B")[rule(MANY[line["position"]])]
        line["row"] |= {"winner": winner, "decided": True, "order_consistent": True}
    (made / "verdicts.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return made


def biases_of(folder):
    """What the report says of bias, without the rest of it, and which were found: with the one person who labelled this
    run, and with a second one who says the same."""
    one = read_pairs(joined(folder))
    two = [
        replace(pair, votes=pair.votes | {f"second {name}": vote for name, vote in pair.votes.items()}) for pair in one
    ]
    told = [bias_report(pairs, ["wren"]) for pairs in (one, two)]
    found = [
        {habit.name for habit in bias.habits if habit.found} | ({"order"} if bias.order.found else set())
        for bias in told
    ]
    assert found[0] <= found[1]  # one person's range is wider
    return told, found[1]


def test_a_judge_that_follows_length_is_found_out_with_the_right_size(run, tmp_path):
    made = judged_by(lambda row: RULES["length"](row["a"], row["b"], 0.0), run, tmp_path / "run")
    told, found = biases_of(made)
    assert "length" in found and "order" not in found
    for habit in (habit_of(bias, "length") for bias in told):
        assert habit.followed.interval[0] < 0.5 < habit.followed.interval[1]
    apart = [row for row in MANY if len(row["a"]) != len(row["b"])]
    wins = sum(RULES["length"](row["a"], row["b"], 0.0) == longer(row["a"], row["b"]) for row in apart)
    assert habit.more_wins.value == pytest.approx(wins / len(apart), abs=0.04)


@pytest.mark.parametrize(("name", "mark"), [("lists", LIST), ("bold", BOLD)], ids=["lists", "bold"])
def test_a_judge_that_follows_lists_or_bold_type_is_found_out_with_the_right_size(run, tmp_path, name, mark):
    made = judged_by(lambda row: follows(mark, 0.5)(row["a"], row["b"], 0.0), run, tmp_path / "run")
    told, found = biases_of(made)
    allowed, followed = (habit_of(bias, name).followed for bias in told)
    apart = [row for row in MANY if (mark in row["a"]) != (mark in row["b"])]
    others = [row for row in apart if (mark in row["a"]) != (row["truth"] == "A")]
    planted = sum(draw(*sorted((row["a"], row["b"])), mark) < 0.5 for row in others) / len(others)
    assert found == {name}
    assert followed.value == pytest.approx(planted) and followed.interval[0] < planted < followed.interval[1]
    assert allowed.value is None and allowed.interval[0] < planted < allowed.interval[1]


def test_a_judge_that_prefers_its_own_answers_is_found_out_with_the_right_size(run, tmp_path):
    def rule(row):
        own = 1 if row["model_a"] == "wren" else 2
        return own if draw(row["id"], "own") < 0.4 else better(row["a"], row["b"])

    told, found = biases_of(judged_by(rule, run, tmp_path / "run"))
    allowed, followed = (habit_of(bias, "self-preference").followed for bias in told)
    # Where people prefer the other answer, the share that went to the judge's own is what was planted in these pairs.
    others = [row for row in MANY if (row["model_a"] == "wren") != (row["truth"] == "A")]
    planted = sum(draw(row["id"], "own") < 0.4 for row in others) / len(others)
    assert found == {"self-preference"}
    assert followed.value == pytest.approx(planted) and followed.interval[0] < planted < followed.interval[1]
    assert allowed.value is None and allowed.interval[0] < planted < allowed.interval[1]


def test_a_fair_judge_with_random_errors_is_accused_of_nothing(run, tmp_path):
    made = judged_by(lambda row: RULES["fair"](row["a"], row["b"], 0.0), run, tmp_path / "run")
    found = build_report(open_run(made), own_sources=["wren"], limit=0, draws=199)
    assert set(found.biases) == {"order", "length", "lists", "bold", "self-preference"}
    assert not any(found.biases.values())
    right = sum(RULES["fair"](row["a"], row["b"], 0.0) == better(row["a"], row["b"]) for row in MANY)
    assert found.metrics["accuracy"].value == pytest.approx(right / len(MANY))
    assert found.consistency.orders.value == 1 and found.bias.order.flips.value == 0
