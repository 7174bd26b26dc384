"""Estimates the rate or mean that people would give a run, from the labels of some cases and the verdicts on all.

The labels of a random sample give people's mean. The judge's mean over the run, beside its mean over the sample, says
whether the sample was lucky. How much of that counts is chosen so that the variance is smallest: PPI++ (power-tuned
prediction-powered inference, Angelopoulos, Duchi and Zrnic 2023), which for a mean is the regression estimator of
survey sampling. It is valid for every judge; a useless one gains nothing.

Cases that were chosen for their doubts are a stratum of their own, weighted by its share of the run. As everywhere,
intervals are for cases like those of the run, not only for its own cases; cases of one unit (a task) vary together.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy  # type: ignore[import-untyped]

from ..models.figures import Figure
from .intervals import CONFIDENCE
from .resampling import numbered, share_ends

FEW_OF_A_KIND = 5  # if fewer labels differ from all others, their variance cannot be estimated: exact intervals
FEW_ERRORS = 3  # if the judge is wrong in fewer labelled cases, how often it is wrong elsewhere is bounded
FEW_LABELS = 20  # with fewer labels, the judge's weight is so uncertain that its verdicts gain nothing
_TAIL = (1 - CONFIDENCE) / 2
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A rate or mean as the judge gives it, as the labels alone give it, and corrected: from both.

    `judge_weight` is the weight of the judge's verdicts in the corrected number (λ of PPI++ as a regression
    coefficient): 0 for a useless judge, 1 for one that errs by a constant; None if only labels count, for the reason in
    `alone`. `as_good_as` is the number of labels that alone would give an interval as narrow as the corrected one.
    `picked` counts the labels of cases that were not drawn at random but count here, too.
    """

    raw: Figure
    labels: Figure
    corrected: Figure
    judge_weight: float | None = None
    as_good_as: int | None = None
    alone: str = ""
    picked: int = 0


class _Estimate(NamedTuple):
    """A mean from 0 to 1, its variance, the degrees of freedom of that variance, and the judge's weight in it."""

    value: float
    variance: float
    freedom: int
    slope: float = 0.0


class _Sampled(NamedTuple):
    """Arrays with one number per case, on a scale from 0 to 1. `y` is NaN without a label, `stratum` 1 for cases that
    had to be labelled, and 0 for those of which a random sample was."""

    x: Any
    y: Any
    weight: Any
    unit: Any
    stratum: Any

    @property
    def sample(self) -> Any:
        """Which cases are labelled and drawn at random."""
        return (self.stratum == 0) & ~np.isnan(self.y)

    @property
    def units(self) -> int:
        """How many units the sample has."""
        return len(np.unique(self.unit[self.sample]))

    def moved(self, values: Any) -> int:
        """Return how many units of the sample have a value that is not the most frequent one."""
        here = np.round(values[self.sample], 9)
        return len(np.unique(self.unit[self.sample][here != _usual(here)])) if len(here) else 0


def corrected_mean(
    judge: Sequence[float],
    people: Sequence[float | None],
    units: Sequence[Hashable],
    *,
    scale: Interval = (0.0, 1.0),
    drawn: Sequence[bool] | None = None,
    doubtful: Sequence[bool] | None = None,
    weights: Sequence[float] | None = None,
) -> Corrected:
    """Estimate the mean of `people` over all cases from the cases that have a label (the others are None).

    `drawn` says which labelled cases are a random sample of all cases (default: all). `doubtful` are the cases that
    were to be labelled whether or not they were drawn (default: none); if some of them have no label, it must be chance
    which. `weights` says how many cases of the run each case represents, if only some of the run is given.
    """
    low, high = scale

    def figure(value: float, cases: float, interval: Interval) -> Figure:
        ends = np.clip([value, min(interval[0], value), max(interval[1], value)], 0, 1) * (high - low) + low
        return Figure(float(ends[0]), round(cases), "", (float(ends[1]), float(ends[2])))

    if not len(judge):
        nothing = Figure(None, 0, "no case has a verdict")
        return Corrected(nothing, nothing, nothing)
    x = (np.asarray(judge, float) - low) / (high - low)
    y = (np.array([np.nan if it is None else it for it in people], float) - low) / (high - low)
    unit = numbered(units)
    weight = np.ones(len(x)) if weights is None else np.asarray(weights, float)
    own = _mean(x, weight, unit)
    count = int(unit.max()) + 1
    # The judge's own share of all cases of a run has the interval that the report of the run shows.
    whole = scale == (0.0, 1.0) and bool((weight == 1).all())
    raw_ends = share_ends(own.value, own.variance, len(x), count) if whole else _wilson(own, count)
    raw = figure(own.value, weight.sum(), raw_ends)
    at_random = np.where(True if drawn is None else np.asarray(drawn, bool), y, np.nan)
    simple = _Sampled(x, at_random, weight, unit, np.zeros(len(x), int))
    labelled = at_random[simple.sample]
    if not len(labelled):
        nothing = Figure(None, 0, "no labelled case")
        return Corrected(raw, nothing, nothing)
    if simple.moved(y) < FEW_OF_A_KIND:
        labels = figure(float(labelled.mean()), len(labelled), _nearly_constant(labelled, simple.units, (0.0, 1.0)))
        alone = (
            f"fewer than {FEW_OF_A_KIND} independent labels differ from the most frequent one: exact interval of the "
            "labels alone"
        )
        return Corrected(raw, labels, labels, alone=alone)
    cases = simple
    if doubtful is not None and _can_be_used(both := simple._replace(y=y, stratum=np.asarray(doubtful, int))):
        cases = both
    used = int((~np.isnan(cases.y)).sum())
    plain = _estimate(cases, with_judge=False)
    labels = figure(plain.value, used, _wilson(plain, cases.units))
    if cases.sample.sum() < FEW_LABELS:
        alone = f"fewer than {FEW_LABELS} labels drawn at random: only labels count"
        return Corrected(raw, labels, labels, alone=alone, picked=used - len(labelled))
    if cases.moved(cases.y - cases.x) < FEW_ERRORS:
        found = _of_few_errors(cases)
    else:
        tuned = _estimate(cases, with_judge=True)
        found = tuned.value, _wilson(tuned, cases.units), tuned.slope
    corrected = figure(found[0], used, found[1])
    return Corrected(raw, labels, corrected, found[2], _as_good_as(labels, corrected), picked=used - len(labelled))


def _as_good_as(labels: Figure, corrected: Figure) -> int | None:
    if labels.interval is None or corrected.interval is None:
        return None
    wide, narrow = (high - low for low, high in (labels.interval, corrected.interval))
    return round(labels.cases * (wide / narrow) ** 2) if narrow else None


def _can_be_used(cases: _Sampled) -> bool:
    """Return whether the doubtful cases can be a stratum of their own. How labels vary elsewhere must be known from the
    sample; and if the judge is hardly ever wrong there, all doubtful cases must be labelled (see `_of_few_errors`)."""
    labelled = ~np.isnan(cases.y[cases.stratum == 1])
    some_errors = labelled.all() or cases.moved(cases.y - cases.x) >= FEW_ERRORS
    return bool(labelled.sum() > 1 and some_errors and cases.moved(cases.y) >= FEW_OF_A_KIND)


def _of_few_errors(cases: _Sampled) -> tuple[float, Interval, float]:
    """Return the mean if the judge is wrong in hardly any case of the sample, its interval, and the judge's weight: the
    judge's mean (with the labels of doubtful cases) plus its mean error, and a bound for its errors elsewhere."""
    surely, errors = cases.stratum == 1, (cases.y - cases.x)[cases.sample]
    known = _mean(np.where(surely, cases.y, cases.x), cases.weight, cases.unit)
    share = float(cases.weight[~surely].sum() / cases.weight.sum())
    low, high = _nearly_constant(errors, cases.units, (-1.0, 1.0), exact=False)
    error = share * float(errors.mean())
    own = known.value, _wilson(known, int(cases.unit.max()) + 1)
    return known.value + error, _sum_of(own, (error, (share * low, share * high))), 1.0


# -- means and their variance -----------------------------------------------------------------------------------------


def _mean(x: Any, weight: Any, unit: Any) -> _Estimate:
    value = float(weight @ x / weight.sum())
    variance, units = _variance(weight * (x - value), unit, weight.sum())
    return _Estimate(value, variance, max(units - 1, 1))


def _estimate(cases: _Sampled, *, with_judge: bool) -> _Estimate:
    """Return the mean over all cases; a case without a label has the value that the judge's verdict predicts.

    What a case adds to the total is its predicted value and, if it has a label, by how much the prediction misses it,
    times the number of cases it represents. The spread of these sums between units is the variance. A miss is divided
    by 1 − its leverage, because a fit follows its own points (the jackknife, HC3): this keeps small samples honest.
    """
    x, y, weight, unit, strata = cases
    fitted, missed = np.zeros(len(x)), np.zeros(len(x))
    slope, groups = 0.0, 0
    for stratum in np.unique(strata)[::-1]:  # the random sample last: most of the uncertainty comes from it
        here = strata == stratum
        at = np.flatnonzero(here & ~np.isnan(y))
        size, middle = len(at), x[at].mean()
        spread = x[at] - middle
        square = float(spread @ spread)
        # If a judge seems to say the opposite of people, that is taken for chance.
        bends = with_judge and square > 0 and size >= FEW_LABELS
        slope = max(float(spread @ y[at]) / square, 0.0) if bends else 0.0
        fitted[here] = y[at].mean() + slope * (x[here] - middle)
        total = float(weight[here].sum())
        lucky = float(weight[here] @ x[here]) / total - middle
        turns = spread / square if slope else np.zeros(size)  # how much the slope follows each label
        represents = total * (1 / size + lucky * turns)
        _, place = np.unique(unit[at], return_inverse=True)
        groups = int(place.max()) + 1
        leverage = np.bincount(place, 1 / size + spread * turns)[place]
        shrunk = np.clip(1 - leverage, 1 / size, None) / np.sqrt(max(groups - 1, 1) / groups)
        missed[at] = represents * (y[at] - fitted[at]) / shrunk
    total = float(weight.sum())
    value = float(weight @ fitted) / total  # misses add up to 0 within a stratum
    variance, _ = _variance(weight * (fitted - value) + missed, unit, total)
    return _Estimate(value, variance, max(groups - 1 - (slope > 0), 1), slope)


def _variance(parts: Any, unit: Any, total: float) -> tuple[float, int]:
    """Return the variance of a mean whose cases add these parts to `total` times it, and the number of units."""
    sums = np.bincount(unit, parts)
    units = len(sums)
    return float(sums @ sums) / total**2 * units / max(units - 1, 1), units


# -- intervals, from 0 to 1 -------------------------------------------------------------------------------------------


def _wilson(found: _Estimate, units: int) -> Interval:
    """Return Wilson's interval for a share with this variance: the scale is never left, and it is longer towards the
    middle. Student's t replaces the normal quantile, because the variance is estimated."""
    reach = float(scipy.special.stdtrit(found.freedom, 1 - _TAIL))
    value = float(np.clip(found.value, 0.5 / units, 1 - 0.5 / units)) if found.variance else found.value
    as_many = value * (1 - value) / found.variance if found.variance else float(units)
    squared = reach**2 / as_many
    centre = (value + squared / 2) / (1 + squared)
    half = reach / (1 + squared) * float(np.sqrt(value * (1 - value) / as_many + squared / (4 * as_many)))
    return centre - half, centre + half


def _exact(hits: float, of: int) -> Interval:
    """Return Clopper and Pearson's interval for a share. Values between 0 and 1 count as parts of a hit: no such values
    with the same mean vary more than hits do."""
    low = float(scipy.special.betaincinv(hits, of - hits + 1, _TAIL)) if hits > 0 else 0.0
    high = float(scipy.special.betaincinv(hits + 1, of - hits, 1 - _TAIL)) if hits < of else 1.0
    return low, high


def _nearly_constant(values: Any, units: int, ends: Interval, *, exact: bool = True) -> Interval:
    """Return the interval of the mean of values of which nearly all are the same: bounds for how far, on average, the
    others are above it and below it. With `exact`, Clopper and Pearson's; else Wilson's, which are a little narrower.
    """
    usual = _usual(values)
    room = ends[1] - usual, usual - ends[0]
    found = []
    for far, sign in zip(room, (1, -1), strict=True):
        moved = np.clip(sign * (values - usual), 0, None) / far if far > 0 else np.zeros(len(values))
        mean = float(moved.mean())
        if exact:
            low, high = _exact(mean * units, units)
        else:
            low, high = _wilson(_Estimate(mean, mean * (1 - mean) / units, units), units)
        found.append((far * mean, (far * low, far * high)))
    (up, above), (down, below) = found
    low, high = _sum_of((up, above), (-down, (-below[1], -below[0])))
    return usual + low, usual + high


def _sum_of(*terms: tuple[float, Interval]) -> Interval:
    """Return the interval of a sum from those of its terms (MOVER: Zou and Donner 2008)."""
    value = sum(it for it, _ in terms)
    low = sum((it - ends[0]) ** 2 for it, ends in terms) ** 0.5
    high = sum((ends[1] - it) ** 2 for it, ends in terms) ** 0.5
    return value - low, value + high


def _usual(values: Any) -> float:
    each, counts = np.unique(np.round(values, 9), return_counts=True)
    return float(each[counts.argmax()])
