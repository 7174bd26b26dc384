"""Reviews in CSV or TSV with a header: a row a review, columns found by name.

It does not guess: a row that has more cells than the header is an error, not a text cut at its first comma.
"""

from __future__ import annotations

import csv
import io
import re

from ..cases import MAX_TEXT_BYTES, Review
from ..errors import InputError
from ..rubric import Rubric
from .slots_fields import folded, review_from
from .slots_values import NEEDED

_NUMBER = re.compile(r"0|-?[1-9][0-9]*")


def header_delimiter(line: str) -> str | None:
    """What separates the columns, if this line is a header that names a prompt or a response."""
    for delimiter in ("\t", ",", ";"):
        names = [folded(name.strip().strip('"')) for name in line.split(delimiter)]
        if len(names) > 1 and any(name in NEEDED for name in names):
            return delimiter
    return None


def read_rows(text: str, delimiter: str, place: str, rubric: Rubric) -> list[Review]:
    """The reviews in rows; blank rows are passed over."""
    # The module's own limit, which it keeps for all readers, is below that of a text.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_TEXT_BYTES + 1))
    # Strict: a quote out of place would otherwise vanish from a text.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    reviews = []
    end = 0
    try:
        for row in reader:
            start, end = end + 1, reader.line_num
            if not any(cell.strip() for cell in row):
                continue
            if not header:
                header = _header(row, f"{place}:{start}")
            else:
                reviews.append(_review(row, header, f"{place}:{start}", rubric))
    except csv.Error as error:
        found = f"cannot read the row: {error}"
        raise InputError(f"{place}:{end + 1}", found, "quotes are doubled inside quotes") from None
    return reviews


def _header(row: list[str], here: str) -> list[str]:
    names = [name.strip() for name in row]
    seen: set[str] = set()
    for name in names:
        if name and name in seen:
            raise InputError(here, f"the column {name!r:.60} stands twice", "each column once")
        seen.add(name)
    return names


def _review(row: list[str], header: list[str], here: str, rubric: Rubric) -> Review:
    if len(row) > len(header):
        found = f"{len(row)} cells under a header of {len(header)}"
        raise InputError(here, found, "a text that holds the separator stands in quotes")
    try:
        # A short row leaves its last columns empty.
        review = review_from({name: cell for name, cell in zip(header, row, strict=False) if name}, rubric)
    except InputError as error:
        raise type(error)(here, f"{error.place}: {error.found}", error.allowed) from None
    return review.updated(review_id=_whole(review.review_id))


def _whole(review_id: int | str | None) -> int | str | None:
    # Only what reads back the same: 007 is a name.
    if isinstance(review_id, str) and len(review_id) < 19 and _NUMBER.fullmatch(review_id):
        return int(review_id)
    return review_id
