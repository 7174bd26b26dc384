"""Intervals by formula, and what all intervals and tests share: their level, and the seed of every draw."""

from __future__ import annotations

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from ..models.figures import Figure

SEED = 20_260_101
CONFIDENCE = 0.95


def share(hits: int, of: int) -> Figure:
    """Return a share of independent cases with Wilson's interval. At 0 and 1 a bootstrap would have no width."""
    return Figure(hits / of, of, "", share_interval(hits, of)) if of else Figure(None, 0, "no cases")


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


def mean_figure(mean: float, deviation: float | None, cases: int, different: int | None = None) -> Figure:
    """Return a mean with Student's interval. If some cases are copies, the interval counts only `different` ones."""
    interval = mean_interval(mean, deviation, cases if different is None else different)
    return Figure(mean, cases, "" if interval else "one case says nothing about others", interval)
