"""Is it real? Intervals and tests for what two runs, or a run and people, have in common.

SciPy computes all of it; this module only says which test, with how many draws, and always from the same seed: the same
runs give the same figures. Where drawing would take minutes, the paired t distribution, its limit, is used instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

SEED = 20_260_101
CONFIDENCE = 0.95
SIGNIFICANT = 0.05
_DRAWS = 9_999
_MANY_MOVED = 500  # pairs, for the permutation test, which draws pair by pair
_MANY_PAIRS = 5_000  # for the bootstrap
_NUMBERS_HELD = 2_000_000


# Both numbers of each pair, as two arrays.
Numbers = Callable[[], tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class Sums:
    """What pairs of numbers come to: means, the differences' mean and deviation, and how many rose and fell."""

    pairs: int
    before: float
    after: float
    change: float
    deviation: float | None
    rose: int
    fell: int


@dataclass(frozen=True, slots=True)
class Change:
    """How far a mean moved over pairs; the interval is None for a single pair, which tells nothing of others."""

    pairs: int
    before: float
    after: float
    change: float
    interval: tuple[float, float] | None
    p: float
    test: str
    interval_by: str = "bootstrap"

    @property
    def real(self) -> bool:
        """Whether chance alone would rarely bring a change as large."""
        return self.p < SIGNIFICANT


def share_interval(hits: int, of: int) -> tuple[float, float]:
    """Wilson's interval for a share."""
    found = stats.binomtest(hits, of).proportion_ci(CONFIDENCE, method="wilson")
    return float(found.low), float(found.high)


def mean_interval(mean: float, deviation: float | None, count: int) -> tuple[float, float] | None:
    """Student's interval for a mean; None for a single number."""
    if count < 2 or deviation is None:
        return None
    if deviation == 0:
        return mean, mean
    low, high = stats.t.interval(CONFIDENCE, count - 1, mean, deviation / np.sqrt(count))
    return float(low), float(high)


def same_chance(one: int, other: int) -> float:
    """The p-value of two counts under the assumption that both outcomes are as likely: the exact sign test."""
    return float(stats.binomtest(one, one + other).pvalue) if one + other else 1.0


def mean_change(sums: Sums, moved: Numbers, every: Numbers) -> Change:
    """The change of a mean over pairs: a paired bootstrap for its interval, a permutation test for its p-value.

    Under the test's assumption nothing distinguishes the runs, so that in each pair the two numbers might as well be
    exchanged; pairs of equal numbers say nothing either way and are left out of it. The numbers, of the pairs that
    `moved` and of `every` pair, are asked for only if they are few.
    """
    count = sums.rose + sums.fell
    if count < 2:  # either way round, one pair is as extreme as it can be
        return _change(sums, every, 1.0, "permutation test")
    if count > _MANY_MOVED:
        error = (sums.deviation or 0.0) / np.sqrt(sums.pairs)
        p = 2 * stats.t.sf(abs(sums.change) / error, sums.pairs - 1) if error else 0.0
        return _change(sums, every, float(p), "paired t test")
    p = stats.permutation_test(
        moved(),
        _mean_difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=_DRAWS,
        batch=_batch(count),
        random_state=np.random.default_rng(SEED),
    ).pvalue
    return _change(sums, every, float(p), "permutation test")


def share_change(sums: Sums, every: Numbers) -> Change:
    """The change of a share over pairs; the p-value is the exact sign test over those that changed (McNemar)."""
    return _change(sums, every, same_chance(sums.rose, sums.fell), "sign test")


def _change(sums: Sums, every: Numbers, p: float, test: str) -> Change:
    many = sums.pairs > _MANY_PAIRS
    interval = mean_interval(sums.change, sums.deviation, sums.pairs) if many else _drawn_interval(*every())
    by = "Student's t" if many else "bootstrap"
    return Change(sums.pairs, sums.before, sums.after, sums.change, interval, p, test, by)


def _drawn_interval(first: Any, second: Any) -> tuple[float, float] | None:
    if len(first) < 2:
        return None
    apart = second - first
    if (apart == apart[0]).all():
        return float(apart[0]), float(apart[0])
    found = stats.bootstrap(
        (first, second),
        _mean_difference,
        paired=True,
        vectorized=True,
        n_resamples=_DRAWS,
        batch=_batch(len(first)),
        confidence_level=CONFIDENCE,
        method="percentile",
        random_state=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def _mean_difference(first: Any, second: Any, axis: int = -1) -> Any:
    return (second - first).mean(axis=axis)


def _batch(size: int) -> int:
    """How many draws from so many pairs to hold at a time."""
    return max(_NUMBERS_HELD // size, 1)
