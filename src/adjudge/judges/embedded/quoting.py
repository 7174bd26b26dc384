"""A place in an answer, cut to a quote of an allowed length.

It only cuts; what the quote is taken to show is said by whoever asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...text.evidence import MAX_WORDS, MIN_WORDS, Haystack, Span
from ...text.words import count_words, split_words

_WINDOW = 600  # characters around the place that a quote is cut from
_UNSPACED = 25  # characters without a space, from which on words are cut as ICU cuts them


def fit(text: str, start: int, end: int) -> Span | None:
    """The passage as a quote: widened to five words, cut after twenty-five, never inside a word."""
    low = text.rfind(" ", 0, max(0, start - _WINDOW)) + 1
    pieces = list(_pieces(text, low, min(end, start + _WINDOW) + _WINDOW))
    first = next((at for at, (_, high) in enumerate(pieces) if high > start), len(pieces) - 1)
    if first < 0:
        return None
    sizes = [count_words(text[low:high]) for low, high in pieces]
    last = first
    while last + 1 < len(pieces) and pieces[last + 1][0] < end and sum(sizes[first : last + 2]) <= MAX_WORDS:
        last += 1
    while last + 1 < len(pieces) and sum(sizes[first : last + 1]) < MIN_WORDS:
        last += 1
    while first and sum(sizes[first : last + 1]) < MIN_WORDS:
        first -= 1
    found = Haystack(text).locate(text[pieces[first][0] : pieces[last][1]])
    return Span(pieces[first][0], pieces[last][1]) if isinstance(found, Span) else None


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The places of what stands between spaces; where a script has none, those of its words."""
    for match in re.finditer(r"\S+", text[start:end]):
        low, high = start + match.start(), start + match.end()
        if high - low <= _UNSPACED or match[0].isascii():
            yield low, high
            continue
        for word in split_words(match[0]):
            at = text.find(word, low, high)
            yield at, at + len(word)
            low = at + len(word)
