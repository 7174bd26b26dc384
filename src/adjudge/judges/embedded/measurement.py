"""What a measure is: its name in plain English, the criterion it speaks to, and what was found in one answer."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

Theme = Literal["length", "form", "style", "task", "check", "flaw"]


class Info(NamedTuple):
    """A measure by itself.

    Only the themes `check` and `flaw` can make a verdict sure. `sign` is the way more of it may count when
    helpfulness is fitted: 1 for the answer, -1 against it, 0 whichever the labels say.
    """

    title: str
    criterion: str
    theme: Theme
    sign: int = 0


class Measurement(NamedTuple):
    """What was measured in one answer: the number, what to say of it, and where it shows (offsets in the answer)."""

    value: float
    says: str
    place: tuple[int, int] | None = None


def several(count: int, noun: str) -> str:
    """`1 word`, `2 words`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {_plural(noun)}"


@cache
def _plural(noun: str) -> str:
    head, space, rest = noun.partition(" of " if " of " in noun else " giving " if " giving " in noun else " to the ")
    return f"{head}s{space}{rest}"
