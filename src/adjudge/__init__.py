"""adjudge judges what AI systems say, and shows why.

The public surface: `compare`, `dialogue` and `review` (async) with their `_sync` doors, `open_engine` for many, and
the types they take and give.
Everything is imported when it is first used, so that `import adjudge` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
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
    from .models import ComparisonVerdict as ComparisonVerdict
    from .models import DialogueVerdict as DialogueVerdict
    from .models import Failure as Failure
    from .models import ReviewVerdict as ReviewVerdict
    from .models.cases import Comparison as Comparison
    from .models.cases import Dialogue as Dialogue
    from .models.cases import Original as Original
    from .models.cases import Review as Review
    from .models.cases import Turn as Turn
    from .reports import render as render

_HOMES = {
    "compare": "engine",
    "compare_sync": "engine",
    "dialogue": "engine",
    "dialogue_sync": "engine",
    "DialogueSettings": "engine",
    "Dialogue": "models",
    "Turn": "models",
    "DialogueVerdict": "models",
    "review": "engine",
    "review_sync": "engine",
    "ReviewSettings": "engine",
    "ReviewDraft": "engine",
    "Review": "models",
    "Original": "models",
    "ReviewVerdict": "models",
    "open_engine": "engine",
    "CompareSettings": "engine",
    "render": "reports",
    "replay": "engine",
    "Comparison": "models",
    "ComparisonVerdict": "models",
    "Failure": "models",
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
