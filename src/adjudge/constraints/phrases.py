"""Look for words that a task asks for in a response: somewhere, at its beginning, at its end, and how often.

Case, Unicode form, kinds of quotation mark and dash, emphasis and invisible characters make no difference. Words that
hold no letter and no digit ("*", ",") are compared as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import partial

from ..text.language import unaccented
from ..text.sentences import CLOSERS
from ..text.words import word_spans

_WRITTEN_TOGETHER = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SHORT = 3  # letters of words that an accent tells apart ("si", "sí")
_MARKUP = "*_`#"
_SIGN = re.compile(r"[^\w\s]")
_JOINING = "-/([{\"'"  # signs that are written together with the word behind them
_BEFORE = CLOSERS + "([{‹「『（【《〈 "  # marks that may be before the first word
_ENDING = r"[^\W\d_]{0,3}"  # letters by which a plural or a case may be longer
_INITIALS = re.compile(r"(?<=\b[^\W\d_])\. (?=[^\W\d_]\.)")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.\s?){2,4}")
_COMPOUNDED = re.compile(r"[\u3400-\u9fff\u30a0-\u30ff]+")  # Han characters and katakana
_PARTICLES = tuple("はがをにのもでとへや")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]")
_AROUND = re.compile(r"(?s)([*_`]{1,3})(?=[^\s*_`])(.+)(?<=[^\s*_`])\1")
# The quote of a demand on a letter names it so, in the languages of our texts; else a single letter may be a word.
_LETTER = re.compile(
    r"letter|letra|lettre|lettera|buchstab|character\b|car[aá]ct[eè]re?\b|graph[eèé]me|grafema|букв|字母|文字|글자|حرف|"
    r"अक्षर|ตัวอักษร",
    re.IGNORECASE,
)


def begins(text: str, words: str, whole: bool = False) -> bool:
    """Return whether a text begins with words. Quotation marks and brackets before them make no difference.

    `whole`: the last of them must not be the beginning of a longer word.
    """
    if not _is_worded(words):
        return text.startswith(words)
    text, words = (one.lstrip(_BEFORE) for one in _both_folded(text, words))
    words = words.rstrip(CLOSERS + " ")
    cut = whole and words[-1:].isalnum() and not _WRITTEN_TOGETHER.match(words[-1])
    return text.startswith(words) and not (cut and text[len(words) : len(words) + 1].isalnum())


def ends(text: str, words: str) -> bool:
    """Return whether a text ends with words."""
    if not _is_worded(words):
        return text.endswith(words)
    text, words = _both_folded(text, words)
    # A text may close with anything that is not a letter or digit: full stops, brackets, an emoji.
    return _closed(text).endswith(_closed(words).lstrip(CLOSERS + " "))


def occurrences(text: str, words: str, quote: str = "") -> range:
    """Return the possible numbers of times that words occur. "Rivers" may or may not count as "river", and
    so may 美容師 as 美容.

    A single letter may be a word or be counted inside words; the quote, the words of the demand, may tell.
    """
    count = sum(1 for _ in _places(text, words))
    if len(words) == 1 and words.isalpha() and not _WRITTEN_TOGETHER.match(words):
        whole, letter = _both_folded(text, words)
        most = whole.count(letter)
        return range(most if _LETTER.search(quote) else count, most + 1)
    inside = 0 if _LETTER.search(quote) else _inside_words(text, words)
    most = sum(1 for _ in _places(text, words, inflected=True))
    if _ABBREVIATION.fullmatch(words):  # "PS:" may or may not count as "P.S."
        most += sum(1 for _ in _places(text, re.sub(r"[.\s]", "", words)))
    return range(count - inside, most + 1)


def contains(text: str, words: str) -> bool:
    """Return whether words occur in a text; those of a script without spaces also inside longer words."""
    return any(True for _ in _places(text, words))


def _places(text: str, words: str, inflected: bool = False) -> Iterator[re.Match[str]]:
    if not _is_worded(words):
        return re.finditer(re.escape(words), text)
    text, words = _both_folded(text, words)
    before = r"(?<!\w)" if words[:1].isalnum() and not _WRITTEN_TOGETHER.match(words[0]) else ""
    ending = _ENDING if inflected and len(words) > 2 else ""
    behind = rf"{ending}(?!\w)" if words[-1:].isalnum() and not _WRITTEN_TOGETHER.match(words[-1]) else ""
    # An accent may be missing, also because of the ending: "canción", "canciones".
    plain = inflected and len(words) > _SHORT
    letters = (re.escape(one) if (bare := unaccented(one)) == one or not plain else f"[{one}{bare}]" for one in words)
    return re.finditer(before + "".join(letters) + behind, text)


def without(text: str, words: str) -> str:
    """Return a text without all places of words, whatever signs and spaces are between them and after the last one."""
    pieces = re.findall(r"\w+", words)
    if not pieces:
        return text
    before = "" if _WRITTEN_TOGETHER.match(pieces[0]) else r"(?<!\w)"
    behind = "" if _WRITTEN_TOGETHER.match(pieces[-1][-1]) else r"(?!\w)"
    found = before + r"[\W_]{1,5}".join(map(re.escape, pieces)) + behind
    return re.sub(rf"{found}[^\w\n]{{0,5}}", "", text, flags=re.IGNORECASE)


def _inside_words(text: str, words: str) -> int:
    """Count where Chinese or Japanese words are a part of a longer word: 美容 in 美容師, 音 in クリック音."""
    if not _COMPOUNDED.fullmatch(words):
        return 0
    folded = _both_folded(text, words)[0]
    edges = {at for span in word_spans(folded) for at in span}
    inside = 0
    for place in _places(text, words):
        before, after = folded[max(0, place.start() - 1) : place.start()], folded[place.end() : place.end() + 1]
        loose = not _COMPOUNDED.match(before) and (after in _PARTICLES or not after.isalpha())
        joined = _KATAKANA.match(before) or _KATAKANA.match(after) or not set(place.span()) <= edges
        inside += bool(joined) and not loose
    return inside


def _is_worded(words: str) -> bool:
    return any(map(str.isalnum, words))


def _both_folded(text: str, words: str) -> tuple[str, str]:
    """Fold a text and the words looked for. Marks that belong to the words, as in "C#" and "snake_case", are kept."""
    while around := _AROUND.fullmatch(words.strip()):
        words = around[2]
    emphasis = "".join(mark for mark in _MARKUP if mark not in words)
    fold = partial(_folded, emphasis=emphasis)
    return fold(text), fold(words)


def _folded(text: str, emphasis: str = _MARKUP) -> str:
    """Remove differences in case, Unicode form, quotation marks, dashes, emphasis, invisible characters and the spaces
    of abbreviations ("P. S.")."""
    text = "".join(
        char for char in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(char) != "Cf"
    )
    text = re.sub(r"[‐‑‒–—]", "-", re.sub(r"[“”„«»]", '"', re.sub(r"[‘’]", "'", text)))
    if emphasis:
        text = re.sub(f"[{re.escape(emphasis)}]+", _gap, text)
    return _INITIALS.sub(".", " ".join(text.split()))


def _gap(emphasis: re.Match[str]) -> str:
    """Return what emphasis is read as: nothing before a sign, after an opening one or a hyphen, and inside a script
    without spaces ("**Dear John**, …", "x-**ray**"); else a space."""
    text, start, end = emphasis.string, emphasis.start(), emphasis.end()
    before, behind = text[max(0, start - 1) : start], text[end : end + 1]
    if _SIGN.match(behind) or (before and before in _JOINING):
        return ""
    joined = _WRITTEN_TOGETHER.match(before) or _SIGN.match(before)
    return "" if joined and _WRITTEN_TOGETHER.match(behind) else " "


def _closed(text: str) -> str:
    end = len(text)
    while end and not text[end - 1].isalnum():
        end -= 1
    return text[:end]
