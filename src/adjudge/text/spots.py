"""What a detector returns: a place in one text, what was found there, and whether code is certain of it.

It knows no case and no label; `findings` turns spots into facts.
"""

from __future__ import annotations

from typing import NamedTuple

from ..models import Severity


class Spot(NamedTuple):
    """Something found at `text[start:end]`, in words a reader understands; how bad it is, where that can be said."""

    start: int
    end: int
    found: str
    certain: bool
    severity: Severity | None = None
