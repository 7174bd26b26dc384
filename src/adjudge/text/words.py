"""What a word is: what Unicode segmentation (UAX #29, with ICU's dictionaries for Thai, Chinese, …) says."""

from __future__ import annotations

from collections.abc import Iterator


def each_word(text: str) -> Iterator[str]:
    """The words of a text in order; spaces, punctuation and symbols are not words."""
    from icu4py.breakers import WordBreaker

    # Half of the segments are a space, and nearly all the others letters and digits only.
    for segment in WordBreaker(text, "und"):
        if segment.isalnum() or (segment != " " and any(map(str.isalnum, segment))):
            yield segment


def split_words(text: str) -> list[str]:
    """All of them."""
    return list(each_word(text))


def count_words(text: str) -> int:
    """How many words a text has."""
    return len(split_words(text))
