"""The judge that needs no model, no key and no network: named features of the two texts, weighed in the open."""

from .judge import EmbeddedJudge

__all__ = ["EmbeddedJudge"]
