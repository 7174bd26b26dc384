"""Intervals of figures over cases that are not independent: cases of one unit (a task, a review) are drawn together.

A mean has a closed interval. Any other figure is a function of how often each case counts, computed for many draws at
once: SciPy's bootstrap draws the units, and the function gets one row of weights for each draw. Intervals are BCa; they
are percentile intervals if a figure is undefined in some draw, where BCa fails, and for thousands of units, where both
methods agree. With few units a bootstrap is too narrow, as the normal distribution is where Student's t belongs, so
intervals are expanded by that factor (Hesterberg 2015, "What teachers should know about the bootstrap"). The seed is
fixed. docs/agreement.md says how often intervals contained the truth in simulations.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy  # type: ignore[import-untyped]

from ..models.figures import Figure
from .intervals import CONFIDENCE, SEED, share_interval

# Takes weights, a row for each draw and a column for each case, and returns a value for each draw; NaN if undefined.
OfWeights = Callable[[Any], Any]

DRAWS = 999  # of every bootstrap; coverage was measured with this number
_NOTHING = 1e-24  # a variance that rounding alone may cause
FEW_UNITS = 10  # with fewer units there is no bootstrap
_LEAST_DRAWS, _NUMBERS_DRAWN = 199, 10_000_000  # with many thousands of cases, fewer draws are enough
_NUMBERS_HELD = 1_000_000
_MANY_UNITS = 2_000  # with more units, BCa, which leaves out each unit once, takes long and gives the same interval
_UNDEFINED = 0.05  # the share of draws that may have no value; with more, there is no interval
_TAIL = (1 - CONFIDENCE) / 2


@dataclass(frozen=True, slots=True)
class Statistic:
    """A figure as a function of how often each case counts. If it has no value, `reason` says why.

    `cases` counts those that have what the figure needs, and `counted` says which they are (None: all). The others must
    not change it, whatever they weigh. `flawless` is for a figure that has its best value in every draw, so that a
    bootstrap has no width. It takes the share of cases that agree at least (what so many cases without an exception
    show), and returns the figure then.
    """

    of: OfWeights
    cases: int
    reason: str = "not defined for these cases"
    flawless: Callable[[float], float] | None = None
    counted: Any = None


def point(statistic: Statistic, size: int) -> Figure:
    """Return a figure of `size` cases without an interval."""
    with np.errstate(all="ignore"):
        value = float(statistic.of(np.ones((1, size)))[0]) if size else math.nan
    known = math.isfinite(value)
    return Figure(value, statistic.cases) if known else Figure(None, statistic.cases, statistic.reason)


def with_interval(statistic: Statistic, units: Sequence[Hashable], draws: int = DRAWS) -> Figure:
    """Compute a figure with its interval, or with the reason why there is none. `units` has one for each case."""
    return measured_together({"": statistic}, units, draws)[""]


def measured_together(
    statistics: Mapping[str, Statistic], units: Sequence[Hashable], draws: int = DRAWS
) -> dict[str, Figure]:
    """Compute several figures of the same cases with their intervals, all from the same draws."""
    found = {name: point(statistic, len(units)) for name, statistic in statistics.items()}
    alike: dict[bytes, list[str]] = {}  # figures that are based on the same cases
    masks = {}
    for name, figure in found.items():
        if figure.value is not None:
            mask = statistics[name].counted
            masks[name] = np.ones(len(units), bool) if mask is None else np.asarray(mask, bool)
            alike.setdefault(masks[name].tobytes(), []).append(name)
    for names in alike.values():
        mask = masks[names[0]]
        drawn = _drawn([statistics[name].of for name in names], units, draws, counted=mask)
        if drawn is None:
            count = len({unit for unit, counts in zip(units, mask, strict=True) if counts})
            few = too_few(count, int(mask.sum()), "an interval")
            found |= {name: replace(found[name], reason=few) for name in names}
            continue
        for at, name in enumerate(names):
            found[name] = _bounded(found[name], statistics[name], drawn.values[at], drawn.ends[at], drawn.units)
    return found


def changed(
    before: Statistic, after: Statistic, units: Sequence[Sequence[Hashable]], draws: int = DRAWS
) -> tuple[Figure, float | None]:
    """Return how far a figure moved, and the p-value of no change. `units` has one list if both figures are of the same
    cases (then both are computed on the same draws), or two, which are drawn separately."""
    sides = [point(before, len(units[0])), point(after, len(units[-1]))]
    cases = min(side.cases for side in sides)
    if sides[0].value is None or sides[1].value is None:
        return Figure(None, cases, sides[0].reason if sides[0].value is None else sides[1].reason), None
    change = Figure(sides[1].value - sides[0].value, cases)
    if len(units) == 1:
        drawn = [_drawn([before.of, after.of], units[0], draws, jackknife=False)]
    else:
        # With the same seed, lists of one length would give the same draws.
        sides_of = enumerate(zip((before, after), units, strict=True))
        drawn = [_drawn([it.of], own, draws, jackknife=False, seed=SEED + at) for at, (it, own) in sides_of]
    values = [row for each in drawn if each is not None for row in each.values]
    if len(values) < 2:
        fewest, of = min((len(set(own)), len(own)) for own in units)
        return replace(change, reason=too_few(fewest, of, "a test")), None
    least = min(map(len, values))
    moved = values[1][:least] - values[0][:least]
    known = moved[np.isfinite(moved)]
    if len(known) < (1 - _UNDEFINED) * len(moved):
        return replace(change, reason=_often_undefined(known, moved)), None
    fewest = min(len(set(own)) for own in units)
    tail = expanded_tail(fewest)
    low, high = np.quantile(known, [tail, 1 - tail]).tolist()
    # p is twice the smaller tail. A draw with no difference counts in both tails.
    beyond = min(int((known <= 0).sum()), int((known >= 0).sum()))
    p = min(2 * (beyond + 1) / (len(known) + 1), 1.0)
    away = -scipy.special.ndtri(p / 2) * math.sqrt((fewest - 1) / fewest)
    return replace(change, interval=(low, high)), float(2 * scipy.special.stdtr(fewest - 1, -away))


def too_few(units: int, cases: int, what: str) -> str:
    """Say that there are too few units. Where a unit has several cases, readers count more of them than we do."""
    noun, verb = ("case", "is") if units == 1 else ("cases", "are")
    called = noun if units == cases else f"independent {noun} (tasks or groups)"
    return f"{units} {called} {verb} too few for {what}: at least {FEW_UNITS}"


def mean_by_unit(
    numbers: Iterable[tuple[float, Hashable]], *, is_share: bool = True, labels: int | None = None
) -> Figure:
    """Return the mean of numbers with its interval; each number comes with its unit.

    The variance is that of the units' sums. A share of something (all numbers can only be between 0 and 1) has Wilson's
    interval for as many independent cases as would have this variance (Korn and Graubard 1998), so that it never leaves
    0 to 1 and has a width even at its ends. Other numbers, such as gains and distances, are not a share even if all
    happen to be 0 or 1 (`is_share=False`), and have Student's interval. If a number is itself a share of several labels
    of a case, `labels` says how many there are in all: so many independent cases are possible.
    """
    given = list(numbers)
    if not given:
        return Figure(None, 0, "no cases")
    values, units = np.array([number for number, _ in given], float), numbered(unit for _, unit in given)
    count, cases = int(units.max()) + 1, len(values)
    mean = float(values.mean())
    off = np.bincount(units, values - mean)
    variance = unit_variance(float(off @ off), cases, count)
    if is_share:
        return Figure(mean, cases, "", share_ends(mean, variance, cases, count, labels))
    if count < FEW_UNITS:
        return Figure(mean, cases, too_few(count, cases, "an interval"))
    if variance <= _NOTHING * max(mean * mean, 1.0):
        return Figure(mean, cases, f"the same in every case of {cases}: without variance there is no interval")
    reach = float(scipy.special.stdtrit(count - 1, 1 - _TAIL)) * variance**0.5
    return Figure(mean, cases, "", (mean - reach, mean + reach))


def unit_variance(off: float, cases: int, units: int) -> float:
    """Return the variance of a mean from the sum of the squares by which the units' sums are off it."""
    return off / cases**2 * units / max(units - 1, 1)


def share_ends(mean: float, variance: float, cases: int, units: int, labels: int | None = None) -> tuple[float, float]:
    """Return Wilson's interval for the number of independent cases that would have this variance.

    With few units their variance is uncertain: Student's t takes the place of the normal distribution. Units that seem
    to differ less than independent cases would do so by chance.
    """
    most = labels or cases
    if units == most and math.isclose(mean * cases, round(mean * cases), abs_tol=1e-9):
        return share_interval(round(mean * cases), cases)
    if units < 2 or mean in (0.0, 1.0):
        effective = float(units)
    else:
        effective = min(mean * (1 - mean) / variance, most) if variance else float(most)
        if units < most:
            effective *= (
                float(scipy.special.stdtrit(most - 1, 1 - _TAIL) / scipy.special.stdtrit(units - 1, 1 - _TAIL)) ** 2
            )
    return share_interval(mean * effective, effective)


def numbered(units: Iterable[Hashable]) -> Any:
    """Return the number of each case's unit, from 0 in order of appearance."""
    seen: dict[Hashable, int] = {}
    return np.fromiter((seen.setdefault(unit, len(seen)) for unit in units), np.int64)


# -- draws ------------------------------------------------------------------------------------------------------------


class _Drawn(NamedTuple):
    """The values of some figures in every draw (a row each), and their intervals; NaN where there is none."""

    values: Any
    ends: Any
    units: int


def _drawn(
    figures: Sequence[OfWeights],
    units: Sequence[Hashable],
    draws: int,
    *,
    jackknife: bool = True,
    seed: int = SEED,
    counted: Any = None,
) -> _Drawn | None:
    """Draw the units of the cases that count, with replacement. Return None if they are too few."""
    size = len(units)
    places_of = np.arange(size) if counted is None else np.flatnonzero(counted)
    unit_of = numbered(units[place] for place in places_of.tolist())
    count = int(unit_of.max()) + 1 if len(places_of) else 0
    if count < FEW_UNITS:
        return None

    def values(chosen: Any, axis: int = -1) -> Any:
        rows = chosen.reshape(-1, chosen.shape[axis])
        places = rows + count * np.arange(len(rows))[:, None]
        times = np.bincount(places.ravel(), minlength=count * len(rows)).reshape(len(rows), count)
        weights = np.zeros((len(rows), size))
        weights[:, places_of] = times[:, unit_of]
        return np.stack([of(weights) for of in figures]).reshape(len(figures), *chosen.shape[:-1])

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # SciPy gives no BCa interval if any draw has no value; then percentiles are used instead.
        warnings.simplefilter("ignore")
        found = scipy.stats.bootstrap(
            [np.arange(count)],
            values,
            vectorized=True,
            n_resamples=max(min(draws, _NUMBERS_DRAWN // size), min(draws, _LEAST_DRAWS)),
            batch=max(_NUMBERS_HELD // size, 1),
            confidence_level=1 - 2 * expanded_tail(count),
            method="BCa" if jackknife and count <= _MANY_UNITS else "percentile",
            random_state=np.random.default_rng(seed),
        )
    return _Drawn(found.bootstrap_distribution, np.stack(found.confidence_interval, axis=-1), count)


def _bounded(figure: Figure, statistic: Statistic, drawn: Any, ends: Any, units: int) -> Figure:
    known = drawn[np.isfinite(drawn)]
    if len(known) < (1 - _UNDEFINED) * len(drawn):
        return replace(figure, reason=_often_undefined(known, drawn))
    if np.ptp(known) <= 1e-12:
        if statistic.flawless is None or figure.value is None or figure.value < 1 - 1e-9:
            return replace(figure, reason=f"the same in every draw from {figure.cases} cases: too few for an interval")
        low, high = sorted((figure.value, statistic.flawless(share_interval(units, units)[0])))
        return replace(figure, interval=(low, high))
    if not np.isfinite(ends).all():
        tail = expanded_tail(units)
        ends = np.quantile(known, [tail, 1 - tail])
    return replace(figure, interval=(float(ends[0]), float(ends[1])))


def expanded_tail(units: int) -> float:
    """Return the share of draws to leave out at each end of an interval; with few units, fewer draws."""
    return float(scipy.special.ndtr(-scipy.special.stdtrit(units - 1, 1 - _TAIL) * math.sqrt(units / (units - 1))))


def _often_undefined(known: Any, drawn: Any) -> str:
    return f"not defined in {1 - len(known) / len(drawn):.0%} of the draws: too few cases for an interval"
