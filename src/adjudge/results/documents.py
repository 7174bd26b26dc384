"""A short report as data: sections of sentences and tables of words, shown as text, as Markdown or by a template.

All words are still as others wrote them; each way of showing makes them safe.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich.cells import cell_len as width_of
from rich.cells import set_cell_size

from ..reports.escaping import markdown, one_line
from ..reports.terminal import Terminal

_WIDEST_CELL = 48
_NARROWEST_CELL = 6
# A number in a cell marks up nothing, and reads better without backslashes.
_NUMBER = re.compile(r"[+−]?[\d.,]+(?: %)?")


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


def as_text(document: Document, *, colour: bool, width: int) -> str:
    """The report as lines for a terminal."""
    terminal = Terminal(colour=colour, width=width)
    lines: list[str] = [terminal.paragraph(document.title, "strong"), *map(terminal.paragraph, document.lead)]
    for section in document.sections:
        style = "warning" if section.warning else ""
        lines += ["", terminal.paragraph(section.title, style or "strong")]
        lines += (terminal.paragraph(sentence, style) for sentence in section.sentences)
        if section.grid is not None:
            lines += grid_lines(section.grid, terminal.width)
    return "\n".join(lines) + "\n"


def as_markdown(document: Document) -> str:
    """The report as Markdown; what others wrote marks up nothing."""
    lines = [f"# {markdown(document.title)}"]
    for sentence in document.lead:
        lines += ["", markdown(sentence)]
    for section in document.sections:
        lines += ["", f"## {markdown(section.title)}"]
        for sentence in section.sentences:
            lines += ["", markdown(sentence)]
        if section.grid is not None:
            lines += ["", *grid_markdown(section.grid)]
    return "\n".join(lines) + "\n"


def grid_markdown(grid: Grid) -> list[str]:
    """A table in Markdown."""
    ruler = ["---" if at < grid.names else "---:" for at in range(len(grid.head))]
    return [markdown_row(grid.head), f"| {' | '.join(ruler)} |", *(markdown_row(row) for row in grid.rows)]


def markdown_row(cells: Sequence[str]) -> str:
    """One line of a table in Markdown."""
    return f"| {' | '.join(cell if _NUMBER.fullmatch(cell) else markdown(cell) for cell in cells)} |"


def grid_lines(
    grid: Grid, width: int, right: Collection[int] | None = None, widest_cell: int = _WIDEST_CELL
) -> list[str]:
    """A table in plain text that keeps to the width: the widest words are cut first, and what still has no room is
    left out. `right` says which columns hold numbers, if not all after the names."""
    rows = [[one_line(cell) for cell in row] for row in (grid.head, *grid.rows)]
    sizes = [min(max(map(width_of, column)), widest_cell) for column in zip(*rows, strict=True)]
    numbers = set(range(grid.names, len(sizes)) if right is None else right)
    words = [at for at in range(len(sizes)) if at not in numbers]
    while words and _across(sizes) > width:
        widest = max(words, key=lambda at: sizes[at])
        if sizes[widest] <= _NARROWEST_CELL:
            break
        sizes[widest] -= 1
    shown = len(sizes)
    while shown > 1 and _across(sizes[:shown]) > width:
        shown -= 1

    def line(row: Sequence[str]) -> str:
        cells = [_cell(row[at], sizes[at], right=at in numbers) for at in range(shown)]
        return "  ".join(cells).rstrip()

    return [line(rows[0]), "  ".join("─" * size for size in sizes[:shown]), *(line(row) for row in rows[1:])]


def _cell(text: str, size: int, *, right: bool) -> str:
    shown = text if width_of(text) <= size else f"{set_cell_size(text, size - 1).rstrip()}…"
    filled = " " * (size - width_of(shown))
    return filled + shown if right else shown + filled


def _across(sizes: Sequence[int]) -> int:
    return sum(sizes) + 2 * (len(sizes) - 1)
