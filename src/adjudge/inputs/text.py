"""Bytes → text, and how errors speak of it: quoted values, JSON's names of types, names that look like a typo."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ..errors import InputError

BOM = b"\xef\xbb\xbf"
UTF8_NEEDED = "UTF-8 text is needed: save it as UTF-8, or convert it (for Latin-1: iconv -f LATIN1 -t UTF-8 OLD > NEW)"
UTF16 = "UTF-16 text"
FROM_UTF16 = "UTF-8 text is needed: save it as UTF-8, or convert it (iconv -f UTF-16 -t UTF-8 OLD > NEW)"

_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_KINDS = {dict: "an object", list: "an array", str: "text", bool: "true or false", type(None): "null"}
_QUOTED = 60
_SIMILAR = 0.8
_SHORTEST_PART = 5
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a value that could not be read: what was found, and what is allowed."""

    found: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.found}; {self.allowed}"


def is_utf16(raw: bytes) -> bool:
    """Whether bytes begin as UTF-16 text does: with its mark, or with a NUL beside the first character."""
    return raw.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in raw[:2]


def decode(raw: bytes, place: str, *, numbered: bool = True) -> str:
    """The text in UTF-8 bytes, without the mark that some editors put before it; errors are at `place:line`."""
    if is_utf16(raw):
        raise InputError(place, UTF16, FROM_UTF16)
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"invalid UTF-8 at byte {error.start} (0x{raw[error.start]:02x})"
        raise InputError(f"{place}:{line}" if numbered else place, found, UTF8_NEEDED) from None


def undecoded(text: str) -> Unreadable | None:
    """The first byte that was not UTF-8, in a text that was decoded with `surrogateescape`."""
    escaped = None if text.isascii() else _ESCAPED_BYTE.search(text)
    return Unreadable(f"invalid UTF-8 (0x{ord(escaped[0]) - 0xDC00:02x})", UTF8_NEEDED) if escaped else None


def quote(text: str) -> str:
    """A text as an error quotes it: on one line and shortened."""
    return repr(text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…")


def kind_of(value: object) -> str:
    """The type of a value in JSON's words."""
    if type(value) in _KINDS:
        return _KINDS[type(value)]
    return "a number" if isinstance(value, int | float | Decimal) else type(value).__name__


def similar_name(name: object, known: Sequence[str]) -> str | None:
    """The known name that this is probably a typo of: nearly the same letters, or one contains the other."""
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return None
    if close := difflib.get_close_matches(name.lower(), known, 1, _SIMILAR):
        return close[0]
    letters = re.sub(r"[\W_]+", "", name.lower())
    for one in known:
        whole = one.replace("_", "")
        if min(len(letters), len(whole)) >= _SHORTEST_PART and (letters in whole or whole in letters):
            return one
    return None
