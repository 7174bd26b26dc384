"""What code can find in one text: its sentences, lists, language and end, and whether it addresses its judge.

A detector returns spots and knows nothing about cases or labels. `findings` turns spots into facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PIECE = 20_000
_LONGEST_MATCH = 200


class Spot(NamedTuple):
    """Something found at `text[start:end]`. `found` describes it in words for people."""

    start: int
    end: int
    found: str
    certain: bool


def in_pieces(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield short matches as `pattern.finditer` does, but in pieces: a call of `re` blocks all other threads."""
    at = 0
    while at < len(text):
        until = end = at + _PIECE
        for match in pattern.finditer(text, at, until + _LONGEST_MATCH):
            if match.start() >= until:
                break
            end = max(until, match.end())
            yield match
        at = end
