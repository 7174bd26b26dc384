"""Pictures of reports as data: bars with intervals, stacked bars, histograms, curves, a matrix, a grid of cases by
criteria. A template draws them as SVG (`run/templates/pictures.html.j2`).

Places along an axis are shares from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A line of a picture: what it is called, what it says, and what is drawn; `tone` is A, B or nothing.

    A bar, a point or a column of a histogram has a value, perhaps with its interval. A stacked bar and a strip of cells
    have parts: the tone of each, its share or how strong it is, and what it says.
    """

    label: str
    text: str
    value: float = 0.0
    low: float = 0.0
    high: float = 0.0
    tone: str = ""
    note: str = ""
    parts: tuple[tuple[str, float, str], ...] = ()


def bar(
    label: str,
    text: str,
    value: float | None,
    ends: tuple[float, float] | None,
    tone: str = "",
    note: str = "",
    axis: tuple[float, float] = (0.0, 1.0),
) -> PictureRow:
    """A value with its interval, if it has one, along an axis."""
    low, high = axis
    value = value or 0.0
    at, first, last = (min(max((it - low) / (high - low), 0.0), 1.0) for it in (value, *(ends or (value, value))))
    return PictureRow(label, text, at, first, last, tone, note)


def stack(label: str, text: str, counted: Iterable[tuple[str, int, str]]) -> PictureRow:
    """Parts of a whole side by side: of each its tone, how many there are, and what it says."""
    found = [each for each in counted if each[1]]
    of = sum(count for _, count, _ in found)
    return PictureRow(label, text, parts=tuple((tone, count / of, said) for tone, count, said in found))


@dataclass(frozen=True, slots=True)
class Picture:
    """A title, what it shows, and its rows; a wide one stands alone in its line.

    `cases`: where each column of a grid is one case, their positions. `middle`: nought is there, and is drawn.
    """

    kind: Literal["bars", "points", "stacks", "steps", "grid", "amounts"]
    title: str
    lead: str
    rows: Sequence[PictureRow]
    legend: tuple[tuple[str, str], ...] = ()
    wide: bool = False
    cases: tuple[int, ...] = ()
    middle: bool = False


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """A point with its interval, if it has one; `said` is what it shows, in words. Places are shares of the axes, from
    the left and from the bottom."""

    x: float
    y: float
    said: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """Points of one colour (`tone` A, B or nothing), joined by a line or not."""

    name: str
    tone: str
    points: Sequence[ChartPoint]
    line: bool = True


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves: the axes with their ticks (place and label), the series, and perhaps the line on which both are equal."""

    title: str
    lead: str
    x_name: str
    y_name: str
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]
    series: Sequence[ChartSeries]
    diagonal: bool = False
    kind: Literal["chart"] = "chart"


@dataclass(frozen=True, slots=True)
class Matrix:
    """A table of counts with how full each cell is, as a share of its row."""

    title: str
    lead: str
    head: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[str, float, bool]]]]
    kind: Literal["matrix"] = "matrix"
