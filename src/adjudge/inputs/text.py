"""Decodes bytes, and helps to word errors: quoted values, JSON type names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import InputError
from ..models.base import kind_of as kind_of

BOM = b"\xef\xbb\xbf"
UTF8_NEEDED = "UTF-8 text is needed: save it as UTF-8, or convert it (for Latin-1: iconv -f LATIN1 -t UTF-8 OLD > NEW)"

# Turns a line number into the place that an error names.
At = Callable[[int], str]

_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_QUOTED = 60
_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Takes the place of a value that could not be read: what was found, and what is allowed."""

    found: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.found}; {self.allowed}"


def refuse_utf16(raw: bytes, place: str) -> None:
    """Raise InputError if bytes look like UTF-16: they begin with its byte order mark, or every other byte is NUL."""
    name = "UTF-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else ""
    head = raw[:_LOOKED_AT]
    if not name and b"\0" in head:
        # A single NUL may be a mistake in UTF-8 text. In UTF-16, spaces and line ends alone give more of them.
        even, odd = head[::2].count(0), head[1::2].count(0)
        if head[:1] == b"\0" or head[1:2] == b"\0" or (min(even, odd) == 0 and max(even, odd) * 16 > len(head)):
            name = "UTF-16BE" if even > odd else "UTF-16LE"
    if name:
        raise InputError(place, "looks like UTF-16", f"convert it to UTF-8: iconv -f {name} -t UTF-8 OLD > NEW")


def decode(raw: bytes, place: str, *, numbered: bool = True) -> str:
    """Decode UTF-8 bytes and drop a byte order mark. Errors name `place:line`, or only `place` if not `numbered`."""
    refuse_utf16(raw, place)
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"invalid UTF-8 at byte {error.start} (0x{raw[error.start]:02x})"
        raise InputError(f"{place}:{line}" if numbered else place, found, UTF8_NEEDED) from None


def undecoded(text: str) -> Unreadable | None:
    """Report the first byte that was not UTF-8 in a text decoded with `surrogateescape`, or return None."""
    escaped = None if text.isascii() else _ESCAPED_BYTE.search(text)
    return Unreadable(f"invalid UTF-8 (0x{ord(escaped[0]) - 0xDC00:02x})", UTF8_NEEDED) if escaped else None


def quote(text: str) -> str:
    """Quote a text for an error message: on one line and shortened."""
    return repr(text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…")
