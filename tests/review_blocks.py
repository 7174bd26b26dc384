"""The blocks of a finished review as text → what they say: tables, preference, changelog, lessons; or why none.

It reads what we write and nothing else: a block that is missing, out of place or not closed fails the test.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudge.models.common import LABELS, Label
from adjudge.protocols.review.reading import BLOCKS, CHANGELOG, HEAD, INVALID, LESSONS, PREFERENCE, SLOTS, TABLES
from adjudge.protocols.review.reading.tables import is_rule, split_row

_IN_ORDER = re.compile(r"\s*".join(rf"<{name}>\n(?P<{name}>.*?)</{name}>" for name in BLOCKS), re.DOTALL)
_OURS = rf"(?=/?(?i:{'|'.join((*BLOCKS, *map(str.upper, SLOTS)))})\s*>)"
_HIDDEN = re.compile(rf"&((?:amp;)*)lt;{_OURS}")
_LIKERT = re.compile(r"Likert: (-?\d+)\nJustification:(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table."""

    dimension: str
    rating: int
    justification: str


@dataclass(frozen=True, slots=True)
class Blocks:
    """What the blocks say; with `invalid`, why the task was not rated, and nothing else."""

    tables: Mapping[Label, tuple[Line, ...]] = field(default_factory=dict)
    likert: int | None = None
    justification: str = ""
    changelog: tuple[str, ...] = ()
    sbq: tuple[str, ...] = ()
    invalid: str | None = None


def read_blocks(text: str) -> Blocks:
    """What a finished review says."""
    said = text.strip()
    if said.startswith(HEAD):
        said = said.partition("\n")[2].strip()
    if said.startswith(INVALID):
        return Blocks(invalid=_shown(said.removeprefix(INVALID).strip()))
    blocks = _IN_ORDER.fullmatch(said)
    assert blocks is not None, f"not the blocks of a review, each once and in order:\n{text}"
    preference = _LIKERT.fullmatch(blocks[PREFERENCE].strip())
    assert preference is not None, blocks[PREFERENCE]
    return Blocks(
        tables={label: _table(blocks[TABLES[label]]) for label in LABELS},
        likert=int(preference[1]),
        justification=_shown(preference[2].strip()),
        changelog=_items(blocks[CHANGELOG]),
        sbq=_items(blocks[LESSONS]),
    )


def _table(text: str) -> tuple[Line, ...]:
    _, *rows = (row for row in map(split_row, text.split("\n")) if any(row) and not is_rule(row))
    return tuple(
        Line(_shown(dimension), int(rating.replace("−", "-")), _shown(reason)) for dimension, rating, reason in rows
    )


def _items(text: str) -> tuple[str, ...]:
    return tuple(_shown(line.removeprefix("- ")) for line in text.split("\n") if line.strip())


def _shown(text: str) -> str:
    return _HIDDEN.sub(lambda match: f"&{match[1][4:]}lt;" if match[1] else "<", text)
