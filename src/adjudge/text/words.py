"""Split a text into words by Unicode segmentation (UAX #29, with ICU's dictionaries for Thai, Chinese, …)."""

from __future__ import annotations

from collections.abc import Iterator


def each_word(text: str) -> Iterator[str]:
    """Yield the words of a text in order, without spaces, punctuation and symbols."""
    from icu4py.breakers import WordBreaker

    # Check the common cases first: half of the segments are a space, nearly all others are only letters and digits.
    for segment in WordBreaker(text, "und"):
        if segment.isalnum() or (segment != " " and any(map(str.isalnum, segment))):
            yield segment


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the words of a text in order."""
    end = 0
    for word in each_word(text):
        # What lies between two words holds no letter or digit, and a word begins with or before its first one.
        start = text.index(word, end)
        end = start + len(word)
        yield start, end


def split_words(text: str) -> list[str]:
    """Return the words of a text as a list."""
    return list(each_word(text))


def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(split_words(text))
