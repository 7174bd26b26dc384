"""Records → reviews: columns get the names of slots where that was said or is well known; the slots' reader goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...errors import InputError
from ...rubric import Rubric
from ..slots import NEEDED, REVIEW_ID, SLOTS, read_reviews, review_from
from ..slots_fields import folded
from . import known
from .base import BadRow, Row
from .mapping import Found, check_said, missing, one, pair
from .records import MISSING, Record, beside, look_up

FIELDS = (*SLOTS, "id", "likert", "likert_justification")
_IDS = (REVIEW_ID, "id", "task_id")


@dataclass(frozen=True)
class ReviewRows:
    """Reads rows whose columns are settled."""

    mapping: Mapping[str, str]
    rubric: Rubric

    def read(self, record: Record) -> Row | BadRow:
        """The review in a record."""
        renamed = {column: name for name, column in self.mapping.items() if name != "id"}
        # A slot's own column, where another was said for it, is somebody's metadata.
        values = {
            renamed.get(column, column): value
            for column, value in record.values.items()
            if column in renamed or folded(column) not in SLOTS
        }
        for column, name in renamed.items():
            if column not in record.values and (value := look_up(record.values, column)) is not MISSING:
                values[name] = value
        own_id = look_up(record.values, self.mapping["id"]) if "id" in self.mapping else None
        if own_id is not MISSING and own_id not in (None, ""):
            values = {name: value for name, value in values.items() if folded(name) not in _IDS}
            values[REVIEW_ID] = own_id
        case_id = str(own_id).strip() if own_id not in (None, "", MISSING) else record.name or str(record.number)
        try:
            review = review_from(values, self.rubric)
        except InputError as error:
            return BadRow(record.place, case_id, str(error.renamed(self.mapping)))
        return Row(record.place, case_id, review, None, None, beside(record.values, _read_from(record, self.mapping)))


def settle(found: Found, rubric: Rubric) -> ReviewRows:
    """The columns of reviews; those the slots' reader knows by itself are named too."""
    check_said(found, FIELDS)
    own = {slot: column for column in found.columns if (slot := folded(column)) in SLOTS}
    settled: dict[str, str | None] = dict(own)
    for name, column in found.said.items():
        settled[name] = column or None
    if settled.get("prompt") is None and "prompt" not in found.said:
        settled["prompt"] = one(found, "prompt", known.TASKS[:2])
    if settled.get("response1") is None and settled.get("response2") is None:
        settled["response1"], settled["response2"] = pair(found, ("response1", "response2"), known.ANSWERS[:1])
    if not any(settled.get(name) for name in NEEDED):
        raise missing(found, NEEDED, [])
    if "id" not in found.said:
        by_name = {folded(column): column for column in reversed(found.columns)}
        settled["id"] = next((by_name[name] for name in _IDS if name in by_name), None)
    return ReviewRows({name: column for name, column in settled.items() if column}, rubric)


def rows_in_reviews(
    raw: bytes, place: str, rubric: Rubric, number: int, name: str | None = None
) -> Iterator[Row | BadRow]:
    """The reviews of one file in any of its forms, all or none; `number` is that of the first among all rows."""
    try:
        reviews = read_reviews(raw, place, rubric)
    except InputError as error:
        yield BadRow(place, name or str(number), str(error))
        return
    for position, review in enumerate(reviews, 1):
        fallback = str(number + position - 1)
        if name is not None:
            fallback = name if len(reviews) == 1 else f"{name}:{position}"
        yield Row(place, fallback if review.review_id is None else str(review.review_id), review)


def _read_from(record: Record, mapping: Mapping[str, str]) -> list[str]:
    """The columns that went into the review: a rating of its own is read too, whatever its name."""
    rated = [column for column in record.values if folded(column).startswith(("response1_", "response2_", "likert"))]
    return [*mapping.values(), *rated]
