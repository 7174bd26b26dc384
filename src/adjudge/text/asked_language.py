"""Tell whether a text is in the language that was asked for: by its script, or else with CLD3.

Less text is enough to see that it is in that language than that it is in another one.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

from .language import are_close, language_of, prose_of
from .sentences import ends_a_sentence, rough_words

# Scripts that are used by one language, or by a few close ones, of which this is the commonest.
_SCRIPTS = {
    "BENGALI": "bn", "GURMUKHI": "pa", "GUJARATI": "gu", "TAMIL": "ta", "TELUGU": "te", "KANNADA": "kn",
    "MALAYALAM": "ml", "SINHALA": "si", "THAI": "th", "LAO": "lo", "MYANMAR": "my", "KHMER": "km", "HANGUL": "ko",
    "HIRAGANA": "ja", "KATAKANA": "ja", "GREEK": "el", "ARMENIAN": "hy", "GEORGIAN": "ka", "ETHIOPIC": "am",
    "DEVANAGARI": "hi", "HEBREW": "he",
}  # fmt: skip
_LETTERS = 8  # the least letters that show a script
_FEW_WORDS = 4  # the least words from which CLD3 can confirm a language
_LINE_WORDS = 8  # shorter lines without an end mark may be names
_OPENING, _CLOSING = '"“«„', '"”»“'


def language_for(text: str, asked: str) -> str | None:
    """Return the language of a text that should be in the language `asked`, or None if it cannot be told."""
    text = text.strip(" \t\r\n*_")
    if len(text) > 1 and text[0] in _OPENING and text[-1] in _CLOSING:
        text = text[1:-1]  # all of it is in quotation marks; quotations inside a text do not count
    if (script := _by_script(prose_of(text))) is not None:
        return asked if are_close(script, asked) else script
    sure = short = text
    if _is_in_capitals(text):
        # CLD3 cannot read capitals, and in capitals a list of names looks like any other text.
        lines = text.split("\n")
        sure = "\n".join(one for one in lines if rough_words(one) >= _LINE_WORDS or ends_a_sentence(one)).lower()
        short = text.lower()
    found, likely = language_of(sure), language_of(short, _FEW_WORDS)
    return found or (likely if likely is not None and are_close(likely, asked) else None)


def _is_in_capitals(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return sum(map(str.isupper, letters)) * 2 > len(letters)


def _by_script(text: str) -> str | None:
    """Return the language of a text of which most letters are of a script that one language uses."""
    letters = [char for char in text if char.isalpha()]
    counts = Counter(_SCRIPTS.get(unicodedata.name(char, "").split(" ")[0]) for char in letters)
    if len(letters) < _LETTERS:
        return None
    if counts["ja"] * 5 > len(letters):  # the other letters of Japanese are Chinese characters
        return "ja"
    return next((code for code, count in counts.items() if code and count * 2 > len(letters)), None)
