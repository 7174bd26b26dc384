"""What is expected of a protocol's calls before any is made, for the estimate of a run's cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class ExpectedCalls:
    """`reply_tokens` is the usual size of a reply to the shipped rubric.

    Some calls are made only after a reply: `after` is the kind of that reply (its schema's name; empty if there are no
    such calls), `judge` the setting that names who is asked then, and `times` how many calls follow one reply with
    these settings. If not every case needs them, `probable` tells whether a case probably does.
    """

    reply_tokens: int = 1000
    after: str = ""
    judge: str = "judge"
    times: Callable[[Any], int] = lambda _: 1
    probable: Callable[[Any], bool] | None = None
