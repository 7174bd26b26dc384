"""A place in an answer, cut to a quote of an allowed length.

It only cuts; what the quote is taken to show is said by whoever asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ...evidence import MAX_WORDS, MIN_WORDS, Haystack, Span
from ...words import count_words

_WINDOW = 600  # characters a quote is cut from
_ENDLESS = 10_000
_TOKEN = re.compile(r"\S+")


def fit(text: str, start: int, end: int) -> Span | None:
    """The passage as a quote: widened to five words if shorter, cut after twenty-five, never inside a word."""
    tokens = list(islice(_positions(text, start, min(end, start + _WINDOW)), MAX_WORDS))
    size = len(tokens)
    while size:
        low, high = tokens[0][0], tokens[size - 1][1]
        words = count_words(text[low:high])
        if words < MIN_WORDS:
            return _widened(text, low, high)
        if words <= MAX_WORDS:
            return _checked(text, low, high)
        size -= 1
    return _widened(text, start, min(end, start + 1))


def _widened(text: str, start: int, end: int) -> Span | None:
    """Take words from behind, and where the text ends, from before; a text shorter than that is quoted whole."""
    for _, high in _positions(text, end, end + _WINDOW):
        if count_words(text[start:high]) >= MIN_WORDS:
            return _checked(text, start, high)
    end = len(text[: end + _WINDOW].rstrip())
    for low, _ in reversed([*_positions(text, max(0, start - _WINDOW), start)]):
        if count_words(text[low:end]) >= MIN_WORDS:
            return _checked(text, low, end)
    whole = text.strip()
    start = text.find(whole)
    span = _checked(text, start, start + len(whole[:_WINDOW].rstrip()))
    # A few words around one endless one are a quote only as they stand.
    return span if span or len(whole) > _ENDLESS else _checked(text, start, start + len(whole))


def _checked(text: str, start: int, end: int) -> Span | None:
    """The span, if evidence would be accepted from there."""
    return Span(start, end) if isinstance(Haystack(text).locate(text[start:end]), Span) else None


def _positions(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The places of a stretch's words with the punctuation beside them; other scripts are cut where ICU cuts words."""
    piece = text[start:end]
    if piece.isascii() or not _unspaced(piece):
        return (match.span() for match in _TOKEN.finditer(text, start, end))
    from icu4py.breakers import WordBreaker

    places: list[tuple[int, int]] = []
    at = start
    for segment in WordBreaker(piece, "und"):
        if any(map(str.isalnum, segment)):
            places.append((at, at + len(segment)))
        elif places and places[-1][1] == at and not segment.isspace():
            places[-1] = (places[-1][0], at + len(segment))
        elif not segment.isspace() and not places:
            places.append((at, at + len(segment)))
        at += len(segment)
    return iter(places)


def _unspaced(piece: str) -> bool:
    return max(map(len, piece.split()), default=0) > 25
