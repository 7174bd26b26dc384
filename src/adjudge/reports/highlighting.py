"""Cut a text where highlights begin and end, so that overlapping ones can be marked without nesting.

It knows places only; what a highlight means and how it looks is the template's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

from ..text.evidence import Span


class Quoted(Protocol):
    """Something that stands at `start:end` of the text, with a tone that decides how it looks."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def tone(self) -> str: ...


Q = TypeVar("Q", bound=Quoted)


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the text and the spans it lies in, by their index, in the order they were given."""

    text: str
    start: int
    end: int
    inside: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Piece(Generic[Q]):
    """A stretch of a text: the quotes it belongs to, those that begin with it and those that end with it."""

    text: str
    quotes: tuple[Q, ...]
    begins: tuple[Q, ...]
    ends: tuple[Q, ...]

    @property
    def tone(self) -> str:
        tones = {quote.tone for quote in self.quotes}
        return tones.pop() if len(tones) == 1 else "both"

    @property
    def nearest(self) -> Q:
        """The quote a click means: the shortest, for a longer one can still be reached beside it."""
        return min(self.quotes, key=lambda quote: quote.end - quote.start)


def marked(text: str, quotes: Sequence[Q]) -> tuple[Piece[Q], ...]:
    """The text in pieces that know the quotes they belong to."""
    pieces = []
    for segment in segments(text, [Span(quote.start, quote.end) for quote in quotes]):
        inside = tuple(quotes[index] for index in segment.inside)
        begins = tuple(quote for quote in inside if quote.start == segment.start)
        ends = tuple(quote for quote in inside if quote.end == segment.end)
        pieces.append(Piece(segment.text, inside, begins, ends))
    return tuple(pieces)


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
