"""Rates of people whose cases come in units: how far cases of a unit count as one, the change between two shares, and
rates shrunk to that of all: against a slow computation, for people unlike all others, and for extreme counts."""

import numpy as np
import pytest
from scipy import stats

from adjudge.statistics.intervals import share, share_interval
from adjudge.statistics.rates import (
    _MEANS,
    _STRENGTHS,
    clustered_change,
    design_effects,
    discounted_share,
    shrunk_rates,
)


def alike(rng, units, size, rate=0.3):
    """Units in which all cases are the same."""
    return [(size * int(hit), size) for hit in rng.random(units) < rate]


def independent(rng, units, size, rate=0.3):
    return [(int(hits), size) for hits in rng.binomial(size, rate, units)]


def test_cases_in_units_of_their_own_count_in_full():
    units = [(1, 1), (0, 1), (0, 1)]
    assert design_effects([units]) == [1.0] and discounted_share(units, 1.0) == share(1, 3)
    assert design_effects([]) == []


@pytest.mark.parametrize(("draw", "effect"), [(alike, 6.0), (independent, 1.0)])
def test_the_design_effect_is_measured(draw, effect):
    rng = np.random.default_rng(1)
    (found,) = design_effects([draw(rng, 400, 6)])
    assert found == pytest.approx(effect, abs=0.4)


def test_a_rate_of_its_own_for_every_person_is_no_correlation_within_a_review():
    rng = np.random.default_rng(2)
    people = [independent(rng, 60, 2, rate) for rate in (0.05, 0.2, 0.5, 0.9)]
    assert max(design_effects(people)) < 1.2


def test_with_few_units_more_is_assumed_than_was_seen():
    few, many = design_effects([[(1, 2), (1, 2)]])[0], design_effects([[(1, 2), (1, 2)] * 50])[0]
    assert many == pytest.approx(1, abs=0.05) and few > 1.5


def test_ratings_of_a_review_make_no_interval_narrower_than_one_of_them_would():
    rng = np.random.default_rng(3)
    units = alike(rng, 40, 10)
    (effect,) = design_effects([units])
    found, once = discounted_share(units, effect), share(sum(hits > 0 for hits, _ in units), 40)
    assert found.cases == 400 and found.value == once.value
    assert found.interval == pytest.approx(once.interval, abs=0.02)


def test_a_change_is_tested_by_permuting_units():
    rng = np.random.default_rng(4)
    lucky = 0
    for _ in range(8):
        earlier, later = alike(rng, 12, 10), alike(rng, 12, 10)
        (effect,) = design_effects([[*earlier, *later]])
        lucky += clustered_change(earlier, later, effect).real
    assert lucky <= 1  # if ratings counted one by one, half of these would be called real
    better = clustered_change([(3, 10), (2, 10), (4, 10)] * 5, [(0, 10), (1, 10), (0, 10)] * 5, 1.0)
    assert better.real and better.change.value == pytest.approx(-8 / 30)
    assert better.change.interval[0] < -8 / 30 < better.change.interval[1] < 0
    same = clustered_change([(1, 10)] * 10, [(1, 10)] * 10, 1.0)
    assert (same.change.value, same.p, same.real) == (0, 1, False)


def test_four_against_four_has_the_p_value_that_counting_gives():
    found = clustered_change([(1, 1)] * 4, [(0, 1)] * 4, 1.0)
    assert found.p == pytest.approx(2 / 70, abs=0.01)  # of 70 ways to choose four of eight, two are as extreme


# -- shrunk rates -----------------------------------------------------------------------------------------------------


def single(hits, size):
    """Reviews of one rating each."""
    return [(1, 1)] * hits + [(0, 1)] * (size - hits)


def test_an_estimate_is_the_mean_over_all_pools_that_could_be_behind_the_counts():
    """The same by brute force: every mean and strength of the pool, weighted by how likely it makes all counts."""
    counts = [(2, 20), (4, 15), (9, 12)]
    means = np.sin((np.arange(_MEANS) + 0.5) / _MEANS * np.pi / 2) ** 2
    weights, values = [], []
    for mean in means:
        for strength in _STRENGTHS:
            pool = mean * strength, (1 - mean) * strength
            weights.append(np.exp(sum(stats.betabinom.logpmf(hits, size, *pool) for hits, size in counts)))
            values.append([(pool[0] + hits) / (strength + size) for hits, size in counts])
    slow = np.average(values, axis=0, weights=weights)
    found = [rate.estimate.value for rate in shrunk_rates([single(*each) for each in counts])]
    assert found == pytest.approx(slow.tolist(), abs=2e-4)


def test_a_person_unlike_all_others_is_in_their_interval_all_the_same():
    """The pool pulls the estimate of one in thirty far down; the interval must not follow it."""
    rng, held, estimates = np.random.default_rng(7), 0, []
    for _ in range(20):
        rates = [0.7] + [0.1] * 29
        found = shrunk_rates([single(int(rng.binomial(5, rate)), 5) for rate in rates])[0]
        low, high = found.estimate.interval
        held += low <= 0.7 <= high
        estimates.append(found.estimate.value)
    assert held >= 17 and np.mean(estimates) < 0.6


def test_the_interval_holds_wilsons_and_the_estimate():
    for rate in shrunk_rates([single(0, 3), single(3, 3), single(1, 1), single(400, 1000), single(2000, 2000)]):
        (low, high), (counted_low, counted_high) = rate.estimate.interval, rate.counted.interval
        assert 0 <= low <= counted_low <= counted_high <= high <= 1
        assert low <= rate.estimate.value <= high
    assert rate.counted.interval == share_interval(2000, 2000)
    assert rate.estimate.value > 0.99  # two thousand ratings are not moved by four other people


def test_equal_people_are_drawn_together_and_different_ones_are_not():
    alike = shrunk_rates([single(hits, 20) for hits in (3, 4, 5, 4, 3, 5, 4, 4)])
    assert np.ptp([rate.estimate.value for rate in alike]) < 0.5 * 0.1  # counted: from 15 to 25 %
    apart = shrunk_rates([single(hits, 20) for hits in (0, 20, 1, 18, 10, 3, 19, 0)])
    assert np.ptp([rate.estimate.value for rate in apart]) > 0.85
