"""Text measured in terminal columns: wide characters take two, combining ones none.

Wrapping, cutting and padding for plain text; it knows nothing of verdicts or colours.
"""

from __future__ import annotations

import unicodedata

_INVISIBLE = frozenset(("Mn", "Me", "Cf"))


def width_of(text: str) -> int:
    """How many columns a text takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(char: str) -> int:
    if unicodedata.category(char) in _INVISIBLE:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, width: int) -> str:
    """The text if it fits, else its beginning and an ellipsis."""
    if not _head(text, width)[1]:
        return text
    return _head(text, max(width - 1, 0))[0].rstrip() + "…"


def pad(text: str, width: int, *, right: bool = False) -> str:
    """The text filled with spaces up to a width; `right` puts them before it."""
    room = " " * max(width - width_of(text), 0)
    return room + text if right else text + room


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken at spaces; a word that fits on no line is broken where it must be."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        begun = f"{line} {word}" if line else word
        fitting, rest = _head(begun, width)
        if not rest:
            line = begun
        elif not _head(word, width)[1]:
            lines.append(line)
            line = word
        else:
            # Scripts without spaces come as one long word: it fills the line that is begun and runs on.
            while rest:
                lines.append(fitting.rstrip())
                fitting, rest = _head(rest, width)
            line = fitting
    return [*lines, line] if line else lines


def _head(text: str, width: int) -> tuple[str, str]:
    """As many characters as fit, at least one, and the rest."""
    if text.isascii():
        return text[: max(width, 1)], text[max(width, 1) :]
    used = 0
    for at, char in enumerate(text):
        used += _width(char)
        if used > width and at:
            return text[:at], text[at:]
    return text, ""
