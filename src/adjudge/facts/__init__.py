"""What code can find in a text for certain, or hint at: one detector a file."""

from .finding import find_facts

__all__ = ["find_facts"]
