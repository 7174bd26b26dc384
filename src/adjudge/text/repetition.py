"""Does a text say the same twice? Sentences and lines that stand in it word for word more than once.

Code is left out, and so is everything short: a refrain of three words is style, not repetition.
"""

from __future__ import annotations

from bisect import bisect_right

from .sentences import code_spans, rough_words, sentence_spans
from .spots import Spot

_WORDS = 6
_SHOWN = 3


def find_repetition(text: str) -> list[Spot]:
    """The sentences that stand more than once, the most frequent first; each at its first repeat."""
    places: dict[str, list[tuple[int, int]]] = {}
    for start, end in sentence_spans(text):
        places.setdefault(text[start:end], []).append((start, end))
    code = code_spans(text)
    repeated = [
        (len(found), found[1])
        for sentence, found in places.items()
        if len(found) > 1 and _is_prose(sentence) and not _inside(found[1][0], code)
    ]
    repeated.sort(key=lambda item: (-item[0], item[1]))
    return [Spot(*place, f"stands {times} times word for word", False) for times, place in repeated[:_SHOWN]]


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    index = bisect_right(spans, (at, at)) - 1
    return index >= 0 and at < spans[index][1]


def _is_prose(sentence: str) -> bool:
    """Long enough, and no row or rule of a table."""
    return rough_words(sentence) >= _WORDS and not sentence.startswith("|") and any(map(str.isalpha, sentence))
