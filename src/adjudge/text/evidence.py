"""Find a quote in a text: return its offsets in the original, or the reason why it cannot be used as evidence.

Quotes must be verbatim. Only white space, invisible characters, typographic quotation marks and Unicode form (NFC) may
differ: no case folding, no fuzzy match. A quote that is not found here is never shown as evidence. One that is found,
but has too many or too few words, is cut or widened.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from .sentences import sentence_around
from .words import word_edges

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
    """A text in which quotes are looked up. Its words, and its folded form if a quote is not there as written, are
    computed once."""

    def __init__(self, text: str) -> None:
        self.text = text

    def locate(self, quotes: Iterable[str]) -> list[Span | Miss]:
        """Return the place of each quote, with 5 to 25 words, or a Miss if it is not in the text."""
        return [self._located(quote) for quote in quotes]

    def _located(self, quote: str) -> Span | Miss:
        found = self.find(quote)
        if found is None:
            return Miss("does not stand in the answer word for word", absent=True)
        return self.fitted(found) or Miss(f"has no word; {MIN_WORDS} to {MAX_WORDS} are needed")

    def fitted(self, span: Span) -> Span | None:
        """Return a passage with 5 to 25 words: the first 25 of a longer one, or a shorter one widened to 5.

        It is widened inside its sentence, first to the right and then to the left, and into the neighbouring sentences
        only if its own has fewer than 5 words. If the whole text has fewer, all of them are returned. Return None if
        there is no word in the passage.
        """
        start, end = span
        if not any(map(str.isalnum, self.text[start:end])):
            return None
        edges = self._edges
        first, last = self._words_in(start, end)
        if last - first > MAX_WORDS:
            return Span(start, edges[2 * (first + MAX_WORDS) - 1])
        low, high = sentence_around(self.text, start, end) if last - first < MIN_WORDS else span
        while last - first < MIN_WORDS:
            if last < self.word_count and edges[2 * last + 1] <= high:
                end, last = edges[2 * last + 1], last + 1
            elif first and edges[2 * first - 2] >= low:
                start, first = edges[2 * first - 2], first - 1
            elif (low, high) != (0, len(self.text)):
                low, high = 0, len(self.text)
            else:
                break
        return Span(start, end)

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

    def count(self, start: int, end: int) -> int:
        """Return the number of words in a passage."""
        first, last = self._words_in(start, end)
        return last - first

    def _words_in(self, start: int, end: int) -> tuple[int, int]:
        """Return the numbers of a passage's first word and of the first one behind it. A part of a word counts too."""
        return bisect_right(self._edges, start) // 2, (bisect_left(self._edges, end) + 1) // 2

    @property
    def word_count(self) -> int:
        """The number of words."""
        return len(self._edges) // 2

    @cached_property
    def _edges(self) -> array[int]:
        """Where each word starts and ends. The text is segmented once, however many quotes are looked up."""
        return array("q", word_edges(self.text))

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
