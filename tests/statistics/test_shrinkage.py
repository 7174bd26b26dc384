"""Shrunk rates: against a slow computation, for people unlike all others, and for extreme counts."""

import numpy as np
import pytest
from scipy import stats

from adjudge.statistics.intervals import share_interval
from adjudge.statistics.rates import _MEANS, _STRENGTHS, shrunk_rates


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
    for _ in range(60):
        rates = [0.7] + [0.1] * 29
        found = shrunk_rates([single(int(rng.binomial(5, rate)), 5) for rate in rates])[0]
        low, high = found.estimate.interval
        held += low <= 0.7 <= high
        estimates.append(found.estimate.value)
    assert held >= 52 and np.mean(estimates) < 0.6


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
