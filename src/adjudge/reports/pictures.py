"""Pictures of reports as data: bars with intervals, stacked bars, histograms, curves, a matrix, a grid of cases by
criteria. A template draws them as SVG (`run/templates/pictures.html.j2`).

Places along an axis are shares from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ..agreement.figures import Figure


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval along an axis; `tone` is A, B or nothing."""

    label: str
    text: str
    value: float
    low: float
    high: float
    tone: str = ""
    note: str = ""


def bar_to(top: float, label: str, text: str, figure: Figure, tone: str = "", note: str = "") -> Bar:
    """A figure with its interval along an axis from 0 to `top`."""
    value = figure.value or 0.0
    low, high = figure.interval or (value, value)
    return Bar(label, text, value / top, low / top, high / top, tone, note)


@dataclass(frozen=True, slots=True)
class Stack:
    """Parts of a whole side by side: tone, share and what it says."""

    label: str
    text: str
    parts: tuple[tuple[str, float, str], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A column of a histogram."""

    label: str
    text: str
    height: float
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Strip:
    """A row of a grid: of every cell its tone, how strong it is from 0 to 1, and what it says."""

    label: str
    text: str
    cells: tuple[tuple[str, float, str], ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that stands for itself."""

    label: str
    text: str
    note: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A title, what it shows, and its rows; a wide one stands alone in its line.

    `cases`: where each column of a grid is one case, their positions. `middle`: nought is there, and is drawn.
    """

    kind: Literal["bars", "points", "stacks", "steps", "grid", "amounts"]
    title: str
    lead: str
    rows: Sequence[Bar | Stack | Step | Strip | Amount]
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
    points: tuple[ChartPoint, ...]
    line: bool = True


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves: the axes with their ticks (place and label), the series, and perhaps the line on which both are equal."""

    title: str
    lead: str
    x_name: str
    y_name: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    series: tuple[ChartSeries, ...]
    diagonal: bool = False
    kind: Literal["chart"] = "chart"


@dataclass(frozen=True, slots=True)
class Matrix:
    """A table of counts with how full each cell is, as a share of its row."""

    title: str
    lead: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, float, bool], ...]], ...]
    kind: Literal["matrix"] = "matrix"
