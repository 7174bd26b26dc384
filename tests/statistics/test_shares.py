"""Shares of things in clusters: against a slow reference, at the ends, and their coverage."""

import math

import numpy as np
import pytest
from scipy import stats

from adjudge.statistics.shares import ClusterSums, clustered_share, difference_by_unit, share_by_unit


def reference(hits, of):
    """Korn and Graubard's interval, written out cluster by cluster, with SciPy's distributions."""
    n, units = sum(of), len(of)
    p = sum(hits) / n
    variance = units / (units - 1) * sum((x - p * k) ** 2 for x, k in zip(hits, of, strict=True)) / n**2

    def widened(clusters):
        return (stats.t.ppf(0.025, clusters - 1) / stats.norm.ppf(0.025)) ** 2

    seen = min(sum(x > 0 for x in hits), sum(x < k for x, k in zip(hits, of, strict=True)))
    size = max(min(p * (1 - p) / variance, n) / widened(max(seen, 2)), n**2 / sum(k * k for k in of) / widened(units))
    low, high = (
        stats.beta.ppf(0.025, p * size, size - p * size + 1),
        stats.beta.ppf(0.975, p * size + 1, size - p * size),
    )
    return p, low, high


def test_the_share_and_its_interval_are_those_of_a_slow_reference():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        of = rng.integers(1, 30, 25)
        hits = rng.binomial(of, rng.beta(0.5, 3, 25))
        found = clustered_share(ClusterSums.of_clusters(hits, of), 25)
        assert (found.value, *found.interval) == pytest.approx(reference(hits.tolist(), of.tolist()))


def test_none_and_all_have_an_interval_and_one_task_has_none():
    none, every = (clustered_share(ClusterSums.of_clusters([hits] * 30, [14] * 30), 30) for hits in (0, 14))
    assert none.value == 0 and none.interval[0] == 0 and 0.05 < none.interval[1] < 0.2
    assert every.value == 1 and every.interval[1] == 1 and 0.8 < every.interval[0] < 0.95
    one = share_by_unit((1, 14, "the same task") for _ in range(30))
    assert one.interval is None and one.value == pytest.approx(1 / 14) and "one task" in one.reason
    assert share_by_unit([]).value is None and share_by_unit([]).reason


def test_cases_of_one_task_count_as_one():
    alone = share_by_unit((n % 4 == 0, 1, n) for n in range(80))
    alike = share_by_unit((n // 8 % 4 == 0, 1, n // 8) for n in range(80))  # the same ten tasks, eight times
    assert math.isclose(alone.interval[1] - alone.interval[0], 0.2, abs_tol=0.02)
    assert alike.interval[1] - alike.interval[0] > 0.5


@pytest.mark.parametrize(("share", "cases"), [(0.03, 20), (0.05, 50), (0.5, 20), (0.78, 50)])
def test_the_interval_covers_where_quotes_of_one_case_are_alike(share, cases):
    rng = np.random.default_rng(7)
    held = accused = 0
    for _ in range(400):
        of = rng.integers(14, 43, cases)
        hits = rng.binomial(of, rng.beta(4 * share, 4 * (1 - share), cases))
        low, high = clustered_share(ClusterSums.of_clusters(hits, of), cases).interval
        held, accused = held + (low <= share <= high), accused + (low > share)
    assert held / 400 >= 0.92
    assert accused / 400 <= 0.05


def test_a_paired_difference_has_an_interval_that_tasks_widen_even_if_no_pair_differs():
    pairs = [-1.0] * 10 + [1.0] * 2 + [0.0] * 188
    alone = difference_by_unit(zip(pairs, range(200), strict=True))
    together = difference_by_unit((number, at // 5) for at, number in enumerate(pairs))
    assert alone.value == together.value == pytest.approx(-0.04)
    assert together.interval[0] < alone.interval[0] < -0.04 < alone.interval[1] < 0 < together.interval[1]
    low, high = difference_by_unit((0.0, at) for at in range(200)).interval
    assert (
        low == -high == pytest.approx(-(1 - 0.025 ** (1 / 200)), rel=0.02)
    )  # what 200 pairs without a loss leave possible
    assert difference_by_unit([]).value is None
