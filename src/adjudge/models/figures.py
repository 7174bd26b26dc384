"""The one shape of a measured number: its value, what it is based on, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass


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
