"""What a comparison's reports say: one thing about the orders, numbers for people, and what was not assessed once."""

from decimal import Decimal

import pytest
from reports.verdict_samples import blank_sample, plain_sample

from adjudge.models import OrderReport
from adjudge.reports import render
from adjudge.reports.compare.view import build
from adjudge.reports.wording import short


def verdict_with(winners, winner, margin, *, totals=("50", "46"), decided=True, moved=("0", "0")):
    """A verdict whose orders named these winners, with what rules made of them."""
    verdict = plain_sample().verdict
    order = OrderReport(
        judged=tuple(winners),
        winners=winners,
        moved=dict(zip("AB", map(Decimal, moved), strict=True)) if len(winners) == 2 else {},
        drawn_from_seed=7 if len(winners) == 1 else None,
        consistent=len(set(winners.values())) == 1 if len(winners) == 2 else None,
    )
    overall = {
        label: verdict.overall[label].updated(weighted_total=Decimal(total))
        for label, total in zip("AB", totals, strict=True)
    }
    judged = verdict.evaluation.updated(
        winner=winner,
        margin=Decimal(margin),
        overall=overall,
        decided=decided,
        confidence=None if decided else Decimal("0.55"),
        order=order,
        order_consistent=order.consistent,
    )
    return verdict.updated(evaluation=judged)


def view_of(*given, **named):
    return build(verdict_with(*given, **named), plain_sample().rubric)


BOTH = {"ab": "A", "ba": "A"}
TIES = {"ab": "tie", "ba": "tie"}
APART = {"ab": "A", "ba": "B"}


@pytest.mark.parametrize(
    ("winners", "winner", "margin", "totals", "headline", "decision", "order"),
    [
        (
            *(BOTH, "A", "1.375", ("50", "39")),
            "Response A wins",
            "The normalised totals are 1.4 apart; the higher one wins.",
            "Judged in both orders, and both name A. No total moved.",
        ),
        (
            *(TIES, "tie", "0.3125", ("50", "47.5")),
            "It is a tie",
            "The normalised totals are 0.31 apart, and both orders call it a tie.",
            "Judged in both orders, and both call it a tie. No total moved.",
        ),
        (
            *(TIES, "tie", "0", ("50", "50")),
            "It is a tie",
            "The weighted totals are equal, so it is a tie.",
            "Judged in both orders, and both call it a tie. No total moved.",
        ),
        (
            *({"ab": "tie", "ba": "B"}, "B", "0.5", ("46", "50")),
            "Response B wins",
            "The orders differ, so the averaged scores decide: the normalised totals are 0.5 apart, at least 0.5; "
            "the higher one wins.",
            "Judged in both orders, which differ: a tie with A first, B with B first. No total moved.",
        ),
        (
            *(APART, "tie", "0.4999", ("50", "46.001")),
            "It is a tie",
            "The orders differ, so the averaged scores decide: the normalised totals are 0.49 apart, closer than 0.5, "
            "so it is a tie.",
            "Judged in both orders, which differ: A with A first, B with B first. No total moved.",
        ),
        (
            *(APART, "tie", "0", ("50", "50")),
            "It is a tie",
            "The orders differ, so the averaged scores decide: the weighted totals are equal, so it is a tie.",
            "Judged in both orders, which differ: A with A first, B with B first. No total moved.",
        ),
        (
            *({"ba": "A"}, "A", "0.25", ("50", "48")),
            "Response A wins",
            "The normalised totals are 0.25 apart; the higher one wins.",
            "Judged in one order only (B first, drawn from seed 7), so whether the order matters is not known.",
        ),
        (
            *({"ab": "tie"}, "tie", "0.25", ("50", "48")),
            "It is a tie",
            "The normalised totals are 0.25 apart, and the judge itself prefers neither answer.",
            "Judged in one order only (A first, drawn from seed 7), so whether the order matters is not known.",
        ),
    ],
)
def test_headline_decision_and_orders_say_one_thing(winners, winner, margin, totals, headline, decision, order):
    view = view_of(winners, winner, margin, totals=totals)
    assert (view.headline, view.decision, view.order) == (headline, decision, order)
    assert view.orders_differ == (len(set(winners.values())) > 1)


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
@pytest.mark.parametrize("winners", [BOTH, APART, {"ab": "A"}])
def test_an_undecided_verdict_names_a_best_guess_and_no_winner(winners, form):
    text = " ".join(render(verdict_with(winners, "A", "0.8", decided=False), form).split())
    assert "Undecided; the best guess is response A" in text
    assert "the higher one is the best guess" in text
    assert "wins" not in text
    assert "Winner" not in text


def test_a_margin_and_a_step_too_small_to_be_shown_are_not_said_to_be_nothing():
    view = view_of(BOTH, "A", "0.0004", moved=("0.004", "-0.25"))
    assert view.decision == "The normalised totals are less than 0.01 apart; the higher one wins."
    assert "moved by 0 for A and −0.25 for B." in view.order
    assert view_of(TIES, "tie", "0", totals=("50", "50")).margin == "0"


def test_how_far_the_totals_moved_between_the_orders_is_said():
    view = view_of(BOTH, "A", "1.375", moved=("0.25", "-0.1875"))
    assert "the normalised totals moved by +0.25 for A and −0.19 for B." in view.order


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_numbers_are_short_for_people_and_exact_in_the_arithmetic(form):
    verdict = plain_sample().verdict
    overall = {
        **verdict.overall,
        "A": verdict.overall["A"].updated(weighted_total=Decimal("52.5"), normalized=Decimal("6.5625")),
    }
    text = render(verdict.updated(evaluation=verdict.evaluation.updated(overall=overall)), form)
    assert "6.6" in text
    assert "6.5625 of 10" not in text
    assert "52.5 ÷ 8 = 6.5625" in text


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_what_the_judge_did_not_assess_is_said_once(form):
    text = " ".join(render(blank_sample().verdict, form, width=120).split())
    assert text.count("nothing that this judge measures") == 1
    assert (
        "Not assessed, each at the middle of the scale: Correctness and quality of reasoning; Depth, coverage and "
        "usefulness; Actionability and specificity (nothing that this judge measures speaks to this)."
    ) in text


def test_a_step_too_small_to_be_shown_has_no_sign():
    assert [short(Decimal(step), 2) for step in ("-0.001", "0.001", "-0.005")] == ["0", "0", "−0.01"]
