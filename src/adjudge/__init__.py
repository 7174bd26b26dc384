"""adjudge judges what AI systems say, and shows why.

The public API: `compare`, `dialogue` and `review` (async), their `_sync` versions, `open_engine` for many cases, and
the types they take and return. Each is imported when it is first used, so that `import adjudge` stays fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .api import agree as agree
    from .api import compare as compare
    from .api import compare_sync as compare_sync
    from .api import dialogue as dialogue
    from .api import dialogue_sync as dialogue_sync
    from .api import replay as replay
    from .api import review as review
    from .api import review_sync as review_sync
    from .drafts import ReviewDraft as ReviewDraft
    from .engine import CompareSettings as CompareSettings
    from .engine import DialogueSettings as DialogueSettings
    from .engine import ReviewSettings as ReviewSettings
    from .engine import open_engine as open_engine
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

_NAMES = {
    "api": "agree compare compare_sync dialogue dialogue_sync replay review review_sync",
    "drafts": "ReviewDraft",
    "engine": "CompareSettings DialogueSettings ReviewSettings open_engine",
    "errors": "AdjudgeError InputError",
    "models": "Comparison ComparisonVerdict Dialogue DialogueVerdict Failure Original Review ReviewVerdict Turn",
    "reports": "render",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
__all__ = ["__version__", *_HOMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
