"""A comparison with other weights: what judging with them would have given, and nobody is asked."""

import asyncio
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reports import verdict_samples
from reports.verdict_samples import KEYS, RUBRIC, PreparedJudge

from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.deciding import reweighted
from adjudge.protocols.compare.rules import CompareOptions, compare

SAMPLES = {
    "plain": verdict_samples.plain_sample(),
    "tied": verdict_samples.tied_sample(),
    "one order": verdict_samples.tied_sample(one_order=True),
    "jury": verdict_samples.jury_sample(),
    "identical": verdict_samples.identical_sample(),
}
WEIGHTS = st.fixed_dictionaries(
    {key: st.decimals(0, 10, places=2, allow_nan=False, allow_infinity=False) for key in KEYS}
).filter(lambda weights: any(weights.values()))


def weights_of(verdict):
    return {key: criterion.weight for key, criterion in verdict.criteria.items()}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_weights_it_was_judged_with_change_nothing(name):
    verdict = SAMPLES[name].verdict
    assert reweighted(verdict, weights_of(verdict)) == verdict


@pytest.mark.parametrize("name", SAMPLES)
@given(weights=WEIGHTS)
@settings(max_examples=60, deadline=None)
def test_other_weights_give_what_judging_with_them_gives(name, weights):
    verdict = SAMPLES[name].verdict
    case = Comparison(verdict.case.task, verdict.case.a, verdict.case.b, verdict.case.context, weights)
    judge = PreparedJudge(verdict.provenance.judge, {opinion.order: opinion for opinion in verdict.opinions})
    options = CompareOptions(one_order=len(verdict.order.judged) == 1, seed=verdict.order.drawn_from_seed or 0)
    judged = asyncio.run(compare(case, judge, RUBRIC, options))
    made = reweighted(verdict, weights).evaluation
    fields = ("winner", "winner_rationale", "margin", "decided_by", "order", "order_consistent")
    assert {name: getattr(made, name) for name in fields} == {name: getattr(judged.evaluation, name) for name in fields}
    for label in ("A", "B"):
        assert made.overall[label].weighted_total == judged.overall[label].weighted_total
        assert made.overall[label].normalized == judged.overall[label].normalized


def test_how_sure_the_judge_is_is_not_said_of_another_winner():
    verdict = SAMPLES["plain"].verdict
    sure = verdict.updated(evaluation=verdict.evaluation.updated(confidence=Decimal("0.9")))
    assert reweighted(sure, {**weights_of(verdict), KEYS[0]: Decimal(3)}).confidence == Decimal("0.9")
    lost = verdict.updated(evaluation=verdict.evaluation.updated(confidence=Decimal("0.9"), winner="B"))
    assert reweighted(lost, {**weights_of(verdict), KEYS[0]: Decimal(3)}).confidence is None
