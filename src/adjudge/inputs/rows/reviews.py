"""Records → reviews: columns that were given or are well known become slots, and `inputs.review` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...errors import InputError
from ...rubric import Rubric
from ..review import NEEDED, REVIEW_ID, SLOTS, folded, read_reviews, review_from
from ..review.fields import IDS
from . import mapping as known
from .formats import BadRow, Record, Row
from .mapping import MISSING, Columns, beside, look_up

FIELDS = (*SLOTS, "id", "likert", "likert_justification")


@dataclass(frozen=True)
class ReviewReader:
    """Reads rows whose columns are settled."""

    mapping: Mapping[str, str]
    rubric: Rubric

    def read(self, record: Record) -> Row | BadRow:
        """The review in a record."""
        case_id = record.name or str(record.number)
        renamed = {column: name for name, column in self.mapping.items() if name != "id"}
        try:
            # A slot's own column, where another was given for it, is somebody's metadata.
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
                values = {name: value for name, value in values.items() if folded(name) not in IDS}
                values[REVIEW_ID] = own_id
                case_id = str(own_id).strip()
            review = review_from(values, self.rubric)
            # A rating in a column of its own is read too, whatever its name.
            rated = [name for name in record.values if folded(name).startswith(("response1_", "response2_", "likert"))]
            return Row(record.place, case_id, review, extra=beside(record.values, [*self.mapping.values(), *rated]))
        except InputError as error:
            return BadRow(record.place, case_id, str(error.renamed(self.mapping)))


def review_columns(columns: Columns, rubric: Rubric) -> ReviewReader:
    """Settle the columns of reviews; those that are slots by name are named too."""
    columns.check_given(FIELDS)
    names = columns.names
    settled: dict[str, str | None] = {slot: column for column in names if (slot := folded(column)) in SLOTS}
    settled |= {name: column or None for name, column in columns.given.items()}
    if settled.get("prompt") is None:
        settled["prompt"] = columns.one("prompt", known.TASKS[:2])
    if settled.get("response1") is None and settled.get("response2") is None:
        settled["response1"], settled["response2"] = columns.pair(("response1", "response2"), known.ANSWERS[:1])
    if not any(settled.get(name) for name in NEEDED):
        raise columns.missing(NEEDED, [])
    if "id" not in columns.given:
        by_name = {folded(column): column for column in reversed(names)}
        settled["id"] = next((by_name[name] for name in IDS if name in by_name), None)
    return ReviewReader({name: column for name, column in settled.items() if column}, rubric)


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
