"""Rates of several people whose cases come in units, such as the ratings entered in one review: as counted, shrunk
towards the rate of all, and how they change.

Cases of one unit are not independent. How far they are not is measured over all people, and the cases of a unit count
as fewer: with two cases a unit and a correlation of 0.5, three cases count as two.

For shrinking, people's rates are modelled as draws from a beta distribution with an unknown mean and an unknown
strength (in cases). Both are integrated out over a grid with a weak prior, so that the estimate does not depend on how
well a few people happen to determine them. A person's estimate is the mean of the posterior. The posterior's own
interval would cover the rates of people as a whole, but not that of a person who is unlike all others. So the interval
reaches from the lower end of the posterior's and Wilson's interval to the higher end of both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy  # type: ignore[import-untyped]

from ..models.figures import Change, Figure
from .intervals import CONFIDENCE, SEED, share_interval

# The cases of one person: for each unit, how many were hits and how many there are.
Units = Sequence[tuple[int, int]]

_ASSUMED_UNITS = 2.5
_LEAST_DRAWS, _MOST_DRAWS, _NUMBERS_DRAWN = 999, 9_999, 1_000_000
_CELLS = 1_000  # of the posterior, from 0 to 1, narrower towards the ends
_MEANS = 24
_LEAST = 1e-300  # of a cell's share, so that even a person who is unlike all others has a posterior
_STRENGTHS = np.exp(np.linspace(np.log(0.5), np.log(500.0), 24))


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
    correlation *= (scipy.special.stdtrit(known, (1 + CONFIDENCE) / 2) / scipy.special.ndtri((1 + CONFIDENCE) / 2)) ** 2
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


# -- shrunk to the rate of all -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rate:
    """A person's rate as counted, and shrunk to the pool."""

    counted: Figure
    estimate: Figure


def shrunk_rates(people: Sequence[Units]) -> list[Rate]:
    """Return the rate of each person, who has at least one case."""
    counts = np.array([[sum(column) for column in zip(*units, strict=True)] for units in people], float)
    hits, sizes = (counts / np.array(design_effects(people))[:, None]).T
    edges, inside = _grid()
    middles = (edges[1:] + edges[:-1]) / 2
    # For each person: the log likelihood of their hits at each point of the grid, the weight of each point by all
    # others' hits, and the likelihood of their own.
    first, second = _parameters()
    betaln = scipy.special.betaln
    fits = betaln(first + hits[:, None], second + (sizes - hits)[:, None]) - betaln(first, second)
    of_others = fits.sum(axis=0) - fits
    weights = np.exp(of_others - of_others.max(axis=1, keepdims=True))
    own = hits[:, None] * np.log(middles) + (sizes - hits)[:, None] * np.log1p(-middles)
    posterior = scipy.special.softmax(np.log(np.maximum(weights @ inside, _LEAST)) + own, axis=1)
    tail = (1 - CONFIDENCE) / 2
    found = []
    for number, (cells, (of, size)) in enumerate(zip(posterior, counts.astype(int).tolist(), strict=True)):
        raw = share_interval(float(hits[number]), float(sizes[number]))
        low, high = np.interp([tail, 1 - tail], np.append(0.0, np.cumsum(cells)), edges).tolist()
        estimate = Figure(float(cells @ middles), size, "", (min(low, raw[0]), max(high, raw[1])))
        found.append(Rate(Figure(of / size, size, "", raw), estimate))
    return found


@cache
def _grid() -> tuple[Any, Any]:
    """Return the edges of the cells, and for each point of the grid how much of its beta distribution is in each."""
    edges = np.sin(np.linspace(0, np.pi / 2, _CELLS + 1)) ** 2
    first, second = _parameters()
    return edges, np.diff(scipy.special.betainc(first[:, None], second[:, None], edges), axis=1)


def _parameters() -> tuple[Any, Any]:
    """Return the parameters of the beta distributions of the grid, which all are equally likely at first."""
    means = np.sin((np.arange(_MEANS) + 0.5) / _MEANS * np.pi / 2) ** 2
    return np.outer(means, _STRENGTHS).ravel(), np.outer(1 - means, _STRENGTHS).ravel()
