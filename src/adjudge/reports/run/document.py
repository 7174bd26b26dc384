"""A short report as data (sections of sentences and tables), shown as text, as Markdown or by an HTML template.

All words are still as others wrote them; each way of showing makes them safe.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from rich.box import Box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..escaping import markdown, one_line
from ..pages import environment

# Wider than any table: a table that goes to a file or a pipe is neither cut nor wrapped. Sentences are.
_ENDLESS = 100_000
_READABLE = 100
_JOINED = "\ue000"  # a space that nothing is wrapped at; Rich would wrap at a no-break space
_RULED = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
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
    console = _console(colour, width)

    def say(sentence: str, style: str = "") -> None:
        # A number and its % stay on one line.
        console.print(Text(one_line(sentence).replace(" %", f"{_JOINED}%"), style), width=width or _READABLE)

    say(document.title, "bold")
    for sentence in document.lead:
        say(sentence)
    for section in document.sections:
        style = "yellow" if section.warning else ""
        console.print()
        if section.title:
            say(section.title, f"bold {style}".strip())
        for sentence in section.sentences:
            say(sentence, style)
        if section.grid is not None:
            numbers = range(section.grid.names, len(section.grid.head))
            console.print(_table(section.grid.head, section.grid.rows, numbers))
    return _written(console)


def grid_text(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int], width: int | None = None
) -> str:
    """A table in plain text; given a width, words are wrapped to keep to it."""
    console = _console(False, width)
    console.print(_table(head, rows, numbers))
    return _written(console)


def _console(colour: bool, width: int | None) -> Console:
    seen: dict[str, Any] = {"color_system": "standard" if colour else None, "force_terminal": colour}
    return Console(file=io.StringIO(), width=width or _ENDLESS, emoji=False, **seen)


def _written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    written = console.file.getvalue().replace(_JOINED, " ")
    return "".join(f"{line.rstrip()}\n" for line in written.split("\n")[:-1])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int]) -> Table:
    table = Table(box=_RULED, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="")
    for at, name in enumerate(head):
        # Where there is no room, words are wrapped and numbers are not.
        right = at in numbers
        table.add_column(Text(one_line(name)), justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    return table


def as_markdown(document: Document) -> str:
    """The report as Markdown; what others wrote marks up nothing."""
    template = environment("markdown", "adjudge.reports.run").get_template("document.md.j2")
    return template.render(document=document, grid_markdown=grid_markdown)


def as_html(document: Document) -> str:
    """The report as a page that needs nothing else."""
    return environment("html", "adjudge.reports.run").get_template("document.html.j2").render(document=document)


def grid_markdown(grid: Grid) -> Markup:
    """A table in Markdown."""
    ruler = ["---" if at < grid.names else "---:" for at in range(len(grid.head))]
    return Markup("\n".join([markdown_row(grid.head), f"| {' | '.join(ruler)} |", *map(markdown_row, grid.rows)]))


def markdown_row(cells: Sequence[str]) -> str:
    """One line of a table in Markdown."""
    return f"| {' | '.join(cell if _NUMBER.fullmatch(cell) else markdown(cell) for cell in cells)} |"
