"""What a detector returns: a place in one text, what was found there, and whether code is certain of it.

It knows no case and no label; `finding` turns spots into facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..verdicts import Severity


class Spot(NamedTuple):
    """Something found at `text[start:end]`, in words a reader understands; how bad it is, where that can be said."""

    start: int
    end: int
    found: str
    certain: bool
    severity: Severity | None = None


def maybe(spot: Spot | None) -> tuple[Spot, ...]:
    """What a detector of one thing found, as those of several things give it."""
    return () if spot is None else (spot,)
