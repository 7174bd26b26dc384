"""Intervals by formula, and what all intervals and tests share: their level, and the seed of every draw.

As attributes of `scipy`, `scipy.special` and `scipy.stats` are imported when they are used: they take a quarter of a
second and a second.
"""

from __future__ import annotations

import math

import scipy  # type: ignore[import-untyped]

from ..models.figures import Figure

SEED = 20_260_101
CONFIDENCE = 0.95


def share(hits: int, of: int) -> Figure:
    """Return a share of independent cases with Wilson's interval. At 0 and 1 a bootstrap would have no width."""
    return Figure(hits / of, of, "", share_interval(hits, of)) if of else Figure(None, 0, "no cases")


def share_interval(hits: float, of: float) -> tuple[float, float]:
    """Return Wilson's interval for a share. Cases that are not independent may count as fewer, even as parts of one."""
    rate, spread = hits / of, float(scipy.special.ndtri((1 + CONFIDENCE) / 2)) ** 2 / of
    middle = (rate + spread / 2) / (1 + spread)
    reach = math.sqrt(spread * (rate * (1 - rate) + spread / 4)) / (1 + spread)
    # At 0 and 1 the end is exact, whatever the rounding.
    return middle - reach if hits > 0 else 0.0, middle + reach if hits < of else 1.0


def mean_interval(mean: float, deviation: float | None, count: int) -> tuple[float, float] | None:
    """Return Student's interval for a mean; None for a single number."""
    if count < 2 or deviation is None:
        return None
    if deviation == 0:
        return mean, mean
    reach = float(scipy.special.stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * deviation / math.sqrt(count)
    return mean - reach, mean + reach


def mean_figure(mean: float, deviation: float | None, cases: int, different: int | None = None) -> Figure:
    """Return a mean with Student's interval. If some cases are copies, the interval counts only `different` ones."""
    interval = mean_interval(mean, deviation, cases if different is None else different)
    return Figure(mean, cases, "" if interval else "one case says nothing about others", interval)


def labels_needed(figure: Figure, half_width: float = 0.05) -> int | None:
    """Return how many more labelled cases an interval of ± `half_width` needs; None without an interval.

    An interval narrows with the square root of the number of cases.
    """
    if figure.interval is None or not figure.cases:
        return None
    low, high = figure.interval
    wanted = figure.cases * ((high - low) / 2 / half_width) ** 2
    return max(math.ceil(wanted - 1e-9) - figure.cases, 0)
