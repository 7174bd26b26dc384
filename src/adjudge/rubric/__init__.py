"""A rubric: criteria with scale, weight and guidance, read from YAML and checked line by line.

It is data: versioned by its author, identified by its content, replaceable by a user's own file.
In a review every criterion has a scale of its own, and the weights say which breaks an equal Overall first.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ..errors import RubricError, SetupError
from .criteria import (
    HOW_BAD,
    LIKERT,
    ONE_TO_FIVE,
    OVERALL,
    PROTOCOLS,
    TOO_LITTLE_TOO_MUCH,
    Criterion,
    Rubric,
    Scale,
)

__all__ = [
    "HOW_BAD",
    "LIKERT",
    "ONE_TO_FIVE",
    "OVERALL",
    "PROTOCOLS",
    "TOO_LITTLE_TOO_MUCH",
    "Criterion",
    "Rubric",
    "Scale",
    "describe",
    "load",
    "parse",
    "shipped",
]
MAX_RUBRIC_BYTES = 200_000
_SHIPPED = Path(__file__).parent.parent / "rubrics"


@lru_cache(maxsize=8)
def shipped(name: str) -> Rubric:
    """The rubric that comes with a protocol."""
    return parse((_SHIPPED / f"{name}.yaml").read_text("utf-8"), f"{name}.yaml")


def load(path: str | Path, protocol: str | None = None) -> Rubric:
    """A user's own rubric, refused with the line if anything is wrong with it, or if it is for another protocol."""
    file = Path(path)
    try:
        with file.open("rb") as opened:
            raw = opened.read(MAX_RUBRIC_BYTES + 1)
    except OSError as error:
        raise RubricError(str(path), (error.strerror or "cannot be read").lower(), "a YAML file is needed") from None
    if len(raw) > MAX_RUBRIC_BYTES:
        raise RubricError(
            str(path), f"more than {MAX_RUBRIC_BYTES:,} bytes", f"at most {MAX_RUBRIC_BYTES:,} are allowed"
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RubricError(str(path), f"invalid UTF-8 at byte {error.start}", "UTF-8 text is needed") from None
    rubric = parse(text, str(path))
    if protocol is not None and rubric.protocol != protocol:
        raise RubricError(str(path), f"protocol is {rubric.protocol}", f"this command needs {protocol}")
    return rubric


def parse(text: str, place: str) -> Rubric:
    """A rubric from its YAML text; `place` is how errors call it."""
    from .reading import read_rubric

    return read_rubric(text, place)


def describe(protocol: str) -> str:
    """The shipped rubric's own text, the best starting point for a user's."""
    if protocol not in PROTOCOLS:
        raise SetupError(f"no rubric for {protocol}; one of {', '.join(PROTOCOLS)}")
    return shipped(protocol).source
