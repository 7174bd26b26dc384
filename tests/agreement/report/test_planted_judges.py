"""Judges with a planted fault, asked over the network: the report finds it and its size, and accuses no fair one.

One run a judge over pairs whose truth is known; the judge sees what a provider sees, and nothing else.
"""

import asyncio

import pytest
from agreement.report.planted import (
    better,
    draw,
    follows_length,
    longer,
    planted_pairs,
    prefers_first,
    script_of,
    with_errors,
    write_pairs,
)
from runs.conftest import Command
from scripted.provider import ScriptedProvider

from adjudge.agreement.report.build import build_report
from adjudge.results.run import open_run

PAIRS = planted_pairs(120)
RULES = {"first": prefers_first(0.65), "length": follows_length(0.5), "fair": with_errors(0.15)}


async def judged(folder):
    """A run of every planted judge over the same pairs."""
    command = Command(folder)
    write_pairs(folder / "pairs.jsonl", PAIRS)
    async with ScriptedProvider() as provider:
        provider.script = script_of(RULES)
        for name in RULES:
            judge = f"{provider.url}/v1#{name}"
            done = await command("run", "compare", "pairs.jsonl", "--judge", judge, "--run", name)
            assert done.code == 0, done.err


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")
    asyncio.run(judged(folder))
    return {name: build_report(open_run(folder / name), "truth", draws=199) for name in RULES}


def said_first():
    """How often the planted judge names the answer shown first, over all of its replies."""
    shown = [texts for row in PAIRS for texts in ((row["a"], row["b"]), (row["b"], row["a"]))]
    return sum(draw(*texts) < 0.65 for texts in shown) / len(shown)


def test_a_judge_that_prefers_the_first_answer_is_found_out_with_the_right_size(reports):
    found = reports["first"]
    first = found.bias.order.first_wins
    assert found.biases["order"] is True
    assert first.value == pytest.approx(said_first()) and first.interval[0] < 0.65 < first.interval[1]
    # Each order is drawn by itself: they agree in 2 × 0.65 × 0.35 of the cases.
    flips = found.bias.order.flips
    assert flips.interval[0] < 1 - 2 * 0.65 * 0.35 < flips.interval[1]
    assert found.consistency.orders.value == pytest.approx(1 - flips.value)


def test_a_judge_that_follows_length_is_found_out_with_the_right_size(reports):
    found = reports["length"]
    habit = next(each for each in found.bias.habits if each.name == "length")
    assert found.biases["length"] is True and not found.biases["order"]
    assert habit.followed.interval[0] < 0.5 < habit.followed.interval[1]
    apart = [row for row in PAIRS if len(row["a"]) != len(row["b"])]
    wins = sum(_length_winner(row) == longer(row["a"], row["b"]) for row in apart)
    assert habit.more_wins.value == pytest.approx(wins / len(apart), abs=0.02)


def _length_winner(row):
    return RULES["length"](row["a"], row["b"], 0.0)


def test_a_fair_judge_with_random_errors_is_accused_of_nothing(reports):
    found = reports["fair"]
    assert not any(found.biases.values())
    right = sum(RULES["fair"](row["a"], row["b"], 0.0) == better(row["a"], row["b"]) for row in PAIRS)
    assert found.metrics["accuracy"].value == pytest.approx(right / len(PAIRS))
    assert found.consistency.orders.value == 1 and found.bias.order.flips.value == 0
