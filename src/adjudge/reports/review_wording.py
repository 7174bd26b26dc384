"""The sentences every report says about a review's verdict.

Plain text, not escaped for any format: whoever shows a sentence escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from ..models import (
    LABELS,
    Fact,
    FinalRating,
    JustificationAction,
    Label,
    RatingAction,
    ReviewVerdict,
)
from ..rubric import HOW_BAD, OVERALL, TOO_LITTLE_TOO_MUCH, Rubric, Scale
from .columns import cut
from .escaping import one_line
from .wording import number

INVALID = "INVALID TASK"
RESPONSES: dict[Label, str] = {"A": "Response 1", "B": "Response 2"}
ACTIONS: tuple[RatingAction, ...] = ("kept", "replaced", "filled", "refused")

# What was entered may be anything; beside a rating there is room for a rating.
ENTERED_COLUMNS = 24

_PREFERENCES = {
    1: "Response 1 is much better",
    2: "Response 1 is better",
    3: "Response 1 is slightly better",
    4: "Neither response is better",
    5: "Response 2 is slightly better",
    6: "Response 2 is better",
    7: "Response 2 is much better",
}
_HOW_BAD = {1: "major issue", 2: "minor issue", 3: "no issue"}
_HOW_MUCH = {-2: "far too little", -1: "too little", 0: "just right", 1: "too much", 2: "far too much"}
_RULES = {
    "identical": "both responses are the same text",
    "likert": "the preference follows from the tables",
    "preference": "the preference follows from the tables",
    "overall": "Overall Quality follows from the other dimensions",
}
_JUSTIFICATIONS: dict[JustificationAction, str] = {
    "kept": "Justification kept",
    "rewritten": "Justification rewritten",
    "filled": "Justification filled in",
}
_PLACES = {"task": "the prompt", "context": "the context", "A": RESPONSES["A"], "B": RESPONSES["B"]}


def headline(verdict: ReviewVerdict) -> str:
    """The verdict in a few words."""
    if verdict.likert is None or verdict.invalid is not None:
        return INVALID
    return _PREFERENCES[verdict.likert.value]


def favoured(verdict: ReviewVerdict) -> Label | None:
    """Which response the preference is for, if it is for one."""
    if verdict.likert is None or verdict.likert.value == 4:
        return None
    return "A" if verdict.likert.value < 4 else "B"


def every_rating(verdict: ReviewVerdict) -> Iterator[FinalRating]:
    """All lines of both tables, and the preference."""
    for label in LABELS:
        yield from verdict.table(label).values()
    if verdict.likert is not None:
        yield verdict.likert


def from_scratch(verdict: ReviewVerdict) -> bool:
    """Whether the person entered nothing at all."""
    return not any(rating.original_rating or rating.original_justification for rating in every_rating(verdict))


def counts(verdict: ReviewVerdict) -> dict[RatingAction, int]:
    """How many ratings were kept, replaced, filled and refused; the preference is one of them."""
    counted = dict.fromkeys(ACTIONS, 0)
    for rating in every_rating(verdict):
        counted[rating.action] += 1
    return counted


def tally(verdict: ReviewVerdict) -> str:
    """The same as a sentence."""
    parts = [f"{count} {action}" for action, count in counts(verdict).items()]
    return f"{summary(verdict)[:-1]}: {', '.join(parts[:-1])} and {parts[-1]}."


def summary(verdict: ReviewVerdict) -> str:
    """How many ratings there are, and whether the judge could tell them all."""
    ratings = list(every_rating(verdict))
    blank = sum(not rating.assessed for rating in ratings)
    return f"{len(ratings)} ratings{f', {blank} of them not assessed by this judge' if blank else ''}."


def value(rating: int) -> str:
    """A rating as people write it, with a real minus sign."""
    return number(Decimal(rating))


def entered(original: str) -> str:
    """What the person entered, as far as there is room, or `none`."""
    return cut(re.sub(r"^-(?=\d)", "−", one_line(original)), ENTERED_COLUMNS) or "none"


def scale_of(key: str, rubric: Rubric) -> Scale | None:
    """The scale of a criterion, where the rubric knows it."""
    return next((criterion.scale for criterion in rubric.criteria if criterion.key == key), None)


def grade(rating: int, key: str, rubric: Rubric) -> str:
    """What a rating means in words: how bad it is, or how much of the best."""
    scale = scale_of(key, rubric)
    if scale is not None and key != OVERALL:
        if scale == HOW_BAD:
            return _HOW_BAD.get(rating, "")
        if scale == TOO_LITTLE_TOO_MUCH:
            return _HOW_MUCH.get(rating, "")
    return f"of {number(scale.high)}" if scale is not None else ""


def is_fact(name: str) -> bool:
    """Whether what bound a rating is a fact, and not one of the rules that hold for every review."""
    return bool(name) and name not in _RULES


def rule(name: str) -> str:
    """The rule or fact that bound a rating, in plain words; nothing where none did."""
    if not name:
        return ""
    return f"Bound by a fact: {name.replace('_', ' ')}" if is_fact(name) else f"Rule: {_RULES[name]}"


def justification_fate(rating: FinalRating) -> str:
    """What became of the justification that was entered, and why."""
    said, why = _JUSTIFICATIONS[rating.justification_action], rating.justification_reason.strip()
    return f"{said}: {why}" if why else f"{said}."


def what_happened(rating: FinalRating) -> str:
    """What became of a rating, and why."""
    reason = rating.reason.strip()
    return f"{rating.action.capitalize()}: {reason}" if reason else rating.action.capitalize()


def place(fact: Fact) -> str:
    """Where a fact was found."""
    return _PLACES[fact.where]


def certainty(fact: Fact) -> str:
    """How sure code is, and how bad it is where that can be said."""
    sure = "certain" if fact.certain else "a hint"
    return f"{sure}, {fact.severity}" if fact.severity else sure
