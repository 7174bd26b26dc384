"""A place between 0 and 1 on a rubric's scale."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal


def on_scale(place: float, values: Sequence[Decimal]) -> Decimal:
    """The allowed value nearest to a place between 0 and 1; halfway is the higher one."""
    return values[int(place * (len(values) - 1) + 0.5)]
