"""Defines a report on many cases as data (sections of sentences, tables and pictures) and renders it as text, Markdown
or HTML.

Text is not escaped here; each output format escapes it. Pictures are drawn as SVG by
`pictures.html.j2`. Positions along an axis are shares from 0 to 1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from markupsafe import Markup

from ..version import __version__
from .escaping import markdown
from .pages import environment
from .terminal import Terminal

# Wider than any table: a table in a file or a pipe is neither cut nor wrapped. Sentences are wrapped.
_ENDLESS = 100_000
_READABLE = 100
# A number in a Markdown cell needs no escaping and reads better without backslashes.
_NUMBER = re.compile(r"[+−]?[\d.,]+(?: %)?(?: to [+−]?[\d.,]+(?: %)?)?")


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A row of a picture: its label, its text, and what is drawn. `tone` is a colour: A, B or none.

    A bar, a point or a column of a histogram has a value, perhaps with an interval. A stacked bar or a strip of cells
    has parts, each with its tone, its share or intensity, and its text.
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
    """Place a value and its interval, if it has one, on an axis."""
    low, high = axis
    value = value or 0.0
    at, first, last = (min(max((it - low) / (high - low), 0.0), 1.0) for it in (value, *(ends or (value, value))))
    return PictureRow(label, text, at, first, last, tone, note)


def stack(label: str, text: str, counted: Iterable[tuple[str, int, str]]) -> PictureRow:
    """Build a stacked bar from parts, each with its tone, its count and its text. Empty parts are left out."""
    found = [each for each in counted if each[1]]
    of = sum(count for _, count, _ in found)
    return PictureRow(label, text, parts=tuple((tone, count / of, words) for tone, count, words in found))


@dataclass(frozen=True, slots=True)
class Picture:
    """A title, a lead and rows. A `wide` picture takes the whole width of the page.

    `cases` are the positions of the cases if each column of a grid is one case. `middle` draws a zero line there.
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
    """A point with its interval, if it has one, and its description. Positions are shares of the axes, from the
    left and from the bottom."""

    x: float
    y: float
    text: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """Points of one colour (`tone` A, B or none), joined by a line or not."""

    name: str
    tone: str
    points: Sequence[ChartPoint]
    line: bool = True


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves: axes with ticks (position and label), series, and optionally the diagonal on which x equals y."""

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
    """A table of counts. Each cell has its text, its share of the row, and whether it is on the diagonal."""

    title: str
    lead: str
    head: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[str, float, bool]]]]
    kind: Literal["matrix"] = "matrix"


# -- sections ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; the first `names` columns hold words, the others numbers. `cases` are the positions of the cases that
    the last cell of each row counts: a page of the service links to them."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1
    cases: Sequence[Sequence[int]] = ()


@dataclass(frozen=True, slots=True)
class CaseCard:
    """A case on which the judge and people differ, with the criterion that moved the verdict, if any, the judge's
    reason and its quotes, each with its source. Text and Markdown show its `sentences`, a page the fields: `tones`
    are those of the two answers, and `position` is where the case is in the run."""

    case: str
    opening: str
    judge: str
    people: str
    about: str
    criterion: str
    reason: str
    quotes: Sequence[tuple[str, str]]
    tones: tuple[str, str] = ("", "")
    position: int | None = None

    @property
    def sentences(self) -> list[str]:
        criterion = f"Moved by {self.criterion}." if self.criterion else ""
        reason = f"The judge: {self.reason}" if self.reason else ""
        quotes = (f"{source}: “{quote}”" for source, quote in self.quotes)
        return [*filter(None, (f"{self.opening} ({self.about})", criterion, reason)), *quotes]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, sentences, tables, pictures, and cards of cases. The sentences of `after` come last.

    `key` is its anchor on a page, and `short` the text of the link to it. `cases` are the positions of the cases that
    it is about, which a page of the service links to. Only a page has pictures: in text and
    Markdown a matrix becomes a table, and other pictures are left out.
    """

    title: str
    sentences: Sequence[str] = ()
    grids: Sequence[Grid] = ()
    warning: bool = False
    key: str = ""
    short: str = ""
    pictures: Sequence[Picture | Chart | Matrix] = ()
    cards: Sequence[CaseCard] = ()
    cases: Sequence[int] = ()
    after: Sequence[str] = ()

    @property
    def matrices(self) -> list[Grid]:
        return [
            Grid(
                ("People say", *(f"judge: {name}" for name in matrix.head)),
                [(name, *(count for count, _, _ in cells)) for name, cells in matrix.rows],
            )
            for matrix in self.pictures
            if isinstance(matrix, Matrix)
        ]


def non_empty(*sections: Section | None) -> tuple[Section, ...]:
    """Return the sections that have content, without their empty tables."""
    found = (replace(each, grids=[grid for grid in each.grids if grid.rows]) for each in sections if each)
    return tuple(each for each in found if each.sentences or each.grids or each.pictures)


@dataclass(frozen=True, slots=True)
class Document:
    """A title, the main finding in a sentence or two, and the sections. `kind` and `about` say what it reports on.

    `facts` name the data it is based on. `cautions` are what a reader should know before trusting it.
    """

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]
    kind: str = ""
    about: str = ""
    facts: Sequence[tuple[str, str]] = ()
    cautions: Sequence[str] = ()

    @property
    def opening(self) -> tuple[str, ...]:
        """The lead, followed by the facts as one sentence."""
        facts = "; ".join(f"{name.lower()} {value}" for name, value in self.facts)
        return (*self.lead, f"{facts[0].upper()}{facts[1:]}.") if facts else self.lead

    @property
    def parts(self) -> tuple[Section, ...]:
        """The sections, preceded by the cautions."""
        return (*non_empty(cautious(self.cautions)), *self.sections)


def cautious(sentences: Sequence[str]) -> Section:
    """Build the section of cautions, which a reader must know first."""
    return Section("Before you trust it", sentences, warning=True)


def as_text(document: Document, *, colour: bool, width: int | None) -> str:
    """Render the report for a terminal. Without a width, tables are as wide as they need to be."""
    sentences, tables = (Terminal(colour=colour, width=width or size) for size in (_READABLE, _ENDLESS))
    template = environment("text").get_template("document.text.j2")
    return template.render(document=document, say=sentences.paragraph, table=tables.table)


def grid_text(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int], width: int | None = None
) -> str:
    """Render a table as plain text. If a width is given, words are wrapped to fit it."""
    return f"{Terminal(colour=False, width=width or _ENDLESS).table(head, rows, numbers, ruled=True)}\n"


def as_markdown(document: Document) -> str:
    """Render the report as Markdown, with all text escaped."""
    template = environment("markdown").get_template("document.markdown.j2")
    return template.render(document=document, grid_markdown=grid_markdown)


def as_html(document: Document) -> str:
    """Render the report as a self-contained HTML page."""
    values = {"document": document, "frame": "page.html.j2", "home": "", "version": __version__}
    return environment("html").get_template("document.html.j2").render(values)


def grid_markdown(grid: Grid) -> Markup:
    """Render a table as Markdown."""
    ruler = ["---" if at < grid.names else "---:" for at in range(len(grid.head))]
    return Markup("\n".join([markdown_row(grid.head), f"| {' | '.join(ruler)} |", *map(markdown_row, grid.rows)]))


def markdown_row(cells: Sequence[str]) -> str:
    """Render one row of a Markdown table."""
    return f"| {' | '.join(cell if _NUMBER.fullmatch(cell) else markdown(cell) for cell in cells)} |"
