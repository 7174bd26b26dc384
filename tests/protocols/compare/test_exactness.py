"""compare's numbers: rounded once, at the end, and never shown as what they are not; with the weights it was judged
with, and with others."""

from decimal import Decimal
from fractions import Fraction
from statistics import median, multimode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protocols.compare.judging import CASE, RUBRIC, Scripted, judged, opinion, saying
from reports import verdict_samples
from reports.verdict_samples import KEYS, PreparedJudge

from adjudge.judges.jury import VOTE_RULES, Jury
from adjudge.models.base import from_json, to_json
from adjudge.protocols.base import row_of
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.deciding import reweighted, why_unsure
from adjudge.protocols.compare.rules import CompareOptions
from adjudge.protocols.compare.verdict import ComparisonVerdict, Score
from adjudge.protocols.rubrics import parse
from adjudge.reports import render
from adjudge.text.reasons import scored


def judge_giving(table, preferences, rubric=RUBRIC):
    """A judge that gives these scores: order → criterion → (A, B)."""
    return Scripted({order: opinion(order, own, preferences[order], rubric=rubric) for order, own in table.items()})


# -- the whole computation, done again in plain fractions -------------------------------------------------------------

_WEIGHTS = st.one_of(
    st.sampled_from(["0", "1", "1000000", "0.00000000000000000001", "999999.99999999999999999999"]).map(Decimal),
    st.decimals(0, 1_000_000, places=3),
)
_THREE = ("one", "two", "three")
_SCALES = [("1", "10", "1"), ("0", "1", "0.01"), ("1", "5", "0.5")]


def own_rubric(low, high, step, keys=_THREE):
    return parse(
        f"name: own\nversion: '1'\nprotocol: compare\nscale: {{min: {low}, max: {high}, step: {step}}}\ncriteria:\n"
        + "".join(f"  - {{key: {key}, weight: 1, guidance: so}}\n" for key in keys),
        "own.yaml",
    )


_RUBRICS = [own_rubric(*scale) for scale in _SCALES]


def four(exact):
    """Round to four decimals, half to even, as Python rounds fractions."""
    return Decimal(round(exact * 10_000)) / 10_000


def jury_score(rule, seats, key, side, order, weights):
    """One score by the jury's rule. A seat is (scores, weight)."""
    values = [(Fraction(table[order][key][side]), weight) for table, weight in seats]
    if rule == "median":
        return Fraction(median(value for value, _ in values))
    if rule == "majority":
        totals = [
            [sum(Fraction(table[order][k][at]) * Fraction(weights[k]) for k in _THREE) for at in (0, 1)]
            for table, _ in seats
        ]
        named = [(a > b) - (a < b) for a, b in totals]
        values = [value for value, side in zip(values, named, strict=True) if side in multimode(named)]
        return Fraction(sum(value for value, _ in values), len(values))
    return sum(value * weight for value, weight in values) / sum(weight for _, weight in values)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
async def test_totals_margins_and_winners_are_those_of_exact_fractions_digit_for_digit(data):
    rubric = data.draw(st.sampled_from(_RUBRICS))
    draw_weights = st.fixed_dictionaries(dict.fromkeys(_THREE, _WEIGHTS)).filter(lambda given: any(given.values()))
    weights, others = data.draw(draw_weights), data.draw(draw_weights)
    rule = data.draw(st.sampled_from(sorted(VOTE_RULES)))
    pair = st.tuples(*[st.sampled_from(rubric.scale.values)] * 2)
    table = st.fixed_dictionaries(dict.fromkeys(("ab", "ba"), st.fixed_dictionaries(dict.fromkeys(_THREE, pair))))
    tables = data.draw(st.lists(table, min_size=1, max_size=4))
    seats = [
        (each, data.draw(st.fractions("1/1000", 1000, max_denominator=1000)) if rule == "weighted" else Fraction(1))
        for each in tables
    ]
    preferences = [{order: data.draw(st.sampled_from(["A", "B", "tie"])) for order in ("ab", "ba")} for _ in seats]
    members = tuple(judge_giving(each, said, rubric) for each, said in zip(tables, preferences, strict=True))
    jury = Jury("jury", members, rule, tuple(weight for _, weight in seats) if rule == "weighted" else ())
    case = Comparison(CASE.task, CASE.a, CASE.b, weights=weights)
    verdict = await judged(jury, case, rubric)

    # A majority's scores depend on the weights it was judged with; new weights are applied to these scores.
    scores = {
        order: {key: [jury_score(rule, seats, key, at, order, weights) for at in (0, 1)] for key in _THREE}
        for order in ("ab", "ba")
    }
    for now in (weights, others):
        whole = sum(map(Fraction, now.values()))
        by_order = {
            order: [sum(of[key][at] * Fraction(now[key]) for key in _THREE) for at in (0, 1)]
            for order, of in scores.items()
        }
        totals = [(by_order["ab"][at] + by_order["ba"][at]) / 2 for at in (0, 1)]
        lead, band = (totals[0] - totals[1]) / whole, Fraction(rubric.tie_band)
        named = {}
        for one in verdict.opinions:
            own = (by_order[one.order][0] - by_order[one.order][1]) / whole
            tie = own == 0 or (abs(own) < band and one.preference == "tie")
            named[one.order] = "tie" if tie else "A" if own > 0 else "B"
        agreed = set(named.values())
        winner = agreed.pop() if len(agreed) == 1 else "tie" if abs(lead) < band else "A" if lead > 0 else "B"

        # As judged, and as read again from the journal: with the weights it was judged with, and with others.
        read = from_json(ComparisonVerdict, to_json(verdict), case=case, rubric=rubric)
        for found in (verdict, read) if now is weights else (reweighted(verdict, others), reweighted(read, others)):
            assert (found.winner, found.order.winners) == (winner, named)
            assert [found.overall[label].weighted_total for label in "AB"] == [four(total) for total in totals]
            assert [found.overall[label].normalized for label in "AB"] == [four(total / whole) for total in totals]
            assert found.margin == four(abs(lead))
            moved = {label: four((by_order["ba"][at] - by_order["ab"][at]) / whole) for at, label in enumerate("AB")}
            assert found.order.moved == moved
            assert (row_of(found)["lead"], row_of(found)["difference"]) == (four(lead), four(totals[0] - totals[1]))
            for key in _THREE:  # a jury's mean is rounded once, after both orders are averaged
                averaged = [(scores["ab"][key][at] + scores["ba"][key][at]) / 2 for at in (0, 1)]
                assert [found.criteria[key].scores[label].exactly for label in "AB"] == averaged
        assert to_json(read) == to_json(verdict)


# -- examples ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["mean", "weighted", "majority"])
async def test_a_weight_of_a_million_shows_no_rounding_error_of_a_score(rule):
    weights = dict.fromkeys(RUBRIC.weights, Decimal(0)) | {"clarity_structure": Decimal(1_000_000)}
    members = tuple(saying(scores, "A") for scores in ((4, 3), (4, 3), (3, 2)))
    jury = Jury("jury", members, rule, (Fraction(1),) * 3 if rule == "weighted" else ())
    verdict = await judged(jury, Comparison(CASE.task, CASE.a, CASE.b, weights=weights))
    assert str(verdict.overall["A"].weighted_total) == "3666666.6667"  # 11/3; 3.6667 would be 33 off
    assert str(verdict.criteria["clarity_structure"].A.value) == "3.6667"
    assert to_json(verdict).count(b'"score_exact":"11/3"') == 7
    assert verdict.margin == 1


async def test_a_margin_is_rounded_from_the_exact_totals_and_not_a_difference_of_rounded_ones():
    better = dict.fromkeys(RUBRIC.weights, (5, 5)) | {
        "depth_coverage_usefulness": (6, 5), "actionability_specificity": (6, 5), "correctness_reasoning": (5, 4),
    }  # fmt: skip
    orders = {"ab": better | {"insight_originality": (6, 4)}, "ba": better | {"insight_originality": (6, 5)}}
    verdict = await judged(judge_giving(orders, {"ab": "A", "ba": "A"}))
    assert [str(verdict.overall[label].weighted_total) for label in "AB"] == ["43.5", "37.75"]
    assert [str(verdict.overall[label].normalized) for label in "AB"] == ["5.4375", "4.7188"]
    assert str(verdict.margin) == "0.7188"  # 0.71875; the difference of what is shown is 0.7187


async def test_a_jurys_equal_totals_are_equal_although_the_scores_shown_are_rounded():
    # A: 16/3 with the weights 1 and 2; B: 14/3 and 17/3. Both make 16.
    members = tuple(
        saying(dict.fromkeys(KEYS, (5, 5)) | {"task_understanding": (a, b), "correctness_reasoning": (a, c)}, "A")
        for a, b, c in ((5, 4, 5), (5, 5, 6), (6, 5, 6))
    )
    evaluation = (await judged(Jury("jury(mean):…", members, "mean"))).evaluation
    assert evaluation.order.winners == {"ab": "tie", "ba": "tie"}
    assert (evaluation.winner, evaluation.decided_by, evaluation.margin) == ("tie", "equal_totals", 0)
    assert evaluation.overall["A"].weighted_total == evaluation.overall["B"].weighted_total


async def test_our_words_in_the_place_of_a_reason_name_the_score_beside_them():
    def careless(order, value):
        given = opinion(order, (value, value))
        score = Score(value=Decimal(value), justification=scored(value))
        evidence = tuple(item.model_copy(update={"rationale": scored(value)}) for item in given.evidence)
        return given.updated(scores={key: {"A": score, "B": score} for key in given.scores}, evidence=evidence)

    verdict = await judged(Scripted({"ab": careless("ab", 7), "ba": careless("ba", 8)}))
    shown = verdict.criteria["clarity_structure"].scores["A"]
    assert {shown.justification, *(item.rationale for item in shown.evidence)} == {scored("7.5")}


async def test_a_margin_just_below_the_band_is_a_tie_although_it_is_rounded_to_the_band():
    weights = dict.fromkeys(RUBRIC.weights, Decimal(0))
    weights |= {"clarity_structure": Decimal("0.99999"), "insight_originality": Decimal("1.00001")}
    judge = saying(dict.fromkeys(RUBRIC.weights, (7, 7)) | {"clarity_structure": (8, 7)})
    verdict = await judged(judge, Comparison(CASE.task, CASE.a, CASE.b, weights=weights))
    assert (verdict.winner, verdict.decided_by) == ("tie", "judge_prefers_tie")
    assert str(verdict.margin) == "0.5"  # 0.499995
    assert list(why_unsure(verdict, Decimal("0.5"))) == ["the totals are less than 0.5 apart"]
    assert "0.49 apart, and both orders call it a tie" in render(verdict, "text")


def test_the_band_of_a_fine_scale_is_in_proportion():
    assert str(_RUBRICS[1].tie_band) == "0.0556"


# -- other weights: what judging with them would have given, and nobody is asked --------------------------------------

SAMPLES = {
    "plain": verdict_samples.plain_sample(), "tied": verdict_samples.tied_sample(),
    "one order": verdict_samples.tied_sample(one_order=True), "jury": verdict_samples.jury_sample(),
    "identical": verdict_samples.identical_sample(),
}  # fmt: skip
WEIGHTS = st.fixed_dictionaries(
    {key: st.decimals(0, 10, places=2, allow_nan=False, allow_infinity=False) for key in KEYS}
).filter(lambda weights: any(weights.values()))


def weights_of(verdict):
    return {key: criterion.weight for key, criterion in verdict.criteria.items()}


@given(name=st.sampled_from([*SAMPLES]), weights=WEIGHTS)
@settings(max_examples=50, deadline=None)
async def test_other_weights_give_what_judging_with_them_gives(name, weights):
    verdict = SAMPLES[name].verdict
    assert reweighted(verdict, weights_of(verdict)) == verdict
    case = Comparison(verdict.case.task, verdict.case.a, verdict.case.b, verdict.case.context, weights)
    judge = PreparedJudge(verdict.provenance.judge, {opinion.order: opinion for opinion in verdict.opinions})
    options = CompareOptions(one_order=len(verdict.order.judged) == 1, seed=verdict.order.drawn_from_seed or 0)
    again = await judged(judge, case, verdict_samples.RUBRIC, options)
    made = reweighted(verdict, weights).evaluation
    fields = ("winner", "winner_rationale", "margin", "decided_by", "order", "order_consistent")
    assert {name: getattr(made, name) for name in fields} == {name: getattr(again.evaluation, name) for name in fields}
    for label in ("A", "B"):
        assert made.overall[label].weighted_total == again.overall[label].weighted_total
        assert made.overall[label].normalized == again.overall[label].normalized


def test_how_sure_the_judge_is_is_not_said_of_another_winner():
    verdict = SAMPLES["plain"].verdict
    weights = {**weights_of(verdict), KEYS[0]: Decimal(3)}
    for winner, confidence in ((verdict.winner, Decimal("0.9")), ("B", None)):
        sure = verdict.evaluation.updated(confidence=Decimal("0.9"), winner=winner)
        assert reweighted(verdict.updated(evaluation=sure), weights).confidence == confidence
