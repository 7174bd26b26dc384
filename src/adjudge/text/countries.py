"""Find out whether a text names a country, or what or who comes from one, in the languages of `countries.txt`.

Texts that name one may be answered in its language, so nothing is concluded from the language of such an answer.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from . import in_pieces

_MOST_WORDS = 4  # of a name
_LANGUAGE = re.compile(r"^([a-z]{2}):\n((?: .*\n)+)", re.MULTILINE)
_UNSPACED = ("zh", "ja")  # no spaces between words, so a name is found anywhere
# Vowel signs of Indic scripts are no letters for `re`.
_WORD = re.compile(r"(?:[^\W\d_]|[\u0900-\u0dff])+")
# Arabic joins short words ("and", "in", "for") and the article to a noun, and endings for the feminine and the plural.
_ARABIC = re.compile(r"[\u0600-\u06ff]+")
_ARABIC_ENDING = re.compile(r"(?:ة|ين|ون|ات)$")


class _Name(NamedTuple):
    """The words of a name. If it is a stem, any ending may follow its last word."""

    words: tuple[str, ...]
    is_stem: bool

    def is_at(self, words: list[str]) -> bool:
        """Return whether these words begin with the name. A capital of the name must be one in the text, too."""
        pairs = list(zip(self.words, words, strict=False))
        if len(pairs) < len(self.words) or any(own[0].isupper() and not one[0].isupper() for own, one in pairs):
            return False
        *firsts, (own, one) = [(own.lower(), one.lower()) for own, one in pairs]
        return all(a == b for a, b in firsts) and (one.startswith(own) if self.is_stem else one == own)


@cache
def languages_covered() -> frozenset[str]:
    """Return the codes of the languages in which the names of countries are known."""
    return frozenset(_names())


def names_a_country(text: str) -> bool:
    """Return whether a text names a country, or what or who comes from it."""
    if any(in_pieces(_anywhere(), text)):
        return True
    words = [match[0] for match in in_pieces(_WORD, text)]
    return any(_is_named(words, start) for start in range(len(words)))


def _is_named(words: list[str], start: int) -> bool:
    index, lengths = _by_beginning()
    word, rest = words[start].lower(), words[start + 1 : start + _MOST_WORDS]
    forms = _arabic_forms(word) if _ARABIC.fullmatch(word) else ()
    if any(name.is_at([form, *rest]) for form in forms for name in index.get(form, ())):
        return True
    return any(name.is_at([words[start], *rest]) for length in lengths for name in index.get(word[:length], ()))


def _arabic_forms(word: str) -> set[str]:
    """Return what may be left of a word without what is joined to it. After "for", the article has lost a letter."""
    forms = {word, *(word.removeprefix(one) for one in ("و", "ف", "ب", "ك", "ل"))}
    forms |= {"ال" + form[2:] for form in forms if form.startswith("لل")}
    forms |= {form.removeprefix("ال") for form in forms}
    return forms | {_ARABIC_ENDING.sub("", form) for form in forms}


@cache
def _names() -> dict[str, list[str]]:
    written = Path(__file__).with_name("countries.txt").read_text("utf-8")
    return {code: " ".join(lines.split()).split(", ") for code, lines in _LANGUAGE.findall(written)}


@cache
def _by_beginning() -> tuple[dict[str, list[_Name]], tuple[int, ...]]:
    """Return the names by their first word in lower case, and the lengths that such a word may have."""
    index: dict[str, list[_Name]] = {}
    for written in {name for code, names in _names().items() if code not in _UNSPACED for name in names}:
        name = _Name(tuple(_WORD.findall(written)), written.endswith("*"))
        index.setdefault(name.words[0].lower(), []).append(name)
    return index, tuple(sorted({len(word) for word in index}))


@cache
def _anywhere() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(name) for code in _UNSPACED for name in _names()[code]))
