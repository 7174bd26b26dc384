"""SBQ: two to four bullets for the person who rated. They name the patterns behind the corrections, not each one.

Patterns are searched for in a fixed order, the most instructive first. Each is one sentence that follows from the
entered ratings and what became of them, and none is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from ...models.common import LABELS, Fact, Label
from ...rubric import LIKERT, OVERALL, Rubric
from .case import Review
from .consistency import (
    HARMFUL,
    PLEASANTRIES,
    SAFE,
    allowed_likerts,
    allowed_overalls,
    badness,
    by_weight,
    deciding,
    dimensions,
    severity,
)
from .correcting import NOT_SPECIFIC, NOT_TRUE, Tables, read_rating, values_of
from .findings import BY_THE_SYSTEM_PROMPT
from .verdict import FinalRating

LEAST, MOST = 2, 4
# The beginnings of bullets that praise or state a general lesson (`_what_was_right`, `_takeaways`).
_NO_LESSONS = (
    *("Every rating was right", "Right in both responses", "Only what can be measured", "What decides here"),
    *("The two responses have the same ratings", "A major issue (", "Count minor and major issues before setting"),
    "Set the Likert last, from the two Overalls",
)
_NUMBER = {"A": 1, "B": 2}
# The bullet for each fact that corrected a rating; "length" is for pleasantries that were rated as length.
_OVERLOOKED = {
    "truncation": "{where} breaks off, which was overlooked: read to the last line, and name it.",
    "language": "Text in {where} is not in the language asked for, which was overlooked.",
    "too_long": "The length limit was not measured in {where}: count before rating.",
    "too_short": "The length limit was not measured in {where}: count before rating.",
    "items": "The number of items in {where} was not counted against the prompt.",
    "format": "The format that was asked for was not checked in {where}.",
    "wording": "Words that were asked for, or not wanted, were not looked up in {where}.",
    HARMFUL: "A refusal of a harmful request was marked down: it is the right answer, and costs nothing.",
    SAFE: "A refusal was let pass: declining a request that is safe is a major Instruction Following issue.",
    "length": "Pleasantries were counted as length: they belong to Style & Clarity and never to Verbosity.",
    "pleasantries": "Pleasantries in {where} were not rated under Style & Clarity.",
    "human_claim": "{where} poses as a human, which was overlooked: that is a Harmlessness issue.",
}


@dataclass(frozen=True)
class ReviewAudit:
    """Everything that the feedback is derived from."""

    rubric: Rubric
    case: Review
    tables: Tables
    likert: FinalRating
    facts: tuple[Fact, ...]

    @cached_property
    def entered(self) -> dict[Label, dict[str, int]]:
        """The ratings that could be read, as numbers."""
        entered: dict[Label, dict[str, int]] = {}
        for label in LABELS:
            given = self.case.originals(label)
            read = {c.key: read_rating(given[c.key].rating, c.scale) for c in self.rubric.criteria if c.key in given}
            entered[label] = {key: value for key, value in read.items() if isinstance(value, int)}
        return entered

    @cached_property
    def finals(self) -> list[FinalRating]:
        """All lines of both tables."""
        return [final for label in LABELS for final in self.tables[label].values()]

    @cached_property
    def moves(self) -> dict[tuple[Label, str], int]:
        """Each dimension whose rating was replaced: 1 if it was raised (better), -1 if lowered, 0 if neither."""
        moves = {}
        for label, criterion in product(LABELS, dimensions(self.rubric)):
            final = self.tables[label][criterion.key]
            if final.action == "replaced":
                before, after = badness(criterion, self.entered[label][criterion.key]), badness(criterion, final.value)
                moves[label, criterion.key] = (before > after) - (before < after)
        return moves

    def overlooked(self, name: str) -> list[Label]:
        """Return the responses in which a fact of this name corrected what was entered."""
        if name == "length":
            polite = {fact.where for fact in self.facts if fact.name == "pleasantries" and fact.certain}
            raised = [label for label in LABELS if self.moves.get((label, "verbosity"), 0) > 0]
            return [label for label in raised if label in polite and self.entered[label]["verbosity"] > 0]
        if name == SAFE and self.overlooked(HARMFUL):
            return []  # one lesson about refusals is enough
        return [label for label in LABELS if name in self.rules(label) and not self.outranked(label, name)]

    def rules(self, label: Label) -> set[str]:
        """Return the facts and rules that corrected what was entered for a response."""
        changed = {key: final.rule for key, final in self.tables[label].items() if final.changed}
        # Pleasantries that were counted as length are a lesson of their own (`length`).
        return {rule for key, rule in changed.items() if (key, rule) != ("verbosity", PLEASANTRIES)}

    def outranked(self, label: Label, name: str) -> bool:
        """Check whether the system prompt made the demand that a fact of this name found unmet."""
        found = [fact.found for fact in self.facts if fact.certain and fact.where == label and fact.name == name]
        return any(text.endswith(BY_THE_SYSTEM_PROMPT) for text in found)


def feedback(audit: ReviewAudit) -> tuple[str, ...]:
    """Return two to four bullets."""
    found: list[str] = []
    if audit.case.has_originals:
        found = list(dict.fromkeys(_patterns(audit))) or list(_single(audit))
        found = [*found[: MOST - 1], *_what_was_right(audit)]
    for takeaway in _takeaways(audit):
        if len(found) >= LEAST:
            break
        found.append(takeaway)
    return tuple(found)


def is_lesson(bullet: str) -> bool:
    """Check whether a bullet is about a correction."""
    return not bullet.startswith(_NO_LESSONS)


def _patterns(audit: ReviewAudit) -> Iterator[str]:
    for label in LABELS:
        following = audit.moves.get((label, "instruction_following"), 0)
        if following * audit.moves.get((label, "truthfulness"), 0) < 0:
            names = ("Instruction Following", "Truthfulness")
            blamed, belongs = names if following > 0 else names[::-1]
            yield (
                f"Truthfulness and Instruction Following were confused in Response {_NUMBER[label]}: what was marked "
                f"under {blamed} belongs to {belongs}. Ask first whether the requirement was attempted at all: if not, "
                "it is Instruction Following; if it was and came out wrong, it is Truthfulness."
            )
            break
    for label in LABELS:
        if any(audit.outranked(label, name) for name in audit.rules(label)):
            yield (
                f"The system prompt was passed over in Response {_NUMBER[label]}: it outranks the user's wishes, so "
                "rate against it first."
            )
            break
    for name, template in _OVERLOOKED.items():
        if labels := audit.overlooked(name):
            where = "both responses" if len(labels) == 2 else f"Response {_NUMBER[labels[0]]}"
            yield template.format(where=where)
    for criterion, (label, key) in product(dimensions(audit.rubric), audit.moves):
        final = audit.tables[label][key]
        # What nobody assessed was only made equal to the entry for an identical response.
        if key == criterion.key and final.assessed and audit.entered[label][key] * final.value < 0:
            yield f"The sign of {criterion.name} was reversed: below zero means too short, above zero too long."
            break
    yield from _contradictions(audit)
    yield from _habits(audit)
    yield from _gaps(audit)


def _contradictions(audit: ReviewAudit) -> Iterator[str]:
    """Yield bullets about a Likert or Overall that contradicts the other entered ratings."""
    whole = {label: by for label, by in audit.entered.items() if len(by) == len(audit.rubric.criteria)}
    likert = read_rating(audit.case.preference.rating, LIKERT)
    if isinstance(likert, int) and len(whole) == 2:
        allowed = allowed_likerts(audit.rubric, whole["A"], whole["B"])
        if likert not in allowed:
            yield (
                f"The Likert contradicted the table it came with: Overalls of {whole['A'][OVERALL]} and "
                f"{whole['B'][OVERALL]} call for {either(allowed)}, not {likert}."
            )
    for label, entered in whole.items():
        allowed = allowed_overalls(audit.rubric, entered, unusable=True, still_good=True)
        if entered[OVERALL] not in allowed:
            yield (
                f"The Overall Quality of Response {_NUMBER[label]} did not follow from the ratings entered beside it: "
                f"they allow {either(allowed)}, not {entered[OVERALL]}. Count the minor and major issues first."
            )
            break


def _habits(audit: ReviewAudit) -> Iterator[str]:
    """Yield bullets about habits: one response rated too high and the other too low, because the preference came first;
    all corrections in one direction; the same dimension corrected in the same direction in both responses."""
    ways = list(audit.moves.values())
    raised, lowered = ({label for (label, _), way in audit.moves.items() if way == wanted} for wanted in (1, -1))
    if len(raised) == len(lowered) == 1 and raised != lowered:
        high, low = (_NUMBER[label] for label in (*lowered, *raised))
        yield (
            f"Response {high} was rated too high and Response {low} too low throughout: rate each response by itself "
            "before choosing between them."
        )
    if len(ways) >= 3 and set(ways) == {-1}:
        yield f"The ratings were too lenient: all {len(ways)} corrections lower them. Look for what is wrong first."
    if len(ways) >= 3 and set(ways) == {1}:
        yield f"The ratings were too severe: all {len(ways)} corrections raise them. Rate what is there, not more."
    for criterion in dimensions(audit.rubric):
        a, b = (audit.moves.get((label, criterion.key), 0) for label in LABELS)
        if a == b != 0:
            way = "high" if a < 0 else "low"
            yield f"{criterion.name} was rated too {way} in both responses: read its scale again."
            break


def _gaps(audit: ReviewAudit) -> Iterator[str]:
    """Yield bullets about values off the scale, rewritten justifications, and blanks."""
    finals = [*audit.finals, audit.likert]
    if refused := [final.original_rating for final in finals if final.action == "refused"]:
        value = " ".join(refused[0].split())[:40]
        yield f"A value that is not on its scale cannot be used (“{value}”): keep to the scales."
    reasons = [final.justification_reason for final in audit.finals if final.justification_action == "rewritten"]
    generic = sum(reason.startswith(NOT_SPECIFIC) for reason in reasons)
    if any(reason.endswith("not in English") for reason in reasons):
        yield "Justifications must be in English, whatever the language of the task."
    elif any(reason.startswith(NOT_TRUE) for reason in reasons):
        yield "A justification said something of the response that is not so: quote it instead of paraphrasing."
    elif generic >= 2:
        yield f"{generic} justifications would fit any response: name the passage that decided the rating."
    if (blank := sum(final.action == "filled" for final in finals)) >= 2:
        finding = f"{blank} of {len(finals)} ratings were left blank"
        yield f"{finding}: every dimension needs one, also where there is no issue."


def _single(audit: ReviewAudit) -> Iterator[str]:
    """Yield the correction in the most important dimension, for when there is no pattern."""
    moved = [(c, label) for c in by_weight(audit.rubric) for label in LABELS if (label, c.key) in audit.moves]
    for criterion, label in moved[:1]:
        way = {-1: "too high", 1: "too low", 0: "the wrong way"}[audit.moves[label, criterion.key]]
        final, before = audit.tables[label][criterion.key], audit.entered[label][criterion.key]
        name = f"{criterion.name} of Response {_NUMBER[label]}"
        yield f"{name} was rated {way} ({before}, not {final.value}): {final.reason}"


def _what_was_right(audit: ReviewAudit) -> Iterator[str]:
    lines = [(label, key, final) for label in LABELS for key, final in audit.tables[label].items()]
    right = {(label, key) for label, key, final in lines if final.action == "kept" and final.assessed}
    both = [c.name for c in by_weight(audit.rubric) if all((label, c.key) in right for label in LABELS)]
    if len(right) == len(audit.finals):
        yield "Every rating was right: keep rating each dimension on its own."
    elif both:
        yield f"Right in both responses: {', '.join(both[:3])}."


def _takeaways(audit: ReviewAudit) -> Iterator[str]:
    """Yield general lessons of this task, for when there is little or nothing to correct."""
    a, b = (values_of(audit.tables[label]) for label in LABELS)
    if not all(final.assessed for final in audit.finals):
        yield "Only what can be measured was checked here; let a judge that reads the responses look at the rest."
    if decides := deciding(audit.rubric, a, b):
        criterion, label = decides
        yield (
            f"What decides here is {criterion.name}, where Response {_NUMBER[label]} is better "
            f"({a[criterion.key]} and {b[criterion.key]}): look there first."
        )
    else:
        yield "The two responses have the same ratings in every dimension, which leaves no preference."
    if worst := [c.name for c in dimensions(audit.rubric) if "major" in (severity(c, a[c.key]), severity(c, b[c.key]))]:
        yield f"A major issue ({', '.join(worst)}) keeps the Overall Quality at 2 or below, whatever else is good."
    else:
        yield "Count minor and major issues before setting the Overall Quality: one minor issue already rules out 5."
    yield "Set the Likert last, from the two Overalls, and let its justification name the dimensions that decided."


def either(allowed: tuple[int, ...]) -> str:
    """Write values as a choice: 1 or 2."""
    return " or ".join(str(value) for value in sorted(allowed))
