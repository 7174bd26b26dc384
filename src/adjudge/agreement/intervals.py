"""How sure a figure is: bootstrap intervals by case, how many labels a narrower one needs, tests of a difference.

What is drawn is the case with all that was said of it, because the ratings of one case are not independent. The ends
are percentiles: in simulations (bench/agreement_coverage.py) BCa intervals covered the truth about as often, and draws
in which a figure is not defined (all ratings the same) leave BCa without an answer. The seed is fixed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from ..results.statistics import CONFIDENCE, SEED, SIGNIFICANT, share_interval
from .metrics import Figure

DRAWS = 1_999
FEW_CASES = 10  # fewer cannot carry a bootstrap
_UNDEFINED = 0.05  # the share of draws without a value that an interval may leave out

T = TypeVar("T")
Measure = Callable[[Sequence[T]], Figure]


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure under two judges, rubrics or runs: how far apart, and whether chance alone would bring that."""

    first: Figure
    second: Figure
    change: Figure
    p: float | None
    test: str

    @property
    def real(self) -> bool:
        return self.p is not None and self.p < SIGNIFICANT


def share(hits: int, of: int) -> Figure:
    """A share of independent cases with Wilson's interval, which holds at 0 and 1, where a bootstrap has no width."""
    return Figure(hits / of, of, "", share_interval(hits, of)) if of else Figure(None, 0, "no cases")


def with_interval(measure: Measure[T], cases: Sequence[T], draws: int = DRAWS) -> Figure:
    """A figure of cases with its bootstrap interval; where there is none, the reason."""
    found = measure(cases)
    if found.value is None:
        return found
    if len(cases) < FEW_CASES:
        return replace(found, reason=f"{len(cases)} cases are too few for an interval: at least {FEW_CASES}")
    return _bounded(found, _draw(lambda drawn: measure(drawn).value, [cases], draws))


def labels_needed(figure: Figure, half_width: float = 0.05) -> int | None:
    """How many more cases to label for an interval of ± `half_width`; None where there is no interval to go by.

    An interval narrows with the square root of the number of cases.
    """
    if figure.interval is None or not figure.cases:
        return None
    low, high = figure.interval
    wanted = figure.cases * ((high - low) / 2 / half_width) ** 2
    return max(math.ceil(wanted - 1e-9) - figure.cases, 0)


def paired_difference(first: Measure[T], second: Measure[T], cases: Sequence[T], draws: int = DRAWS) -> Difference:
    """Two judges or rubrics on the same labelled cases: both figures are computed on the same draws.

    For accuracy, `results.statistics.share_change` has the exact test (McNemar).
    """
    return _difference(first, second, [cases], draws, "paired bootstrap by case")


def drift(measure: Measure[T], earlier: Sequence[T], later: Sequence[T], draws: int = DRAWS) -> Difference:
    """The change of a figure from earlier cases to later, different ones: each side is drawn by itself."""
    return _difference(measure, measure, [earlier, later], draws, "bootstrap by case")


def _difference(first: Measure[T], second: Measure[T], sides: list[Sequence[T]], draws: int, test: str) -> Difference:
    """`sides` are the cases of both figures, or one list for both."""
    before, after = sides[0], sides[-1]
    one, other = with_interval(first, before, draws), with_interval(second, after, draws)
    cases = min(map(len, sides))
    if one.value is None or other.value is None:
        return Difference(one, other, Figure(None, cases, one.reason or other.reason), None, test)
    change = Figure(other.value - one.value, cases)
    if cases < FEW_CASES:
        reason = f"{cases} cases are too few for a test: at least {FEW_CASES}"
        return Difference(one, other, replace(change, reason=reason), None, test)

    def apart(*drawn: Sequence[T]) -> float | None:
        low, high = first(drawn[0]).value, second(drawn[-1]).value
        return None if low is None or high is None else high - low

    drawn = _draw(apart, sides, draws)
    known = drawn[np.isfinite(drawn)]
    change = _bounded(change, drawn, varies=False)
    if change.interval is None:
        return Difference(one, other, change, None, test)
    # Twice the smaller tail; a draw of exactly no difference counts on both sides.
    tail = min((known <= 0).sum(), (known >= 0).sum())
    return Difference(one, other, change, min(2 * (int(tail) + 1) / (len(known) + 1), 1.0), test)


def _draw(statistic: Callable[..., float | None], sides: Sequence[Sequence[T]], draws: int) -> Any:
    """The statistic of each draw; not a number where it is not defined."""

    def of(*places: Any) -> float:
        drawn = [[cases[at] for at in place.tolist()] for cases, place in zip(sides, places, strict=True)]
        found = statistic(*drawn)
        return math.nan if found is None else found

    with warnings.catch_warnings():
        # SciPy gives no interval as soon as one draw has no value; ours is taken from those that have one.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        return stats.bootstrap(
            [np.arange(len(cases)) for cases in sides],
            of,
            vectorized=False,
            n_resamples=draws,
            method="percentile",
            random_state=np.random.default_rng(SEED),
        ).bootstrap_distribution


def _bounded(figure: Figure, drawn: Any, *, varies: bool = True) -> Figure:
    known = drawn[np.isfinite(drawn)]
    if len(known) < (1 - _UNDEFINED) * len(drawn):
        share_lost = 1 - len(known) / len(drawn)
        return replace(figure, reason=f"not defined in {share_lost:.0%} of the draws: too few cases for an interval")
    if varies and np.ptp(known) == 0:
        return replace(figure, reason=f"the same in every draw from {figure.cases} cases: too few to bound it")
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return replace(figure, interval=(float(low), float(high)))
