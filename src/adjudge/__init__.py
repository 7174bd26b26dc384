"""adjudge judges what AI systems say, and shows why.

The public surface: `compare`, `dialogue` and `review` (async) with their `_sync` doors, `open_engine` for many, and
the types they take and give.
Everything is imported when it is first used, so that `import adjudge` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .cases import Comparison as Comparison
    from .cases import Dialogue as Dialogue
    from .cases import Original as Original
    from .cases import Review as Review
    from .cases import Turn as Turn
    from .engine import CompareSettings as CompareSettings
    from .engine import DialogueSettings as DialogueSettings
    from .engine import ReviewDraft as ReviewDraft
    from .engine import ReviewSettings as ReviewSettings
    from .engine import compare as compare
    from .engine import compare_sync as compare_sync
    from .engine import dialogue as dialogue
    from .engine import dialogue_sync as dialogue_sync
    from .engine import open_engine as open_engine
    from .engine import replay as replay
    from .engine import review as review
    from .engine import review_sync as review_sync
    from .errors import AdjudgeError as AdjudgeError
    from .errors import InputError as InputError
    from .verdicts import ComparisonVerdict as ComparisonVerdict
    from .verdicts import DialogueVerdict as DialogueVerdict
    from .verdicts import Failure as Failure
    from .verdicts import ReviewVerdict as ReviewVerdict

_HOMES = {
    "compare": "engine",
    "compare_sync": "engine",
    "dialogue": "engine",
    "dialogue_sync": "engine",
    "DialogueSettings": "engine",
    "Dialogue": "cases",
    "Turn": "cases",
    "DialogueVerdict": "verdicts",
    "review": "engine",
    "review_sync": "engine",
    "ReviewSettings": "engine",
    "ReviewDraft": "engine",
    "Review": "cases",
    "Original": "cases",
    "ReviewVerdict": "verdicts",
    "open_engine": "engine",
    "CompareSettings": "engine",
    "replay": "engine",
    "Comparison": "cases",
    "ComparisonVerdict": "verdicts",
    "Failure": "verdicts",
    "AdjudgeError": "errors",
    "InputError": "errors",
}
__all__ = ["__version__", *_HOMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
