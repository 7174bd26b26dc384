"""Writes a review's verdict as the five tagged blocks of its contract, or as INVALID TASK and the reason.

Every closing tag is on a line of its own and appears nowhere else, because our tags are escaped in all other text.
The names of the blocks are defined in `inputs.review`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from ...models.common import LABELS
from ...rendering.escaping import one_line
from ...rubric import Rubric
from .correcting import FROM_SCRATCH
from .reading import CHANGELOG, HEAD, INVALID, LESSONS, PREFERENCE, TABLES, hide_tags
from .reading.tables import escape_pipes
from .verdict import FinalRating, ReviewVerdict

_HEADER = ("Dimension", "Rating", "Justification")


def review_tags(verdict: ReviewVerdict, rubric: Rubric) -> str:
    """Write the blocks, with a line end after the last one. Text inside them is escaped, so it cannot break them."""
    if verdict.invalid is not None or verdict.likert is None:
        return f"{INVALID}\n{_text(verdict.invalid or '')}\n"
    likert = [f"Likert: {verdict.likert.value}", f"Justification: {_text(verdict.likert.justification)}".rstrip()]
    blocks = [
        *((TABLES[label], ["", *_table(verdict.table(label), rubric), ""]) for label in LABELS),
        (PREFERENCE, likert),
        # FROM_SCRATCH is a fixed sentence of the contract, not one of several corrections, so it gets no bullet.
        (CHANGELOG, [FROM_SCRATCH] if verdict.changelog == (FROM_SCRATCH,) else _bullets(verdict.changelog)),
        (LESSONS, _bullets(verdict.feedback)),
    ]
    return "\n\n".join("\n".join([f"<{tag}>", *lines, f"</{tag}>"]) for tag, lines in blocks) + "\n"


def head_of(review_id: int | str, failed: str = "") -> str:
    """Return the line before one of several reviews: its id, and the reason if it failed."""
    return HEAD + _text(str(review_id)) + (f": failed: {_text(failed)}" if failed else "") + "\n"


def _text(text: str) -> str:
    return hide_tags(one_line(text))


def _table(ratings: Mapping[str, FinalRating], rubric: Rubric) -> list[str]:
    """Return the lines of a table. Justifications are not padded, because the longest one would widen every line."""
    rows = [
        (escape_pipes(_text(criterion.name)), str(final.value), escape_pipes(_text(final.justification)))
        for criterion in rubric.criteria
        if (final := ratings.get(criterion.key)) is not None
    ]
    widths = [max(cell_len(row[column]) for row in (_HEADER, *rows)) for column in (0, 1)]
    widths.append(cell_len(_HEADER[2]))
    rule = tuple("-" * width for width in widths)
    return [
        "| " + " | ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in (_HEADER, rule, *rows)
    ]


def _bullets(lines: Sequence[str]) -> list[str]:
    return [f"- {line}" for line in map(_text, lines) if line]
