"""The review protocol: `procedure` reads top to bottom; every rule it applies is a pure module beside it."""

from .procedure import ReviewOptions, review

__all__ = ["ReviewOptions", "review"]
