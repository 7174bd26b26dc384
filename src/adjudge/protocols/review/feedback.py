"""SBQ: two to four bullets for the person who rated, that name the pattern behind the corrections, not each of them.

Patterns are looked for in a fixed order, the most instructive first; each is a small function from what was entered
and what became of it to a sentence, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ...models import LABELS, Fact, FinalRating, Label
from ...models.cases import Review
from ...rubric import LIKERT, OVERALL, Criterion, Rubric
from .binding import HARMFUL, SAFE
from .consistency import allowed_likerts, allowed_overalls, badness, deciding, dimensions, severity
from .correcting import read_rating
from .findings import BY_THE_SYSTEM_PROMPT
from .justifying import NOT_SPECIFIC, NOT_TRUE, Tables

LEAST, MOST = 2, 4
# How bullets begin that praise, or say what a task teaches everybody (`_what_was_right`, `_takeaways`).
_NO_LESSONS = (
    *("Every rating was right", "Right in both responses", "Only what can be measured", "What decides here"),
    *("The two responses have the same ratings", "A major issue (", "Count minor and major issues before setting"),
    "Set the Likert last, from the two Overalls",
)


@dataclass(frozen=True)
class ReviewAudit:
    """All that feedback is drawn from."""

    rubric: Rubric
    case: Review
    tables: Tables
    likert: FinalRating
    facts: tuple[Fact, ...]

    @cached_property
    def criteria(self) -> dict[str, Criterion]:
        return {criterion.key: criterion for criterion in self.rubric.criteria}

    @cached_property
    def entered(self) -> dict[Label, dict[str, int]]:
        """The ratings that could be read, as numbers."""
        return {label: self._entered(label) for label in LABELS}

    def _entered(self, label: Label) -> dict[str, int]:
        given = self.case.originals(label)
        read = {key: read_rating(given[key].rating, c.scale) for key, c in self.criteria.items() if key in given}
        return {key: value for key, value in read.items() if isinstance(value, int)}

    @cached_property
    def finals(self) -> list[FinalRating]:
        """All lines of both tables."""
        return [final for label in LABELS for final in self.tables[label].values()]

    def moves(self) -> Iterator[tuple[Label, str, int, int]]:
        """Every dimension whose rating was replaced: where, which, from what, to what."""
        for label in LABELS:
            for criterion in dimensions(self.rubric):
                final = self.tables[label][criterion.key]
                if final.action == "replaced":
                    yield label, criterion.key, self.entered[label][criterion.key], final.value

    def moved(self, label: Label, key: str) -> int:
        """Did a rating get better (1), worse (-1), or stay (0)?"""
        final = self.tables[label].get(key)
        if final is None or final.action != "replaced":
            return 0
        criterion = self.criteria[key]
        before, after = (badness(criterion, value) for value in (self.entered[label][key], final.value))
        return (before > after) - (before < after)

    def bound_by(self, name: str) -> list[Label]:
        """The responses in which a fact corrected what was entered."""
        return [
            label
            for label in LABELS
            if any(final.rule == name and final.changed for final in self.tables[label].values())
        ]

    def outranked(self, label: Label, name: str) -> bool:
        """Was it the system prompt that asked for what a fact of this name found missing?"""
        return any(
            fact.certain and fact.where == label and fact.name == name and fact.found.endswith(BY_THE_SYSTEM_PROMPT)
            for fact in self.facts
        )


def feedback(audit: ReviewAudit) -> tuple[str, ...]:
    """Two to four bullets."""
    found: list[str] = []
    if audit.case.has_originals:
        for pattern in _PATTERNS:
            if (said := pattern(audit)) and said not in found:
                found.append(said)
        if not found and (said := _single(audit)):
            found.append(said)
        found = found[: MOST - 1] if len(found) >= MOST else found
        if good := _what_was_right(audit):
            found.append(good)
    for said in _takeaways(audit):
        if len(found) >= LEAST:
            break
        found.append(said)
    return tuple(found[:MOST])


def is_lesson(bullet: str) -> bool:
    """Whether a bullet is about something that was corrected."""
    return not bullet.startswith(_NO_LESSONS)


def _swapped(audit: ReviewAudit) -> str:
    for label in LABELS:
        following = audit.moved(label, "instruction_following")
        truth = audit.moved(label, "truthfulness")
        if following * truth < 0:
            blamed = "Instruction Following" if following > 0 else "Truthfulness"
            belongs = "Truthfulness" if following > 0 else "Instruction Following"
            return (
                f"Truthfulness and Instruction Following were confused in Response {_number(label)}: what was marked "
                f"under {blamed} belongs to {belongs}. Ask first whether the requirement was attempted at all: if not, "
                "it is Instruction Following; if it was and came out wrong, it is Truthfulness."
            )
    return ""


def _pleasantries_as_length(audit: ReviewAudit) -> str:
    for label in LABELS:
        polite = any(fact.name == "pleasantries" and fact.certain and fact.where == label for fact in audit.facts)
        if polite and audit.moved(label, "verbosity") > 0 and audit.entered[label].get("verbosity", 0) > 0:
            return "Pleasantries were counted as length: they belong to Style & Clarity and never to Verbosity."
    return ""


def _wrong_sign(audit: ReviewAudit) -> str:
    for _, key, before, after in audit.moves():
        if audit.criteria[key].scale.low < 0 and before * after < 0:
            return (
                f"The sign of {audit.criteria[key].name} was reversed: below zero means too short, above zero too long."
            )
    return ""


def _by_fact(name: str, said: str) -> Callable[[ReviewAudit], str]:
    def pattern(audit: ReviewAudit) -> str:
        labels = [label for label in audit.bound_by(name) if not audit.outranked(label, name)]
        where = "both responses" if len(labels) == 2 else f"Response {_number(labels[0])}" if labels else ""
        return said.format(where=where) if labels else ""

    return pattern


def _outranked(audit: ReviewAudit) -> str:
    """Something the system prompt asks for or forbids, and that was overlooked."""
    for label in LABELS:
        changed = {final.rule for final in audit.tables[label].values() if final.changed}
        if any(audit.outranked(label, name) for name in changed):
            return (
                f"The system prompt was passed over in Response {_number(label)}: it outranks the user's wishes, so "
                "rate against it first."
            )
    return ""


def _refusal(audit: ReviewAudit) -> str:
    if audit.bound_by(HARMFUL):
        return "A refusal of a harmful request was marked down: it is the right answer, and costs nothing."
    if audit.bound_by(SAFE):
        return "A refusal was let pass: declining a request that is safe is a major Instruction Following issue."
    return ""


def _overall_against_dimensions(audit: ReviewAudit) -> str:
    for label in LABELS:
        entered = audit.entered[label]
        if len(entered) < len(audit.criteria):
            continue
        allowed = allowed_overalls(audit.rubric, entered, unusable=True, still_good=True)
        if entered[OVERALL] not in allowed:
            return (
                f"The Overall Quality of Response {_number(label)} did not follow from the ratings entered beside it: "
                f"they allow {either(allowed)}, not {entered[OVERALL]}. Count the minor and major issues first."
            )
    return ""


def _likert_against_overalls(audit: ReviewAudit) -> str:
    entered = audit.entered
    likert = read_rating(audit.case.preference.rating, LIKERT)
    if not isinstance(likert, int) or any(len(entered[label]) < len(audit.criteria) for label in LABELS):
        return ""
    allowed = allowed_likerts(audit.rubric, entered["A"], entered["B"])
    if likert in allowed:
        return ""
    return (
        f"The Likert contradicted the table it came with: Overalls of {entered['A'][OVERALL]} and "
        f"{entered['B'][OVERALL]} call for {either(allowed)}, not {likert}."
    )


def _direction(audit: ReviewAudit) -> str:
    """All corrections one way: a habit, not a slip."""
    ways = [audit.moved(label, key) for label, key, _, _ in audit.moves()]
    if len(ways) >= 3 and all(way < 0 for way in ways):
        return f"The ratings were too lenient: all {len(ways)} corrections lower them. Look for what is wrong first."
    if len(ways) >= 3 and all(way > 0 for way in ways):
        return f"The ratings were too severe: all {len(ways)} corrections raise them. Rate what is there, not more."
    return ""


def _one_side(audit: ReviewAudit) -> str:
    """One response raised and the other lowered: the preference came first."""
    raised = {label for label, key, _, _ in audit.moves() if audit.moved(label, key) > 0}
    lowered = {label for label, key, _, _ in audit.moves() if audit.moved(label, key) < 0}
    if len(raised) == len(lowered) == 1 and raised != lowered:
        high, low = _number(next(iter(lowered))), _number(next(iter(raised)))
        return (
            f"Response {high} was rated too high and Response {low} too low throughout: rate each response by itself "
            "before choosing between them."
        )
    return ""


def _same_everywhere(audit: ReviewAudit) -> str:
    """The same dimension corrected in both responses the same way."""
    for criterion in dimensions(audit.rubric):
        a, b = (audit.moved(label, criterion.key) for label in LABELS)
        if a == b != 0:
            way = "high" if a < 0 else "low"
            return f"{criterion.name} was rated too {way} in both responses: read its scale again."
    return ""


def _off_scale(audit: ReviewAudit) -> str:
    refused = [final.original_rating for final in (*audit.finals, audit.likert) if final.action == "refused"]
    if not refused:
        return ""
    value = " ".join(refused[0].split())[:40]
    return f"A value that is not on its scale cannot be used (“{value}”): keep to the scales."


def _thin_words(audit: ReviewAudit) -> str:
    reasons = [final.justification_reason for final in audit.finals if final.justification_action == "rewritten"]
    generic = sum(reason.startswith(NOT_SPECIFIC) for reason in reasons)
    if any(reason.endswith("not in English") for reason in reasons):
        return "Justifications must be in English, whatever the language of the task."
    if any(reason.startswith(NOT_TRUE) for reason in reasons):
        return "A justification said something of the response that is not so: quote it instead of paraphrasing."
    if generic >= 2:
        return f"{generic} justifications would fit any response: name the passage that decided the rating."
    return ""


def _blanks(audit: ReviewAudit) -> str:
    finals = [*audit.finals, audit.likert]
    blank = sum(final.action == "filled" for final in finals)
    if blank < 2:
        return ""
    return f"{blank} of {len(finals)} ratings were left blank: every dimension needs one, also where there is no issue."


def _single(audit: ReviewAudit) -> str:
    """No pattern, but a correction: the dimension that mattered most."""
    moves = sorted(audit.moves(), key=lambda move: -audit.criteria[move[1]].weight)
    if not moves:
        return ""
    label, key, before, after = moves[0]
    way = "too high" if audit.moved(label, key) < 0 else "too low" if audit.moved(label, key) > 0 else "the wrong way"
    name, reason = audit.criteria[key].name, audit.tables[label][key].reason
    return f"{name} of Response {_number(label)} was rated {way} ({before}, not {after}): {reason}"


_PATTERNS: tuple[Callable[[ReviewAudit], str], ...] = (
    _swapped,
    _outranked,
    _by_fact("truncation", "{where} breaks off, which was overlooked: read to the last line, and name it."),
    _by_fact("language", "Text in {where} is not in the language asked for, which was overlooked."),
    _by_fact("too_long", "The length limit was not measured in {where}: count before rating."),
    _by_fact("too_short", "The length limit was not measured in {where}: count before rating."),
    _by_fact("items", "The number of items in {where} was not counted against the prompt."),
    _by_fact("format", "The format that was asked for was not checked in {where}."),
    _by_fact("wording", "Words that were asked for, or not wanted, were not looked up in {where}."),
    _refusal,
    _pleasantries_as_length,
    _by_fact("pleasantries", "Pleasantries in {where} were not rated under Style & Clarity."),
    _by_fact("human_claim", "{where} poses as a human, which was overlooked: that is a Harmlessness issue."),
    _wrong_sign,
    _likert_against_overalls,
    _overall_against_dimensions,
    _one_side,
    _direction,
    _same_everywhere,
    _off_scale,
    _thin_words,
    _blanks,
)


def _what_was_right(audit: ReviewAudit) -> str:
    kept = sum(final.action == "kept" and final.assessed for final in audit.finals)
    entered = sum(final.action != "filled" for final in audit.finals)
    both = [
        criterion.name
        for criterion in sorted(dimensions(audit.rubric), key=lambda criterion: -criterion.weight)
        if all(
            audit.tables[label][criterion.key].action == "kept" and audit.tables[label][criterion.key].assessed
            for label in LABELS
        )
    ]
    if not kept or not entered:
        return ""
    if kept == entered == len(audit.finals):
        return "Every rating was right: keep rating each dimension on its own."
    return f"Right in both responses: {', '.join(both[:3])}." if both else ""


def _takeaways(audit: ReviewAudit) -> Iterator[str]:
    """What this task teaches, where there is little or nothing to correct."""
    values = {label: {key: final.value for key, final in audit.tables[label].items()} for label in LABELS}
    decides = deciding(audit.rubric, values["A"], values["B"])
    if not all(final.assessed for final in audit.finals):
        yield "Only what can be measured was checked here; let a judge that reads the responses look at the rest."
    if decides is not None:
        criterion, label = decides
        yield (
            f"What decides here is {criterion.name}, where Response {_number(label)} is better "
            f"({values['A'][criterion.key]} and {values['B'][criterion.key]}): look there first."
        )
    else:
        yield "The two responses have the same ratings in every dimension, which leaves no preference."
    worst = [
        criterion.name
        for criterion in dimensions(audit.rubric)
        if any(severity(criterion, values[label][criterion.key]) == "major" for label in LABELS)
    ]
    if worst:
        yield f"A major issue ({', '.join(worst)}) keeps the Overall Quality at 2 or below, whatever else is good."
    else:
        yield "Count minor and major issues before setting the Overall Quality: one minor issue already rules out 5."
    yield "Set the Likert last, from the two Overalls, and let its justification name the dimensions that decided."


def _number(label: Label) -> int:
    return 1 if label == "A" else 2


def either(allowed: tuple[int, ...]) -> str:
    """Values as a choice: 1 or 2."""
    return " or ".join(str(value) for value in sorted(allowed))
