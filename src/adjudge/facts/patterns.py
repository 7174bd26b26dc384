"""A regular expression compiled when it is first used: word lists in eleven languages take milliseconds each, and most
runs of the program never need them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, cast

_APART = bytes(code if chr(code).isalnum() or chr(code) == "_" else ord(" ") for code in range(128)) + b" " * 128


class Lazy:
    """`re.compile` put off until the first call; calling it gives the pattern."""

    __slots__ = ("_flags", "_made", "_source")

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source, self._flags = source, flags
        self._made: re.Pattern[str] | None = None

    def __call__(self) -> re.Pattern[str]:
        if self._made is None:
            self._made = re.compile(self._source, self._flags)
        return self._made


class _PutOff:
    """Stands for a pattern until one of its methods is asked for; from then on that method is the pattern's own."""

    def __init__(self, source: str, flags: int) -> None:
        self.__dict__["_source"], self.__dict__["_flags"] = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(re.compile(self._source, self._flags), name)  # `re` keeps what it compiled
        self.__dict__[name] = found
        return found


def put_off(source: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, compiled when it is first used."""
    return cast("re.Pattern[str]", _PutOff(source, flags))


def holds_any(text: str, pieces: Iterable[str]) -> bool:
    """Whether one of the pieces stands in the text: a first look that spares many a search."""
    for piece in pieces:  # noqa: SIM110 (this is the hot loop, and any() takes twice as long)
        if piece in text:
            return True
    return False


@lru_cache(maxsize=4)  # several detectors look at the same text
def plain_words(lowered: str) -> frozenset[str]:
    """The runs of ASCII letters, digits and _ in a lowered text: most cues can be held against them at once."""
    return frozenset(lowered.encode("ascii", "replace").translate(_APART).decode("ascii").split())


def folded(text: str) -> str:
    """The text in small letters, as a search without regard to case takes them: these three are an i, an i and an s."""
    if text.isascii():
        return text.lower()
    return text.replace("İ", "i").lower().replace("ı", "i").replace("ſ", "s")
