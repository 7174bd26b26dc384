"""Intervals of units: that they cover what they should, say when they cannot, and find a change where there is one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.models.figures import Figure
from adjudge.statistics import resampling
from adjudge.statistics.agreement import accuracy, cohen_kappa, krippendorff_alpha, quadratic_kappa, spearman
from adjudge.statistics.changes import share_change
from adjudge.statistics.intervals import labels_needed, share
from adjudge.statistics.resampling import Statistic, changed, mean_by_unit, with_interval


def drawn(rng, size, error=0.2):
    """The judge's and people's classes, of two, with a judge who errs so often."""
    human = rng.integers(0, 2, size)
    return (human ^ (rng.random(size) < error)).tolist(), human.tolist()


def figure(measure, judge, human, units=None, draws=999):
    units = range(len(judge)) if units is None else units
    return with_interval(measure(judge, human), units, draws)


def measured(of, units, draws=999, reason=""):
    return with_interval(Statistic(of, len(units), reason), units, draws)


def test_kappas_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(7)
    intervals = [figure(cohen_kappa, *drawn(rng, 60), draws=149).interval for _ in range(40)]
    covered = sum(low <= 1 - 0.2 / 0.5 <= high for low, high in intervals)
    assert 33 <= covered < 40  # 38 of 40 are 95 %; three deviations below, and not simply all


def width(figure):
    low, high = figure.interval
    return high - low


def test_cases_of_one_task_are_not_independent():
    """Forty cases of ten tasks, all alike within a task, say as much as ten cases."""
    judge, human = drawn(np.random.default_rng(8), 12, 0.3)
    judge, human, tasks = judge * 4, human * 4, list(range(12)) * 4
    for measure in (cohen_kappa, quadratic_kappa):
        alone, together = figure(measure, judge, human), figure(measure, judge, human, tasks)
        assert alone.value == together.value and width(together) > 1.5 * width(alone)
    agree = [float(one == other) for one, other in zip(judge, human, strict=True)]
    alone, together = (mean_by_unit(zip(agree, units, strict=True)) for units in (range(48), tasks))
    assert alone.value == together.value and width(together) > 1.5 * width(alone)


def test_a_share_of_independent_cases_has_wilsons_interval_and_one_of_copies_that_of_the_copied():
    """Four copies of each case are no more than the cases, but Student's t knows that their variance is estimated."""
    hits = [1.0] * 14 + [0.0] * 6
    alone = mean_by_unit(zip(hits, range(20), strict=True))
    assert alone == share(14, 20)
    copied = mean_by_unit(zip(hits * 4, list(range(20)) * 4, strict=True))
    assert (copied.value, copied.cases) == (alone.value, 80)
    assert copied.interval[0] < alone.interval[0] and copied.interval[1] > alone.interval[1]
    assert width(copied) < 1.15 * width(alone)


def test_a_share_has_an_interval_even_at_its_ends():
    for value in (0.0, 1.0):
        found = mean_by_unit((value, at // 5) for at in range(100))
        assert (found.value, found.cases) == (value, 100)
        assert found.interval == pytest.approx(share(int(value) * 20, 20).interval)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 8)), min_size=1, max_size=40))
def test_the_interval_of_a_share_holds_it_and_stays_between_0_and_1(numbers):
    found = mean_by_unit(numbers)
    low, high = found.interval
    assert 0 <= low <= found.value + 1e-9 and found.value - 1e-9 <= high <= 1
    assert found.value == pytest.approx(np.mean([number for number, _ in numbers]))


def test_a_mean_of_other_numbers_has_students_interval():
    numbers = [float(number) for number in range(12)]
    low, high = mean_by_unit(zip(numbers, range(12), strict=True), is_share=False).interval
    assert (low, high) == pytest.approx((3.2091, 7.7909), abs=1e-4)  # 5.5 ± 2.201 × √13 ÷ √12
    few = mean_by_unit([(3.0, 0), (5.0, 1)], is_share=False)
    assert few.reason == "2 cases are too few for an interval: at least 10"
    assert "the same in every case" in mean_by_unit(((7.0, at) for at in range(20)), is_share=False).reason


def test_a_gain_or_a_distance_is_no_share_even_if_all_happen_to_be_0_or_1():
    """One verdict of 50 moved towards the changed answer: that is no sign of a bias."""
    low, high = mean_by_unit(((float(at == 7), at) for at in range(50)), is_share=False).interval
    assert low < 0 < high
    low, high = mean_by_unit(((float(at < 15), at) for at in range(16)), is_share=False).interval
    assert high > 1  # an error of 1 step in 15 of 16 cases says nothing against larger errors


@pytest.mark.parametrize("size", [49, 98, 103])
def test_a_share_of_independent_cases_is_wilsons_whatever_the_last_bit(size):
    for hits in range(size + 1):
        found = mean_by_unit((float(at < hits), at) for at in range(size))
        assert found.interval == pytest.approx(share(hits, size).interval, abs=1e-12), hits


def test_only_cases_that_count_make_an_interval_narrow():
    """Of 500 cases 20 are rated by both sides, who always agree: that is the evidence of 20 cases."""
    judge = ["A", "B"] * 10 + [None] * 480
    few, alone = figure(cohen_kappa, judge, judge), figure(cohen_kappa, judge[:20], judge[:20])
    assert few.interval == pytest.approx(alone.interval)
    numbers = [1.0, 2.0, 3.0] * 2 + [None] * 300
    assert figure(spearman, numbers, numbers).reason == "6 cases are too few for an interval: at least 10"


def test_the_same_cases_give_the_same_interval():
    cases = drawn(np.random.default_rng(9), 40)
    assert figure(cohen_kappa, *cases) == figure(cohen_kappa, *cases)


def test_an_interval_that_cannot_be_told_says_why():
    few = figure(cohen_kappa, ["A", "A", "B"], ["A", "B", "B"])
    assert few.value is not None and few.interval is None
    assert few.reason == "3 cases are too few for an interval: at least 10"
    tasks = figure(cohen_kappa, ["A", "A", "B"] * 5, ["A", "B", "B"] * 5, [0, 1, 2] * 5)
    assert tasks.reason == "3 independent cases (tasks or groups) are too few for an interval: at least 10"
    rare = figure(cohen_kappa, ["A"] * 19 + ["B"], ["A"] * 19 + ["B"])
    assert rare.interval is None and rare.reason.startswith("not defined in 3")  # (19/20)^20 = 36 %
    assert figure(cohen_kappa, ["A"] * 20, ["A"] * 20).value is None


def test_perfect_agreement_has_an_interval():
    """No case of 20 differs, so at least 84 % agree (Wilson): kappa is then 1 − 0.16 ÷ 0.5, at these base rates."""
    both = ["A", "B"] * 10
    least = share(20, 20).interval[0]
    for measure in (cohen_kappa, lambda *sides: krippendorff_alpha(list(zip(*sides, strict=True)), "nominal")):
        found = figure(measure, both, both)
        assert (found.value, found.interval) == (1, pytest.approx((1 - (1 - least) / 0.5, 1)))
    numbers = [1.0, 2.0, 3.0, 4.0] * 5
    assert figure(spearman, numbers, numbers).interval == pytest.approx((least, 1))
    assert figure(quadratic_kappa, numbers, numbers).interval == pytest.approx((1 - (1 - least) / 0.75, 1))


def test_a_figure_of_one_s_own_is_a_function_of_how_often_each_case_counts():
    numbers = np.arange(40.0)

    def mean(weights):
        return weights @ numbers / weights.sum(axis=1)

    found = measured(mean, range(40), 499)
    assert found.value == 19.5
    assert found.interval == pytest.approx(
        mean_by_unit(zip(numbers, range(40), strict=True), is_share=False).interval, abs=0.6
    )
    assert measured(lambda weights: np.full(len(weights), np.nan), range(40), reason="none").reason == "none"


def test_very_many_cases_take_fewer_draws(monkeypatch):
    monkeypatch.setattr(resampling, "_NUMBERS_DRAWN", 20 * 300)
    monkeypatch.setattr(resampling, "_MANY_UNITS", 15)
    asked = []

    def mean(weights):
        asked.append(len(weights))
        return weights @ np.arange(weights.shape[1]) / weights.sum(axis=1)

    measured(mean, range(20))
    assert sum(asked) == 1 + 300
    asked.clear()
    measured(mean, range(200))
    assert sum(asked) == 1 + 199


def test_labels_needed_grow_with_the_square_of_the_width():
    assert labels_needed(Figure(0.7, 60, interval=(0.6, 0.8))) == 180  # half as wide needs four times as many
    assert labels_needed(Figure(0.7, 60, interval=(0.66, 0.74))) == 0
    assert labels_needed(Figure(0.7, 5)) is None


# -- changes ----------------------------------------------------------------------------------------------------------


def test_the_better_of_two_judges_on_the_same_labels_is_found_and_equals_are_not_told_apart():
    rng = np.random.default_rng(10)
    one, human = drawn(rng, 150)
    other = rng.integers(0, 2, 150).tolist()
    first, second = accuracy(one, human), accuracy(other, human)
    found, p = changed(first, second, [range(150)], 499)
    assert p < 0.05 and found.interval[1] < 0
    # The exact test of the same, and its interval, come to the same.
    right = [[said == truth for said, truth in zip(side, human, strict=True)] for side in (one, other)]
    exact = share_change(*right)
    assert exact.change.value == pytest.approx(found.value)
    assert exact.real and exact.change.interval == pytest.approx(found.interval, abs=0.03)
    same, p = changed(first, first, [range(150)], 199)
    assert (same.value, same.interval, p) == (0, (0, 0), 1)


def test_two_judges_of_equal_skill_are_called_different_about_once_in_twenty():
    rng = np.random.default_rng(11)

    def p_of_equals():
        human = rng.integers(0, 2, 80)
        sides = [(human ^ (rng.random(80) < 0.25)).tolist() for _ in range(2)]
        return changed(*(accuracy(side, human.tolist()) for side in sides), [range(80)], 149)[1]

    assert sum(p_of_equals() < 0.05 for _ in range(20)) <= 4  # one in the mean; five about three times in a thousand


def drift(measure, earlier, later, draws=499):
    return changed(measure(*earlier), measure(*later), [range(len(earlier[0])), range(len(later[0]))], draws)


def test_drift_is_said_beyond_noise_only():
    rng = np.random.default_rng(12)
    earlier, later = drawn(rng, 200, 0.15), drawn(rng, 120, 0.4)
    worse, p = drift(accuracy, earlier, later)
    assert p < 0.05 and worse.value < 0 and worse.cases == 120
    assert drift(accuracy, earlier, drawn(rng, 120, 0.15))[1] > 0.05


def test_two_lists_of_one_length_are_drawn_separately():
    """With the same draws, the change between equal lists would have no width."""
    cases = drawn(np.random.default_rng(13), 60)
    same, _ = drift(accuracy, cases, cases, 199)
    assert same.value == 0 and width(same) > 0.1


def test_too_few_cases_or_an_undefined_figure_are_no_test():
    few, p = drift(accuracy, (["A"] * 3, ["A"] * 3), (["A"] * 30, ["B"] * 30))
    assert (few.value, p, few.reason) == (-1, None, "3 cases are too few for a test: at least 10")
    sides = [accuracy(["A"] * 40, said * 40) for said in (["A"], ["B"])]
    groups, p = changed(*sides, [[number % 8 for number in range(40)]])
    assert p is None and groups.reason == "8 independent cases (tasks or groups) are too few for a test: at least 10"
    none, p = drift(cohen_kappa, (["A"] * 20, ["A"] * 20), (["A", "B"] * 10, ["B"] * 20))
    assert (none.value, p) == (None, None)
    assert "both sides always say A" in none.reason


def test_a_statistic_without_cases_has_no_value():
    assert resampling.point(Statistic(lambda weights: weights.sum(axis=1), 0, "none"), 0) == Figure(None, 0, "none")
