"""Find a quote in a text: its offsets in the original, or the reason why it is no evidence.

Verbatim means equal up to white space, typographic quotation marks and Unicode form (NFC), and nothing else:
no case folding, no fuzzy match. A quote that has no place here is never shown as evidence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from .folding import Folded
from .words import count_words, each_word

MIN_WORDS = 5
MAX_WORDS = 25

_SINGLE_QUOTES = "‘’‚‛′ʼ＇"
_DOUBLE_QUOTES = "“”„‟«»″＂"
_INVISIBLE = "\u200b\u2060\ufeff\u00ad"
_FOLDED = str.maketrans(
    {**dict.fromkeys(_SINGLE_QUOTES, "'"), **dict.fromkeys(_DOUBLE_QUOTES, '"'), **dict.fromkeys(_INVISIBLE)}
)
_SPACE = re.compile(r"\s+")
_WRAPPING = " \t\r\n…\"'" + _SINGLE_QUOTES + _DOUBLE_QUOTES


class Span(NamedTuple):
    """Where a quote stands: `text[start:end]`."""

    start: int
    end: int


class Miss(NamedTuple):
    """Why a quote is no evidence, in words that can be put to the model."""

    reason: str


class Haystack:
    """A text that quotes are looked up in; the folded form is made only when a quote is not there as written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def locate(self, quotes: Iterable[str]) -> list[Span | Miss]:
        """The place of each quote that stands in the text and has an allowed length."""
        return [self._checked(self.find(quote)) for quote in quotes]

    def _checked(self, span: Span | None) -> Span | Miss:
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
            folded = Folded(wanted, _fold).text.strip()
            if folded and (at := _find_whole(self._folded.text, folded)) >= 0:
                return Span(*self._folded.original(at, at + len(folded)))
        return None

    @cached_property
    def word_count(self) -> int:
        """How many words the text has, as far as the rule needs it: five are enough."""
        return sum(1 for _ in islice(each_word(self.text), MIN_WORDS))

    @cached_property
    def _folded(self) -> Folded:
        return Folded(self.text, _fold)


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


def _fold(text: str, before: str) -> str:
    """White space as one space, quotation marks alike, composed, and without invisible characters."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_FOLDED)
    folded = _SPACE.sub(" ", text)
    return folded[1:] if before == " " and folded.startswith(" ") else folded
