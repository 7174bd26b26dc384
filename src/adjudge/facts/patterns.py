"""A regular expression compiled when it is first used: word lists in eleven languages take milliseconds each, and most
runs of the program never need them.
"""

from __future__ import annotations

import re


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
