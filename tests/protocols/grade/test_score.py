"""The score is exact, and an answer passes or fails only if it does so whatever the unassessed items would bring."""

import re
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from protocols.grade.verdicts import verdict

from adjudge.protocols.grade.score import ScoredItem, outcome_of, percent, score_of
from adjudge.protocols.grade.view import build

POINTS = st.decimals("-20", "20", places=2).filter(bool)
SHARES = st.fractions(0, 1, max_denominator=12)


@st.composite
def scored_items(draw):
    points = draw(POINTS)
    share = draw(st.sampled_from([Fraction(0), Fraction(1)]) if points < 0 else SHARES)
    share = draw(st.sampled_from([share, share, None]))
    return ScoredItem(
        points, share, draw(st.sampled_from([None, Fraction(1)] if points < 0 else [None, Fraction(1, 2)]))
    )


def independent(items, mark, unknown):
    """The score and whether it passes, written from the contract's words; `unknown` fills in what nobody assessed."""
    earned, cost, most, met = Fraction(0), Fraction(0), Fraction(0), True
    for item in items:
        points, share = Fraction(str(item.points)), item.share
        if share is None:
            if unknown is None:
                continue
            share = Fraction(
                {("best", True): 1, ("best", False): 0, ("worst", True): 0, ("worst", False): 1}[unknown, points > 0]
            )
        if points > 0:
            most += points
            earned += points * share
            met = met and (item.needed is None or share >= item.needed)
        else:
            cost += -points if share == 1 else 0
            met = met and (item.needed is None or share == 0)
    if most == 0:
        return None, False
    score = (earned - cost) / most
    score = score if score > 0 else Fraction(0)
    return score, score >= Fraction(str(mark)) and met


@settings(max_examples=60)
@given(st.lists(scored_items(), max_size=6), st.decimals("0", "1", places=2))
def test_score_is_the_exact_fraction_of_points_and_not_below_0(items, mark):
    assert score_of(items) == independent(items, mark, None)[0]
    for best, name in ((False, "worst"), (True, "best")):
        score, passed = independent(items, mark, name)
        found = outcome_of(items, mark, best=best)
        assert found.score == (score or 0)
        if score is not None:
            assert found.passed == passed
    worst, best = (outcome_of(items, mark, best=best) for best in (False, True))
    assert worst.score <= best.score
    assert worst.passed <= best.passed


def test_the_score_over_all_small_rubrics():
    """Every combination of two positive items and a fault, each found, not found or unassessed, required or not."""
    shares = [None, Fraction(0), Fraction(1, 3), Fraction(1)]
    for (one, two), fault, required in product(product(shares, shares), (None, Fraction(0), Fraction(1)), range(8)):
        items = [
            ScoredItem(Decimal(3), one, Fraction(1) if required & 1 else None),
            ScoredItem(Decimal("1.5"), two, Fraction(1, 3) if required & 2 else None),
            ScoredItem(Decimal(-2), fault, Fraction(1) if required & 4 else None),
        ]
        assert score_of(items) == independent(items, "0.7", None)[0]
        for best, name in ((False, "worst"), (True, "best")):
            assert tuple(outcome_of(items, Decimal("0.7"), best=best)) == independent(items, "0.7", name)


def test_the_contracts_example_is_8_15():
    items = [
        ScoredItem(Decimal(3), Fraction(1)),
        ScoredItem(Decimal(2), Fraction(0)),
        ScoredItem(Decimal("2.5"), Fraction(2, 5)),
    ]
    assert str(score_of(items)) == "8/15"


SHOWN = [
    ("5/6", "0.7", "83.3"),
    ("1", "0.7", "100.0"),
    ("6999/10000", "0.7", "69.99"),  # 70.0 would look like a pass
    ("69999/100000", "0.7", "69.999"),
    ("7/10", "0.7", "70.0"),
    (f"{7 * 10**20 - 1}/{10**21}", "0.7", "69.9999999999999999999"),
    ("2/3", "0.6667", "66.667"),
    ("66671/100000", "0.6667", "66.7"),
]


def test_a_score_is_shown_with_more_decimals_where_rounding_would_show_pass_at_on_a_fail():
    for score, mark, shown in SHOWN:
        exact, passed = Fraction(score), Fraction(score) >= Fraction(mark)
        assert str(percent(exact, Decimal(mark))) == shown
        assert (Fraction(shown) >= 100 * Fraction(mark)) == passed
        made = verdict(score=score, passed=passed, pass_at=Decimal(mark))
        assert build(made, made.rubric).headline == f"{'Passed' if passed else 'Failed'} with {shown} of 100"


def test_the_worked_example_of_the_docs_is_computed_as_it_says():
    text = (Path(__file__).parents[3] / "docs" / "grade.md").read_text("utf-8")
    rows = re.findall(
        r"^\| [a-z][^|]*\| (−?\d+) \| ([^|]*) \| ([−\d/]*) ?\|$", text.partition("## The score")[2], re.MULTILINE
    )
    items = []
    for points, result, earned in rows:
        worth = Decimal(points.replace("−", "-"))
        if result != "not applicable":
            items.append(ScoredItem(worth, Fraction(earned.replace("−", "-")) / Fraction(worth) if earned else None))
    assert len(rows) == 6
    assert score_of(items) == Fraction(5, 8)
    assert "(2 + 3/4 + 2 − 1) ÷ (2 + 1 + 3) = 5/8 = 0.625." in text
    worst, best = (outcome_of(items, Decimal("0.7"), best=best) for best in (False, True))
    assert (worst.score, best.score) == (Fraction("3.75") / 7, Fraction("4.75") / 7)
    assert "the worst is 3.75 ÷ 7 and the best 4.75 ÷ 7 = 0.679" in text
    assert (worst.passed, best.passed) == (False, False)
