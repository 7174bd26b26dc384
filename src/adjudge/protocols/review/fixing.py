"""Applies a reviewer's changes to a review, checked by the same rules as a judge's ratings.

Pure functions: a verdict and the changes in, the changed verdict out. What the reviewer leaves stays, unless a changed
rating makes it wrong; then Overall, Likert, explanation and feedback are derived again. The changelog always is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeVar

from pydantic import Field, Strict

from ...errors import InputError
from ...models.base import Frozen
from ...models.common import LABELS, Label
from ...prompts.fence import in_one_line
from ...rendering.wording import number
from ...rubric import LIKERT, OVERALL, Rubric, Scale
from ...text.reasons import WordChecker, misstated_rating, not_english
from ...text.sentences import sentences
from . import correcting
from .consistency import allowed_by, allowed_likerts, allowed_overalls, bounds_of, names_fact, nearest
from .correcting import NO_WORDS, by_the_dimensions, changelog, first_sentence, rating_action, read_rating, values_of
from .feedback import LEAST, MOST, ReviewAudit, either, feedback
from .identical import are_identical
from .preference import VERDICTS, composed
from .verdict import FinalRating, ReviewVerdict

BY_REVIEWER = "reviewer"  # the `rule` of a rating that a reviewer set
MAX_CHARACTERS = 5_000  # of one justification, explanation or bullet
_REWRITTEN = "a reviewer wrote another"

Whole = Annotated[int, Strict()]
R = TypeVar("R", bound=FinalRating)


class FixedRating(Frozen):
    """A new rating, a new justification, or both; null leaves it unchanged."""

    rating: Whole | None = None
    justification: str | None = None


class ReviewFixes(Frozen):
    """A reviewer's changes; ratings are under the keys of their dimensions. Null leaves a field unchanged."""

    response1: dict[str, FixedRating] = Field(default_factory=dict)
    response2: dict[str, FixedRating] = Field(default_factory=dict)
    likert: Whole | None = Field(default=None, description="1 to 7; it must fit the tables.")
    explanation: str | None = Field(default=None, description="Why: the verdict sentence, then two or three more.")
    feedback: tuple[str, ...] | None = Field(default=None, description="2 to 4 bullets for the person who rated.")


def fixed(verdict: ReviewVerdict, fixes: ReviewFixes) -> ReviewVerdict:
    """Apply the changes and everything that follows from them. Raise InputError for a change that breaks a rule."""
    rubric: Rubric = verdict.rubric
    if verdict.likert is None:
        raise InputError("decision", "an invalid task has nothing to fix", "accepted or rejected is allowed")
    check, same = WordChecker(verdict.case.texts), are_identical(verdict.case)
    both = zip(LABELS, (fixes.response1, fixes.response2), strict=True)
    tables = {label: _table(verdict, label, changed, check) for label, changed in both}
    was = {label: values_of(verdict.table(label)) for label in LABELS}
    now = {label: values_of(table) for label, table in tables.items()}
    if same and now["A"] != now["B"]:
        raise InputError("response2", "the responses are identical", "both need the same ratings")

    allowed, likert = allowed_likerts(rubric, now["A"], now["B"]), verdict.likert
    if fixes.likert is not None:
        _check_value("likert", fixes.likert, LIKERT, allowed, "contradicts the tables")
    value = nearest(allowed, likert.value if fixes.likert is None else fixes.likert)
    moved = was != now or value != likert.value
    words = _given(fixes.explanation, likert.justification)
    if words is not None:
        ratings = {c.name: (now["A"][c.key], now["B"][c.key]) for c in rubric.criteria}
        words = _explanation(value, words, ratings, check)
    elif moved:
        words = composed(value, tables, rubric, same=same)
    if words is not None:
        likert = _set(likert, LIKERT, value, words)

    shown = verdict.feedback
    if fixes.feedback is not None and (bullets := tuple(map(in_one_line, fixes.feedback))) != shown:
        if not LEAST <= len(bullets) <= MOST:
            raise InputError("feedback", f"{len(bullets)} given", f"{LEAST} to {MOST} are needed")
        # Feedback may quote the rater's own justifications and the earlier feedback.
        case = verdict.case
        entered = (*case.ratings_a.values(), *case.ratings_b.values(), case.preference)
        quotable = WordChecker((*case.texts, *(each.justification for each in entered), *shown))
        for at, bullet in enumerate(bullets, 1):
            _check_words(f"feedback.{at}", bullet, quotable)
        shown = bullets
    elif moved:
        shown = feedback(ReviewAudit(rubric, verdict.case, tables, likert, verdict.facts))
    return verdict.updated(
        response1_fixed_table=tuple(tables["A"].values()),
        response2_fixed_table=tuple(tables["B"].values()),
        final_likert_and_justification=likert,
        changelog=changelog(rubric, tables, likert, originals=verdict.case.has_originals),
        sbq=shown,
    )


def changes(before: ReviewVerdict, after: ReviewVerdict) -> tuple[str, ...]:
    """List the differences between two reviews, one short line each: `Response 1, Truthfulness: 3 → 2`."""
    pairs = [
        (f"Response {number}, {line.dimension}", before.tables[number][key], line)
        for number, table in after.tables.items()
        for key, line in table.items()
    ]
    if before.likert and after.likert:
        pairs.append(("Likert", before.likert, after.likert))
    changes = []
    for place, old, new in pairs:
        if old.value != new.value:
            changes.append(f"{place}: {number(old.value)} → {number(new.value)}")
        elif old.justification != new.justification:
            changes.append(f"{place}: other words")
    return (*changes, "Feedback: other words") if before.feedback != after.feedback else tuple(changes)


# -- a table ----------------------------------------------------------------------------------------------------------


def _table(
    verdict: ReviewVerdict, label: Label, fixes: Mapping[str, FixedRating], check: WordChecker
) -> dict[str, FinalRating]:
    rubric: Rubric = verdict.rubric
    side, before = f"response{LABELS.index(label) + 1}", verdict.table(label)
    table = dict(before)
    if unknown := next((key for key in fixes if key not in table), None):
        raise InputError(f"{side}.{unknown[:80]}", "unknown dimension", f"one of {', '.join(table)}")
    # A fact about one of two identical responses holds for both.
    where = LABELS if are_identical(verdict.case) else (label,)
    bounds = bounds_of([fact for fact in verdict.facts if fact.where in where], verdict.case.answer(label))
    for criterion in sorted(rubric.criteria, key=lambda criterion: criterion.key == OVERALL):
        key, place = criterion.key, f"{side}.{criterion.key}"
        line, fix, own = table[key], fixes.get(key, FixedRating()), [bound for bound in bounds if bound.key == key]
        value = line.value if fix.rating is None else fix.rating
        words = _given(fix.justification, line.justification)
        if key == OVERALL:
            # The reviewer decides whether the response is largely unusable, or good in parts.
            allowed = allowed_overalls(rubric, values_of(table), unusable=True, still_good=True)
            if fix.rating is not None:
                _check_value(f"{place}.rating", value, criterion.scale, allowed, "does not follow from the dimensions")
            value = nearest(allowed, value)
            if words is None and (values_of(table) != values_of(before) or value != line.value):
                words = by_the_dimensions(rubric, values_of(table))
        elif value != line.value or words is not None:
            measured = f"contradicts what was measured: {own[0].says}" if own else ""
            allowed = allowed_by(criterion, own) if own else tuple(map(int, criterion.scale.values))
            _check_value(f"{place}.rating", value, criterion.scale, allowed, measured)
            if words is None:
                raise InputError(f"{place}.justification", f"written for a {line.value}", f"say why it is {value}")
        if words is not None:
            _check_words(f"{place}.justification", words, check)
            if unnamed := [bound for bound in own if not names_fact(words, bound.fact)]:
                raise InputError(f"{place}.justification", "does not name what was measured", unnamed[0].says)
            table[key] = _set(line, criterion.scale, value, words, own[0].fact.name if own else BY_REVIEWER)
    return table


def _set(line: R, scale: Scale, value: int, words: str, rule: str = BY_REVIEWER) -> R:
    """Set the value and justification of a line, and update what became of the ones that were entered."""
    entered, original = read_rating(line.original_rating, scale), in_one_line(line.original_justification)
    action, reason = rating_action(entered, value, first_sentence(_reasons(words)))
    kept = bool(original) and words == original and action == "kept"
    return line.updated(
        value=value,
        justification=words,
        action=action,
        reason=reason,
        justification_action="kept" if kept else "rewritten" if original else "filled",
        justification_reason="" if kept else _REWRITTEN if original else NO_WORDS,
        # The quotes belong to the earlier justification.
        quotes=line.quotes if words == line.justification else (),
        rule=rule,
        assessed=True,
    )


# -- words ------------------------------------------------------------------------------------------------------------


def _given(words: str | None, known: str) -> str | None:
    """Return the new words on one line, or None if none are given or they equal the known ones."""
    return None if words is None or (new := in_one_line(words)) == in_one_line(known) else new


def _check_words(place: str, words: str, check: WordChecker) -> None:
    if not words:
        raise InputError(place, "empty", "a reason is needed")
    if len(words) > MAX_CHARACTERS:
        raise InputError(place, f"{len(words):,} characters", f"at most {MAX_CHARACTERS:,} are allowed")
    if why := not_english(words):
        raise InputError(place, *why.split("; ", 1))
    if why := check.invented_quote(words):
        raise InputError(place, why, "quote what is there")


def _explanation(likert: int, words: str, ratings: Mapping[str, tuple[int, int]], check: WordChecker) -> str:
    """Return the verdict sentence followed by the reviewer's reasons, after checking these."""
    words = _reasons(words)
    _check_words("explanation", words, check)
    if why := misstated_rating(words, ratings):
        raise InputError("explanation", "a rating is not the table's", why)
    least, most = correcting.LEAST - 1, correcting.MOST - 1
    if not least <= (count := len(sentences(words))) <= most:
        found = f"{count} sentence{'' if count == 1 else 's'} after “{VERDICTS[likert]}”"
        raise InputError("explanation", found, f"{least} or {most} are needed")
    return f"{VERDICTS[likert]} {words}"


def _reasons(words: str) -> str:
    """Remove the verdict sentence from an explanation."""
    verdict = next((sentence for sentence in VERDICTS.values() if words.startswith(sentence)), "")
    return words.removeprefix(verdict).lstrip()


def _check_value(place: str, value: int, scale: Scale, allowed: tuple[int, ...], why_not: str) -> None:
    """Check that a value is on its scale and allowed by the rules."""
    if value not in scale.values:
        raise InputError(place, f"{value}", f"one of {', '.join(map(str, scale.values))}")
    if value not in allowed:
        raise InputError(place, f"{value} {why_not.rstrip('.')}", f"it must be {either(allowed)}")
