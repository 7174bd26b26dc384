"""A line of the coverage table, and the loop that fills it from repeated simulations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

Interval = tuple[float, float] | None


class Line(NamedTuple):
    """One figure in one situation. `share` of the draws held the truth (`what` is "covers"), accused a fair judge
    ("false alarms") or found a planted bias ("power"). `none` is the share of draws in which there was no answer, which
    do not count in `share`. `width` and `beside` are mean widths of the interval and of its baseline, named in `note`.
    """

    figure: str
    situation: str
    what: str
    share: float
    draws: int
    width: float | None = None
    beside: float | None = None
    none: float = 0.0
    note: str = ""

    @property
    def wrong(self) -> bool:
        """Whether coverage is significantly below 92 %, or false alarms significantly above 8 %."""
        counted = round(self.draws * (1 - self.none))
        if not counted or self.what == "power":
            return False
        hits = round(self.share * counted)
        bound, side = (0.92, "less") if self.what == "covers" else (0.08, "greater")
        return bool(stats.binomtest(hits, counted, bound, alternative=side).pvalue < 0.05)

    def markdown(self) -> str:
        def shown(width: float | None) -> str:
            return "" if width is None else f"{width:.3f}"

        cells = (self.figure, self.situation, self.what, f"{self.share:.1%}", shown(self.width), shown(self.beside))
        return f"| {' | '.join(cells)} | {self.none:.1%} | {self.draws} | {self.note} |"


def summary(lines: Sequence[Line]) -> str:
    """Return one line for each figure: in how many situations it was simulated, and the least and the largest share."""
    kinds: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        kinds.setdefault((line.figure, line.what), []).append(line.share)
    rows = [
        f"| {figure} | {what} | {len(shares)} | {min(shares):.1%} | {np.median(shares):.1%} | {max(shares):.1%} |"
        for (figure, what), shares in kinds.items()
    ]
    return "\n".join(["| figure | what | situations | least | median | most |", "| --- " * 6 + "|", *rows])


HEAD = "| figure | situation | what | share | width | beside | none | draws | note |\n" + "| --- " * 9 + "|"


def coverage(
    figure: str,
    situation: str,
    simulate: Callable[[Any], tuple[float, Interval, Interval]],
    draws: int,
    note: str = "",
) -> Line:
    """Simulate `draws` times. Each time, `simulate` returns the truth, the interval, and the baseline's interval."""
    rng = np.random.default_rng(20_260_101)
    found = [simulate(rng) for _ in range(draws)]
    known = [(truth, interval) for truth, interval, _ in found if interval is not None]
    hits = [low <= truth <= high for truth, (low, high) in known]
    return Line(
        figure=figure,
        situation=situation,
        what="covers",
        share=float(np.mean(hits)) if hits else float("nan"),
        draws=draws,
        width=_width(interval for _, interval in known),
        beside=_width(interval for _, _, interval in found if interval is not None),
        none=1 - len(known) / draws,
        note=note,
    )


def alarms(figure: str, situation: str, what: str, accused: Sequence[bool | None], note: str = "") -> Line:
    """Count how often a bias was found; None if a draw has no answer. `what` is "false alarms" or "power"."""
    known = [it for it in accused if it is not None]
    share = float(np.mean(known)) if known else float("nan")
    return Line(figure, situation, what, share, len(accused), none=1 - len(known) / len(accused), note=note)


def _width(intervals: Iterable[tuple[float, float]]) -> float | None:
    widths = [high - low for low, high in intervals]
    return float(np.mean(widths)) if widths else None
