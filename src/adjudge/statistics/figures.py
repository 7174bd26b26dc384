"""Measures of agreement and their uncertainty. Functions take plain sequences and return a `Figure`; none needs a run.

A rating is a class ("A", "tie") or a number. None is a missing rating; measures that need both sides skip such a case.
SciPy and krippendorff do the computing. Kappa is built on SciPy's expected frequencies, because scikit-learn's kappa
takes 2 ms per call, which adds up to seconds over a thousand bootstrap draws.

The bootstrap draws a case with all its ratings, because the ratings of one case are not independent. Intervals are BCa.
They are percentile intervals if the figure is undefined in some draw, where BCa fails, and for thousands of cases,
where both methods agree. Their measured coverage is in docs/benchmarks.md. The seed is fixed.
"""

from __future__ import annotations

import math
import warnings
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise
from statistics import fmean, median
from typing import Any, Literal, TypeVar

import krippendorff
import numpy as np
from scipy import stats  # type: ignore[import-untyped]
from scipy.stats.contingency import expected_freq  # type: ignore[import-untyped]

from ..models.figures import Change, Figure
from .intervals import CONFIDENCE, SEED, share

Value = str | float
Ratings = Sequence[Value | None]
Level = Literal["nominal", "ordinal", "interval"]
Method = Literal["BCa", "percentile"]
T = TypeVar("T")
N = TypeVar("N", bound=tuple[float, object])

DRAWS = 999  # of every bootstrap; coverage was measured with this number
FEW_CASES = 10  # with fewer cases there is no bootstrap
# The winners of a comparison as numbers, for measures that need numbers.
PREFERENCE = {"A": -1.0, "tie": 0.0, "B": 1.0}
FEW_IN_PART = 5
_FEW = 2
_ALPHA_CELLS = 1_000_000  # krippendorff computes cases × values × values numbers in every bootstrap draw
_LEAST_DRAWS, _NUMBERS_DRAWN = 199, 10_000_000  # with many thousands of cases, fewer draws are enough
_MANY_CASES = 2_000  # with more cases, BCa, which leaves out each case once, takes long and gives the same interval
_UNDEFINED = 0.05  # the share of draws that may have no value; with more, there is no interval


@dataclass(frozen=True, slots=True)
class Confusion:
    """A confusion matrix: the judge's classes in columns, people's classes in rows."""

    classes: tuple[Value, ...]
    counts: tuple[tuple[int, ...], ...]


Measure = Callable[[Sequence[T]], Figure]
# For each case: the judge's rating, people's rating, and perhaps more. A case with None on one side is left out.
Pairs = Sequence[Sequence[Any]]


def accuracy(pairs: Pairs) -> Figure:
    """Return the share of cases in which both sides give the same rating."""
    both = _both(pairs)
    return Figure(fmean(one == other for one, other in both), len(both)) if both else _none_in_common()


def cohen_kappa(pairs: Pairs) -> Figure:
    """Return Cohen's kappa: agreement beyond what the two base rates alone would give."""
    return weighted_kappa(pairs, lambda one, other: (one[:, None] != other).astype(float))


def quadratic_kappa(pairs: Pairs) -> Figure:
    """Return Cohen's weighted kappa for numbers: a disagreement counts by the square of its distance.

    Distances are between the numbers themselves, so a step of the scale that was never used changes nothing.
    """
    return weighted_kappa(pairs, lambda one, other: (one[:, None] - other) ** 2)


def weighted_kappa(pairs: Pairs, distance: Callable[[Any, Any], Any]) -> Figure:
    """Return Cohen's weighted kappa: 1 − observed distances ÷ the distances that the two base rates alone would give.

    `distance` takes the judge's values and people's values as arrays and returns the matrix of their distances.
    """
    counts = Counter(_both(pairs))
    if not counts:
        return _none_in_common()
    one, other = (sorted(set(side)) for side in zip(*counts, strict=True))
    if one == other and len(one) == 1:
        return Figure(None, counts.total(), f"both sides always say {one[0]}: agreement beyond chance is not defined")
    observed = np.array([[counts[a, b] for b in other] for a in one], float)
    weight = distance(np.asarray(one), np.asarray(other))
    return Figure(1 - float((weight * observed).sum() / (weight * expected_freq(observed)).sum()), counts.total())


def mean_absolute_error(pairs: Pairs) -> Figure:
    """Return the mean absolute difference; smaller is better."""
    apart = [abs(float(one) - float(other)) for one, other in _both(pairs)]
    return Figure(fmean(apart), len(apart)) if apart else _none_in_common()


def krippendorff_alpha(rows: Iterable[Iterable[Value | None]], level: Level) -> Figure:
    """Return Krippendorff's alpha. A row is one case with the ratings of any number of people.

    Cases with fewer than two ratings say nothing about agreement and are left out.
    """
    # Count cases with the same ratings together, for speed: a bootstrap computes alpha in every draw.
    alike = Counter(tuple(it for it in ratings if it is not None) for ratings in rows)
    pairable = {row: times for row, times in alike.items() if len(row) >= _FEW}
    cases = sum(pairable.values())
    if not cases:
        return Figure(None, 0, "no case has two ratings")
    values = sorted({value for row in pairable for value in row})
    if len(values) < _FEW:
        return Figure(None, cases, f"every rating is {values[0]}: agreement beyond chance is not defined")
    if cases * len(values) ** 2 > _ALPHA_CELLS:
        reason = f"{len(values)} different values in {cases} cases are too many for alpha: round the scores first"
        return Figure(None, cases, reason)
    domain = np.arange(len(values)) if level == "nominal" else np.asarray(values, float)
    counted = np.array([[row.count(value) for value in values] for row in pairable])
    counts = np.repeat(counted, list(pairable.values()), axis=0)
    found = krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level)
    return Figure(float(found), cases)


def confusion(pairs: Pairs, classes: Sequence[Value]) -> Confusion:
    """Return the confusion matrix of these classes."""
    counts = Counter(_both(pairs))
    return Confusion(tuple(classes), tuple(tuple(counts[said, meant] for said in classes) for meant in classes))


def base_rates(human: Ratings) -> dict[Value, float]:
    """Return the share of each class, the most frequent first; it is the accuracy of a judge that always says it."""
    counts = Counter(value for value in human if value is not None)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {value: count / counts.total() for value, count in ordered}


def consensus(ratings: Iterable[Value | None]) -> Value | None:
    """Return people's joint rating: the median of numbers, or the most frequent class; None if two classes tie."""
    given = [value for value in ratings if value is not None]
    if not given:
        return None
    if not any(isinstance(value, str) for value in given):
        return median(float(value) for value in given)
    (first, most), *others = Counter(given).most_common(2)
    return None if others and others[0][1] == most else first


def against_others(
    votes: Mapping[str, Value], together: Callable[[Iterable[Value]], Value | None] = consensus
) -> Iterator[tuple[str, Value, Value]]:
    """Yield each person, their rating of a case, and the others' joint rating. Skip people whose others tie."""
    for person, own in votes.items():
        others = together(vote for other, vote in votes.items() if other != person)
        if others is not None:
            yield person, own, others


def baselines(human: Ratings, lengths: Sequence[Sequence[float]]) -> dict[str, list[Value | None]]:
    """Return the verdicts of three simple rules for comparisons: the most frequent class, the longer answer, the first.

    `lengths` are those of A and B, and A is shown first. The constant is chosen from the labels it is measured on, so
    no constant can do better.
    """
    constant = next(iter(base_rates(human)), None)
    longest: list[Value | None] = [longer_of(*pair) for pair in lengths]
    return {"constant": [constant] * len(human), "longest": longest, "first position": ["A"] * len(human)}


def parts_of(numbered: Sequence[N], most: int) -> Iterator[Sequence[N]]:
    """Split cases, sorted by their first element, into at most `most` parts of about the same size, fewer if there are
    few cases. Cases with the same number are always in the same part."""
    parts = max(min(most, len(numbered) // FEW_IN_PART), 1)
    numbers = [case[0] for case in numbered]
    cuts = (
        {bisect_left(numbers, numbers[round(len(numbers) * at / parts)]) for at in range(parts)} if numbers else set()
    )
    return (numbered[begin:end] for begin, end in pairwise([*sorted(cuts), len(numbers)]))


def longer_of(a: float, b: float) -> Value:
    """Return which of two answers is longer; "tie" if neither is."""
    return "A" if a > b else "B" if b > a else "tie"


def _both(pairs: Pairs) -> list[tuple[Any, Any]]:
    """Return the ratings of the cases that both sides rated."""
    return [(one, other) for one, other, *_ in pairs if one is not None and other is not None]


def _none_in_common() -> Figure:
    return Figure(None, 0, "no case was rated by both sides")


def _correlation(pairs: Pairs, of: Callable[[Any, Any], Any]) -> Figure:
    both = _both(pairs)
    if len(both) < _FEW:
        return Figure(None, len(both), f"too few cases for a correlation: {len(both)}")
    for side, who in zip(zip(*both, strict=True), ("the judge always says", "people always say"), strict=True):
        if len(set(side)) < _FEW:
            return Figure(None, len(both), f"{who} {side[0]}: nothing to correlate")
    return Figure(float(of(*np.asarray(both, float).T).statistic), len(both))


spearman: Measure[Any] = partial(_correlation, of=stats.spearmanr)
kendall: Measure[Any] = partial(_correlation, of=stats.kendalltau)  # tau-b, which allows for ties


# -- how sure it is ---------------------------------------------------------------------------------------------------


def with_interval(measure: Measure[T], cases: Sequence[T], draws: int = DRAWS, method: Method | None = None) -> Figure:
    """Compute a figure with its bootstrap interval, or with the reason why there is none."""
    found = measure(cases)
    if found.value is None:
        return found
    if len(cases) < FEW_CASES:
        return replace(found, reason=f"{len(cases)} cases are too few for an interval: at least {FEW_CASES}")
    method = method or ("BCa" if len(cases) <= _MANY_CASES else "percentile")
    drawn = _draw(lambda cases: measure(cases).value, [cases], draws, method)
    bounded = _bounded(found, drawn.bootstrap_distribution)
    ends = tuple(map(float, drawn.confidence_interval))
    known = bounded.interval is not None and all(map(math.isfinite, ends))
    return replace(bounded, interval=(ends[0], ends[1])) if known else bounded


def units_of(cases: Iterable[T], unit: Callable[[T], Hashable]) -> list[list[T]]:
    """Group the cases that must be drawn together."""
    units: dict[Hashable, list[T]] = defaultdict(list)
    for case in cases:
        units[unit(case)].append(case)
    return list(units.values())


def grouped(
    measure: Measure[T],
    cases: Sequence[T],
    unit: Callable[[T], Hashable],
    draws: int = DRAWS,
    *,
    is_share: bool = False,
) -> Figure:
    """Compute a figure whose interval draws the cases of a unit together. A share of single cases gets Wilson's."""
    units = units_of(cases, unit)
    if len(units) < len(cases):
        return with_interval(lambda drawn: measure(list(chain.from_iterable(drawn))), units, draws)
    found = measure(cases)
    if is_share and found.value is not None:
        return share(round(found.value * found.cases), found.cases)
    return with_interval(measure, cases, draws)


def mean_by_unit(numbers: Iterable[tuple[float, Hashable]], draws: int = DRAWS) -> Figure:
    """Return the mean of numbers, drawn by unit. A share has an interval even if it is 0 or 1."""

    def mean(drawn: Sequence[tuple[float, Hashable]]) -> Figure:
        return Figure(fmean(number for number, _ in drawn), len(drawn)) if drawn else Figure(None, 0, "no cases")

    given = list(numbers)
    found, units = {number for number, _ in given}, {unit for _, unit in given}
    if len(found) == 1 and found <= {0.0, 1.0}:
        # A bootstrap would have no width. The number of units bounds how many other units might be different.
        return replace(share(len(units) if found == {1.0} else 0, len(units)), cases=len(given))
    return grouped(mean, given, lambda each: each[1], draws, is_share=found <= {0.0, 1.0})


def labels_needed(figure: Figure, half_width: float = 0.05) -> int | None:
    """Return how many more labelled cases an interval of ± `half_width` needs; None without an interval.

    An interval narrows with the square root of the number of cases.
    """
    if figure.interval is None or not figure.cases:
        return None
    low, high = figure.interval
    wanted = figure.cases * ((high - low) / 2 / half_width) ** 2
    return max(math.ceil(wanted - 1e-9) - figure.cases, 0)


def difference(first: Measure[T], second: Measure[T], sides: Sequence[Sequence[T]], draws: int = DRAWS) -> Change:
    """Compute two figures and their difference. `sides` holds two lists of cases, drawn separately, or one list for
    both, such as two judges on the same labelled cases: then both figures are computed on the same draws.

    For accuracy, `statistics.changes.share_change` has the exact test (McNemar).
    """
    test = "paired bootstrap by case" if len(sides) == 1 else "bootstrap by case"
    one, other = with_interval(first, sides[0], draws), with_interval(second, sides[-1], draws)
    cases, drawn_from = min(one.cases, other.cases), min(map(len, sides))
    if one.value is None or other.value is None:
        return Change(one, other, Figure(None, cases, one.reason or other.reason), None, test)
    change = Figure(other.value - one.value, cases)
    if drawn_from < FEW_CASES:
        reason = f"{drawn_from} cases are too few for a test: at least {FEW_CASES}"
        return Change(one, other, replace(change, reason=reason), None, test)

    def apart(*drawn: Sequence[T]) -> float | None:
        low, high = first(drawn[0]).value, second(drawn[-1]).value
        return None if low is None or high is None else high - low

    # Use percentiles, so that the interval comes from the same draws as the p-value.
    drawn = _draw(apart, sides, draws, "percentile").bootstrap_distribution
    change = _bounded(change, drawn, varies=False)
    if change.interval is None:
        return Change(one, other, change, None, test)
    # p is twice the smaller tail. A draw with no difference counts in both tails.
    known = drawn[np.isfinite(drawn)]
    tail = min((known <= 0).sum(), (known >= 0).sum())
    return Change(one, other, change, min(2 * (int(tail) + 1) / (len(known) + 1), 1.0), test)


def _draw(statistic: Callable[..., float | None], sides: Sequence[Sequence[T]], draws: int, method: Method) -> Any:
    """Run SciPy's bootstrap. A draw in which the figure is undefined becomes NaN."""

    def of(*places: Any) -> float:
        found = statistic(*(list(map(cases.__getitem__, at.tolist())) for cases, at in zip(sides, places, strict=True)))
        return math.nan if found is None else found

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # SciPy gives no interval if any draw has no value. We then take percentiles of the draws that have one.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        return stats.bootstrap(
            [np.arange(len(cases)) for cases in sides],
            of,
            vectorized=False,
            n_resamples=max(min(draws, _NUMBERS_DRAWN // max(map(len, sides))), min(draws, _LEAST_DRAWS)),
            confidence_level=CONFIDENCE,
            method=method,
            random_state=np.random.default_rng(SEED),
        )


def _bounded(figure: Figure, drawn: Any, *, varies: bool = True) -> Figure:
    known = drawn[np.isfinite(drawn)]
    if len(known) < (1 - _UNDEFINED) * len(drawn):
        share_lost = 1 - len(known) / len(drawn)
        return replace(figure, reason=f"not defined in {share_lost:.0%} of the draws: too few cases for an interval")
    if varies and np.ptp(known) == 0:
        return replace(figure, reason=f"the same in every draw from {figure.cases} cases: too few for an interval")
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return replace(figure, interval=(float(low), float(high)))
