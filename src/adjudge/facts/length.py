"""Is an answer longer or shorter than was asked for? The tolerances of the review, in whole numbers.

Words are those of `adjudge.words`; characters are all that is not white space.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..words import count_words, split_words
from .markers import real_end
from .patterns import put_off
from .sentences import code_spans
from .spots import Spot
from .wishes import LengthWish

if TYPE_CHECKING:
    from ..verdicts import Severity

# Characters that are counted, and for each word asked for; of a longer text it is said that it has more.
_COUNTED, _PER_WORD = 20_000, 15
_SAMPLE = 4000
_HAN = put_off(r"[\u3400-\u9fff\uf900-\ufaff]")
_THAI = put_off(r"[\u0e00-\u0e7f]")
_KANA = put_off(r"[\u3040-\u30ff]")
_LETTER = put_off(r"[^\W\d_]")
_LATIN = put_off(r"[A-Za-zÀ-ɏ]")
_CJK_UNIT = put_off(r"[字자]")  # in front of an English text these mean words


def find_too_long(text: str, wish: LengthWish, *, code_task: bool = False) -> Spot | None:
    """From where the wished length is passed to the end, if it is passed by more than is tolerated."""
    most = wish.upper if wish.kind == "range" and wish.upper is not None else wish.count
    if wish.kind == "at_least":
        return None
    measured = _Measured(text, wish, code_task)
    severity = _over(wish.kind, measured.count, most)
    if severity is None:
        return None
    certain = wish.kind != "range" and measured.sure
    return Spot(measured.place_of(most), measured.end, _found(measured, wish, most), certain, severity)


def find_too_short(text: str, wish: LengthWish, *, code_task: bool = False) -> Spot | None:
    """The whole text, if it is shorter than was asked for by more than is tolerated."""
    if wish.kind == "at_most" or (wish.kind == "plain" and not wish.exact):
        return None
    measured = _Measured(text, wish, code_task)
    severity = _graded(wish.count - measured.count, wish.count, 10, 5)
    if severity is None or measured.capped:
        return None
    certain = wish.kind == "about" and measured.sure
    return Spot(0, measured.end, _found(measured, wish, wish.count), certain, severity)


def _over(kind: str, count: int, most: int) -> Severity | None:
    excess = count - most
    if kind == "at_most":
        return "major" if excess > 0 else None
    return _graded(excess, most, 20, 10) if kind == "plain" else _graded(excess, most, 10, 5)


def _graded(off: int, wanted: int, none: int, minor: int) -> Severity | None:
    """No issue up to one `none`-th off, minor up to one `minor`-th, major beyond."""
    if off <= 0 or off * none <= wanted:
        return None
    return "minor" if off * minor <= wanted else "major"


class _Measured:
    """A text's length in the unit that its script and the wish call for; `sure` when the unit is beyond doubt."""

    def __init__(self, text: str, wish: LengthWish, code_task: bool) -> None:
        self.end = real_end(text)
        body = text[: self.end]
        self._pieces = _outside_code(body) if code_task else [(0, self.end)]
        self._text = body
        unit = _unit(body, wish)
        self.in_words = unit == "words"
        self.sure = unit == wish.unit
        total = sum(end - start for start, end in self._pieces)
        most = max(_COUNTED, _PER_WORD * (wish.upper or wish.count))
        self.capped = total > most
        self._pieces = _first(self._pieces, most)
        self._lengths = [self._length(body[start:end]) for start, end in self._pieces]
        self.count = sum(self._lengths)

    def _length(self, piece: str) -> int:
        return count_words(piece) if self.in_words else sum(map(len, piece.split()))

    def place_of(self, limit: int) -> int:
        """Where the first word or character beyond the limit begins."""
        left = limit
        for (start, end), length in zip(self._pieces, self._lengths, strict=True):
            if length <= left:
                left -= length
                continue
            piece = self._text[start:end]
            return start + (_word_place(piece, left) if self.in_words else _character_place(piece, left))
        return max(0, self.end - 1)


def _unit(body: str, wish: LengthWish) -> str:
    sample = body[:_SAMPLE]
    if sample.isascii():
        cjk_wish = wish.unit == "characters" and _CJK_UNIT.search(wish.words)
        return "words" if cjk_wish and _LETTER.search(sample) else wish.unit
    letters = len(_LETTER.findall(sample))
    if wish.unit == "words":
        unspaced = len(_THAI.findall(sample)) or (0 if _KANA.search(sample) else len(_HAN.findall(sample)))
        return "characters" if unspaced * 2 > letters else "words"
    latin = len(_LATIN.findall(sample))
    return "words" if _CJK_UNIT.search(wish.words) and latin * 2 > letters else "characters"


def _outside_code(body: str) -> list[tuple[int, int]]:
    pieces, start = [], 0
    for first, last in code_spans(body):
        pieces.append((start, first))
        start = min(len(body), last + 3)
    return [(first, last) for first, last in [*pieces, (start, len(body))] if first < last]


def _first(pieces: list[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    kept = []
    for start, end in pieces:
        if most <= 0:
            break
        kept.append((start, min(end, start + most)))
        most -= end - start
    return kept


def _word_place(piece: str, number: int) -> int:
    at = 0
    for index, word in enumerate(split_words(piece)):
        at = piece.index(word, at)
        if index == number:
            return at
        at += len(word)
    return at


def _character_place(piece: str, number: int) -> int:
    for match in re.finditer(r"\S+", piece):
        if len(match[0]) > number:
            return match.start() + number
        number -= len(match[0])
    return len(piece)


def _found(measured: _Measured, wish: LengthWish, limit: int) -> str:
    unit = "words" if measured.in_words else "characters"
    count = measured.count
    number = f"{'more than ' if measured.capped else ''}{count} {unit if count != 1 else unit[:-1]}"
    off = abs(count - limit)
    # Rounded away from zero, so that what is beyond a tolerance is not shown as within it.
    tenths = -(-off * 1000 // limit)
    percent = f"{tenths // 10}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}"
    side = "over" if count > limit else "short"
    return f"has {number}; {_asked(wish)} asked for ({percent} % {side})"


def _asked(wish: LengthWish) -> str:
    verb = "was" if wish.count == 1 and wish.upper is None else "were"
    match wish.kind:
        case "range":
            return f"{wish.count} to {wish.upper} were"
        case "about":
            return f"about {wish.count} {verb}"
        case "at_most":
            return f"at most {wish.count} {verb}"
        case "at_least":
            return f"at least {wish.count} {verb}"
        case _:
            return f"{'exactly ' if wish.exact else ''}{wish.count} {verb}"
