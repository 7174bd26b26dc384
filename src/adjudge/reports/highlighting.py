"""Quotes and findings as marks in a text: the text is cut where they begin and end, so that overlapping ones need no
nesting. It knows places only; how a mark looks is the template's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Highlight:
    """A quote or a finding at `start:end` of a text. `ref` links its two places; `tone` decides how it looks.

    `shown` stands beside the mark, `title` says what it is about, `note` what is said of it, `place` where it is.
    """

    ref: str
    tone: str
    criterion: str
    text: str
    start: int
    end: int
    shown: str
    title: str
    note: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text: the highlights it lies in, those that begin with it and those that end with it."""

    text: str
    inside: tuple[Highlight, ...] = ()
    begins: tuple[Highlight, ...] = ()
    ends: tuple[Highlight, ...] = ()

    @property
    def tone(self) -> str:
        tones = {highlight.tone for highlight in self.inside}
        return tones.pop() if len(tones) == 1 else "both"

    @property
    def nearest(self) -> Highlight:
        """The highlight a click means: the shortest, for a longer one can still be reached beside it."""
        return min(self.inside, key=lambda highlight: highlight.end - highlight.start)


def marked(text: str, highlights: Sequence[Highlight]) -> tuple[Piece, ...]:
    """The text in pieces, cut at every boundary of a highlight; joined they are the text again."""
    for found in highlights:
        if not 0 <= found.start <= found.end <= len(text):
            raise ValueError(f"span {found.start}:{found.end} is not inside a text of {len(text)} characters")
    cuts = sorted({0, len(text)} | {place for found in highlights for place in (found.start, found.end)})
    pieces = []
    for start, end in pairwise(cuts):
        inside = tuple(found for found in highlights if found.start <= start and end <= found.end)
        begins = tuple(found for found in inside if found.start == start)
        ends = tuple(found for found in inside if found.end == end)
        pieces.append(Piece(text[start:end], inside, begins, ends))
    return tuple(pieces)
