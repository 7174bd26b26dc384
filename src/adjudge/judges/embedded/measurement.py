"""What a measure is: its name in plain English, the criterion it speaks to, and what was found in one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Theme = Literal["length", "form", "style", "task", "check", "flaw"]


@dataclass(frozen=True, slots=True)
class Info:
    """A measure by itself; themes `length` and `form` are about the surface and never make a verdict sure alone."""

    title: str
    criterion: str
    theme: Theme


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured in one answer: the number, what to say of it, and where it shows (offsets in the answer)."""

    value: float
    says: str
    place: tuple[int, int] | None = None


def several(count: int, noun: str) -> str:
    """`1 word`, `2 words`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")
