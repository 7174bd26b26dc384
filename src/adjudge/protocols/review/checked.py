"""Which of the entered ratings were checked. A share of corrected ratings is a share of these, on every page."""

from __future__ import annotations

from ...models.common import LABELS
from ...rubric import LIKERT, OVERALL, Criterion
from .correcting import read_rating
from .verdict import FinalRating, ReviewVerdict


def checked_rating(verdict: ReviewVerdict, criterion: Criterion | None, line: FinalRating) -> int | None:
    """Return the rating that was entered, if it is on its scale and the judge assessed it; None if not. The preference
    has no `criterion`.

    If no dimension was assessed, the Overall and the preference, which follow from them, were not assessed either.
    """
    entered = read_rating(line.original_rating, criterion.scale if criterion else LIKERT)
    if not isinstance(entered, int) or not line.assessed:
        return None
    follows = criterion is None or criterion.key == OVERALL
    return None if follows and not _any_assessed(verdict) else entered


def _any_assessed(verdict: ReviewVerdict) -> bool:
    return any(line.assessed for label in LABELS for key, line in verdict.table(label).items() if key != OVERALL)
