"""Intervals and tests for differences between two runs, or between a run and people.

A change of a mean has Student's interval, one of a share Newcombe's (shares.py); percentiles of a bootstrap are too
narrow with few pairs. The permutation test draws from a fixed seed, so the same runs give the same figures. Where many
pairs moved, and drawing would take long, the paired t test, which is its limit, is used instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from ..models.figures import Change, Figure
from .intervals import SEED, mean_figure, share
from .shares import difference_by_unit

_DRAWS = 9_999
_FEWEST_MOVED = 6  # pairs; with fewer, Student's interval of scores in steps is too narrow
_MANY_MOVED = 500  # the most changed pairs for the permutation test, which draws pair by pair
_NUMBERS_HELD = 2_000_000


def same_chance(one: int, other: int) -> float:
    """Return the p-value of the exact sign test, which assumes that both outcomes are equally likely."""
    return float(stats.binomtest(one, one + other).pvalue) if one + other else 1.0


def mean_change(before: Sequence[float], after: Sequence[float]) -> Change:
    """Measure the change of a mean over pairs, with Student's interval and a permutation test.

    The test assumes that nothing distinguishes the runs, so the two numbers of each pair could be exchanged. Pairs of
    equal numbers carry no information and are left out of it.
    """
    first, second = np.asarray(before, float), np.asarray(after, float)
    apart = second - first
    moved, test, p = apart[apart != 0], "permutation test", 1.0
    if len(moved) > _MANY_MOVED:
        test, p = "paired t test", float(stats.ttest_rel(first, second).pvalue)
    elif len(moved) > 1:  # a single pair could as well have moved the other way
        pairs = (moved, np.zeros(len(moved)))
        p = float(stats.permutation_test(pairs, lambda a, b, axis: (a - b).sum(axis=axis), **_draws(moved)).pvalue)
    change, deviation = float(apart.mean()), float(apart.std(ddof=1)) if len(apart) > 1 else None
    figure = mean_figure(change, deviation, len(apart))
    if len(apart) > 1 and len(moved) < _FEWEST_MOVED:
        figure = Figure(change, len(apart), f"fewer than {_FEWEST_MOVED} pairs moved, too few for an interval")
    return Change(_mean(first), _mean(second), figure, p, test)


def share_change(before: Sequence[float], after: Sequence[float]) -> Change:
    """Measure the change of a share over pairs. The p-value is from the exact sign test of changed pairs (McNemar)."""
    first, second = np.asarray(before, float), np.asarray(after, float)
    p = same_chance(int((second > first).sum()), int((second < first).sum()))
    moved = difference_by_unit((float(apart), case) for case, apart in enumerate(second - first))
    return Change(_mean(first), _mean(second), moved, p, "exact sign test (McNemar)")


def _mean(numbers: Any) -> Figure:
    """Return the mean of a side. If it is a share, the interval is Wilson's."""
    if set(np.unique(numbers).tolist()) <= {0.0, 1.0}:
        return share(int(numbers.sum()), len(numbers))
    deviation = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
    return mean_figure(float(numbers.mean()), deviation, len(numbers))


def _draws(moved: Any) -> dict[str, Any]:
    """Return SciPy's options for drawing: a fixed seed, and batches that limit the memory needed."""
    return {
        "permutation_type": "samples",
        "n_resamples": _DRAWS,
        "batch": max(_NUMBERS_HELD // len(moved), 1),
        "vectorized": True,
        "random_state": np.random.default_rng(SEED),
    }
