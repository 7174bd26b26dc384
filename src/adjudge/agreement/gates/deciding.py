"""Decides conditions: from the numbers of cases to *passes*, *fails* or *too close to call*. Pure arithmetic.

A condition is decided on the 95 % interval of its figure, over clusters: cases of one task are not independent. What
nobody decided could turn the answer, so the figure is also measured with all of that at its lowest and at its highest.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...models.figures import Figure
from ...statistics.resampling import mean_by_unit
from ...statistics.shares import difference_by_unit, share_by_unit
from .conditions import GateCondition

Answer = Literal["passes", "fails", "too close to call"]
PASSES: Answer = "passes"
FAILS: Answer = "fails"
TOO_CLOSE: Answer = "too close to call"
_Z_SQUARED = 3.8415  # of a 95 % interval


@dataclass(frozen=True, slots=True)
class CaseNumber:
    """A case's number. If nobody decided it, the number could be anything from `low` to `high`; else both are equal."""

    low: float
    high: float
    unit: Hashable

    @property
    def open(self) -> bool:
        return self.low != self.high


@dataclass(frozen=True, slots=True)
class MeasuredFigure:
    """A figure over the decided cases. If `open` cases are not decided, also with all of them at their lowest and at
    their highest. `exact`: it is of the whole run, so that it needs no interval. `at_end`: all numbers are
    one end of their scale."""

    figure: Figure
    lowest: Figure | None = None
    highest: Figure | None = None
    open: int = 0
    exact: bool = False
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """The answer. If it is too close to call: how many more cases would probably settle it (None if no number would, or
    if it is not known), and whether cases that nobody decided are the only reason (`turned`)."""

    answer: Answer
    more_cases: int | None = None
    turned: bool = False


@dataclass(frozen=True, slots=True)
class CaseNumbers:
    """The numbers of all cases, on a scale from `low` to `high`. `share`: numbers are 0 or 1, or ½ for a tie.
    `rare`: the share is of something rare. `differences`: they are differences of two such numbers."""

    cases: Sequence[CaseNumber]
    scale: tuple[float, float] = (0.0, 1.0)
    share: bool = True
    rare: bool = False
    differences: bool = False
    known: Sequence[CaseNumber] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", [case for case in self.cases if not case.open])

    def measured(self) -> MeasuredFigure:
        """Measure the figure over the decided cases, and with the others at both ends."""
        figure = self._figure((case.low, case.unit) for case in self.known)
        ends = {0.0} if self.differences else set(self.scale)
        at_end = any({case.low for case in self.known} == {end} for end in ends)
        if len(self.known) == len(self.cases):
            return MeasuredFigure(figure, at_end=at_end)
        lowest = self._figure((case.low, case.unit) for case in self.cases)
        highest = self._figure((case.high, case.unit) for case in self.cases)
        return MeasuredFigure(figure, lowest, highest, len(self.cases) - len(self.known), at_end=at_end)

    def _figure(self, numbers: Iterable[tuple[float, Hashable]]) -> Figure:
        given = list(numbers)
        low, high = self.scale
        width = high - low
        if not self.share:
            found = mean_by_unit(given, is_share=False)
            # Without variance, or with few cases, there is none: then as for a share, which is wide enough.
            if found.interval is not None or not given:
                return found
        if self.differences:
            return _scaled(difference_by_unit((number / width, unit) for number, unit in given), width)
        if self.rare:
            return share_by_unit((number, 1, unit) for number, unit in given)
        return _scaled(mean_by_unit((((number - low) / width), unit) for number, unit in given), width, low)


def _scaled(figure: Figure, width: float, low: float = 0.0) -> Figure:
    """Return a figure of shares of a scale on that scale."""
    value = None if figure.value is None else low + width * figure.value
    ends = None if figure.interval is None else (low + width * figure.interval[0], low + width * figure.interval[1])
    return Figure(value, figure.cases, figure.reason, ends)


def decide(condition: GateCondition, measured: MeasuredFigure) -> GateAnswer:
    """Decide a condition."""
    exact = measured.exact or condition.counts
    answer = _answer(condition, measured.figure, exact)
    if answer is None:
        return GateAnswer(TOO_CLOSE, more_cases=_more_cases(condition, measured))
    others = [each for each in (measured.lowest, measured.highest) if each is not None]
    if any(_answer(condition, each, exact) != answer for each in others):
        return GateAnswer(TOO_CLOSE, turned=True)
    return GateAnswer(answer)


def _answer(condition: GateCondition, figure: Figure, exact: bool) -> Answer | None:
    """Return what a figure says of a condition; None if its interval holds both."""
    if figure.value is None or (figure.interval is None and not exact):
        return None
    low, high = (figure.value, figure.value) if exact or figure.interval is None else figure.interval
    limit = condition.limit
    true, false = {
        "<": (high < limit, low >= limit),
        "<=": (high <= limit, low > limit),
        ">": (low > limit, high <= limit),
        ">=": (low >= limit, high < limit),
    }[condition.operator]
    return FAILS if true else PASSES if false else None


def _more_cases(condition: GateCondition, measured: MeasuredFigure) -> int | None:
    """Return how many more cases would move the interval's end beyond the limit if the figure stayed the same.

    An interval narrows with the square root of the number of cases. If all numbers are one end of their scale, it is
    as long as z²/(n + z²). Of more cases, as many will not be decided as now.
    """
    figure = measured.figure
    if figure.value is None or figure.interval is None:
        return None
    away = abs(figure.value - condition.limit)
    if away < 1e-9:
        return None
    low, high = figure.interval
    reach = high - figure.value if figure.value < condition.limit else figure.value - low
    # The interval of a share is shorter on the side of the nearer end, 0 or 1; with more cases both sides become equal.
    reach = max(reach, (high - low) / 2)
    cases = figure.cases + measured.open
    if measured.at_end:
        return max(math.ceil((cases + _Z_SQUARED) * reach / away - _Z_SQUARED) - cases, 1)
    return max(math.ceil(cases * (reach / away) ** 2) - cases, 1)
