"""The words a person entered for a rating → the value they mean, or why they mean none.

It guesses nothing: a half point, a range or a word is refused with its reason, never rounded to a value nearby.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from ...rubric import Scale

_SIGNS = str.maketrans({**dict.fromkeys("−–‐‑‒－﹣", "-"), "＋": "+", "．": ".", "，": ",", "／": "/"})
_DECORATION = "*_`\"'“”([ "
# "Rating: 2", "Score 2", "**Likert:** 6": what the cell holds, said once more in it.
_LABEL = re.compile(r"(?:likert(?:\s+(?:rating|score))?|rating|score)(?:[*_\s]*[:：=]|(?=[*_\s]*\s))", re.IGNORECASE)
_NUMBER = re.compile(r"([+-]?[0-9]+)(.*)", re.DOTALL)
_OF_TOP = re.compile(r"\s*/\s*([0-9]{1,6})(?![0-9])")
# Two at most: 1.000 is one to some and a thousand to others.
_ZEROS = re.compile(r"[.,]0{1,2}(?![0-9])")
# Two numbers make a range, a choice or a fraction; "2 (3 typos)" and "2: 3 typos" are one rating.
_BETWEEN = r"(?:[-—/,;~|&]|\.\.+|…|or\b|to\b|and\b|(?:out )?of\b)"
_ANOTHER = re.compile(rf"[*_`\"'“”)\]]*(?:\s*{_BETWEEN}\s*|\s+)[+-]?[0-9]", re.IGNORECASE)
_NOT_WHOLE = re.compile(r"\.[0-9]|[^\W_]|\s*(?:[+%]|-\s*$)")
_MOST_DIGITS = 6


class OffScale(NamedTuple):
    """Words that are no value of the scale, and why not."""

    words: str
    why: str


def read_rating(words: str, scale: Scale) -> int | OffScale | None:
    """The value that the words begin with; None if there are none."""
    text = _plain(words.strip())
    if not text:
        return None
    text = text.lstrip(_DECORATION)
    if label := _LABEL.match(text):
        text = text[label.end() :].lstrip().lstrip(_DECORATION)
    number = _NUMBER.match(text)
    if number is None:
        return OffScale(words, "it does not begin with a number")
    whole, rest = number[1], _ZEROS.sub("", number[2], count=1) if _ZEROS.match(number[2]) else number[2]
    # 4/5 is a four where five is the best there is; a scale from below zero is read in no such way.
    if scale.low >= 0 and (top := _OF_TOP.match(rest)) and int(top[1]) == scale.high:
        rest = rest[top.end() :]
    if _ANOTHER.match(rest):
        return OffScale(words, "it is more than one number")
    if _NOT_WHOLE.match(rest):
        return OffScale(words, "it is not a whole number")
    value = int(whole) if len(whole) <= _MOST_DIGITS else None
    if value is None or value not in scale.values:
        return OffScale(words, f"it is not on the scale from {scale.low} to {scale.high}")
    return value


def _plain(text: str) -> str:
    """The same with ASCII digits and signs, whatever keyboard they were typed on."""
    text = text.translate(_SIGNS)
    return "".join(str(unicodedata.decimal(char, char)) for char in text) if not text.isascii() else text
