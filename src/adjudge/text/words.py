"""What a word is: what Unicode segmentation (UAX #29, with ICU's dictionaries for Thai, Chinese, …) says."""

from __future__ import annotations

from collections.abc import Iterator


def words_in(text: str) -> Iterator[str]:
    """The words of a text in order, as they are found; spaces, punctuation and symbols are not words."""
    from icu4py.breakers import WordBreaker

    return (segment for segment in WordBreaker(text, "und") if any(map(str.isalnum, segment)))


def split_words(text: str) -> list[str]:
    """The words of a text in order."""
    return list(words_in(text))


def count_words(text: str) -> int:
    """How many words a text has."""
    return sum(1 for _ in words_in(text))
