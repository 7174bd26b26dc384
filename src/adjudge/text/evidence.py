"""Find a quote in a text: its offsets in the original, or the reason why it is no evidence.

Verbatim means equal up to white space, typographic quotation marks and Unicode form (NFC), and nothing else:
no case folding, no fuzzy match. A quote that has no place here is never shown as evidence.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

from .words import count_words

MIN_WORDS = 5
MAX_WORDS = 25
_HEAD = 80  # characters, in which nearly every text has words enough
_WINDOW = 256
_LONGEST_RUN = 32

_SINGLE_QUOTES = "‘’‚‛′ʼ＇"
_DOUBLE_QUOTES = "“”„‟«»″＂"
_INVISIBLE = "\u200b\u2060\ufeff\u00ad"
_FOLDED = re.compile(rf"(\s+)|([{_SINGLE_QUOTES}])|([{_DOUBLE_QUOTES}])|([{_INVISIBLE}]+)")
_WRAPPING = " \t\r\n…\"'" + _SINGLE_QUOTES + _DOUBLE_QUOTES


class Span(NamedTuple):
    """Where a quote stands: `text[start:end]`."""

    start: int
    end: int


class Miss(NamedTuple):
    """Why a quote is no evidence, in words that can be put to the model."""

    reason: str


class _Piece(NamedTuple):
    """A stretch of folded text and the stretch of original it came from; `exact` if character for character."""

    folded: int
    start: int
    end: int
    exact: bool


class Haystack:
    """A text that quotes are looked up in; the folded form is made only when a quote is not there as written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def locate(self, quote: str) -> Span | Miss:
        """The quote's place if it stands in the text and has an allowed length."""
        span = self.find(quote)
        if span is None:
            return Miss("does not stand in the answer word for word")
        words = count_words(self.text[span.start : span.end])
        if words > MAX_WORDS or (words < MIN_WORDS and words < self.word_count):
            return Miss(f"has {words} words; {MIN_WORDS} to {MAX_WORDS} are allowed")
        return span

    def find(self, quote: str) -> Span | None:
        """The quote's place, whatever its length: as written if it stands there so, else as folding finds it."""
        quote = quote.strip()
        if quote and (at := _find_whole(self.text, quote)) >= 0:
            return Span(at, at + len(quote))
        for wanted in (quote, quote.strip(_WRAPPING).removesuffix("...").removeprefix("...").strip(_WRAPPING)):
            if not wanted:
                continue
            folded = _fold(wanted)[0].strip()
            if folded and (at := _find_whole(self._folded[0], folded)) >= 0:
                return self._original(at, at + len(folded))
        return None

    @cached_property
    def word_count(self) -> int:
        """How many words the text has, as far as the rule needs it: a long beginning with enough of them will do."""
        head = count_words(self.text[:_HEAD])
        return head if head > MIN_WORDS else count_words(self.text)

    @cached_property
    def _folded(self) -> tuple[str, list[_Piece]]:
        return _fold(self.text)

    @cached_property
    def _piece_starts(self) -> list[int]:
        return [piece.folded for piece in self._folded[1]]

    def _original(self, start: int, end: int) -> Span:
        pieces = self._folded[1]
        first = pieces[bisect_right(self._piece_starts, start) - 1]
        last = pieces[bisect_right(self._piece_starts, end - 1) - 1]
        return Span(
            first.start + (start - first.folded if first.exact else 0),
            last.start + (end - last.folded) if last.exact else last.end,
        )


def _find_whole(text: str, wanted: str) -> int:
    first = at = text.find(wanted)
    # In scripts without spaces every place "cuts a word": a few looks are enough.
    looks = 20
    while at >= 0 and looks:
        end = at + len(wanted)
        cuts_start = text[at - 1 : at].isalnum() and wanted[0].isalnum()
        if not cuts_start and not (text[end : end + 1].isalnum() and wanted[-1].isalnum()):
            return at
        looks -= 1
        at = text.find(wanted, at + 1)
    return first


def _fold(text: str) -> tuple[str, list[_Piece]]:
    """The folded text and the pieces that lead from it back to the original."""
    out: list[str] = []
    pieces: list[_Piece] = []
    length = 0

    def add(folded: str, start: int, end: int, exact: bool) -> None:
        nonlocal length
        if folded:
            out.append(folded)
            pieces.append(_Piece(length, start, end, exact))
            length += len(folded)

    def add_stretch(start: int, end: int) -> None:
        if text[start:end].isascii():
            add(text[start:end], start, end, True)
            return
        for low, high in _windows(text, start, end):
            window = text[low:high]
            if unicodedata.is_normalized("NFC", window):
                add(window, low, high, True)
                continue
            for first, last in _composing_runs(window):
                composed = unicodedata.normalize("NFC", window[first:last])
                add(composed, low + first, low + last, composed == window[first:last])

    done = 0
    for match in _FOLDED.finditer(text):
        add_stretch(done, match.start())
        space, single, double, _invisible = match.groups()
        # A space beside a space that an invisible character parted is still one space.
        folded = (" " if not (out and out[-1] == " ") else "") if space else "'" if single else '"' if double else ""
        add(folded, match.start(), match.end(), False)
        done = match.end()
    add_stretch(done, len(text))
    return "".join(out), pieces


def _windows(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Short windows that begin with a letter: composing is quadratic in a run of marks, and runs can be made long."""
    windows = []
    while start < end:
        stop = min(start + _WINDOW, end)
        while stop < end and stop - start < 2 * _WINDOW and not text[stop].isascii():
            stop += 1
        windows.append((start, stop))
        start = stop
    return windows


def _composing_runs(text: str) -> list[tuple[int, int]]:
    """Cut a text where no character composes with the one before it, so that each run can be composed alone."""
    cuts = [0]
    for at in range(1, len(text)):
        char = text[at]
        if char.isascii() or at - cuts[-1] >= _LONGEST_RUN:
            cuts.append(at)
        elif unicodedata.combining(char) == 0:
            run = text[cuts[-1] : at]
            apart = unicodedata.normalize("NFC", run) + unicodedata.normalize("NFC", char)
            if unicodedata.normalize("NFC", run + char) == apart:
                cuts.append(at)
    return list(zip(cuts, [*cuts[1:], len(text)], strict=True))
