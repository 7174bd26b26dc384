"""Measures of agreement between two sides, and among several raters, as functions of how often each case counts.

A rating is a class ("A", "tie") or a number; None is a missing rating, and a case without both sides does not count.
Each function returns a `Statistic`, whose value for many bootstrap draws at once is a few matrix products. They are
written here for that reason: kappa, alpha and tau from libraries take one draw at a time. Tests compare them with
SciPy's, scikit-learn's and krippendorff's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np

from .resampling import Statistic

Value = str | float
Ratings = Sequence[Value | None]
Level = Literal["nominal", "ordinal", "interval"]
Measure = Callable[[Ratings, Ratings], Statistic]

_FEW = 2
_MOST_VALUES = 500  # different values, for alpha: it counts each of them in every draw
_NUMBERS_HELD = 1_000_000
_NONE_IN_COMMON = "no case was rated by both sides"


def accuracy(judge: Ratings, human: Ratings) -> Statistic:
    """The share of cases in which both sides give the same rating."""
    return _mean(judge, human, lambda one, other: float(one == other))


def mean_absolute_error(judge: Ratings, human: Ratings) -> Statistic:
    """The mean absolute difference; smaller is better."""
    return _mean(judge, human, lambda one, other: abs(float(one) - float(other)))


def cohen_kappa(judge: Ratings, human: Ratings) -> Statistic:
    """Cohen's kappa: agreement beyond what the two base rates alone would give."""
    codes, _, known = _coded(judge, human)
    table = _cells(*codes)

    def of(weights: Any) -> Any:
        counts = table(weights)
        total = counts.sum(axis=(1, 2))
        chance = (counts.sum(axis=1) * counts.sum(axis=2)).sum(axis=1) / total**2
        return (np.trace(counts, axis1=1, axis2=2) / total - chance) / _or_nan(1 - chance)

    return Statistic(of, int(known.sum()), _no_chance(judge, human), _if_some_differed(codes), known)


def gwet_ac1(judge: Ratings, human: Ratings) -> Statistic:
    """Gwet's AC1: like kappa, but with a chance agreement that stays small if nearly all ratings are one class."""
    codes, _, known = _coded(judge, human)
    table = _cells(*codes)

    def of(weights: Any) -> Any:
        counts = table(weights)
        total = counts.sum(axis=(1, 2))
        rates = (counts.sum(axis=1) + counts.sum(axis=2)) / (2 * total[:, None])
        chance = (rates * (1 - rates)).sum(axis=1) / max(counts.shape[1] - 1, 1)
        return (np.trace(counts, axis1=1, axis2=2) / total - chance) / (1 - chance)

    cases, reason = int(known.sum()), _no_chance(judge, human)
    if not cases or codes.max() < 1:
        return Statistic(_undefined, cases, reason)
    rates = np.bincount(codes[:, known].ravel()) / (2 * cases)
    return Statistic(of, cases, reason, _beyond_chance(1 - float(rates @ (1 - rates)) / (len(rates) - 1)), known)


def quadratic_kappa(judge: Ratings, human: Ratings) -> Statistic:
    """Cohen's weighted kappa for numbers: a disagreement counts by the square of its distance.

    Distances are between the numbers themselves, so a step of the scale that was never used changes nothing.
    """
    codes, values, known = _coded(judge, human)
    one, other = np.asarray([*values, 0.0], float)[codes]
    moments = np.where(known, np.stack([known * 1.0, one, other, one**2, other**2, one * other]), 0.0)

    def of(weights: Any) -> Any:
        total, *sums = (weights @ moments.T).T
        x, y, xx, yy, xy = (it / total for it in sums)
        return 1 - (xx + yy - 2 * xy) / _or_nan(xx + yy - 2 * x * y)

    return Statistic(of, int(known.sum()), _no_chance(judge, human), _if_some_differed(codes), known)


def spearman(judge: Ratings, human: Ratings) -> Statistic:
    """Spearman's rank correlation."""
    codes, _, known = _coded(judge, human, together=False)
    sides = [Ranks(side[known], np.flatnonzero(known)) for side in codes]

    def of(weights: Any) -> Any:
        ranks = np.zeros((2, *weights.shape))
        for own, side in zip(ranks, sides, strict=True):
            own[:, side.case] = side.of(weights[:, side.case])
        xy, xx, yy = ((weights * ranks[a] * ranks[b]).sum(axis=1) for a, b in ((0, 1), (0, 0), (1, 1)))
        return xy / _or_nan(np.sqrt(xx * yy))

    return Statistic(of, int(known.sum()), _nothing_to_correlate(judge, human), lambda least: least, known)


def kendall(judge: Ratings, human: Ratings) -> Statistic:
    """Kendall's tau-b, which allows for ties."""
    codes, _, known = _coded(judge, human, together=False)
    if not known.any():
        return Statistic(_undefined, 0, _nothing_to_correlate(judge, human))
    few, many = sorted(codes, key=lambda side: side.max())
    side = Ranks(many[known], np.flatnonzero(known))
    levels = range(int(few.max()) + 1)

    def of(weights: Any) -> Any:
        # All arrays have a column for each value of the other side.
        whole = side.counts(weights[:, side.case])
        upper = np.cumsum(whole, axis=1) - whole  # cases with a lower value on the other side
        below, ahead, pairs_of_few = np.zeros_like(upper), np.zeros(len(weights)), np.zeros(len(weights))
        for level in levels:
            count = side.counts((weights * (few == level))[:, side.case])
            lower = np.cumsum(count, axis=1) - count
            upper = upper - lower  # of higher levels only
            ahead = ahead + (count * (below - upper)).sum(axis=1)
            below = below + lower
            size = count.sum(axis=1)
            pairs_of_few = pairs_of_few + size * (size - 1) / 2
        total = whole.sum(axis=1)
        pairs = total * (total - 1) / 2
        pairs_of_many = (whole * (whole - 1) / 2).sum(axis=1)
        return ahead / _or_nan(np.sqrt((pairs - pairs_of_few) * (pairs - pairs_of_many)))

    return Statistic(of, int(known.sum()), _nothing_to_correlate(judge, human), lambda least: least, known)


def krippendorff_alpha(rows: Sequence[Iterable[Value | None]], level: Level) -> Statistic:
    """Krippendorff's alpha. A row is one case with the ratings of any number of people.

    Cases with fewer than two ratings say nothing about agreement and do not count.
    """
    given = [[value for value in row if value is not None] for row in rows]
    pairable = [row if len(row) >= _FEW else [] for row in given]
    cases = sum(map(bool, pairable))
    values = sorted({value for row in pairable for value in row}, key=lambda value: (isinstance(value, str), value))
    if not cases:
        return Statistic(_undefined, 0, "no case has two ratings")
    if len(values) < _FEW:
        return Statistic(_undefined, cases, f"every rating is {values[0]}: agreement beyond chance is not defined")
    if len(values) > _MOST_VALUES:
        reason = f"{len(values)} different values in {cases} cases are too many for alpha: round the scores first"
        return Statistic(_undefined, cases, reason)
    code = {value: at for at, value in enumerate(values)}
    counts = np.zeros((len(rows), len(values)))
    for at, row in enumerate(pairable):
        for value in row:
            counts[at, code[value]] += 1
    sizes = counts.sum(axis=1)
    places = np.arange(len(values), dtype=float) if level == "nominal" else np.asarray(values, float)
    # Each pair of different values of a case, with its share of the case's ratings.
    pairs = [
        (at, code[one], code[other], 2 * often * others / (len(row) - 1))
        for at, row in enumerate(pairable)
        for (one, often), (other, others) in combinations(Counter(row).items(), 2)
    ]
    case, first, second, share = (np.array([pair[at] for pair in pairs]) for at in range(4))
    fixed: Any = None
    if pairs and level != "ordinal":
        apart = np.ones(len(pairs)) if level == "nominal" else (places[first] - places[second]) ** 2
        fixed = np.bincount(case, share * apart, len(rows))

    def of(weights: Any) -> Any:
        often = weights @ counts
        total = often.sum(axis=1)
        at = np.cumsum(often, axis=1) - often / 2 if level == "ordinal" else np.broadcast_to(places, often.shape)
        if not pairs:
            observed = np.zeros(len(weights))
        elif fixed is not None:
            observed = weights @ fixed
        else:
            observed, step = np.zeros(len(weights)), max(_NUMBERS_HELD // len(weights), 1)
            for some in (slice(begin, begin + step) for begin in range(0, len(pairs), step)):
                apart = at[:, first[some]] - at[:, second[some]]
                observed += (weights[:, case[some]] * share[some] * apart**2).sum(axis=1)
        if level == "nominal":
            expected = total**2 - (often**2).sum(axis=1)
        else:
            expected = 2 * (total * (often * at**2).sum(axis=1) - (often * at).sum(axis=1) ** 2)
        return 1 - observed * (total - 1) / _or_nan(expected)

    rates = (counts.sum(axis=0) / sizes.sum()) ** 2
    return Statistic(of, cases, flawless=_beyond_chance(1 - float(rates.sum())), counted=sizes > 0)


# -- columns as arrays ------------------------------------------------------------------------------------------------


def _mean(judge: Ratings, human: Ratings, of_two: Callable[[Any, Any], float]) -> Statistic:
    known = np.array([one is not None and other is not None for one, other in zip(judge, human, strict=True)], float)
    numbers = [
        0.0 if one is None or other is None else of_two(one, other) for one, other in zip(judge, human, strict=True)
    ]
    columns = np.stack([np.array(numbers), known], axis=1) if len(known) else np.zeros((0, 2))

    def of(weights: Any) -> Any:
        total, size = (weights @ columns).T
        return total / _or_nan(size)

    return Statistic(of, int(known.sum()), _NONE_IN_COMMON)


def _coded(judge: Ratings, human: Ratings, *, together: bool = True) -> tuple[Any, list[Any], Any]:
    """Return the numbers of both sides' values among the sorted values (−1 if a side is missing), these values (of both
    sides `together`, or of each), and which cases both sides rated."""
    both = list(zip(judge, human, strict=True))
    known = np.array([one is not None and other is not None for one, other in both], bool)
    sides: list[list[Any]] = [[pair[at] for pair in both if None not in pair] for at in (0, 1)]
    kinds = [sorted({*sides[0], *sides[1]})] * 2 if together else [sorted(set(side)) for side in sides]
    codes = np.full((2, len(both)), -1)
    for at, (side, kind) in enumerate(zip(sides, kinds, strict=True)):
        place = {value: number for number, value in enumerate(kind)}
        codes[at, known] = [place[value] for value in side]
    return codes, kinds[0], known


def _cells(one: Any, other: Any) -> Callable[[Any], Any]:
    """Return the function from weights to one contingency table for each draw."""
    classes = int(max(one.max(initial=-1), other.max(initial=-1))) + 1
    cells = np.zeros((len(one), classes * classes))
    rated = np.flatnonzero(one >= 0)
    cells[rated, one[rated] * classes + other[rated]] = 1
    return lambda weights: (weights @ cells).reshape(len(weights), classes, classes)


class Ranks:
    """Weighted ranks of fixed numbers, centred, for many draws at once. Equal numbers share their middle rank.

    `case` is the case of each number, in rising order of the numbers. So are the columns of `weights`, in both methods.
    """

    def __init__(self, numbers: Any, case: Any) -> None:
        order = np.argsort(numbers, kind="stable")
        self.case = case[order]
        rising = numbers[order]
        new = np.r_[True, np.diff(rising) > 0] if len(rising) else np.array([], bool)
        self._starts = np.flatnonzero(new)
        self._group = np.cumsum(new) - 1

    def counts(self, weights: Any) -> Any:
        """Return how often each different number counts."""
        return np.add.reduceat(weights, self._starts, axis=1) if len(self._starts) else weights[:, :0]

    def of(self, weights: Any) -> Any:
        """Return the rank of each number."""
        counts = self.counts(weights)
        middle = np.cumsum(counts, axis=1) - counts / 2
        return middle[:, self._group] - counts.sum(axis=1, keepdims=True) / 2


def _or_nan(numbers: Any) -> Any:
    """Return a divisor that gives NaN instead of dividing by 0, also if it is 0 only up to the last bits."""
    return np.where(np.abs(numbers) < 1e-12, np.nan, numbers)


def _undefined(weights: Any) -> Any:
    return np.full(len(weights), np.nan)


# -- reasons, and perfect agreement -----------------------------------------------------------------------------------


def _no_chance(judge: Ratings, human: Ratings) -> str:
    given = {one for one, other in zip(judge, human, strict=True) if one is not None and other is not None}
    return f"both sides always say {min(given)}: agreement beyond chance is not defined" if given else _NONE_IN_COMMON


def _nothing_to_correlate(judge: Ratings, human: Ratings) -> str:
    both = [(one, other) for one, other in zip(judge, human, strict=True) if one is not None and other is not None]
    if len(both) < _FEW:
        return f"too few cases for a correlation: {len(both)}"
    for side, who in zip(zip(*both, strict=True), ("the judge always says", "people always say"), strict=True):
        if len(set(side)) < _FEW:
            return f"{who} {side[0]}: nothing to correlate"
    return "too few different values for a correlation"


def _if_some_differed(codes: Any) -> Callable[[float], float]:
    """Return what kappa would be if only a share of the cases agreed and the base rates stayed."""
    known = codes[:, codes[0] >= 0]
    rates = [np.bincount(side, minlength=int(known.max(initial=0)) + 1) / max(side.size, 1) for side in known]
    return _beyond_chance(1 - float(rates[0] @ rates[1]))


def _beyond_chance(differ: float) -> Callable[[float], float]:
    """`differ` is the chance that two random ratings differ. The cases that do not agree differ like two of those."""
    return lambda least: 1 - (1 - least) / differ if differ else least
