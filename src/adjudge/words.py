"""What a word is: what Unicode segmentation (UAX #29, with ICU's dictionaries for Thai, Chinese, …) says.

Pure ASCII takes a regular expression with the same rules, so that ICU is loaded only for text that needs it.
"""

from __future__ import annotations

import re

# UAX #29 restricted to ASCII: letters, digits and _ hold together; . ' : hold letters and . ' , ; hold digits.
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+(?:(?:(?<=[A-Za-z])[.':](?=[A-Za-z])|(?<=[0-9])[.',;](?=[0-9]))[A-Za-z0-9_]+)*")


_MARKS = ".',:;"
_BETWEEN = bytes(code if chr(code).isalnum() or chr(code) in "_" + _MARKS else 32 for code in range(128)) + bytes(128)


def split_words(text: str) -> list[str]:
    """The words of a text in order; spaces, punctuation and symbols are not words."""
    if text.isascii():
        words: list[str] = []
        # Nearly all that stands between spaces is one word; the expression sees only what may be several.
        for piece in text.encode().translate(_BETWEEN).decode().split():
            if piece.isalnum() or (piece := piece.strip(_MARKS)).isalnum():
                words.append(piece)
            else:
                words += _ASCII_WORD.findall(piece)
        return [word for word in words if word.strip("_")] if "_" in text else words
    from icu4py.breakers import WordBreaker

    # Half of them are a space, and nearly all the others letters and digits only.
    return [
        segment
        for segment in WordBreaker(text, "und")
        if segment.isalnum() or (segment != " " and any(map(str.isalnum, segment)))
    ]


# Where nothing that could hold two parts together stands between them, words are what stands between the rest.
_HOLDING = re.compile(r"[.',:;_](?=[A-Za-z0-9_])")
_APART = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)) + b" " * 128


def count_words(text: str) -> int:
    """How many words a text has."""
    if text.isascii() and not _HOLDING.search(text):
        return len(text.encode().translate(_APART).split())
    return len(split_words(text))
