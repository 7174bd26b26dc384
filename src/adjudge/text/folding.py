"""A text as it is compared, and the way back: a stretch of the folded text leads to its place in the original."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator

_STRETCH = 64  # characters that are folded at once; a place in the original is looked for in one stretch
# What never composes with a character before it: ASCII, and letters but those of Hangul that are parts of one.
_BEGINS = re.compile(r"[!-~]|[^\W\u1100-\u11ff]")


class Folded:
    """A folded text. `fold` gets a stretch of the original, and the character that the folded text before it ends with.

    In short stretches: composing is quadratic in a run of marks, and runs can be made long.
    """

    def __init__(self, original: str, fold: Callable[[str, str], str]) -> None:
        self._original, self._fold = original, fold
        # Where each stretch begins, here and in the original; the last one is the end.
        self._places, self._starts = array("q", [0]), array("q", [0])
        pieces: list[str] = []
        place = start = 0
        while start < len(original):
            begins = _BEGINS.search(original, start + _STRETCH, start + 2 * _STRETCH)
            end = begins.start() if begins else min(start + 2 * _STRETCH, len(original))
            if piece := fold(original[start:end], pieces[-1][-1] if pieces else ""):
                pieces.append(piece)
            place, start = place + len(piece), end
            self._places.append(place)
            self._starts.append(start)
        self.text = "".join(pieces)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of this text stands in the original: of several characters that became one, all of them."""
        low, before, beginnings = self._around(start, start)
        # Behind the longest beginning that folds to what stands before it, up to the shortest that folds to all of it.
        first = low + max(length for length, folded in beginnings if before.startswith(folded))
        low, wanted, beginnings = self._around(end - 1, end)
        return first, low + next(length for length, folded in beginnings if folded.startswith(wanted))

    def _around(self, at: int, end: int) -> tuple[int, str, Iterator[tuple[int, str]]]:
        """The stretch with this place: where it begins, how it folds up to `end`, and how its beginnings do."""
        number = bisect_right(self._places, at) - 1
        place, start = self._places[number], self._starts[number]
        stretch, last = self._original[start : self._starts[number + 1]], self.text[place - 1 : place]
        beginnings = ((length, self._fold(stretch[:length], last)) for length in range(len(stretch) + 1))
        return start, self.text[place:end], beginnings
