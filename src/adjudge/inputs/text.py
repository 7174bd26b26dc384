"""Helps to word errors of readers: bytes that were not UTF-8, quoted values, JSON type names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..models.base import kind_of as kind_of
from ..text.decoding import UTF8_NEEDED

# Turns a line number into the place that an error names.
At = Callable[[int], str]

_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_QUOTED = 60


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Takes the place of a value that could not be read: what was found, and what is allowed."""

    found: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.found}; {self.allowed}"


def undecoded(text: str) -> Unreadable | None:
    """Report the first byte that was not UTF-8 in a text decoded with `surrogateescape`, or return None."""
    escaped = None if text.isascii() else _ESCAPED_BYTE.search(text)
    return Unreadable(f"invalid UTF-8 (0x{ord(escaped[0]) - 0xDC00:02x})", UTF8_NEEDED) if escaped else None


def quote(text: str) -> str:
    """Quote a text for an error message: on one line and shortened."""
    return repr(text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…")
