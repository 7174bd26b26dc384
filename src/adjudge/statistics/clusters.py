"""Shares of cases that come in units, such as the ratings entered in one review, and changes of such shares.

Cases of one unit are not independent. How far they are not is measured over all people, and the cases of a unit count
as fewer: with two cases a unit and a correlation of 0.5, three cases count as two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from ..models.figures import Change, Figure
from .intervals import CONFIDENCE, SEED, share_interval

# The cases of one person: for each unit, how many were hits and how many there are.
Units = Sequence[tuple[int, int]]

_ASSUMED_UNITS = 2.5
_LEAST_DRAWS, _MOST_DRAWS, _NUMBERS_DRAWN = 999, 9_999, 1_000_000


def discounted_share(units: Units, effect: float) -> Figure:
    """Return a share with Wilson's interval, in which `effect` cases (the design effect) count as one."""
    hits, size = (sum(column) for column in zip(*units, strict=True))
    return Figure(hits / size, size, "", share_interval(hits / effect, size / effect))


def clustered_change(earlier: Units, later: Units, effect: float) -> Change:
    """Return how far a share changed, with a test that permutes units and an interval from those of both shares
    (Newcombe's). `effect` is the person's design effect."""
    before, after = discounted_share(earlier, effect), discounted_share(later, effect)
    low, high = _newcombe(before, after)
    change = Figure((after.value or 0.0) - (before.value or 0.0), before.cases + after.cases, "", (low, high))
    return Change(before, after, change, _permuted(earlier, later), "permutation test by unit")


def design_effects(people: Sequence[Units]) -> list[float]:
    """Return for each person how many of their cases count as one: 1 + (cases of a unit − 1) × correlation.

    The correlation is that of two cases of a unit, over all people: the mean product of their distances from the
    person's rate, divided by the variance. A few units in which two cases count as one are assumed before any is seen,
    and with few units the correlation is taken to be larger, as Student's t does with a variance.
    """
    every = np.array([unit for units in people for unit in units], float).reshape(-1, 2)
    if not (every[:, 1] > 1).any():
        return [1.0] * len(people)
    products = variances = 0.0
    for units in people:
        hits, size = np.array(units, float).T
        total = size.sum()
        if total < 2:
            continue
        rate, pairs = hits.sum() / total, (size * (size - 1)).sum()
        variance = rate * (1 - rate) * total / (total - 1)
        # The sum over all pairs of cases of a unit. It is a little too small, because the rate is estimated.
        products += ((hits - rate * size) ** 2 - hits * (1 - rate) ** 2 - (size - hits) * rate**2).sum()
        products += variance * pairs / total
        variances += variance * pairs
    rate = (every[:, 0].sum() + 0.5) / (every[:, 1].sum() + 1)
    assumed = _ASSUMED_UNITS * rate * (1 - rate) * (every[:, 1] * (every[:, 1] - 1)).mean()
    typical = (every[:, 1] ** 2).sum() / every[:, 1].sum()
    correlation = max((products + assumed / (typical - 1)) / (variances + assumed), 0.0)
    known = len(every) - len(people) + _ASSUMED_UNITS
    correlation *= (stats.t.ppf((1 + CONFIDENCE) / 2, known) / stats.norm.ppf((1 + CONFIDENCE) / 2)) ** 2
    sizes = [sum(size**2 for _, size in units) / sum(size for _, size in units) for units in people]
    return [1 + (size - 1) * min(float(correlation), 1.0) for size in sizes]


def _newcombe(before: Figure, after: Figure) -> tuple[float, float]:
    """Return the interval of a difference: each end is as far away as the farther ends of both shares together."""
    (first, second), (ends, later_ends) = (before.value or 0.0, after.value or 0.0), (before.interval, after.interval)
    (low, high), (later_low, later_high) = ends or (0.0, 1.0), later_ends or (0.0, 1.0)
    change = second - first
    return change - math.hypot(second - later_low, high - first), change + math.hypot(later_high - second, first - low)


def _permuted(earlier: Units, later: Units) -> float:
    """Return how often units dealt at random to both sides would differ as much: the p-value."""
    units = np.array([*earlier, *later], float)
    draws = min(max(_NUMBERS_DRAWN // len(units), _LEAST_DRAWS), _MOST_DRAWS)
    dealt, whole = np.random.default_rng(SEED), units.sum(axis=0)
    first = [units[: len(earlier)].sum(axis=0)]  # as it was
    first += [units[dealt.permutation(len(units))[: len(earlier)]].sum(axis=0) for _ in range(draws)]
    sides = np.array(first), whole - np.array(first)
    apart = np.abs(np.subtract(*(side[:, 0] / side[:, 1] for side in sides)))
    return float((apart >= apart[0] - 1e-12).mean())
