"""Intervals and tests for differences between two runs, or between a run and people.

Draws use a fixed seed, so the same runs give the same figures. For many pairs, where drawing would take long, the
paired t distribution, which is the limit of the drawn one, is used instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from ..models.figures import Change, Figure
from .intervals import CONFIDENCE, SEED, mean_figure, share

_DRAWS = 9_999
_MANY_MOVED = 500  # the most changed pairs for the permutation test, which draws pair by pair
_MANY_PAIRS = 5_000  # the most pairs for the bootstrap
_NUMBERS_HELD = 2_000_000


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
        options = {"permutation_type": "samples", **_draws(len(moved))}
        pairs = (moved, np.zeros(len(moved)))
        p = float(stats.permutation_test(pairs, lambda a, b, axis: (a - b).sum(axis=axis), **options).pvalue)
    return _change(first, second, p, "permutation test")


def share_change(before: Sequence[float], after: Sequence[float]) -> Change:
    """Measure the change of a share over pairs. The p-value is from the exact sign test of changed pairs (McNemar)."""
    first, second = np.asarray(before, float), np.asarray(after, float)
    gained, lost = int((second > first).sum()), int((second < first).sum())
    return _change(first, second, same_chance(gained, lost), "exact sign test (McNemar)")


def interval_method(pairs: int) -> str:
    """Name the method behind the interval of a change over this many pairs."""
    return "Student's t" if pairs > _MANY_PAIRS else "bootstrap"


def _change(first: Any, second: Any, p: float, test: str) -> Change:
    apart = second - first
    change, spread = float(apart.mean()), float(np.ptp(apart))
    if spread and len(apart) <= _MANY_PAIRS:
        options = {"confidence_level": CONFIDENCE, "method": "percentile", **_draws(len(apart))}
        low, high = stats.bootstrap((apart,), np.mean, **options).confidence_interval
        moved = Figure(change, len(apart), "", (float(low), float(high)))
    else:
        moved = mean_figure(change, float(apart.std(ddof=1)) if spread else 0.0, len(apart))
    return Change(_mean(first), _mean(second), moved, p, test)


def _mean(numbers: Any) -> Figure:
    """Return the mean of a side. If it is a share, the interval is Wilson's."""
    if set(np.unique(numbers).tolist()) <= {0.0, 1.0}:
        return share(int(numbers.sum()), len(numbers))
    deviation = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
    return mean_figure(float(numbers.mean()), deviation, len(numbers))


def _draws(size: int) -> dict[str, Any]:
    """Return SciPy's options for drawing: a fixed seed, and batches that limit the memory needed."""
    rng, batch = np.random.default_rng(SEED), max(_NUMBERS_HELD // size, 1)
    return {"n_resamples": _DRAWS, "batch": batch, "vectorized": True, "random_state": rng}
