"""Find a quote in a text: return its offsets in the original, or the reason why it cannot be used as evidence.

Quotes must be verbatim. Only white space, invisible characters, typographic quotation marks and Unicode form (NFC) may
differ: no case folding, no fuzzy match. A quote that is not found here is never shown as evidence. One that is found,
but has too many or too few words, is cut or widened.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from .sentences import sentence_around
from .words import each_word, word_spans

MIN_WORDS = 5
MAX_WORDS = 25
_STRETCH = 64  # characters that are folded or searched for a word at once
# Characters that never compose with the one before: visible ASCII, and letters except Hangul parts (conjoining jamo).
_BEGINS = re.compile(r"[!-~]|[^\W\u1100-\u11ff]")

_SINGLE_QUOTES = "‘’‚‛′ʼ＇"
_DOUBLE_QUOTES = "“”„‟«»″＂"
_INVISIBLE = "\u200b\u2060\ufeff\u00ad"
_FOLDED = str.maketrans(
    {**dict.fromkeys(_SINGLE_QUOTES, "'"), **dict.fromkeys(_DOUBLE_QUOTES, '"'), **dict.fromkeys(_INVISIBLE)}
)
_SPACE = re.compile(r"\s+")
# What writers put around a quote: quotation marks, and an ellipsis where they left something out.
_WRAPPING = " \t\r\n…\"'`‹›「」『』" + _SINGLE_QUOTES + _DOUBLE_QUOTES
_ELLIPSES = ("[...]", "[…]", "...")


class Span(NamedTuple):
    """The place of a quote: `text[start:end]`."""

    start: int
    end: int


class Miss(NamedTuple):
    """Why a quote cannot be used as evidence, in words for the model. `absent`: it is not in the text at all."""

    reason: str
    absent: bool = False


class Haystack:
    """A text in which quotes are looked up. Its folded form is made only if a quote is not there as written.

    A quote is looked up once, however often it is given. Only the passages that are quoted are segmented into words:
    for one reply this takes half the time of segmenting the whole text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._places: dict[str, Span | Miss] = {}

    def locate(self, quotes: Iterable[str]) -> list[Span | Miss]:
        """Return the place of each quote, with 5 to 25 words, or a Miss if it is not in the text."""
        return [self._places.get(quote) or self._places.setdefault(quote, self._located(quote)) for quote in quotes]

    def _located(self, quote: str) -> Span | Miss:
        found = self.find(quote)
        if found is None:
            return Miss("is not in the answer word for word", absent=True)
        return self.fitted(found) or Miss(f"has no word; {MIN_WORDS} to {MAX_WORDS} are needed")

    def fitted(self, span: Span) -> Span | None:
        """Return a passage with 5 to 25 words: the first 25 of a longer one, or a shorter one widened to 5.

        It is widened inside its sentence, first to the right and then to the left, and into the neighbouring sentences
        only if its own has fewer than 5 words. If the whole text has fewer, all of them are returned. Return None if
        there is no word in the passage.
        """
        start, end = span
        words = self._count(start, end)
        if not words:
            return None
        return self._cut(start, end) if words > MAX_WORDS else self._widened(start, end, words)

    def _cut(self, start: int, end: int) -> Span:
        ends = [start + place for _, place in islice(word_spans(self.text[start:end]), MAX_WORDS)]
        # Count after each step: in scripts without spaces, words depend on what is around them.
        return Span(start, next(end for end in reversed(ends) if self._count(start, end) <= MAX_WORDS))

    def _widened(self, start: int, end: int, words: int) -> Span:
        low, high = sentence_around(self.text, start, end) if words < MIN_WORDS else (start, end)
        while words < MIN_WORDS:
            if (wider := self._next_end(end, high)) is not None:
                end = wider
            elif (wider := self._previous_start(start, low)) is not None:
                start = wider
            elif (low, high) != (0, len(self.text)):
                low, high = 0, len(self.text)
            else:
                break
            words = self._count(start, end)
        return Span(start, end)

    def _count(self, start: int, end: int) -> int:
        return sum(1 for _ in islice(each_word(self.text[start:end]), MAX_WORDS + 1))

    def _next_end(self, at: int, limit: int) -> int | None:
        """Return the end of the first word after `at` and before `limit`, or None. Read no more than is needed."""
        size = _STRETCH
        while True:
            stop = min(at + size, limit)
            first = next(word_spans(self.text[at:stop]), None)
            if stop == limit or (first and at + first[1] < stop):  # a word at the edge may go on behind it
                return at + first[1] if first else None
            size *= 2

    def _previous_start(self, at: int, limit: int) -> int | None:
        """Return the start of the last word before `at` and after `limit`, or None. Read no more than is needed."""
        size = _STRETCH
        while True:
            begin = max(at - size, limit)
            last = deque(word_spans(self.text[begin:at]), maxlen=1)
            if begin == limit or (last and last[0][0] > 0):
                return begin + last[0][0] if last else None
            size *= 2

    def find(self, quote: str) -> Span | None:
        """Return the place of a quote of any length, or None. Search for it as written, then folded."""
        quote = quote.strip()
        if quote and (at := _find_whole(self.text, quote)) >= 0:
            return Span(at, at + len(quote))
        for wanted in (quote, _unwrapped(quote)):
            folded = Folded(wanted, _fold).text.strip()
            if folded and (at := _find_whole(self._folded.text, folded)) >= 0:
                return Span(*self._folded.original(at, at + len(folded)))
        return None

    @cached_property
    def word_count(self) -> int:
        """The number of words, counted only up to five, which is all the rules need."""
        return sum(1 for _ in islice(each_word(self.text), MIN_WORDS))

    @cached_property
    def _folded(self) -> Folded:
        return Folded(self.text, _fold)


def _unwrapped(quote: str) -> str:
    bare = quote.strip(_WRAPPING)
    for ellipsis in _ELLIPSES:
        bare = bare.removesuffix(ellipsis).removeprefix(ellipsis).strip(_WRAPPING)
    return bare


def _find_whole(text: str, wanted: str) -> int:
    first = at = text.find(wanted)
    # In scripts without spaces, every place seems to cut a word, so try only a few.
    looks = 20
    while at >= 0 and looks:
        end = at + len(wanted)
        cuts_start = text[at - 1 : at].isalnum() and wanted[0].isalnum()
        if not cuts_start and not (text[end : end + 1].isalnum() and wanted[-1].isalnum()):
            return at
        looks -= 1
        at = text.find(wanted, at + 1)
    return first


class Folded:
    """A folded text. `fold` gets a stretch of the original and the last character of the folded text before it.

    Stretches are short because composing takes quadratic time in a run of combining marks, and a text may hold very
    long runs. If `same` is set, the text is known to fold to itself and is not read.
    """

    def __init__(self, original: str, fold: Callable[[str, str], str], *, same: bool = False) -> None:
        self._original, self._fold, self.text = original, fold, original
        if same:
            return
        # Where each stretch begins, in the folded text and in the original. The last entry is the end.
        self._places, self._starts = array("q", [0]), array("q", [0])
        pieces: list[str] = []
        place = start = 0
        while start < len(original):
            begins = _BEGINS.search(original, start + _STRETCH, start + 2 * _STRETCH)
            end = begins.start() if begins else min(start + 2 * _STRETCH, len(original))
            if piece := fold(original[start:end], pieces[-1][-1] if pieces else ""):
                pieces.append(piece)
            place, start = place + len(piece), end
            self._places.append(place)
            self._starts.append(start)
        self.text = "".join(pieces)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the original of `text[start:end]`, with all characters that were folded into one."""
        if self.text is self._original:
            return start, end
        low, before, beginnings = self._around(start, start)
        # From the end of the longest prefix that folds to what precedes it, to the shortest prefix that folds to all.
        first = low + max(length for length, folded in beginnings if before.startswith(folded))
        low, wanted, beginnings = self._around(end - 1, end)
        return first, low + next(length for length, folded in beginnings if folded.startswith(wanted))

    def _around(self, at: int, end: int) -> tuple[int, str, Iterator[tuple[int, str]]]:
        """Return where the stretch with this place begins, its folded text up to `end`, and its folded prefixes."""
        number = bisect_right(self._places, at) - 1
        place, start = self._places[number], self._starts[number]
        stretch, last = self._original[start : self._starts[number + 1]], self.text[place - 1 : place]
        beginnings = ((length, self._fold(stretch[:length], last)) for length in range(len(stretch) + 1))
        return start, self.text[place:end], beginnings


def _fold(text: str, before: str) -> str:
    """Replace white space by one space, unify quotation marks, compose (NFC) and remove invisible characters."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_FOLDED)
    folded = _SPACE.sub(" ", text)
    return folded[1:] if before == " " and folded.startswith(" ") else folded
