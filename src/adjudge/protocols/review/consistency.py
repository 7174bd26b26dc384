"""Overall from the dimensions, Likert from the Overalls: pure rules over whole numbers, the same for every judge.

A value's severity follows from its criterion's scale: on 1 to 3 the distance from 3, on -2 to 2 the distance from 0.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...models import Label, Severity
from ...rubric import OVERALL, Criterion, Rubric

NO_PREFERENCE = 4
_SEVERITIES: tuple[Severity | None, ...] = (None, "minor", "major")


def severity(criterion: Criterion, value: int) -> Severity | None:
    """How bad a value is: nothing, a minor or a major issue."""
    return _SEVERITIES[badness(criterion, value)]


def best(criterion: Criterion) -> int:
    """The value that says there is no issue."""
    return 0 if criterion.scale.low < 0 else int(criterion.scale.high)


def dimensions(rubric: Rubric) -> tuple[Criterion, ...]:
    """All criteria but the Overall, which follows from them."""
    return tuple(criterion for criterion in rubric.criteria if criterion.key != OVERALL)


def allowed_overalls(rubric: Rubric, values: Mapping[str, int], *, unusable: bool, still_good: bool) -> tuple[int, ...]:
    """The Overalls that fit the dimensions, the preferred one first.

    `unusable`: the judge finds the response largely unusable; `still_good`: it says what is good in it all the same.
    """
    found = [severity(criterion, values[criterion.key]) for criterion in dimensions(rubric)]
    major, minor = found.count("major"), found.count("minor")
    if major > 1:
        return (1, 2) if still_good else (1,)
    if major == 1:
        return (2, 1) if unusable else (2,)
    if minor > 1:
        return (3,)
    return (4,) if minor else (5, 4)


def nearest(allowed: tuple[int, ...], value: int) -> int:
    """The allowed value nearest to this one; of two equally near the preferred one."""
    return min(allowed, key=lambda option: (abs(option - value), allowed.index(option)))


def allowed_likerts(rubric: Rubric, a: Mapping[str, int], b: Mapping[str, int]) -> tuple[int, ...]:
    """The preferences that fit two tables (Overalls included), the milder first: they can never contradict them."""
    lead = a[OVERALL] - b[OVERALL]
    if lead == 0:
        decides = deciding(rubric, a, b)
        lead = 0 if decides is None else 1 if decides[1] == "A" else -1
    strength = {0: (0,), 1: (1,)}.get(abs(lead), (2, 3))
    return tuple(NO_PREFERENCE - step if lead > 0 else NO_PREFERENCE + step for step in strength)


def deciding(rubric: Rubric, a: Mapping[str, int], b: Mapping[str, int]) -> tuple[Criterion, Label] | None:
    """The first criterion, by weight, in which one side is better, and which side; None if there is none."""
    for criterion in sorted(dimensions(rubric), key=lambda criterion: -criterion.weight):
        first, second = badness(criterion, a[criterion.key]), badness(criterion, b[criterion.key])
        if first != second:
            return criterion, "A" if first < second else "B"
    return None


def badness(criterion: Criterion, value: int) -> int:
    """How far a value is from the best there is."""
    return abs(value) if criterion.scale.low < 0 else int(criterion.scale.high) - value
