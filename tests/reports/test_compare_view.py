"""What a comparison's reports say: one thing about the orders, numbers for people, and what was not assessed once."""

import asyncio
from contextlib import suppress
from decimal import Decimal

import pytest
from reports.verdict_samples import KEYS, RUBRIC, PreparedJudge, opinion, plain_sample, tied_sample

from adjudge.protocols.compare.rules import CompareOptions, compare
from adjudge.protocols.compare.view import build
from adjudge.protocols.rubrics import parse
from adjudge.rendering.wording import short
from adjudge.reports import render

CASE = plain_sample().verdict.case


def verdict_with(*, decided=True, case=CASE, **orders):
    """The verdict of a judge that gave these scores (A, B) for every criterion and this preference in these orders."""
    opinions = {
        order: opinion(case, order, dict.fromkeys(KEYS, (a, b)), [], preference=preference, judge="j", rationale="So.")
        for order, (a, b, preference) in orders.items()
    }
    unsure = {"decided": False, "confidence": Decimal("0.55")}
    judge = PreparedJudge("j", {order: it if decided else it.updated(**unsure) for order, it in opinions.items()})
    if len(orders) == 2:
        return asyncio.run(compare(case, judge, RUBRIC))
    for seed in range(100):
        with suppress(KeyError):  # it drew the other order
            return asyncio.run(compare(case, judge, RUBRIC, CompareOptions(one_order=True, seed=seed)))
    raise AssertionError("no seed draws this order")


def view_of(**given):
    return build(verdict_with(**given), RUBRIC)


def same(a, b, preference):
    return {"ab": (a, b, preference), "ba": (a, b, preference)}


BOTH = same("8", "6.625", "A")
APART = {"ab": ("9", "6", "A"), "ba": ("6", "7", "B")}


DIFFER = "The orders differ, so the averaged scores decide: the "
MOVED = "From one to the other the normalised totals moved by "
ONE_ORDER = "Judged in one order only ({} first, drawn from seed {}), so whether the order matters is not known."


@pytest.mark.parametrize(
    ("orders", "winner", "decision", "order"),
    [
        (BOTH, "A", "The normalised totals are 1.4 apart; the higher one wins.", "both name A. No total moved."),
        (
            same("7", "6.6875", "tie"),
            "",
            "The normalised totals are 0.31 apart, and both orders call it a tie.",
            "both call it a tie. No total moved.",
        ),
        (
            same("6", "6", "A"),
            "",
            "The weighted totals are equal, so it is a tie.",
            "both call it a tie. No total moved.",
        ),
        (
            {"ab": ("6", "6.4", "tie"), "ba": ("6", "6.6", "B")},
            "B",
            f"{DIFFER}normalised totals are 0.5 apart, at least 0.5; the higher one wins.",
            f"a tie with A first, B with B first. {MOVED}0 for A and +0.2 for B.",
        ),
        (
            {"ab": ("8", "6", "A"), "ba": ("6", "7.0000001", "B")},  # 0.49999995, which is shown as 0.5 in the JSON
            "",
            f"{DIFFER}normalised totals are 0.49 apart, closer than 0.5, so it is a tie.",
            f"A with A first, B with B first. {MOVED}−2 for A and +1 for B.",
        ),
        (
            {"ab": ("7", "6", "A"), "ba": ("6", "7", "B")},
            "",
            f"{DIFFER}weighted totals are equal, so it is a tie.",
            f"A with A first, B with B first. {MOVED}−1 for A and +1 for B.",
        ),
        ({"ba": ("6.25", "6", "A")}, "A", "The normalised totals are 0.25 apart; the higher one wins.", "B"),
        (
            {"ab": ("6.25", "6", "tie")},
            "",
            "The normalised totals are 0.25 apart, and the judge itself prefers neither answer.",
            "A",
        ),
    ],
)
def test_headline_decision_and_orders_say_one_thing(orders, winner, decision, order):
    verdict = verdict_with(**orders)
    view, differ = build(verdict, RUBRIC), len(set(verdict.order.winners.values())) > 1
    if len(orders) == 1:
        told = ONE_ORDER.format(order, verdict.order.drawn_from_seed)
    else:
        told = f"Judged in both orders, {'which differ: ' if differ else 'and '}{order}"
    headline = f"Response {winner} wins" if winner else "It is a tie"
    assert (view.headline, view.decision, view.order) == (headline, decision, told)
    assert view.orders_differ == differ


@pytest.mark.parametrize("orders", [BOTH, APART, {"ab": ("7", "6", "A")}])
def test_an_undecided_verdict_names_a_best_guess_and_no_winner(orders):
    verdict = verdict_with(**orders, decided=False)
    for form in ("text", "markdown", "html"):
        text = " ".join(render(verdict, form).split())
        assert "Undecided; the best guess is response A" in text and "the higher one is the best guess" in text
        assert "wins" not in text and "Winner" not in text


def test_a_margin_and_a_step_too_small_to_be_shown_are_not_said_to_be_nothing():
    assert view_of(**same("7", "6.9996", "A")).decision == (
        "The normalised totals are less than 0.01 apart; the higher one wins."
    )
    assert "moved by 0 for A and −0.25 for B." in view_of(ab=("7", "6.5", "A"), ba=("7.00004", "6.25", "A")).order
    assert view_of(**same("7", "7", "tie")).margin == "0"


def test_every_number_is_rounded_from_its_exact_value_and_never_from_a_rounded_one():
    verdict = verdict_with(**same("6.64996", "6.099955", "A"))
    assert str(verdict.overall["A"].normalized) == "6.65"
    a, _ = build(verdict, RUBRIC).answers
    assert a.score == "6.6"  # 6.65 would give 6.7
    assert (a.total, a.division) == ("53.1997", "53.1997 ÷ 8 ≈ 6.65")
    assert a.sum.endswith("6.65 × 0.5 ≈ 53.1997")
    assert (str(verdict.margin), build(verdict, RUBRIC).margin) == ("0.55", "0.6")  # 0.550005
    short_for_people, _ = view_of(**same("6.5625", "6", "A")).answers
    assert (short_for_people.score, short_for_people.division) == ("6.6", "52.5 ÷ 8 = 6.5625")


def test_an_undecided_verdict_without_a_confidence_says_what_blocked_it():
    verdict = verdict_with(decided=False, **same("8", "6", "A"))
    verdict = verdict.updated(evaluation=verdict.evaluation.updated(confidence=None))
    assert build(verdict, RUBRIC).confidence == "Undecided because the judge was not sure enough."
    assert build(verdict_with(**same("8", "6", "A")), RUBRIC).confidence == ""


def test_a_step_too_small_to_be_shown_has_no_sign():
    assert [short(Decimal(step), 2) for step in ("-0.001", "0.001", "-0.005")] == ["0", "0", "−0.01"]


def test_bars_follow_the_rubrics_own_scale():
    own = parse(RUBRIC.source.replace("min: 1, max: 10", "min: -10, max: 10"), "own.yaml")
    shares = [build(plain_sample().verdict, rubric).rows[0].sides[0].share for rubric in (own, RUBRIC)]
    assert shares == ["95.0%", "90.0%"]


def test_a_judge_whose_name_only_looks_like_the_embedded_ones_is_not_introduced_as_it():
    assert "text features" not in render(tied_sample("openai:embedded-9").verdict, "text")
