"""Intervals and tests for differences between two runs, or between a run and people.

A change of a mean has Student's interval, one of a share Newcombe's (shares.py); percentiles of a bootstrap are too
narrow with few pairs. Pairs of one unit, such as a task, are not independent: they vary and are permuted together. The
permutation test draws from a fixed seed, so the same runs give the same figures. Where many units moved, and drawing
would take long, the t test, which is its limit, is used instead.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import scipy  # type: ignore[import-untyped]

from ..models.figures import Change, Figure
from .intervals import SEED
from .resampling import mean_by_unit, numbered
from .shares import difference_by_unit

_DRAWS = 9_999
_FEWEST_MOVED = 6  # units; with fewer, Student's interval of scores in steps is too narrow
_MANY_MOVED = 500  # the most changed units for the permutation test, which draws unit by unit
_NUMBERS_HELD = 2_000_000


def same_chance(one: int, other: int) -> float:
    """Return the p-value of the exact sign test, which assumes that both outcomes are equally likely."""
    return min(1.0, 2 * float(scipy.special.bdtr(min(one, other), one + other, 0.5)))


def mean_change(before: Sequence[float], after: Sequence[float], units: Sequence[Hashable] | None = None) -> Change:
    """Measure the change of a mean over pairs, each of its unit; without `units`, all pairs are independent.

    The test assumes that nothing distinguishes the runs, so the two numbers of each pair could be exchanged. Units
    whose sum is the same in both carry no information and are left out of it.
    """
    first, second, of = *(np.asarray(side, float) for side in (before, after)), units or range(len(before))
    moved = _moved(second - first, of)
    figure = mean_by_unit(zip(second - first, of, strict=True), is_share=False)
    if figure.interval is not None and len(moved) < _FEWEST_MOVED:
        figure = Figure(figure.value, figure.cases, f"fewer than {_FEWEST_MOVED} moved, too few for an interval")
    was, now = (mean_by_unit(zip(side, of, strict=True), is_share=False) for side in (first, second))
    return Change(was, now, figure, *_tested(moved))


def share_change(before: Sequence[float], after: Sequence[float], units: Sequence[Hashable] | None = None) -> Change:
    """Measure the change of a share over pairs, each of its unit. If every pair has a unit of its own, the test is the
    exact sign test of changed pairs (McNemar)."""
    first, second, of = *(np.asarray(side, float) for side in (before, after)), units or range(len(before))
    moved = _moved(second - first, of)
    if len(set(of)) == len(first):
        p, test = same_chance(int((moved > 0).sum()), int((moved < 0).sum())), "exact sign test (McNemar)"
    else:
        p, test = _tested(moved)
    figure = difference_by_unit(zip((second - first).tolist(), of, strict=True))
    was, now = (mean_by_unit(zip(side, of, strict=True)) for side in (first, second))
    return Change(was, now, figure, p, test)


def _moved(apart: Any, units: Iterable[Hashable]) -> Any:
    """Return the sums of the differences of each unit, as far as they are not 0."""
    sums = np.bincount(numbered(units), apart)
    return sums[np.abs(sums) > 1e-9]


def _tested(moved: Any) -> tuple[float, str]:
    """Return the p-value of these sums, if each could as well have the other sign, and the name of the test."""
    if len(moved) > _MANY_MOVED and np.ptp(moved) < 1e-9:
        return 0.0, "t test"  # all moved by the same amount
    if len(moved) > _MANY_MOVED:
        return float(scipy.stats.ttest_1samp(moved, 0.0).pvalue), "t test"
    if len(moved) < 2:  # a single one could as well have moved the other way
        return 1.0, "permutation test"
    found = scipy.stats.permutation_test(
        (moved, np.zeros(len(moved))),
        lambda a, b, axis: (a - b).sum(axis=axis),
        permutation_type="samples",
        n_resamples=_DRAWS,
        batch=max(_NUMBERS_HELD // len(moved), 1),
        vectorized=True,
        random_state=np.random.default_rng(SEED),
    )
    return float(found.pvalue), "permutation test"
