"""Bytes → Reviews, in every form people keep them: nine tagged slots, JSON, JSONL, CSV and TSV.

The form is recognised by how the file begins. Drafts read one slot at a time with `slot_from` and join them: `merged`.
"""

from __future__ import annotations

from ..cases import Review
from ..errors import InputError
from ..rubric import Rubric
from .slots_fields import review_from, slots_in
from .slots_json import read_json
from .slots_rows import header_delimiter, read_rows
from .slots_tags import has_tags, read_tags
from .slots_values import NEEDED, REVIEW_ID, SLOTS, SlotValue, merged, slot_from
from .transcript_entries import shorten

__all__ = [
    "FORMS",
    "NEEDED",
    "REVIEW_ID",
    "SLOTS",
    "SlotValue",
    "merged",
    "read_reviews",
    "review_from",
    "slot_from",
    "slots_in",
]

FORMS = "slots in tags (<PROMPT>, <RESPONSE1>, …), JSON with their names, or CSV with such columns are allowed"


def read_reviews(raw: bytes, place: str, rubric: Rubric) -> list[Review]:
    """The reviews in some bytes, at least one; `place` is what errors call the file."""
    text = _decode(raw, place)
    # Not splitlines: U+2028 and its like are characters somebody typed.
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines, 1) if line.strip()), None)
    if first is None:
        raise InputError(place, "no review", FORMS)
    opening = lines[first - 1].strip()
    if opening[0] in "{[":
        reviews = read_json(text, place, rubric)
    elif delimiter := header_delimiter(opening):
        reviews = read_rows(text, delimiter, place, rubric)
    elif has_tags(lines):
        reviews = [read_tags(lines, place, rubric)]
    else:
        raise InputError(f"{place}:{first}", f"cannot read {shorten(opening)}", FORMS)
    if not reviews:
        raise InputError(place, "no review", FORMS)
    return reviews


def _decode(raw: bytes, place: str) -> str:
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"invalid UTF-8 at byte {error.start} (0x{raw[error.start]:02x})"
        raise InputError(f"{place}:{line}", found, "UTF-8 text is needed") from None
