"""What is found out about a text is found out once, however many orders, rounds and detectors need it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import icu4py.breakers
import pytest
from scripted.judging import OpenJudge
from scripted.provider import ScriptedProvider, judges

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.rules import compare
from adjudge.protocols.compare.verdict import ComparisonVerdict
from adjudge.protocols.rubrics import shipped

A = "First, write down the outcomes that matter to you. Then name one number for each of them, and look every week."
B = "Begin with a small version. Show it to two people, watch them without helping, and mend what they stumble over."
CASE = Comparison(task="Name the outcomes that matter, and plan one number for each of them.", a=A, b=B)


@pytest.fixture
def segmented(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often ICU segments each text."""
    counts: Counter[str] = Counter()
    breaker = icu4py.breakers.WordBreaker

    def counting(text: str, locale: str) -> Any:
        counts[text] += 1
        return breaker(text, locale)

    monkeypatch.setattr(icu4py.breakers, "WordBreaker", counting)
    return counts


def invent_quotes(reply: dict[str, Any]) -> None:
    reply["criteria"]["clarity_structure"] |= {"quote_1": "words that nobody ever wrote here"}


async def test_a_quote_is_looked_up_and_segmented_once_for_both_orders_and_their_repairs(
    openai_judge: OpenJudge, provider: ScriptedProvider, segmented: Counter[str]
) -> None:
    provider.script = lambda request: judges(change=None if request.repairs else invent_quotes)
    verdict = await compare(CASE, openai_judge(), shipped("compare"))
    assert isinstance(verdict, ComparisonVerdict)
    assert provider.calls == 4, "two orders, each repaired"
    quotes = {item.quote for opinion in verdict.opinions for item in opinion.evidence}
    assert {A, B} < segmented.keys() <= {A, B, *quotes}, "the answers only to see whether they have five words"
    assert set(segmented.values()) == {1}


async def test_the_embedded_judge_measures_a_pair_once_for_both_orders(segmented: Counter[str]) -> None:
    verdict = await compare(CASE, EmbeddedJudge(), shipped("compare"))
    assert isinstance(verdict, ComparisonVerdict)
    assert len(verdict.opinions) == 2
    assert segmented[A.lower()] == segmented[B.lower()] == segmented[CASE.task.lower()] == 1
    assert max(segmented.values()) == 1, "nor is any part of a text segmented twice"


async def test_what_was_computed_of_a_model_is_not_copied_into_another_one() -> None:
    verdict = await compare(CASE, EmbeddedJudge(), shipped("compare"))
    assert isinstance(verdict, ComparisonVerdict)
    first = verdict.evaluation.criteria_scores["task_understanding"]
    raised = first.updated(A=first.A.updated(value=first.A.value + 1))
    scores = {**verdict.evaluation.criteria_scores, "task_understanding": raised}
    changed = verdict.updated(evaluation=verdict.evaluation.updated(criteria_scores=scores))
    assert changed.totals.a - verdict.totals.a == first.weight
    assert CASE.updated(a=B).haystacks["A"].text == B
