"""What code can tell about one text: its sentences, lists, language and end, and whether it addresses its judge.

A detector returns spots: it knows no case and no label; `findings` turns spots into facts.
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
