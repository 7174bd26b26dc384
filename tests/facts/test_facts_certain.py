"""Every certain fact about an answer is right: pairs of tasks and answers with the certain facts that hold of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.cases import Comparison, Review
from adjudge.facts import find_facts, find_review_facts

LINES = (Path(__file__).parents[2] / "bench" / "samples" / "certain.jsonl").read_text("utf-8").splitlines()
PAIRS = [json.loads(line) for line in LINES]


@pytest.mark.parametrize("pair", PAIRS, ids=[f"{pair['task'][:40]}-{at}" for at, pair in enumerate(PAIRS)])
def test_certain_facts_are_those_that_hold(pair: dict[str, Any]) -> None:
    facts = find_review_facts(Review(prompt=pair["task"], a=pair["answer"], b="Another answer."))
    found = {fact.name for fact in facts if fact.where == "A" and fact.certain and fact.name != "repetition"}
    assert found == set(pair["certain"])


@pytest.mark.parametrize("pair", PAIRS, ids=[f"{pair['task'][:40]}-{at}" for at, pair in enumerate(PAIRS)])
def test_a_comparison_knows_the_task_too(pair: dict[str, Any]) -> None:
    facts = find_facts(Comparison(pair["task"], pair["answer"], "Another answer."))
    found = {fact.name for fact in facts if fact.where == "A" and fact.certain} & {"refusal", "truncation"}
    assert found == set(pair["certain"]) & {"refusal", "truncation"}


def test_a_system_prompt_with_limits_makes_a_refusal_a_hint() -> None:
    case = Review(
        prompt="Who won the match?",
        a="I'm sorry, but I can't help with that.",
        b="Another answer.",
        system_prompt="You are a cooking assistant. Only answer questions about food.",
    )
    (fact,) = (fact for fact in find_review_facts(case) if fact.name == "refusal")
    assert not fact.certain
