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
    return _change(first, second, _exchanged(moved), "permutation test")


def share_change(before: Sequence[float], after: Sequence[float]) -> Change:
    """The change of a share over pairs; the p-value is the exact sign test over those that changed (McNemar)."""
    first, second = np.asarray(before, float), np.asarray(after, float)
    gained, lost = int((second > first).sum()), int((second < first).sum())
    return _change(first, second, same_chance(gained, lost), "sign test")


def _exchanged(moved: Any) -> float:
    """How often a sum is as far from 0 as that of these differences, if each might as well have the other sign.

    SciPy's `permutation_test` draws pair by pair, which takes five times as long.
    """
    size, rng = len(moved), np.random.default_rng(SEED)
    # As far as a sum in another order may be off.
    limit = abs(moved.sum()) - 1e-9 * np.abs(moved).sum()
    if 2**size <= _DRAWS:
        every = np.arange(2**size)[:, None] >> np.arange(size) & 1
        return float((np.abs((2 * every - 1) @ moved) >= limit).mean())
    found, left = 1, _DRAWS  # what was found is one of the draws: no p-value is 0
    while left:
        drawn = min(left, _batch(size))
        found += int((np.abs(rng.choice((-1.0, 1.0), (drawn, size)) @ moved) >= limit).sum())
        left -= drawn
    return found / (_DRAWS + 1)


def _change(first: Any, second: Any, p: float, test: str) -> Change:
    return Change(
        pairs=len(first),
        before=float(first.mean()),
        after=float(second.mean()),
        change=float((second - first).mean()),
        interval=_interval(first, second),
        p=p,
        test=test,
        interval_by="Student's t" if len(first) > _MANY_PAIRS else "bootstrap",
    )


def _interval(first: Any, second: Any) -> tuple[float, float] | None:
    if len(first) < 2:
        return None
    apart = second - first
    if (apart == apart[0]).all():
        return float(apart[0]), float(apart[0])
    if len(first) > _MANY_PAIRS:
        found = stats.ttest_rel(second, first).confidence_interval(CONFIDENCE)
        return float(found.low), float(found.high)
    found = stats.bootstrap(
        (apart,),
        np.mean,
        vectorized=True,
        n_resamples=_DRAWS,
        batch=_batch(len(apart)),
        confidence_level=CONFIDENCE,
        method="percentile",
        random_state=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def _batch(size: int) -> int:
    """How many draws from so many pairs to hold at a time."""
    return max(_NUMBERS_HELD // size, 1)
