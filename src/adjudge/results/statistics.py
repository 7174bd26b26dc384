"""Is it real? Intervals and tests for what two runs, or a run and people, have in common.

Draws always come from the same seed: the same runs give the same figures. Where drawing would take long, the paired t
distribution, its limit, is used instead.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def mean_change(before: Sequence[float], after: Sequence[float]) -> Change:
    """The change of a mean over pairs: a paired bootstrap for its interval, a permutation test for its p-value.

    Under the test's assumption nothing distinguishes the runs, so that in each pair the two numbers might as well be
    exchanged; pairs of equal numbers say nothing either way and are left out of it.
    """
    first, second = np.asarray(before, float), np.asarray(after, float)
    moved = (second - first)[first != second]
    if len(moved) > _MANY_MOVED:
        return _change(first, second, float(stats.ttest_rel(first, second).pvalue), "paired t test")
    p = 1.0  # one pair may as well have moved the other way
    if len(moved) > 1:
        pairs = (moved, np.zeros(len(moved)))
        p = float(stats.permutation_test(pairs, _sum_apart, permutation_type="samples", **_draws(len(moved))).pvalue)
    return _change(first, second, p, "permutation test")


def share_change(before: Sequence[float], after: Sequence[float]) -> Change:
    """The change of a share over pairs; the p-value is the exact sign test over those that changed (McNemar)."""
    first, second = np.asarray(before, float), np.asarray(after, float)
    gained, lost = int((second > first).sum()), int((second < first).sum())
    return _change(first, second, same_chance(gained, lost), "sign test")


def _sum_apart(one: Any, other: Any, axis: int) -> Any:
    return (one - other).sum(axis=axis)


def _change(first: Any, second: Any, p: float, test: str) -> Change:
    apart, many = second - first, len(first) > _MANY_PAIRS
    change, spread = float(apart.mean()), float(np.ptp(apart))
    if spread and not many:
        options = {"confidence_level": CONFIDENCE, "method": "percentile", **_draws(len(apart))}
        low, high = stats.bootstrap((apart,), np.mean, **options).confidence_interval
        interval: tuple[float, float] | None = (float(low), float(high))
    else:
        interval = mean_interval(change, float(apart.std(ddof=1)) if spread else 0.0, len(apart))
    by = "Student's t" if many else "bootstrap"
    return Change(len(first), float(first.mean()), float(second.mean()), change, interval, p, test, by)


def _draws(size: int) -> dict[str, Any]:
    """How SciPy draws from so many pairs: always the same, and not all in memory at a time."""
    rng, batch = np.random.default_rng(SEED), max(_NUMBERS_HELD // size, 1)
    return {"n_resamples": _DRAWS, "batch": batch, "vectorized": True, "random_state": rng}
