"""Count the sections of a text: those that begin with a marker in any language (Section 1, 第1章, Chapter One), or else
those that headings, numbered lines or dividers make.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..text.sentences import ends_a_sentence, rough_words
from ..text.structure import DIVIDER, read_structure
from .counting import Counts
from .marks import MOST_READ
from .numbers import spelled_numbers

_SHORT = 12  # words; a shorter line that ends no sentence may be a heading
_LEVEL = re.compile(r"(?m)^ {0,3}(#{1,6})[ \t]+\S|^[ \t]*\*\*[^*\n]{1,100}\*\*:?[ \t]*$")

# The letters of scripts that put spaces between words. There are no accents any more where this is used.
_LETTER = r"[A-Za-z\u00c0-\u052f\u0590-\u0dff]"
_HAN = "[〇○一二三四五六七八九十百壱弐参]"
_ORDINAL = rf"(?:(?:st|nd|rd|th|er|ere|re|e|eme|[.]?[ao]|ste|te|de|-?[а-я]{{1,3}})(?!{_LETTER})|[.°](?=\s))?"
# How the number of a marker may be written, the surest way first: digits, something to be filled in, an unknown.
_IN_MARKER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\d{{1,3}}{_ORDINAL}",
        r"(?<=[^\W_])[ \t]*[\[{<(][^\]}>)]{1,20}[\]}>)]",
        rf"(?<!{_LETTER})[XN#](?!{_LETTER})",
        rf"{_HAN}{{1,3}}",
        rf"(?<!{_LETTER})[IVX]{{1,4}}(?!{_LETTER})",
        r"(?<=\s)A(?=\W*\Z)",
    )
)
_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = rf"\d{{1,3}}(?!\d)|{_HAN}{{1,4}}|[^\W\d_]{{1,20}}"
# A number inside a word, as in 第1章; 1章 is the same.
_BARE_INNER = rf"\d{{1,3}}|{_HAN}{{1,4}}"
_INNER = rf"{_BARE_INNER}|[A-Za-z]{{1,5}}|[일이삼사오육칠팔구십]{{1,3}}"
_KNOWN = re.compile(rf"x{{0,2}}(?:ix|iv|v?i{{1,3}}|v)|x|[IVXLC]{{1,6}}|[A-Z]|{_HAN}+")
# What may be before a marker in its line: a tag, signs, and a number of its own.
_MARKS = r"(?:[^\w\n]|_){0,20}"
_TAGS = r"[ \t]*(?:<[^<>\n]{1,40}>|\\[a-z]{1,20}\{)?"
_LEAD = rf"^{_TAGS}{_MARKS}(?:(?:\d{{1,3}}|[A-Za-z]{{1,4}}|{_HAN}{{1,2}})[.)、:\]\u20e3-]{_MARKS})?"
_GAP = r"(?:[^\w\n]|_){0,4}"
_NEAR = r"[ \t]*[^\w\n:.,;]{0,2}"
# After the number of a heading, no sentence goes on: "Part 4 of this series".
_NO_PROSE = r"(?![ \t]+[a-z\u0430-\u044f])"


class _Marker(NamedTuple):
    """The words of a marker without its number. `joined`: the number is inside a word, as in 第1章."""

    before: str
    behind: str
    joined: bool
    numbered: bool = True


def section_counts(text: str, marker: str = "") -> Counts:
    """Return the possible numbers of sections that begin with a marker ("Section 1"), or else with a heading.

    There are none if no marker was given and the text has no headings, or if the marker is but a number or letter.
    """
    text = text[:MOST_READ]
    if not marker.strip():
        return _headed(text)
    parts = _split(_folded(marker))
    is_number = len(parts.before + parts.behind) < 2 and (parts.before + parts.behind).isascii()
    return frozenset() if is_number else _marked(_folded(text), parts)


def is_shown_as_marker(quote: str, marker: str) -> bool:
    """Return whether a quote shows a marker with a number ("Section X") or between quotation marks. If not, the word
    may only be what the task calls its sections."""
    if _split(_folded(marker)).numbered:
        return True
    word, number = re.escape(_folded(marker)), "|".join(pattern.pattern for pattern in _IN_MARKER)
    shown = re.compile(
        rf"{word}{_GAP}(?:{number})|[第제][ \t]*(?:{number})[ \t]*{word}|[{_QUOTING}]{word}[{_QUOTING}]", re.IGNORECASE
    )
    return shown.search(_folded(quote)) is not None


def _marked(text: str, marker: _Marker) -> range:
    """Return at least the different numbers that a line begins with, at most every line and every number with it."""
    before, behind = (re.sub(r"\\?\s+", r"[ \\t]+", re.escape(part)) for part in (marker.before, marker.behind))
    if marker.joined:
        heads = [rf"{before}[ \t]*({_INNER})[ \t]*{behind}"]
        places = rf"(?:{before}[ \t]*(?:{_INNER})|{_BARE_INNER})[ \t]*{behind}"
        lines = len(re.findall(rf"(?im){_LEAD}{places}", text))
        numbered = len(re.findall(rf"(?i){places}", text))
    else:
        word = rf"(?<!{_LETTER}){before or behind}(?!{_LETTER})"
        heads = [rf"{word}{_NEAR}({_TOKEN})", rf"[第제]?(\d{{1,3}}){_ORDINAL}{_GAP}{word}"]
        # The number may be a word that we do not know: "Scene the Last".
        words = [before or behind] if marker.numbered else [before, *map(re.escape, _ends(marker.before))]
        lines = max(
            len(re.findall(rf"(?im){_LEAD}(?:[^\W_]{{1,20}}[^\w\n]{{1,4}}){{0,2}}{one}(?!{_LETTER})", text))
            for one in words
        )
        numbered = max(
            sum(map(_is_number, re.findall(pattern, text)))
            for pattern in (rf"(?i:{word}){_GAP}({_TOKEN})", rf"(?<!{_LETTER})({_TOKEN}){_ORDINAL}{_GAP}(?i:{word})")
        )
    # Only lines that begin with a marker and are headings.
    found = (re.findall(rf"(?m){_LEAD}(?i:{head}){_NO_PROSE}", text) for head in heads)
    distinct = max(len({it.casefold() for it in tokens if marker.joined or _is_number(it)}) for tokens in found)
    # If there is none at all, the marker may have been translated or spelled in another way.
    most = max(lines, numbered, distinct) or _otherwise_marked(text)
    return range(distinct, most + 1)


def _otherwise_marked(text: str) -> int:
    """Return the largest number of lines that begin with the same word and a number."""
    words = Counter(
        word.casefold()
        for word, token in re.findall(rf"(?m){_LEAD}([^\W\d_]{{1,20}}){_GAP}({_TOKEN})", text)
        if _is_number(token)
    )
    return max(words.values(), default=0)


def _ends(words: str) -> list[str]:
    """Return the first and the last of several words."""
    every = words.split()
    return [every[0], every[-1]] if len(every) > 1 else []


def _is_number(token: str) -> bool:
    return bool(token[0].isdigit() or _KNOWN.fullmatch(token)) or token.casefold() in _spelled()


@lru_cache(maxsize=1)
def _spelled() -> frozenset[str]:
    return frozenset(_folded(form) for form in spelled_numbers())


def _split(marker: str) -> _Marker:
    """Return the words before and behind a marker's number. "Section 1, Section 2" is what all its numbers share."""
    for number in _IN_MARKER:
        pieces = number.split(marker)
        if len(pieces) > 1:
            return _bare(pieces[0], _shared(pieces[1:]))
    for word in _WORD.finditer(marker):
        rest = marker[: word.start()], marker[word.end() :]
        if word[0].casefold() in _spelled() and any(map(_WORD.search, rest)):
            return _bare(*rest)
    return _bare(marker, "")._replace(numbered=False)


def _shared(pieces: list[str]) -> str:
    """Return what all pieces begin with."""
    shared = pieces[0]
    while not all(piece.startswith(shared) for piece in pieces):
        shared = shared[:-1]
    return shared


def _bare(before: str, behind: str) -> _Marker:
    joined = bool(before[-1:].isalnum() and behind[:1].isalnum())
    return _Marker(before.strip(_EDGES), behind.strip(_EDGES), joined)


_QUOTING = "\"'“”‘’„«»「」『』*<>"
_EDGES = " \t\n\r.,:;!?-–—#*_<>[](){}\"'“”‘’«»「」『』【】《》〈〉、。，/|"


def _folded(text: str) -> str:
    """Remove accents and the differences between full and half width. Case matters in Roman numbers and is kept."""
    plain = (char for char in unicodedata.normalize("NFKD", text) if unicodedata.category(char) != "Mn")
    return unicodedata.normalize("NFC", "".join(plain))


def _headed(text: str) -> frozenset[int]:
    levels = Counter(match[1] or "" for match in _LEVEL.finditer(text))
    if not levels:
        return frozenset()
    # The headings may include a title and that of a closing part.
    ways = {count - more for count in (*levels.values(), levels.total()) for more in range(3)}
    return frozenset({levels.total(), *(way for way in (*ways, *_unheaded(text)) if way > 1)})


def _unheaded(text: str) -> Iterator[int]:
    """Yield other ways to divide a text: numbered lines, dividers, short lines that end no sentence (and may be a
    title)."""
    yield _otherwise_marked(text)
    structure = read_structure(text)
    yield from (listing.count for listing in structure.listings if listing.style == "numbered")
    yield from (structure.bold_leads, structure.bold_leads + structure.headings)
    yield sum(any(map(str.isalnum, part)) for part in DIVIDER.split(text))
    short = sum(0 < rough_words(line) <= _SHORT and not ends_a_sentence(line) for line in text.split("\n"))
    yield from (short, short - 1)
