"""Intervals: that they cover what they should, say when they cannot, and find a difference where there is one."""

import numpy as np
import pytest

from adjudge.models.figures import Figure
from adjudge.statistics import figures
from adjudge.statistics.changes import share_change
from adjudge.statistics.figures import (
    accuracy,
    cohen_kappa,
    difference,
    labels_needed,
    with_interval,
)
from adjudge.statistics.intervals import share


def drawn(rng, size, error=0.2):
    """Cases of two classes with a judge who errs so often."""
    human = rng.integers(0, 2, size)
    return [(int(value ^ wrong), int(value)) for value, wrong in zip(human, rng.random(size) < error, strict=True)]


def test_kappas_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(7)
    truth = 1 - 0.2 / 0.5
    intervals = [with_interval(cohen_kappa, drawn(rng, 60), draws=149).interval for _ in range(40)]
    covered = sum(low <= truth <= high for low, high in intervals)
    assert 33 <= covered < 40  # 38 of 40 are 95 %; three deviations below, and not simply all


def test_a_case_is_drawn_with_all_its_ratings():
    """Ten cases rated by four people each are ten cases, not forty."""
    rng = np.random.default_rng(8)
    agrees = rng.random(40) < 0.6
    alone = [(bool(hit),) for hit in agrees]
    together = [(bool(hit),) * 4 for hit in agrees[:10]]

    def mean(cases):
        return Figure(float(np.mean([hit for case in cases for hit in case])), len(cases))

    def width(cases):
        low, high = with_interval(mean, cases).interval
        return high - low

    assert width(together) > 1.5 * width(alone)


def test_the_same_cases_give_the_same_interval():
    cases = drawn(np.random.default_rng(9), 40)
    assert with_interval(cohen_kappa, cases) == with_interval(cohen_kappa, cases)


def test_an_interval_that_cannot_be_told_says_why():
    few = with_interval(accuracy, [("A", "A"), ("A", "B")])
    assert (few.value, few.interval) == (0.5, None)
    assert few.reason == "2 cases are too few for an interval: at least 10"
    perfect = with_interval(cohen_kappa, [("A", "A"), ("B", "B")] * 10)
    assert (perfect.value, perfect.interval) == (1, None)
    assert perfect.reason == "the same in every draw from 20 cases: too few for an interval"
    rare = with_interval(cohen_kappa, [("A", "A")] * 19 + [("B", "B")])
    assert rare.interval is None and rare.reason.startswith("not defined in 3")  # (19/20)^20 = 36 %
    assert with_interval(cohen_kappa, [("A", "A")] * 20).value is None


def test_very_many_cases_take_fewer_draws(monkeypatch):
    monkeypatch.setattr(figures, "_NUMBERS_DRAWN", 20 * 300)
    asked = []

    def mean(cases):
        asked.append(len(cases))
        return Figure(sum(cases) / len(cases), len(cases))

    monkeypatch.setattr(figures, "_MANY_CASES", 15)
    assert with_interval(mean, [0, 1] * 10).interval is not None
    assert len(asked) == 1 + 300
    with_interval(mean, [0, 1] * 100)
    assert len(asked) == 1 + 300 + 1 + 199


def test_a_share_has_wilsons_interval_even_at_its_ends():
    assert share(10, 10).interval == pytest.approx((0.722467, 1), abs=1e-6)  # 1 ÷ (1 + 1.96² ÷ 10)
    assert share(0, 0).reason == "no cases"


def test_labels_needed_grow_with_the_square_of_the_width():
    assert labels_needed(Figure(0.7, 60, interval=(0.6, 0.8))) == 180  # half as wide needs four times as many
    assert labels_needed(Figure(0.7, 60, interval=(0.66, 0.74))) == 0
    assert labels_needed(Figure(0.7, 5)) is None


def test_the_better_of_two_judges_on_the_same_labels_is_found_and_equals_are_not_told_apart():
    rng = np.random.default_rng(10)
    cases = [(one, other, human) for (one, human), other in zip(drawn(rng, 150), rng.integers(0, 2, 150), strict=True)]

    def first(rows):
        return accuracy([(one, human) for one, _, human in rows])

    def second(rows):
        return accuracy([(other, human) for _, other, human in rows])

    found = difference(first, second, [cases], draws=499)
    assert found.real and found.change.interval[1] < 0
    assert found.change.value == pytest.approx(found.after.value - found.before.value)
    # The exact test of the same, and its interval, come to the same.
    exact = share_change([row[0] == row[2] for row in cases], [row[1] == row[2] for row in cases])
    assert exact.real and exact.change.interval == pytest.approx(found.change.interval, abs=0.03)
    same = difference(first, first, [cases], draws=199)
    assert (same.change.value, same.change.interval, same.p, same.real) == (0, (0, 0), 1, False)


def test_two_judges_of_equal_skill_are_called_different_about_once_in_twenty():
    rng = np.random.default_rng(11)

    def skilled():
        human = rng.integers(0, 2, 80)
        wrong = rng.random((2, 80)) < 0.25
        return list(zip(human ^ wrong[0], human ^ wrong[1], human, strict=True))

    def of(column):
        return lambda rows: accuracy([(row[column], row[2]) for row in rows])

    called = sum(difference(of(0), of(1), [skilled()], draws=149).real for _ in range(20))
    assert called <= 4  # one in the mean; five or more about three times in a thousand


def drift(measure, earlier, later, **more):
    return difference(measure, measure, [earlier, later], **more)


def test_drift_is_said_beyond_noise_only():
    rng = np.random.default_rng(12)
    earlier, later = drawn(rng, 200, 0.15), drawn(rng, 120, 0.4)
    worse = drift(accuracy, earlier, later, draws=499)
    assert worse.real and worse.change.value < 0 and worse.change.cases == 120
    assert not drift(accuracy, earlier, drawn(rng, 120, 0.15), draws=499).real


def test_a_change_says_on_how_many_cases_it_rests_where_several_are_drawn_together():
    units = [[("A", "A"), ("A", "B")], [("B", "B")]] * 6
    found = drift(lambda drawn: accuracy([case for unit in drawn for case in unit]), units, units, draws=99)
    assert (found.before.cases, found.change.cases, found.change.value) == (18, 18, 0)


def test_too_few_cases_or_an_undefined_figure_are_no_test():
    few = drift(accuracy, [("A", "A")] * 3, [("A", "B")] * 30)
    assert (few.p, few.real, few.change.value) == (None, False, -1)
    assert few.change.reason == "3 cases are too few for a test: at least 10"
    none = drift(cohen_kappa, [("A", "A")] * 20, [("A", "B"), ("B", "B")] * 10)
    assert (none.change.value, none.p) == (None, None)
    assert "both sides always say A" in none.change.reason
