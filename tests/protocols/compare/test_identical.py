"""Identical answers: judged in one order, the same scores for both, and a tie whatever the judge and weights say."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protocols.compare.judging import RUBRIC, Scripted, judged, opinion, saying

from adjudge import api
from adjudge.judges.base import Cascade
from adjudge.judges.jury import Jury
from adjudge.models.base import from_json, to_json
from adjudge.protocols.base import row_of
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.deciding import reweighted
from adjudge.protocols.compare.rules import CompareOptions
from adjudge.protocols.compare.verdict import ComparisonVerdict, Score
from adjudge.reports import render

TEXT = "Le café ouvre à neuf heures.\nIl ferme à midi."
SAME = {
    "the same": TEXT,
    "Unicode form": TEXT.replace("é", "e\u0301").replace("à", "a\u0300"),
    "line ends": TEXT.replace("\n", "\r\n"),
    "trailing white space": TEXT.replace("\n", "  \n") + " \n\n",
}
CASE = Comparison("When is it open?", TEXT, SAME["Unicode form"])


@pytest.mark.parametrize("form", SAME)
async def test_identical_answers_are_judged_in_one_order_and_tie(form, tmp_path):
    case = Comparison(CASE.task, TEXT, SAME[form])
    for one_order in (False, True):
        judge = saying((9, 4), "A", case=case, decided=False, confidence=Decimal("0.6"))
        verdict = await judged(judge, case, options=CompareOptions(one_order=one_order))
        assert len(judge.questions) == len(verdict.opinions) == 1
        found = verdict.evaluation
        assert (found.winner, found.decided_by, found.decided) == ("tie", "identical", True)
        assert (found.order_consistent, found.margin, found.confidence) == (None, 0, None)
        assert found.winner_rationale == "The two responses are identical, so it is a tie."
        assert set(found.order.winners.values()) == {"tie"}
        scores = [score for it in verdict.criteria.values() for score in it.scores.values()]
        assert {score.value for score in scores} == {Decimal("6.5")}
        assert {score.justification for score in scores} == {
            "The answers are identical, so both get the mean of the judge's two scores, 9 and 4."
        }
        assert not verdict.warnings
        assert all(it.evidence["A"] and it.evidence["B"] for it in verdict.criteria.values()), "its quotes are kept"
    embedded = await api.compare(CASE.task, TEXT, SAME[form], context=None, journal=tmp_path / "journal.db")
    assert (embedded.winner, embedded.decided_by, embedded.decided) == ("tie", "identical", True)
    assert (len(embedded.opinions), embedded.case.context) == (1, "")


async def test_scores_that_are_the_same_keep_the_judges_reasons():
    verdict = await judged(saying((7, 7), case=CASE), CASE)
    (order,) = verdict.order.judged
    assert verdict.criteria["clarity_structure"].A.justification == f"A {order}"
    assert verdict.rationale == f"because {order} tie"


async def test_answers_that_differ_in_one_word_are_not_identical():
    case = Comparison(CASE.task, TEXT, TEXT.replace("midi", "minuit"))
    verdict = await judged(saying((9, 4), "A", case=case), case)
    assert (verdict.winner, verdict.decided_by, len(verdict.opinions)) == ("A", "higher_total", 2)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["mean", "median", "majority", "weighted"]),
    st.lists(st.tuples(st.integers(1, 10), st.integers(1, 10)), min_size=1, max_size=4),
    st.fixed_dictionaries({key: st.decimals(0, 1000, places=3) for key in RUBRIC.weights}).filter(
        lambda weights: any(weights.values())
    ),
)
async def test_it_is_a_tie_with_any_jury_and_any_weights_also_when_read_again(rule, scores, weights):
    members = tuple(saying((a, b), "A" if a > b else "B", case=CASE) for a, b in scores)
    verdict = await judged(Jury("jury", members, rule, tuple(map(Fraction, range(1, 1 + len(members))))), CASE)
    (said,) = verdict.opinions
    for key, criterion in verdict.criteria.items():
        given = said.scores[key]
        assert criterion.A.exactly == criterion.B.exactly == (given["A"].exactly + given["B"].exactly) / 2
    read = from_json(ComparisonVerdict, to_json(verdict), case=CASE, rubric=RUBRIC)
    for found in (verdict, reweighted(verdict, weights), reweighted(read, weights)):
        assert (found.winner, found.decided_by, found.margin) == ("tie", "identical", 0)
        assert found.overall["A"].weighted_total == found.overall["B"].weighted_total


async def test_a_cascade_is_sure_of_identical_answers():
    dear = saying((9, 2), "A", "dear", case=CASE)
    cheap = Jury("cheap", (saying((3, 4), "B", case=CASE), saying((9, 4), "A", case=CASE, decided=False)))
    verdict = await judged(Cascade("cascade:cheap>dear", (cheap, dear)), CASE)
    assert dear.questions == []
    (stage,) = verdict.stages
    assert (stage.judge, stage.answer, stage.unsure) == ("cheap", "tie", ())


async def test_a_criterion_that_one_side_does_not_assess_is_assessed_for_neither():
    base = opinion("ab", (7, 7), case=CASE)
    blank = Score(value=Decimal(5), justification="Not assessed: no.", assessed=False)
    scores = base.scores | {"clarity_structure": {"A": blank, "B": base.scores["clarity_structure"]["B"]}}
    judge = Scripted({order: base.updated(scores=scores, order=order) for order in ("ab", "ba")})
    found = (await judged(judge, CASE)).criteria["clarity_structure"]
    assert [(score.value, score.assessed) for score in found.scores.values()] == [(6, False), (6, False)]


async def test_reports_and_rows_say_that_the_responses_are_identical():
    verdict = await judged(saying((9, 4), "A", case=CASE), CASE)
    for form in ("text", "markdown", "html"):
        text = " ".join(render(verdict, form, width=400).split())
        assert "It is a tie" in text
        assert "The responses are identical, so it is a tie with any weights." in text
        assert "drawn from seed 0): between identical responses the order cannot matter." in text
        assert "not known" not in text
    row = row_of(verdict, "tie")
    wanted = {"winner": "tie", "decided_by": "identical", "decided": True, "order_consistent": None}
    wanted |= {"lead": 0, "difference": 0, "agrees": True, "clarity_structure_a": Decimal("6.5")}
    assert {name: row[name] for name in wanted} == wanted
    schema = ComparisonVerdict.model_json_schema(mode="serialization")
    assert "identical" in schema["$defs"]["Judgment"]["properties"]["decided_by"]["enum"]
