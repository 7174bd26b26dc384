"""Rates of several people, each shrunk towards the rate of all, with intervals that hold for every person.

People's rates are modelled as draws from a beta distribution with an unknown mean and an unknown strength (in cases).
Both are integrated out over a grid with a weak prior, so that the estimate does not depend on how well a few people
happen to determine them. A person's estimate is the mean of the posterior.

The posterior's own interval would cover the rates of people as a whole, but not that of a person who is unlike all
others. So the interval reaches from the lower end of the posterior's and Wilson's interval to the higher end of both.

Cases of one unit (ratings entered in one review) are not independent, and count as fewer: `statistics.clusters`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import special  # type: ignore[import-untyped]

from ..models.figures import Figure
from .clusters import Units, design_effects
from .intervals import CONFIDENCE, share_interval

_CELLS = 1_000  # of the posterior, from 0 to 1, narrower towards the ends
_MEANS = 24
_LEAST = 1e-300  # of a cell's share, so that even a person who is unlike all others has a posterior
_STRENGTHS = np.exp(np.linspace(np.log(0.5), np.log(500.0), 24))


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
    # For each person: the weight of each point of the grid by all others' hits, and the likelihood of their own.
    fits = _log_chances(hits, sizes)
    of_others = fits.sum(axis=0) - fits
    weights = np.exp(of_others - of_others.max(axis=1, keepdims=True))
    own = hits[:, None] * np.log(middles) + (sizes - hits)[:, None] * np.log1p(-middles)
    posterior = special.softmax(np.log(np.maximum(weights @ inside, _LEAST)) + own, axis=1)
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
    return edges, np.diff(special.betainc(first[:, None], second[:, None], edges), axis=1)


def _parameters() -> tuple[Any, Any]:
    """Return the parameters of the beta distributions of the grid, which all are equally likely at first."""
    means = np.sin((np.arange(_MEANS) + 0.5) / _MEANS * np.pi / 2) ** 2
    return np.outer(means, _STRENGTHS).ravel(), np.outer(1 - means, _STRENGTHS).ravel()


def _log_chances(hits: Any, sizes: Any) -> Any:
    """Return the log likelihood of each person's hits (rows) at each point of the grid (columns)."""
    first, second = _parameters()
    hits, misses = hits[:, None], (sizes - hits)[:, None]
    return special.betaln(first + hits, second + misses) - special.betaln(first, second)
