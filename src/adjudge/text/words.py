"""What a word is: what Unicode segmentation (UAX #29, with ICU's dictionaries for Thai, Chinese, …) says."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate


def each_word(text: str) -> Iterator[str]:
    """The words of a text in order; spaces, punctuation and symbols are not words."""
    return (segment for segment in _segments(text) if _is_word(segment))


def split_words(text: str) -> list[str]:
    """All of them."""
    return list(each_word(text))


def count_words(text: str) -> int:
    """How many words a text has."""
    return len(split_words(text))


def count_words_each(texts: Iterable[str]) -> list[int]:
    """How many words each of several short texts has; in one pass, for no segment goes on behind the end of a line."""
    lines = list(texts)
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    counts, at = [0] * len(lines), 0
    for segment in _segments("\n".join(lines)):
        if _is_word(segment):
            counts[bisect_right(starts, at) - 1] += 1
        at += len(segment)
    return counts


def _segments(text: str) -> Iterable[str]:
    from icu4py.breakers import WordBreaker

    return WordBreaker(text, "und")


def _is_word(segment: str) -> bool:
    # Half of the segments are a space, and nearly all the others letters and digits only.
    return segment.isalnum() or (segment != " " and any(map(str.isalnum, segment)))
