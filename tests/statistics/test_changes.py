"""Changes over pairs: what is certain by hand, and that the same pairs always give the same figures."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest

from adjudge.models.figures import Change, Figure
from adjudge.statistics import changes as statistics
from adjudge.statistics.changes import mean_change, same_chance, share_change
from adjudge.statistics.intervals import share, share_interval


def test_three_pairs_that_all_rise_have_the_p_value_that_counting_gives():
    found = mean_change([1, 2, 3, 4], [1, 3, 4, 5])
    assert found.change == Figure(0.75, 4, "4 cases are too few for an interval: at least 10")
    assert found.p == pytest.approx(2 / 8)  # of eight ways to exchange three pairs, two are as extreme


def test_no_change_is_no_evidence_of_one():
    found = mean_change([1.0, 2.0], [1.0, 2.0])
    assert (found.change.value, found.change.interval, found.p, found.real) == (0, None, 1, False)


def test_agreement_is_tested_over_the_pairs_that_changed():
    found = share_change([False] * 8 + [True] * 5, [True] * 13)
    assert found.p == pytest.approx(2 / 2**8)
    assert found.real and found.change.value == pytest.approx(8 / 13)
    assert (found.before, found.after) == (share(5, 13), share(13, 13))


def test_the_sign_test_is_the_exact_one():
    assert same_chance(0, 0) == 1
    for one, other in product(range(25), repeat=2):
        if one + other:
            assert same_chance(one, other) == pytest.approx(binomtest(one, one + other).pvalue, rel=1e-9)


def test_one_pair_has_no_interval():
    found = mean_change([1], [2]).change
    assert (found.interval, found.reason) == (None, "1 case is too few for an interval: at least 10")


def test_a_clear_change_is_real_and_noise_is_not():
    rng = np.random.default_rng(3)
    before = rng.normal(size=60)
    assert mean_change(before, before + rng.normal(0.6, 1, 60)).real
    assert not mean_change(before, before + np.tile([1, -1], 30)).real


def test_the_same_pairs_give_the_same_figures():
    rng = np.random.default_rng(4)
    before, after = rng.normal(size=30), rng.normal(size=30)
    assert mean_change(before, after) == mean_change(before, after)


def test_the_interval_of_a_change_holds_with_few_pairs():
    """Percentiles of a bootstrap would not. Of 100 intervals 95 hold in the mean, with a deviation of two."""
    rng = np.random.default_rng(6)
    found = [mean_change(np.zeros(10), rng.normal(0.3, 1, 10)).change.interval for _ in range(100)]
    assert sum(low <= 0.3 <= high for low, high in found) >= 92


def test_a_change_that_is_the_same_everywhere_is_real():
    for many, step in product((12, 600), (0.1, 1.0)):
        found = mean_change(np.arange(many) / 7, np.arange(many) / 7 + step)
        assert found.real and "without variance there is no interval" in found.change.reason


def test_scores_of_which_few_moved_have_no_interval():
    moved = [mean_change(np.zeros(40), np.r_[np.ones(many), np.zeros(40 - many)]).change for many in (5, 6)]
    assert moved[0] == Figure(0.125, 40, "fewer than 6 moved, too few for an interval")
    assert moved[1].interval[0] < 0.15 < moved[1].interval[1]


@pytest.mark.parametrize("change", [mean_change, share_change])
def test_pairs_of_one_task_count_together(change):
    """Ten tasks of five cases each; in six of them all five improve: that is as if six of ten cases improved."""
    before, tasks = np.zeros(50), np.repeat(np.arange(10), 5)
    after = (tasks < 6).astype(float)
    alone, together = change(before, after), change(before, after, tasks.tolist())
    assert together.change.value == alone.change.value == 0.6
    assert alone.p < 0.001 and together.p == pytest.approx(2 / 2**6, abs=0.01)
    widths = [high - low for low, high in (it.change.interval for it in (alone, together))]
    assert widths[1] > 1.8 * widths[0]


def test_a_share_that_did_not_change_may_have_changed_elsewhere():
    low, high = share_change([True] * 40, [True] * 40).change.interval
    assert low == -high and 0.05 < high < 0.12


def test_a_change_is_real_only_if_test_and_interval_say_so():
    side = Figure(0.5, 10, "", (0.2, 0.8))
    real = {
        (p, low): Change(side, side, Figure(0.3, 10, "", (low, 0.6)), p, "a test").real
        for p in (0.04, 0.05)
        for low in (0.01, 0.0, -0.01)
    }
    assert [found for found, it in real.items() if it] == [(0.04, 0.01)]
    assert Change(side, side, Figure(0.3, 9, "too few"), 0.004, "a test").real, "without an interval, the test decides"


def test_the_short_way_for_many_pairs_leads_where_the_draws_lead(monkeypatch):
    rng = np.random.default_rng(5)
    before = rng.normal(size=300)
    after = before + rng.normal(0.1, 1, 300)
    drawn = mean_change(before, after)
    monkeypatch.setattr(statistics, "_MANY_MOVED", 100)
    short = mean_change(before, after)
    assert short.test == "t test"
    assert short.p == pytest.approx(drawn.p, abs=0.03)
    assert short.change == drawn.change


def test_the_interval_of_a_share_is_wilsons():
    assert share_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
