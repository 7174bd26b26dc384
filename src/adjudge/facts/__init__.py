"""What code can find in a text for certain, or hint at: one detector a file."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..cases import Comparison, Review
    from ..verdicts import Fact

__all__ = ["find_facts", "find_review_facts"]


def find_facts(case: Comparison) -> tuple[Fact, ...]:
    """What code finds in both answers of a comparison; its detectors are loaded when first wanted."""
    return _finder()(case)


def find_review_facts(case: Review) -> tuple[Fact, ...]:
    """What code finds in both responses of a review; its detectors are loaded when first wanted."""
    from .reviewing import find_review_facts as find

    return find(case)


@cache
def _finder() -> Callable[[Comparison], tuple[Fact, ...]]:
    from .finding import find_facts as find

    return find
