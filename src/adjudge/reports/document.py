"""A short report as data (sections of sentences and tables), shown by a template as text, as Markdown or as a page.

All words are still as others wrote them; each way of showing makes them safe.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..version import __version__
from .escaping import markdown
from .pages import environment
from .terminal import Terminal

# Wider than any table: a table that goes to a file or a pipe is neither cut nor wrapped. Sentences are.
_ENDLESS = 100_000
_READABLE = 100
# A number in a cell marks up nothing, and reads better without backslashes.
_NUMBER = re.compile(r"[+−]?[\d.,]+(?: %)?(?: to [+−]?[\d.,]+(?: %)?)?")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; the first `names` columns hold words, the others numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, sentences, and a table if there is one."""

    title: str
    sentences: tuple[str, ...] = ()
    grid: Grid | None = None
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A title, what matters most in a sentence or two, and the sections."""

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]


def as_text(document: Document, *, colour: bool, width: int | None) -> str:
    """The report as lines for a terminal; without a width, tables are as wide as they need to be."""
    sentences, tables = (Terminal(colour=colour, width=width or size) for size in (_READABLE, _ENDLESS))
    template = environment("text").get_template("document.text.j2")
    return template.render(document=document, say=sentences.sentence, table=tables.ruled)


def grid_text(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int], width: int | None = None
) -> str:
    """A table in plain text; given a width, words are wrapped to keep to it."""
    return f"{Terminal(colour=False, width=width or _ENDLESS).ruled(head, rows, numbers)}\n"


def as_markdown(document: Document) -> str:
    """The report as Markdown; what others wrote marks up nothing."""
    template = environment("markdown").get_template("document.markdown.j2")
    return template.render(document=document, grid_markdown=grid_markdown)


def as_html(document: Document) -> str:
    """The report as a page that needs nothing else."""
    values = {"document": document, "headline": document.title, "home": "", "version": __version__}
    return environment("html").get_template("document.html.j2").render(values)


def grid_markdown(grid: Grid) -> Markup:
    """A table in Markdown."""
    ruler = ["---" if at < grid.names else "---:" for at in range(len(grid.head))]
    return Markup("\n".join([markdown_row(grid.head), f"| {' | '.join(ruler)} |", *map(markdown_row, grid.rows)]))


def markdown_row(cells: Sequence[str]) -> str:
    """One line of a table in Markdown."""
    return f"| {' | '.join(cell if _NUMBER.fullmatch(cell) else markdown(cell) for cell in cells)} |"
