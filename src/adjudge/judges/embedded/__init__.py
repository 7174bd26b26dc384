"""The judge that needs no model, no key and no network: a few plain measures of the texts, weighed in the open."""

from .judge import EmbeddedJudge

__all__ = ["EmbeddedJudge"]
