"""One explicit wish of a task, held against one answer."""

from __future__ import annotations

from typing import NamedTuple

GROUPS = ("count", "length", "format", "language", "words", "reply", "output", "result")


class Check(NamedTuple):
    """One explicit wish of the task and whether this answer keeps it; `place` is where it shows, if anywhere."""

    group: str
    asked: str
    found: str
    kept: bool
    place: tuple[int, int] | None = None
