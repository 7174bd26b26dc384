"""From plain arguments to a stored verdict: what the Python functions, the command line and the service have in common.

One async core; the `_sync` functions are its doors for code that is not async. Each is imported when it is first used:
who compares needs no reader of transcripts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .comparing import compare, compare_sync
    from .core import Engine, Judged, open_engine
    from .drafts import ReviewDraft
    from .inputs import case_json, case_of, verdict_of
    from .replaying import replay
    from .reviewing import review, review_sync
    from .settings import CompareSettings, DialogueSettings, ReviewSettings, rubric_for
    from .sync import run_sync
    from .talking import dialogue, dialogue_sync

__all__ = [
    "CompareSettings",
    "DialogueSettings",
    "Engine",
    "Judged",
    "ReviewDraft",
    "ReviewSettings",
    "case_json",
    "case_of",
    "compare",
    "compare_sync",
    "dialogue",
    "dialogue_sync",
    "open_engine",
    "replay",
    "review",
    "review_sync",
    "rubric_for",
    "run_sync",
    "verdict_of",
]
_HOMES = {
    "comparing": ("compare", "compare_sync"),
    "core": ("Engine", "Judged", "open_engine"),
    "drafts": ("ReviewDraft",),
    "inputs": ("case_json", "case_of", "verdict_of"),
    "replaying": ("replay",),
    "reviewing": ("review", "review_sync"),
    "settings": ("CompareSettings", "DialogueSettings", "ReviewSettings", "rubric_for"),
    "sync": ("run_sync",),
    "talking": ("dialogue", "dialogue_sync"),
}


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'adjudge.engine' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)
