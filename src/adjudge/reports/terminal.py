"""Lines for a terminal of a given width: paragraphs, a table, and colour if the caller wants it.

Everything that reaches it as text is cleaned here, once. It knows nothing of verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence

from .columns import cut, pad, width_of, wrap
from .escaping import one_line

MIN_WIDTH = 40
# Enough for a sentence or two: the whole text is in the other formats.
REASON_COLUMNS = 300
QUOTE_COLUMNS = 240

_RESET = "\x1b[0m"
_STYLES = {"strong": "\x1b[1m", "faint": "\x1b[2m", "+": "\x1b[32m", "−": "\x1b[31m", "warning": "\x1b[33m"}


class Page:
    """The lines written so far, none wider than `width`, which is 40 at the least."""

    def __init__(self, colour: bool, width: int) -> None:
        self.lines: list[str] = []
        self.colour = colour
        self.width = max(width, MIN_WIDTH)

    def line(self, text: str = "") -> None:
        self.lines.append(text)

    def paragraph(self, text: str, *, indent: int = 0, hanging: int = 0, style: str = "") -> None:
        for number, line in enumerate(wrap(one_line(text), self.width - indent - hanging)):
            self.line(" " * (indent + (hanging if number else 0)) + self.styled(line, style))

    def table(self, rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> None:
        """A name and numbers in each row; the first row is the heading, the last the total.

        Notes stand to the right of the rows if the page is wide enough for all of them, and nowhere if it is not.
        """
        numbers = [max(map(width_of, column)) + 2 for column in list(zip(*rows, strict=True))[1:]]
        names = [one_line(row[0]) for row in rows]
        # A weight may have twelve decimals: the names give way, but not beyond reading.
        room = min(max(map(width_of, names)), max(self.width - sum(numbers), 10))
        beside = max(map(width_of, notes), default=0) + 2
        shown = notes if notes and room + sum(numbers) + beside <= self.width else [""] * len(rows)
        for at, (name, row, note) in enumerate(zip(names, rows, shown, strict=True)):
            cells = [pad(cell, size, right=True) for cell, size in zip(row[1:], numbers, strict=True)]
            line = f"{pad(cut(name, room), room)}{''.join(cells)}  {note}".rstrip()
            self.line(self.styled(line, "strong" if at in (0, len(rows) - 1) else ""))

    def styled(self, text: str, style: str) -> str:
        return f"{_STYLES[style]}{text}{_RESET}" if self.colour and style and text else text

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"
