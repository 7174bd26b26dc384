"""Cut a text where highlights begin and end, so that overlapping ones can be marked without nesting.

It knows places only; what a highlight means and how it looks is the template's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..evidence import Span


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the text and the spans it lies in, by their index, in the order they were given."""

    text: str
    start: int
    end: int
    inside: tuple[int, ...]


def segments(text: str, spans: Sequence[Span]) -> list[Segment]:
    """The text in pieces, cut at every boundary of a span; joined they are the text again."""
    opening: defaultdict[int, list[int]] = defaultdict(list)
    closing: defaultdict[int, list[int]] = defaultdict(list)
    for index, span in enumerate(spans):
        if not 0 <= span.start <= span.end <= len(text):
            raise ValueError(f"span {span.start}:{span.end} is not inside a text of {len(text)} characters")
        opening[span.start].append(index)
        closing[span.end].append(index)

    cuts = sorted({0, len(text), *opening, *closing})
    active: set[int] = set()
    pieces = []
    for start, end in pairwise(cuts):
        active.update(opening[start])
        active.difference_update(closing[start])
        pieces.append(Segment(text[start:end], start, end, tuple(sorted(active))))
    return pieces
