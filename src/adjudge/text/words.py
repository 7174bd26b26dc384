"""Split a text into words by Unicode segmentation (UAX #29, with ICU's dictionaries for Thai, Chinese, …)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def each_word(text: str) -> Iterator[str]:
    """Yield the words of a text in order, without spaces, punctuation and symbols."""
    return filter(_is_word, _segments(text))


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the words of a text in order."""
    end = 0
    for segment in _segments(text):
        start, end = end, end + len(segment)
        if _is_word(segment):
            yield start, end


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
    # Check the common cases first: half of the segments are a space, nearly all others are only letters and digits.
    return segment.isalnum() or (segment != " " and any(map(str.isalnum, segment)))
