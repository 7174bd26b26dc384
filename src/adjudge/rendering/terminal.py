"""Lays out paragraphs, items and tables for a terminal of a given width with rich, in colour if wanted.

All text is cleaned here, once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from markupsafe import Markup
from rich.box import Box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .escaping import clean, one_line

MIN_WIDTH = 40
MIN_BESIDE = 48
Cell = str | tuple[str, str]
_STYLES = {
    **{"": "", "strong": "bold", "faint": "dim", "warning": "yellow", "+": "green", "−": "red"},
    "strong warning": "bold yellow",
}
_RULED = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
_JOINED = "\ue000"  # a placeholder for a space without a line break; rich would wrap at a no-break space


class Terminal:
    """The functions that text templates call. Each returns finished lines of at most `width`, which is at least 40."""

    def __init__(self, *, colour: bool, width: int) -> None:
        self.width = max(width, MIN_WIDTH)
        self._console = Console(
            width=self.width,
            force_terminal=colour,
            color_system="standard" if colour else None,
            no_color=False,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )

    def paragraph(self, text: str, style: str = "") -> Markup:
        """Wrap the text at spaces, but not between a number and its %."""
        joined = one_line(text).replace(" %", f"{_JOINED}%")
        return Markup(self._lines(Text(joined, _STYLES[style.strip()])).replace(_JOINED, " "))

    def item(self, marker: str, text: str, style: str = "", *, indent: int = 0, column: int = 0) -> Markup:
        """Put a marker in a column of at least `column` characters, and wrap the text in a second column."""
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_column(no_wrap=True, min_width=column)
        grid.add_column(overflow="fold")
        grid.add_row(Text(one_line(marker), _STYLES[style]), Text(one_line(text), _STYLES[style]))
        return self._lines(Padding(grid, (0, 0, 0, indent)))

    def table(
        self,
        head: Sequence[str],
        rows: Iterable[Sequence[Cell]],
        right: Collection[int] = (),
        *,
        total: bool = False,
        ruled: bool = False,
    ) -> Markup:
        """Lay out a table. `right` are the columns of numbers; with `total` the last row is bold.

        A cell is its text, or its text and a style. `ruled` draws a line below the headings instead of bold headings.
        """
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        if ruled:
            table = Table(box=_RULED, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="")
        for at, heading in enumerate(head):
            # If there is little room, words are wrapped and numbers are not.
            justify: Literal["left", "right"] = "right" if at in right else "left"
            table.add_column(Text(one_line(heading)), justify=justify, no_wrap=at in right, overflow="fold")
        for row in rows:
            cells = ((cell, "") if isinstance(cell, str) else cell for cell in row[: len(head)])
            table.add_row(*(Text(one_line(text), _STYLES[style]) for text, style in cells))
        if total:
            table.rows[-1].style = "bold"
        if self._needed(table) > self.width:
            for column in table.columns:
                column.no_wrap = False  # otherwise rich would cut numbers off
        return self._lines(table)

    def _needed(self, table: Table) -> int:
        """Return the smallest width at which no number and no word is broken."""
        widths = []
        for column in table.columns:
            texts = [str(text) for text in (column.header, *column.cells)]
            whole = texts if column.no_wrap else [word for text in texts for word in text.split()]
            widths.append(max(map(cell_len, whole), default=0))
        return sum(widths) + 2 * (len(widths) - 1)

    def has_room_for(self, texts: int) -> bool:
        """Check whether this many texts fit side by side."""
        return texts > 1 and self.width // texts >= MIN_BESIDE

    def blocks(self, titled: Sequence[tuple[str, str]]) -> Markup:
        """Lay out texts with their line breaks, each under its title: side by side if there is room, else one below the
        other."""
        beside = self.has_room_for(len(titled))
        width = self.width // len(titled) - 2 if beside else self.width
        grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
        blocks = []
        for title, text in titled:
            lines = Text(clean(text).expandtabs(4).strip("\n")).wrap(self._console, width, overflow="fold")
            blocks.append(Text("\n").join([Text(one_line(title), "bold"), *lines]))
        if beside:
            for _ in blocks:
                grid.add_column(width=width)
            grid.add_row(*blocks)
        else:
            grid.add_row(Text("\n\n").join(blocks))
        return self._lines(grid)

    def _lines(self, shown: RenderableType) -> Markup:
        lines = []
        for segments in self._console.render_lines(shown, pad=False):
            lines.append(Text.assemble(*((segment.text, segment.style or "") for segment in segments)))
            lines[-1].rstrip()  # rich fills cells with spaces
        with self._console.capture() as captured:
            self._console.print(Text("\n").join(lines), end="", soft_wrap=True)
        return Markup(captured.get())
