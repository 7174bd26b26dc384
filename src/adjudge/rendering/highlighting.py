"""Marks quotes and findings in a text by cutting it where they begin and end, so that overlapping marks need no
nesting. Only positions are computed here; templates decide how a mark looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Highlight:
    """A quote or a finding at `start:end` of a text. `ref` links the mark and its explanation; `tone` is its style.

    `shown` is the label beside the mark, `title` its subject, `note` the comment on it, and `place` its location.
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
    """A part of a text: the highlights that contain it, those that begin with it, and those that end with it."""

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
        """The target of a click: the shortest highlight, because a longer one can be clicked outside of it."""
        return min(self.inside, key=lambda highlight: highlight.end - highlight.start)


def marked(text: str, highlights: Sequence[Highlight]) -> tuple[Piece, ...]:
    """Cut the text at every boundary of a highlight. Joined, the pieces are the text again."""
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
