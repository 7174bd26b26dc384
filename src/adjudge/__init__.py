"""adjudge judges what AI systems say, and shows why.

The public API: `compare`, `dialogue`, `review` and `grade` (async), their `_sync` versions, `open_engine` for many
cases, `to_pandas` and `to_polars` for the rows of a run, and the types they take and return. Each is imported when it
is first used, so that `import adjudge` stays fast.
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
    from .api import grade as grade
    from .api import grade_sync as grade_sync
    from .api import replay as replay
    from .api import review as review
    from .api import review_sync as review_sync
    from .engine import open_engine as open_engine
    from .errors import AdjudgeError as AdjudgeError
    from .errors import InputError as InputError
    from .models.common import Failure as Failure
    from .protocols.compare.case import Comparison as Comparison
    from .protocols.compare.settings import CompareSettings as CompareSettings
    from .protocols.compare.verdict import ComparisonVerdict as ComparisonVerdict
    from .protocols.dialogue.case import Dialogue as Dialogue
    from .protocols.dialogue.case import Turn as Turn
    from .protocols.dialogue.settings import DialogueSettings as DialogueSettings
    from .protocols.dialogue.verdict import DialogueVerdict as DialogueVerdict
    from .protocols.grade.case import Grading as Grading
    from .protocols.grade.settings import GradeSettings as GradeSettings
    from .protocols.grade.verdict import GradeVerdict as GradeVerdict
    from .protocols.review.case import Original as Original
    from .protocols.review.case import Review as Review
    from .protocols.review.drafts import ReviewDraft as ReviewDraft
    from .protocols.review.settings import ReviewSettings as ReviewSettings
    from .protocols.review.verdict import ReviewVerdict as ReviewVerdict
    from .reports import render as render
    from .results.frames import to_pandas as to_pandas
    from .results.frames import to_polars as to_polars

_NAMES = {
    "api": "agree compare compare_sync dialogue dialogue_sync grade grade_sync replay review review_sync",
    "engine": "open_engine",
    "errors": "AdjudgeError InputError",
    "models.common": "Failure",
    "protocols.compare.case": "Comparison",
    "protocols.compare.settings": "CompareSettings",
    "protocols.compare.verdict": "ComparisonVerdict",
    "protocols.dialogue.case": "Dialogue Turn",
    "protocols.dialogue.settings": "DialogueSettings",
    "protocols.dialogue.verdict": "DialogueVerdict",
    "protocols.grade.case": "Grading",
    "protocols.grade.settings": "GradeSettings",
    "protocols.grade.verdict": "GradeVerdict",
    "protocols.review.case": "Original Review",
    "protocols.review.drafts": "ReviewDraft",
    "protocols.review.settings": "ReviewSettings",
    "protocols.review.verdict": "ReviewVerdict",
    "reports": "render",
    "results.frames": "to_pandas to_polars",
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
