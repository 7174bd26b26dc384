"""Split a text into words by Unicode segmentation (UAX #29, with ICU's dictionaries for Thai, Chinese, …)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

# Half of the segments of a text are a space, and nearly all others are only letters and digits. The functions below
# check this first, since calling a function for each segment would take as long as the rest.


def each_word(text: str) -> Iterator[str]:
    """Yield the words of a text in order, without spaces, punctuation and symbols."""
    for segment in _segments(text):
        if segment.isalnum() or (segment != " " and _is_word(segment)):
            yield segment


def word_edges(text: str) -> list[int]:
    """Return where each word of a text starts and ends, in order: start, end, start, end, …"""
    edges: list[int] = []
    end = 0
    for segment in _segments(text):
        start = end
        end += len(segment)
        if segment.isalnum() or (segment != " " and _is_word(segment)):
            edges += start, end
    return edges


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the words of a text in order."""
    edges = iter(word_edges(text))
    return zip(edges, edges, strict=True)


def split_words(text: str) -> list[str]:
    """Return the words of a text as a list."""
    return list(each_word(text))


def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(split_words(text))


def _segments(text: str) -> Iterable[str]:
    """Return the words of a text and what is between them; together they are the text."""
    from icu4py.breakers import WordBreaker

    return WordBreaker(text, "und")


def _is_word(segment: str) -> bool:
    return any(map(str.isalnum, segment))
