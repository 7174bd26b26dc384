"""Look for words that a task asks for in a response: somewhere, at its beginning, at its end, and how often.

Case, Unicode form, kinds of quotation mark and dash, emphasis and invisible characters make no difference. Words that
hold no letter and no digit ("*", ",") are compared as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import partial

from ..text.sentences import CLOSERS

_WRITTEN_TOGETHER = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MARKUP = "*_`#"
_ENDING = r"[^\W\d_]{0,3}"  # letters by which a plural or a case may be longer
_AROUND = re.compile(r"(?s)([*_`]{1,3})(?=[^\s*_`])(.+)(?<=[^\s*_`])\1")
# The quote of a demand on a letter names it so, in the languages of our texts; else a single letter may be a word.
_LETTER = re.compile(r"letter|letra|lettre|lettera|buchstab|букв|字母|文字|글자|حرف|अक्षर|ตัวอักษร", re.IGNORECASE)


def begins(text: str, words: str, whole: bool = False) -> bool:
    """Return whether a text begins with words. Quotation marks and brackets before them make no difference.

    `whole`: the last of them must not be the beginning of a longer word.
    """
    if not _is_worded(words):
        return text.startswith(words)
    text, words = (one.lstrip(CLOSERS + " ") for one in _both_folded(text, words))
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
    """Return the possible numbers of times that words occur. "Rivers" may or may not count as "river".

    A single letter may be a word or be counted inside words; the quote, the words of the demand, may tell.
    """
    count = sum(1 for _ in _places(text, words))
    if len(words) == 1 and words.isalpha() and not _WRITTEN_TOGETHER.match(words):
        whole, letter = _both_folded(text, words)
        most = whole.count(letter)
        return range(most if _LETTER.search(quote) else count, most + 1)
    return range(count, sum(1 for _ in _places(text, words, inflected=True)) + 1)


def _places(text: str, words: str, inflected: bool = False) -> Iterator[re.Match[str]]:
    if not _is_worded(words):
        return re.finditer(re.escape(words), text)
    text, words = _both_folded(text, words)
    before = r"(?<!\w)" if words[:1].isalnum() and not _WRITTEN_TOGETHER.match(words[0]) else ""
    ending = _ENDING if inflected and len(words) > 2 else ""
    behind = rf"{ending}(?!\w)" if words[-1:].isalnum() and not _WRITTEN_TOGETHER.match(words[-1]) else ""
    return re.finditer(before + re.escape(words) + behind, text)


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
    """Remove differences in case, Unicode form, quotation marks, dashes, emphasis and invisible characters."""
    text = "".join(
        char for char in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(char) != "Cf"
    )
    text = re.sub(r"[‐‑‒–—]", "-", re.sub(r"[“”„«»]", '"', re.sub(r"[‘’]", "'", text)))
    return " ".join((re.sub(f"[{re.escape(emphasis)}]+", " ", text) if emphasis else text).split())


def _closed(text: str) -> str:
    end = len(text)
    while end and not text[end - 1].isalnum():
        end -= 1
    return text[:end]
