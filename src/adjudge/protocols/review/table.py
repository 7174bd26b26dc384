"""The columns of a review in a run's flat table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, get_args
from unicodedata import normalize

from ...models.common import LABELS, Label
from ..table import Column, Table, Truth, agrees_on_winner, winner_of
from .verdict import FinalRating, RatingAction, ReviewVerdict

NO_PREFERENCE = 4
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


def _preferred(verdict: ReviewVerdict) -> Truth | None:
    if verdict.likert is None:
        return None
    value = verdict.likert.value
    return "tie" if value == NO_PREFERENCE else "A" if value < NO_PREFERENCE else "B"


def _counted(verdict: ReviewVerdict, action: str) -> int | None:
    if verdict.likert is None:
        return None
    lines = (verdict.likert, *verdict.response1_fixed_table, *verdict.response2_fixed_table)
    return sum(line.action == action for line in lines)


def _equal_ratings(verdict: ReviewVerdict) -> bool | None:
    """Return whether the judge itself rated both responses alike; None for identical responses, for invalid tasks, and
    if it did not assess everything."""
    opinion, (a, b) = verdict.opinion, (" ".join(text.split()) for text in (verdict.case.a, verdict.case.b))
    if opinion is None or verdict.likert is None or normalize("NFC", a) == normalize("NFC", b):
        return None
    rated = [each.ratings for each in opinion.responses.values()]
    if not all(one.assessed for ratings in rated for one in ratings.values()):
        return None  # what was not assessed has the same placeholder for both
    same = all(rated[0][key].value == one.value for key, one in rated[1].items())
    return same and opinion.preference == NO_PREFERENCE


def _entered(line: FinalRating | None) -> str | None:
    return line.original_rating or None if line else None


_SEVEN = "the preference: 1 response 1 is much better … 7 response 2 is much better"

_ALIKE = (
    "whether the judge gave both responses the same ratings and prefers neither; empty for identical responses, and "
    "where it did not assess everything"
)

_KIND = "what kind of task the judge took it for"

_COLUMNS = (
    Column("winner", "VARCHAR", "A (response 1), B (response 2) or tie, as the preference says", _preferred),
    Column("likert", "BIGINT", _SEVEN, lambda v: v.likert and v.likert.value, score=True),
    Column("likert_entered", "VARCHAR", "the preference that was entered", lambda v: _entered(v.likert)),
    Column("likert_action", "VARCHAR", "kept, replaced, filled or refused", lambda v: v.likert and v.likert.action),
    Column("invalid", "VARCHAR", "why the task cannot be rated, if it cannot", lambda v: v.invalid),
    *(
        Column(action, "BIGINT", f"how many ratings were {action}", partial(_counted, action=action))
        for action in get_args(RatingAction)
    ),
    Column("task_type", "VARCHAR", _KIND, lambda v: v.opinion and v.opinion.task_type),
    Column("equal_totals", "BOOLEAN", _ALIKE, _equal_ratings),
)


def _rated(line: FinalRating | None) -> int | None:
    # If the judge could not assess it, a filled-in value is only a placeholder; a rating that was entered counts.
    return None if line is None or (not line.assessed and line.action == "filled") else line.value


def _criterion_columns(key: str, name: str, called: str) -> Iterable[Column]:
    for number, label in enumerate(LABELS, start=1):

        def cell(verdict: ReviewVerdict, of: Callable[[Any], Any], label: Label = label) -> Any:
            return of(verdict.table(label).get(key))

        column, about = f"{called}_{label.lower()}", f"{name} of response {number}"
        yield Column(column, "BIGINT", f"{about}: the final rating", partial(cell, of=_rated), score=True)
        yield Column(f"{column}_entered", "VARCHAR", f"{about}: what was entered", partial(cell, of=_entered))
        action = partial(cell, of=lambda line: line and line.action)
        yield Column(f"{column}_action", "VARCHAR", f"{about}: kept, replaced, filled or refused", action)


def _agrees(label: str, cells: Mapping[str, Any]) -> bool | None:
    """Check whether a review agrees with a label: the same winner, or the same preference from 1 to 7."""
    if winner_of(label) is not None:
        return agrees_on_winner(label, cells)
    said, given = label.strip(), cells.get("likert")
    return None if given is None or not _NUMBER.fullmatch(said) else float(given) == float(said)


TABLE = Table(
    columns=_COLUMNS,
    of_criterion=_criterion_columns,
    criteria=lambda verdict: verdict.table("A"),
    agrees=_agrees,
    two_sides=True,
)
