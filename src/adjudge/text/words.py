"""What a word is: what Unicode segmentation (UAX #29, with ICU's dictionaries for Thai, Chinese, …) says.

What is ASCII between two spaces takes a regular expression with the same rules, so that ICU sees only what needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# UAX #29 restricted to ASCII: letters, digits and _ hold together; . ' : hold letters and . ' , ; hold digits.
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+(?:(?:(?<=[A-Za-z])[.':](?=[A-Za-z])|(?<=[0-9])[.',;](?=[0-9]))[A-Za-z0-9_]+)*")


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_MARKS = ".',:;"
_BETWEEN = bytes(code if chr(code).isalnum() or chr(code) in "_" + _MARKS else 32 for code in range(128)) + bytes(128)


def split_words(text: str) -> list[str]:
    """The words of a text in order; spaces, punctuation and symbols are not words."""
    if text.isascii():
        return _split_ascii(text)
    words: list[str] = []
    done = 0
    for start, end in _other_stretches(text):
        words += _split_ascii(text[done:start])
        words += _split_by_icu(text[start:end])
        done = end
    return words + _split_ascii(text[done:])


def _other_stretches(text: str) -> Iterator[tuple[int, int]]:
    """The stretches between spaces that are not ASCII; neighbours are one."""
    # No word goes on behind one of these; of other white space some holds digits together.
    spaced = text.replace("\n", " ").replace("\t", " ").replace("\r", " ")
    start, end = 0, -1
    for match in _NOT_ASCII.finditer(spaced):
        at = match.start()
        if at < end:
            continue
        low = spaced.rfind(" ", max(end, 0), at) + 1
        if end >= 0 and low > end + 1:
            yield start, end
        if end < 0 or low > end + 1:
            start = low
        end = spaced.find(" ", at)
        if end < 0:
            end = len(text)
    yield start, end


def _split_ascii(text: str) -> list[str]:
    words: list[str] = []
    # Nearly all that stands between spaces is one word; the expression sees only what may be several.
    for piece in text.encode().translate(_BETWEEN).decode().split():
        if piece.isalnum() or (piece := piece.strip(_MARKS)).isalnum():
            words.append(piece)
        else:
            words += _ASCII_WORD.findall(piece)
    return [word for word in words if word.strip("_")] if "_" in text else words


def _split_by_icu(text: str) -> list[str]:
    from icu4py.breakers import WordBreaker

    # Half of them are a space, and nearly all the others letters and digits only.
    return [
        segment
        for segment in WordBreaker(text, "und")
        if segment.isalnum() or (segment != " " and any(map(str.isalnum, segment)))
    ]


# What each ASCII character is to a word: a part of it (w), what may hold two parts together (h), or a gap.
_KINDS = bytes(ord("w" if chr(code).isalnum() else "h" if chr(code) in ".',:;_" else " ") for code in range(128)).ljust(
    256
)  # a table has a place for every byte


def count_words(text: str) -> int:
    """How many words a text has."""
    if text.isascii():
        # Bytes are translated fastest, and a string is searched fastest.
        kinds = text.encode().translate(_KINDS).decode()
        # Where nothing can hold two parts together, a word begins at every part after a gap.
        if "hw" not in kinds:
            return kinds.count(" w") + (kinds[:1] == "w")
    return len(split_words(text))


# What str.split() parts at, in ASCII.
_SPACED = bytes(ord(" " if chr(code).isspace() else "w") for code in range(128)).ljust(256)


def count_spaced(text: str) -> int:
    """How many stretches without white space a text has: as many as `text.split()` gives, which would make them all."""
    if not text.isascii():
        return len(text.split())
    kinds = text.encode().translate(_SPACED).decode()
    return kinds.count(" w") + (kinds[:1] == "w")
