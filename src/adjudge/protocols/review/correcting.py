"""Correction: a person's ratings beside ours. Kept where they agree, replaced, filled in or refused where not.

Pure: ours were made without theirs (`Independent first`), and here the two meet.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...models import FinalRating, RatedResponse, Rating
from ...models.cases import Original
from ...rubric import OVERALL, Criterion, Rubric
from ...text.sentences import sentences
from .binding import Binding
from .consistency import allowed_overalls, dimensions, nearest, severity
from .originals import OffScale, read_rating

NOT_GIVEN = "no rating was given"
NO_WORDS = "no justification was given"
AS_ENTERED = "Kept as entered; this judge did not assess it."


def correct_response(rubric: Rubric, binding: Binding, originals: Mapping[str, Original]) -> dict[str, FinalRating]:
    """The final table of one response, in our own words."""
    rated = binding.rated
    rules = {key: facts[0].name for key, facts in binding.facts.items()}
    table: dict[str, FinalRating] = {}

    def settle(criterion: Criterion, ours: Rating, rule: str) -> FinalRating:
        given = originals.get(criterion.key, Original())
        entered = read_rating(given.rating, criterion.scale)
        if isinstance(entered, int) and entered in binding.open_to.get(criterion.key, ()):
            ours = ours.updated(value=entered)
        return _settled(criterion, ours, given, rule)

    for criterion in dimensions(rubric):
        table[criterion.key] = settle(criterion, rated.ratings[criterion.key], rules.get(criterion.key, ""))
    overall = next(criterion for criterion in rubric.criteria if criterion.key == OVERALL)
    values = {key: final.value for key, final in table.items()}
    ours, rule = _overall(rubric, rated, values, originals.get(OVERALL, Original()), rules.get(OVERALL, ""))
    table[OVERALL] = settle(overall, ours, rule)
    return {criterion.key: table[criterion.key] for criterion in rubric.criteria}


def _overall(
    rubric: Rubric, rated: RatedResponse, values: Mapping[str, int], given: Original, rule: str
) -> tuple[Rating, str]:
    """The judge's Overall, moved to the nearest one that the dimensions allow."""
    judged = rated.ratings[OVERALL]
    criterion = next(criterion for criterion in rubric.criteria if criterion.key == OVERALL)
    if judged.assessed:
        allowed = allowed_overalls(rubric, values, unusable=rated.unusable, still_good=bool(rated.still_good))
        value = nearest(allowed, judged.value)
        if value == judged.value:
            return judged, rule
    else:
        # Whether it is largely unusable, or good in parts, nobody has said: what was entered may be right.
        allowed = allowed_overalls(rubric, values, unusable=True, still_good=True)
        entered = read_rating(given.rating, criterion.scale)
        value = judged.value if judged.value in allowed else allowed[0]
        value = nearest(allowed, entered) if isinstance(entered, int) else value
    words = by_the_dimensions(rubric, values)
    if value == 2 and rated.still_good:
        words += f" Still of use: {rated.still_good.rstrip('.')}."
    return Rating(value=value, justification=words), "overall" if judged.assessed else rule


def by_the_dimensions(rubric: Rubric, values: Mapping[str, int]) -> str:
    """How an Overall follows from its dimensions, in a sentence."""
    named = {kind: [c.name for c in dimensions(rubric) if severity(c, values[c.key]) == kind] for kind in _KINDS}
    told = [
        f"{len(names)} {kind} issue{'' if len(names) == 1 else 's'} ({', '.join(names)})"
        for kind, names in named.items()
        if names
    ]
    return f"Follows from the ratings above: {' and '.join(told) or 'no issue in any dimension'}."


_KINDS = ("major", "minor")


def _settled(criterion: Criterion, ours: Rating, given: Original, rule: str) -> FinalRating:
    """The final value, and what became of the one that was entered."""
    entered = read_rating(given.rating, criterion.scale)
    final = FinalRating(
        dimension=criterion.name,
        key=criterion.key,
        value=ours.value,
        justification=ours.justification,
        action="kept",
        reason="",
        justification_action="filled",
        justification_reason=NO_WORDS,
        original=given or None,
        quotes=ours.quotes,
        rule=rule,
        assessed=ours.assessed,
    )
    if entered is None:
        return final.updated(action="filled", reason=NOT_GIVEN)
    if isinstance(entered, OffScale):
        return final.updated(action="refused", reason=entered.why)
    if not ours.assessed:
        return final.updated(value=entered, justification=AS_ENTERED)
    if entered == ours.value:
        return final
    return final.updated(action="replaced", reason=first_sentence(ours.justification))


def first_sentence(words: str) -> str:
    """A reason short enough for one line of the changelog."""
    return next(iter(sentences(words)), words)
