"""From plain arguments to a stored verdict: what the Python functions, the command line and the service have in common.

One async core; the `_sync` functions are its doors for code that is not async.
"""

from .comparing import compare, compare_sync
from .core import Engine, open_engine
from .drafts import ReviewDraft
from .replaying import replay
from .reviewing import review, review_sync
from .settings import CompareSettings, DialogueSettings, ReviewSettings
from .sync import run_sync
from .talking import dialogue, dialogue_sync

__all__ = [
    "CompareSettings",
    "DialogueSettings",
    "Engine",
    "ReviewDraft",
    "ReviewSettings",
    "compare",
    "compare_sync",
    "dialogue",
    "dialogue_sync",
    "open_engine",
    "replay",
    "review",
    "review_sync",
    "run_sync",
]
