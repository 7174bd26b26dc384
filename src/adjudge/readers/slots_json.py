"""Reviews in JSON: one object with the slots, an array of such objects, or one a line."""

from __future__ import annotations

from ..cases import Review
from ..errors import InputError
from ..rubric import Rubric
from .json import kind_of, lines_of_items, parse_values
from .slots_fields import review_from
from .slots_values import SLOTS


def read_json(text: str, place: str, rubric: Rubric) -> list[Review]:
    """The reviews in a text; an error says the line on which the object begins."""
    values = parse_values(text, place)
    if len(values) == 1 and isinstance(values[0][1], list):
        values = list(zip(lines_of_items(text), values[0][1], strict=True))
    reviews = []
    for line, value in values:
        here = f"{place}:{line}"
        if not isinstance(value, dict):
            raise InputError(here, f"expected an object, found {kind_of(value)}", f"with {', '.join(SLOTS)}")
        try:
            reviews.append(review_from(value, rubric))
        except InputError as error:
            raise type(error)(here, f"{error.place}: {error.found}", error.allowed) from None
    return reviews
