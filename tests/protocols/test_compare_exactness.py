"""compare's numbers: rounded once, at the end, and never shown as what they are not."""

from decimal import Decimal

from protocols.test_compare_rules import CASE, Scripted, opinion

from adjudge.judges.jury import Jury
from adjudge.models import ComparisonVerdict, Score
from adjudge.models.cases import Comparison
from adjudge.protocols.common import Options
from adjudge.protocols.compare import compare
from adjudge.rubric import parse, shipped
from adjudge.text.reasons import scored


async def test_a_jurys_mean_is_rounded_once_after_both_orders_are_averaged():
    def members(order, *scores):
        return [Scripted({order: opinion(order, (score, score), "tie")}) for score in scores]

    class Both:
        name = "jury(mean):…"

        async def opine(self, question):
            scores = (3, 3, 4) if question.order == "ab" else (4, 4, 4)
            return await Jury(self.name, tuple(members(question.order, *scores)), "mean").opine(question)

    verdict = await compare(CASE, Both(), shipped("compare"))
    assert str(verdict.criteria["clarity_structure"].scores["A"].value) == "3.6667"  # 11/3
    assert verdict.overall["A"].weighted_total == Decimal("3.6667") * 8


async def test_a_jurys_equal_totals_are_equal_although_the_scores_shown_are_rounded():
    def member(order, own):
        given = opinion(order, (5, 5), "A")
        changed = {
            key: {label: Score(value=Decimal(value), justification="j") for label, value in by_label.items()}
            for key, by_label in own.items()
        }
        return given.updated(scores={**given.scores, **changed})

    # A: 16/3 with the weights 1 and 2; B: 14/3 and 17/3. Both make 16.
    scores = [
        {"task_understanding": {"A": a, "B": b}, "correctness_reasoning": {"A": a, "B": c}}
        for a, b, c in ((5, 4, 5), (5, 5, 6), (6, 5, 6))
    ]

    class Three:
        name = "jury(mean):…"

        async def opine(self, question):
            members = (Scripted({question.order: member(question.order, own)}) for own in scores)
            return await Jury(self.name, tuple(members), "mean").opine(question)

    evaluation = (await compare(CASE, Three(), shipped("compare"))).evaluation
    assert evaluation.order.winners == {"ab": "tie", "ba": "tie"}
    assert (evaluation.winner, evaluation.decided_by, evaluation.margin) == ("tie", "equal_totals", 0)


async def test_our_words_in_the_place_of_a_reason_name_the_score_beside_them():
    def careless(order, value):
        given = opinion(order, (value, value))
        score = Score(value=Decimal(value), justification=scored(value))
        evidence = tuple(item.model_copy(update={"rationale": scored(value)}) for item in given.evidence)
        return given.updated(scores={key: {"A": score, "B": score} for key in given.scores}, evidence=evidence)

    verdict = await compare(
        CASE, Scripted({"ab": careless("ab", 7), "ba": careless("ba", 8)}), shipped("compare"), Options()
    )
    shown = verdict.criteria["clarity_structure"].scores["A"]
    assert {shown.justification, *(item.rationale for item in shown.evidence)} == {scored("7.5")}


async def test_a_margin_below_the_band_is_never_shown_as_the_band():
    weights = {key: Decimal(0) for key in shipped("compare").weights}
    weights |= {"clarity_structure": Decimal("0.99999"), "insight_originality": Decimal("1.00001")}
    case = Comparison(CASE.task, CASE.a, CASE.b, weights=weights)
    base = opinion("ab", (7, 7), "tie")
    scores = {
        **base.scores,
        "clarity_structure": {
            "A": Score(value=Decimal(8), justification=""),
            "B": Score(value=Decimal(7), justification=""),
        },
    }
    same = {order: base.updated(scores=scores, order=order) for order in ("ab", "ba")}
    verdict = await compare(case, Scripted(same), shipped("compare"))
    assert isinstance(verdict, ComparisonVerdict)
    assert verdict.winner == "tie"
    assert str(verdict.margin) == "0.4999"


async def test_a_fine_scale_is_averaged_exactly_and_its_band_is_in_proportion():
    rubric = parse(
        "name: fine\nversion: '1'\nprotocol: compare\nscale: {min: 0, max: 1, step: 0.01}\n"
        "criteria:\n  - {key: warmth, weight: 1, guidance: warm}\n",
        "fine.yaml",
    )
    assert str(rubric.tie_band) == "0.0556"
    both = {
        "ab": opinion("ab", ("0.50", "0.99"), "B", rubric=rubric),
        "ba": opinion("ba", ("0.51", "0.99"), "B", rubric=rubric),
    }
    verdict = await compare(CASE, Scripted(both), rubric)
    assert isinstance(verdict, ComparisonVerdict)
    assert str(verdict.criteria["warmth"].scores["A"].value) == "0.505"
    assert verdict.winner == "B"
