"""The judge that needs no model, no key and no network: named features of the two texts, weighed in the open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .judge import EmbeddedJudge

__all__ = ["EmbeddedJudge"]


def __getattr__(name: str) -> Any:
    """The judge is loaded when it is asked for: who only wants the model needs no verdicts and no event loop."""
    if name != "EmbeddedJudge":
        raise AttributeError(name)
    from .judge import EmbeddedJudge

    return EmbeddedJudge
