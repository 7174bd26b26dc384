"""What a comparison's reports say: one thing about the orders, numbers for people, and what was not assessed once."""

import asyncio
from contextlib import suppress
from decimal import Decimal

import pytest
from reports.verdict_samples import KEYS, RUBRIC, PreparedJudge, blank_sample, opinion, plain_sample

from adjudge.protocols.compare.rules import CompareOptions, compare
from adjudge.protocols.compare.view import build
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


@pytest.mark.parametrize(
    ("orders", "headline", "decision", "order"),
    [
        (
            BOTH,
            "Response A wins",
            "The normalised totals are 1.4 apart; the higher one wins.",
            "Judged in both orders, and both name A. No total moved.",
        ),
        (
            same("7", "6.6875", "tie"),
            "It is a tie",
            "The normalised totals are 0.31 apart, and both orders call it a tie.",
            "Judged in both orders, and both call it a tie. No total moved.",
        ),
        (
            same("6", "6", "A"),
            "It is a tie",
            "The weighted totals are equal, so it is a tie.",
            "Judged in both orders, and both call it a tie. No total moved.",
        ),
        (
            {"ab": ("6", "6.4", "tie"), "ba": ("6", "6.6", "B")},
            "Response B wins",
            "The orders differ, so the averaged scores decide: the normalised totals are 0.5 apart, at least 0.5; "
            "the higher one wins.",
            "Judged in both orders, which differ: a tie with A first, B with B first. From one to the other the "
            "normalised totals moved by 0 for A and +0.2 for B.",
        ),
        (
            {"ab": ("8", "6", "A"), "ba": ("6", "7.0000001", "B")},  # 0.49999995, which is shown as 0.5 in the JSON
            "It is a tie",
            "The orders differ, so the averaged scores decide: the normalised totals are 0.49 apart, closer than 0.5, "
            "so it is a tie.",
            "Judged in both orders, which differ: A with A first, B with B first. From one to the other the "
            "normalised totals moved by −2 for A and +1 for B.",
        ),
        (
            {"ab": ("7", "6", "A"), "ba": ("6", "7", "B")},
            "It is a tie",
            "The orders differ, so the averaged scores decide: the weighted totals are equal, so it is a tie.",
            "Judged in both orders, which differ: A with A first, B with B first. From one to the other the "
            "normalised totals moved by −1 for A and +1 for B.",
        ),
        (
            {"ba": ("6.25", "6", "A")},
            "Response A wins",
            "The normalised totals are 0.25 apart; the higher one wins.",
            "Judged in one order only (B first, drawn from seed {seed}), so whether the order matters is not known.",
        ),
        (
            {"ab": ("6.25", "6", "tie")},
            "It is a tie",
            "The normalised totals are 0.25 apart, and the judge itself prefers neither answer.",
            "Judged in one order only (A first, drawn from seed {seed}), so whether the order matters is not known.",
        ),
    ],
)
def test_headline_decision_and_orders_say_one_thing(orders, headline, decision, order):
    verdict = verdict_with(**orders)
    view, seed = build(verdict, RUBRIC), verdict.order.drawn_from_seed
    assert (view.headline, view.decision, view.order) == (headline, decision, order.format(seed=seed))
    assert view.orders_differ == (len(set(verdict.order.winners.values())) > 1)


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
@pytest.mark.parametrize("orders", [BOTH, APART, {"ab": ("7", "6", "A")}])
def test_an_undecided_verdict_names_a_best_guess_and_no_winner(orders, form):
    text = " ".join(render(verdict_with(**orders, decided=False), form).split())
    assert "Undecided; the best guess is response A" in text
    assert "the higher one is the best guess" in text
    assert "wins" not in text
    assert "Winner" not in text


def test_a_margin_and_a_step_too_small_to_be_shown_are_not_said_to_be_nothing():
    assert view_of(**same("7", "6.9996", "A")).decision == (
        "The normalised totals are less than 0.01 apart; the higher one wins."
    )
    assert "moved by 0 for A and −0.25 for B." in view_of(ab=("7", "6.5", "A"), ba=("7.00004", "6.25", "A")).order
    assert view_of(**same("7", "7", "tie")).margin == "0"


def test_how_far_the_totals_moved_between_the_orders_is_said():
    view = view_of(ab=("7", "6", "A"), ba=("7.25", "5.8125", "A"))
    assert "the normalised totals moved by +0.25 for A and −0.19 for B." in view.order


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_numbers_are_short_for_people_and_exact_in_the_arithmetic(form):
    text = render(verdict_with(**same("6.5625", "6", "A")), form)
    assert "6.6" in text
    assert "6.5625 of 10" not in text
    assert "52.5 ÷ 8 = 6.5625" in text


def test_every_number_is_rounded_from_its_exact_value_and_never_from_a_rounded_one():
    verdict = verdict_with(**same("6.64996", "6.099955", "A"))
    assert str(verdict.overall["A"].normalized) == "6.65"
    a, _ = build(verdict, RUBRIC).answers
    assert a.score == "6.6"  # 6.65 would give 6.7
    assert (a.total, a.division) == ("53.1997", "53.1997 ÷ 8 ≈ 6.65")
    assert a.sum.endswith("6.65 × 0.5 ≈ 53.1997")
    assert (str(verdict.margin), build(verdict, RUBRIC).margin) == ("0.55", "0.6")  # 0.550005


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_what_the_judge_did_not_assess_is_said_once(form):
    text = " ".join(render(blank_sample().verdict, form, width=120).split())
    assert text.count("nothing that this judge measures") == 1
    assert (
        "Not assessed, each at the middle of the scale: Correctness and quality of reasoning; Depth, coverage and "
        "usefulness; Actionability and specificity (nothing that this judge measures speaks to this)."
    ) in text


def test_an_undecided_verdict_without_a_confidence_says_what_blocked_it():
    verdict = verdict_with(decided=False, **same("8", "6", "A"))
    verdict = verdict.updated(evaluation=verdict.evaluation.updated(confidence=None))
    assert build(verdict, RUBRIC).confidence == "Undecided because the judge was not sure enough."
    assert build(verdict_with(**same("8", "6", "A")), RUBRIC).confidence == ""


def test_beside_the_totals_it_says_how_many_criteria_were_only_filled_in():
    says = "3 of 7 criteria were not assessed. Each counts in both totals as the middle of the scale."
    head, _, _ = render(blank_sample().verdict, "html").partition('id="criteria"')
    assert says in head.partition('class="board"')[2]
    assert build(plain_sample().verdict, RUBRIC).filled_in == ""


def test_a_step_too_small_to_be_shown_has_no_sign():
    assert [short(Decimal(step), 2) for step in ("-0.001", "0.001", "-0.005")] == ["0", "0", "−0.01"]
