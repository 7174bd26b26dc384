"""Bytes → Reviews, in every form people keep them: nine tagged slots, JSON, JSONL, CSV and TSV.

The form is recognised by how the file begins. Drafts read one slot at a time with `slot_from` and join them: `merged`.
"""

from __future__ import annotations

from typing import Any

from ...errors import InputError
from ...models.cases import Review
from ...rubric import Rubric
from ..delimited import id_in_cell, read_table, split_header
from ..json import json_items
from ..text import Unreadable, decode, kind_of, quote
from .slots import NEEDED, REVIEW_ID, SLOTS, folded, merged, review_from, slot_from, slots_in
from .tags import has_tags, read_tags

__all__ = ["NEEDED", "REVIEW_ID", "SLOTS", "has_tags", "merged", "read_reviews", "review_from", "slot_from", "slots_in"]

FORMS = "slots in tags (<PROMPT>, <RESPONSE1>, …), JSON with their names, or CSV with such columns are allowed"


def read_reviews(raw: bytes, place: str, rubric: Rubric) -> list[Review]:
    """The reviews in some bytes, at least one; `place` is what errors call the file."""
    text = decode(raw, place)
    # Not splitlines: U+2028 and others like it are characters somebody typed.
    lines = text.split("\n")
    number, opening = next(((number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()), (0, ""))

    def at(line: int) -> str:
        return f"{place}:{line}"

    names = split_header(opening)[1]
    if opening.startswith(("{", "[")):
        reviews = [_review(value, at(line), rubric) for line, _, value in json_items([text], at)]
    elif len(names) > 1 and any(folded(name) in NEEDED for name in names):
        rows = read_table((line + "\n" for line in lines), at)
        reviews = [_review(values, at(line), rubric) for line, _, values in rows]
        ids = [id_in_cell(review.review_id) if isinstance(review.review_id, str) else None for review in reviews]
        reviews = [review.updated(review_id=own) for review, own in zip(reviews, ids, strict=True)]
    elif has_tags(lines):
        reviews = [read_tags(lines, place, rubric)]
    elif opening:
        raise InputError(at(number), f"cannot read {quote(opening)}", FORMS)
    else:
        reviews = []
    if not reviews:
        raise InputError(place, "no review", FORMS)
    return reviews


def _review(value: Any, place: str, rubric: Rubric) -> Review:
    if isinstance(value, Unreadable):
        raise InputError(place, value.found, value.allowed)
    if not isinstance(value, dict):
        raise InputError(
            place, f"expected an object, found {kind_of(value)}", f"an object with {', '.join(SLOTS)} is needed"
        )
    try:
        return review_from(value, rubric)
    except InputError as error:
        raise type(error)(place, f"{error.place}: {error.found}", error.allowed) from None
