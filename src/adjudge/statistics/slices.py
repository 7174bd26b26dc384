"""Does a figure differ between parts of the cases? Every part is tested against the rest, allowing for cases that are
not independent and for the number of parts that were looked at.

How alike two cases of one unit are is estimated from all cases: a part with few cases has too few of its own. It says
how many independent cases would tell as much. Shares are tested exactly for so many (Fisher's test), because the normal
distribution is wrong where a part has ten cases and most are right; other numbers with Student's t. A case with several
people's labels counts as one, so that their test is a little careful. Overlapping parts (a case has two systems) are
tested separately.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # type: ignore[import-untyped]

from ..models.figures import Figure
from .resampling import mean_by_unit, numbered

LEAST = 10  # independent units in a part, and outside it; fewer say too little
FALSE_SHARE = 0.05  # of the parts that are named, how many may be named by chance


@dataclass(frozen=True, slots=True)
class Part:
    """The mean of a part with its interval, the mean of the rest, and the p-value of no difference: of this part
    alone, and adjusted for all parts that were tested (Benjamini and Hochberg 1995)."""

    mean: Figure
    rest: float
    p: float
    adjusted: float

    @property
    def differs(self) -> bool:
        """Whether the part differs from the rest by more than chance, given how many parts were tested."""
        return self.adjusted <= FALSE_SHARE


def compare_parts(
    values: Sequence[float],
    units: Sequence[Hashable],
    parts: Mapping[Any, tuple[Collection[int], Collection[int]]],
    *,
    are_shares: bool = True,
) -> dict[Any, Part]:
    """Test every part against the rest, both given by the places of their cases. `values` and `units` have one for each
    case; `are_shares` says that a value can only be between 0 and 1. A part is left out of the result if it, or the
    rest, has fewer than `LEAST` units."""
    all_values, all_units = np.array(values, float), numbered(units)
    tested: dict[Any, tuple[Figure, float, float]] = {}
    for name, (inside, rest) in parts.items():
        places = np.array([*inside, *rest], np.int64)
        numbers, unit_of, within = all_values[places], all_units[places], np.arange(len(places)) < len(inside)
        if min(len(np.unique(unit_of[side])) for side in (within, ~within)) < LEAST:
            continue
        mean = mean_by_unit(zip(numbers[within].tolist(), unit_of[within].tolist(), strict=True), is_share=are_shares)
        tested[name] = mean, float(numbers[~within].mean()), _no_difference(numbers, unit_of, within, are_shares)
    adjusted = scipy.stats.false_discovery_control([p for _, _, p in tested.values()]) if tested else ()
    return {
        name: Part(mean, rest, p, float(corrected))
        for (name, (mean, rest, p)), corrected in zip(tested.items(), adjusted, strict=True)
    }


def _no_difference(values: Any, unit_of: Any, inside: Any, are_shares: bool) -> float:
    """Return the p-value of no difference between the cases inside a part and those outside."""
    sides, sizes = (inside, ~inside), (int(inside.sum()), int((~inside).sum()))
    means = [float(values[side].mean()) for side in sides]
    off = values - np.where(inside, *means)
    alike = _alike(off, unit_of)
    # How much larger the variance of each side's mean is than that of as many independent cases.
    larger = [1 + alike * (float((np.bincount(unit_of[side]) ** 2).sum()) / int(side.sum()) - 1) for side in sides]
    effective = [size / times for size, times in zip(sizes, larger, strict=True)]
    if are_shares:
        return _exact(means, effective)
    error = math.sqrt(float(off @ off) / (len(values) - 2) * sum(1 / size for size in effective))
    if error == 0:
        return 1.0 if means[0] == means[1] else 0.0
    fewest = min(len(np.unique(unit_of[side])) for side in sides)
    return float(2 * scipy.special.stdtr(fewest - 1, -abs(means[0] - means[1]) / error))


def _alike(off: Any, unit_of: Any) -> float:
    """Return the correlation of two cases of one unit, 0 to 1, from their differences from the mean; 1 if there is no
    difference at all."""
    sizes, sums = np.bincount(unit_of), np.bincount(unit_of, off)
    pairs, squares = float(sizes @ (sizes - 1)), float(off @ off)
    if not pairs:
        return 0.0
    return min(max((float(sums @ sums) - squares) / pairs * len(off) / squares, 0.0), 1.0) if squares else 1.0


def _exact(means: Sequence[float], sizes: Sequence[float]) -> float:
    """Return Fisher's p-value for two shares of about so many independent cases."""
    of = [max(round(size), 1) for size in sizes]
    hits = [round(mean * size) for mean, size in zip(means, of, strict=True)]
    return float(scipy.stats.fisher_exact([hits, [size - own for size, own in zip(of, hits, strict=True)]]).pvalue)
