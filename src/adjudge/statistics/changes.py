"""Intervals and tests for differences between two runs, or between a run and people.

Draws use a fixed seed, so the same runs give the same figures. For many pairs, where drawing would take long, the
paired t distribution, which is the limit of the drawn one, is used instead.
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
_MANY_MOVED = 500  # the most changed pairs for the permutation test, which draws pair by pair
_MANY_PAIRS = 5_000  # the most pairs for the bootstrap
_NUMBERS_HELD = 2_000_000


@dataclass(frozen=True, slots=True)
class Change:
    """How far a mean moved over pairs. The interval is None for a single pair, which says nothing about others."""

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
        """Whether the change is significant: chance alone would rarely cause one as large."""
        return self.p < SIGNIFICANT


def share_interval(hits: int, of: int) -> tuple[float, float]:
    """Return Wilson's interval for a share."""
    found = stats.binomtest(hits, of).proportion_ci(CONFIDENCE, method="wilson")
    return float(found.low), float(found.high)


def mean_interval(mean: float, deviation: float | None, count: int) -> tuple[float, float] | None:
    """Return Student's interval for a mean; None for a single number."""
    if count < 2 or deviation is None:
        return None
    if deviation == 0:
        return mean, mean
    low, high = stats.t.interval(CONFIDENCE, count - 1, mean, deviation / np.sqrt(count))
    return float(low), float(high)


def same_chance(one: int, other: int) -> float:
    """Return the p-value of the exact sign test, which assumes that both outcomes are equally likely."""
    return float(stats.binomtest(one, one + other).pvalue) if one + other else 1.0


def mean_change(before: Sequence[float], after: Sequence[float]) -> Change:
    """Measure the change of a mean over pairs, with a paired bootstrap interval and a permutation test.

    The test assumes that nothing distinguishes the runs, so the two numbers of each pair could be exchanged. Pairs of
    equal numbers carry no information and are left out of it.
    """
    first, second = np.asarray(before, float), np.asarray(after, float)
    moved = (second - first)[first != second]
    if len(moved) > _MANY_MOVED:
        return _change(first, second, float(stats.ttest_rel(first, second).pvalue), "paired t test")
    p = 1.0  # a single pair could as well have moved the other way
    if len(moved) > 1:
        pairs = (moved, np.zeros(len(moved)))
        p = float(stats.permutation_test(pairs, _sum_apart, permutation_type="samples", **_draws(len(moved))).pvalue)
    return _change(first, second, p, "permutation test")


def share_change(before: Sequence[float], after: Sequence[float]) -> Change:
    """Measure the change of a share over pairs. The p-value is from the exact sign test of changed pairs (McNemar)."""
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
    """Return SciPy's options for drawing: a fixed seed, and batches that limit the memory needed."""
    rng, batch = np.random.default_rng(SEED), max(_NUMBERS_HELD // size, 1)
    return {"n_resamples": _DRAWS, "batch": batch, "vectorized": True, "random_state": rng}
