"""The one shape of a measured number, and of its change: value, what it is based on, and how sure it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, how many cases it is based on, and its 95 % interval.

    If the number or its interval is None, `reason` says why; neither is ever replaced by 0 or NaN.
    """

    value: float | None
    cases: int
    reason: str = ""
    interval: tuple[float, float] | None = None

    def leaves_out(self, fair: float) -> bool | None:
        """Return whether the interval excludes this number; None without an interval."""
        return None if self.interval is None else not self.interval[0] <= fair <= self.interval[1]


@dataclass(frozen=True, slots=True)
class Change:
    """A figure in two runs, under two judges, or in two halves of the time, and the change from one to the other.

    `real` says whether chance alone would rarely cause a change as large: whether `p` is below 0.05 and the interval of
    the change, if it has one, leaves out 0 (the two come from different methods and may differ). It is False if there
    is no test, and then the change's `reason` says why.
    """

    before: Figure
    after: Figure
    change: Figure
    p: float | None
    test: str
    real: bool = False  # always computed; it is a field so that it is in the JSON

    def __post_init__(self) -> None:
        low, high = self.change.interval or (1.0, 1.0)
        object.__setattr__(self, "real", self.p is not None and self.p < SIGNIFICANT and not low <= 0 <= high)


@dataclass(frozen=True)
class Counts:
    """How many cases a run has, and how many of the chosen rows have each status."""

    cases: int
    statuses: Counter[str]

    @property
    def finished(self) -> int:
        return sum(self.statuses.values())

    @property
    def unfinished(self) -> int:
        return self.cases - self.finished
