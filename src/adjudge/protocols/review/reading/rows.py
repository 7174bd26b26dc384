"""Reads reviews from rows: each column with the name of a slot, or one chosen for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....errors import InputError
from ....inputs.rows.columns import ANSWERS, MISSING, TASKS, CaseReader, Columns, beside, look_up
from ....inputs.text import kind_of
from ....rubric import Rubric
from ...reading import CaseReading, Record, Row
from ..case import Review
from . import NEEDED, REVIEW_ID, SLOTS, has_tags, read_reviews, review_from
from .slots import IDS, folded, ratings_from

_FIELDS = {
    **{slot: slot.replace("_", " ").replace("response", "response ") for slot in SLOTS},
    "taskconfig": "task configuration",
    "id": "id of the review",
    "likert": "original likert",
    "likert_justification": "original likert justification",
}


def _choose(columns: Columns, rubric: Rubric) -> CaseReader:
    """Choose the columns of reviews. A column with the name of a slot is used without `--map`."""
    columns.check_given(_FIELDS)
    settled: dict[str, str | None] = {slot: column for column in columns.names if (slot := folded(column)) in SLOTS}
    settled |= {name: column or None for name, column in columns.given.items()}
    if settled.get("prompt") is None:
        settled["prompt"] = columns.one("prompt", TASKS[:2])
    if settled.get("response1") is None and settled.get("response2") is None:
        settled["response1"], settled["response2"] = columns.several(("response1", "response2"), ANSWERS[:1])
    if not any(settled.get(name) for name in NEEDED):
        raise columns.missing(NEEDED, [])
    settled["id"] = columns.one("id", [(name,) for name in IDS])
    return CaseReader.of(settled, rubric, _row)


def _row(reader: CaseReader, record: Record, case_id: str) -> Row:
    renamed = {column: name for name, column in reader.mapping.items() if name != "id"}
    # If `--map` gives another column for a slot, the column with the slot's name is only metadata.
    values = {
        renamed.get(column, column): value
        for column, value in record.values.items()
        if column in renamed or folded(column) not in SLOTS
    }
    for column, name in renamed.items():
        if column not in record.values and (value := look_up(record.values, column)) is not MISSING:
            values[name] = value
    own = reader.value(record, "id")
    if own not in (None, ""):
        values = {name: value for name, value in values.items() if folded(name) not in IDS} | {REVIEW_ID: own}
    review = review_from(values, reader.rubric)
    # `review_from` also reads columns with single ratings, so they are not kept as extra columns.
    rated = [name for name in record.values if folded(name).startswith(("response1_", "response2_", "likert"))]
    return Row(record.place, case_id, review, extra=beside(record.values, [*reader.mapping.values(), *rated]))


def review_in_row(values: Mapping[str, Any], place: str, rubric: Rubric) -> Review | None:
    """Read a review whose fields have the names that a run knows of columns; None if it cannot be read like that."""
    try:
        row = _choose(Columns(place, [values], {}), rubric).read(Record(place, 1, values))
    except InputError:
        return None
    return row.case if isinstance(row, Row) and isinstance(row.case, Review) else None


def _split(raw: bytes, place: str, rubric: Rubric, name: str | None) -> Iterator[Row]:
    """Yield the reviews of a file. If one cannot be read, the whole file is refused."""
    found = read_reviews(raw, place, rubric)
    for position, one in enumerate(found, 1):
        named = position if name is None else f"{name}:{position}" if len(found) > 1 else name
        yield Row(place, str(named if one.review_id is None else one.review_id), one)


def one_review(slots: str | Mapping[str, Any] | Review, rubric: Rubric, place: str = "slots") -> Review:
    """Read exactly one review, with its ratings under the rubric's keys. Errors name `place` for a text."""
    if isinstance(slots, Review):
        return slots.updated(
            ratings_a=ratings_from(slots.ratings_a, rubric, "ratings_a"),
            ratings_b=ratings_from(slots.ratings_b, rubric, "ratings_b"),
        )
    if isinstance(slots, Mapping):
        return review_from(slots, rubric)
    if not isinstance(slots, str):
        raise InputError(place, f"expected one review, found {kind_of(slots)}", "text, an object or a Review")
    found = read_reviews(slots.encode("utf-8", "surrogatepass"), place, rubric)
    if len(found) != 1:
        raise InputError(place, f"{len(found)} reviews found", "give one; `adjudge review` takes many")
    return found[0]


READING = CaseReading(
    choose=_choose,
    from_object=review_from,
    wanted="prompt, response1, response2, and optionally the other slots",
    from_text=read_reviews,
    split=_split,
    begins_text=lambda line: has_tags([line]),
    fields=_FIELDS,
)
