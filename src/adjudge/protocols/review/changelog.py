"""The changelog: one line for each correction with its reason, in the order of the tables."""

from __future__ import annotations

from collections.abc import Mapping

from ...models import LABELS, FinalRating, Label
from ...rubric import Rubric

FROM_SCRATCH = "No original ratings provided, full evaluation done from scratch."
NOTHING_CHANGED = "No corrections: every original rating and the Likert stand as entered."


def changelog(
    rubric: Rubric, tables: Mapping[Label, Mapping[str, FinalRating]], likert: FinalRating, *, originals: bool
) -> tuple[str, ...]:
    """What was changed in what a person entered, and why."""
    if not originals:
        return (FROM_SCRATCH,)
    lines: list[str] = []
    for number, label in enumerate(LABELS, start=1):
        table = tables[label]
        side = f"Response {number}"
        lines += [line for c in rubric.criteria if (line := _correction(f"{side}, {c.name}", table[c.key]))]
        lines += [
            f"{side}, {c.name}: {final.value} kept, justification rewritten: {final.justification_reason}."
            for c in rubric.criteria
            if (final := table[c.key]).action == "kept" and final.justification_action == "rewritten"
        ]
        blank = [c.name for c in rubric.criteria if table[c.key].action == "filled"]
        if blank:
            lines.append(f"{side}: filled in {', '.join(blank)}: {_none(blank, 'rating')} given.")
        lines += [
            f"{side}, {c.name}: the justification entered without a rating was replaced."
            for c in rubric.criteria
            if table[c.key].action == "filled" and table[c.key].justification_action == "rewritten"
        ]
        silent = [
            c.name
            for c in rubric.criteria
            if table[c.key].action == "kept" and table[c.key].justification_action == "filled"
        ]
        if silent:
            lines.append(f"{side}: justified {', '.join(silent)}: {_none(silent, 'justification')} given.")
    if line := _correction("Likert", likert):
        lines.append(line)
    elif likert.action == "filled":
        lines.append(f"Likert: filled in {likert.value}: none was given.")
    elif likert.justification_action == "rewritten":
        lines.append(f"Likert: {likert.value} kept, justification rewritten: {likert.justification_reason}.")
    elif likert.justification_action == "filled":
        lines.append(f"Likert: {likert.value} kept, justification filled in: none was given.")
    return tuple(lines) or (NOTHING_CHANGED,)


def _correction(place: str, final: FinalRating) -> str:
    """The line of a rating that was replaced or refused."""
    if not final.changed:
        return ""
    entered = " ".join(final.original_rating.split())[:60]
    if final.action == "refused":
        return f"{place}: “{entered}” refused, {final.value} set instead: {_stopped(final.reason)}"
    return f"{place}: {entered} changed to {final.value}: {_stopped(final.reason)}"


def _none(names: list[str], what: str) -> str:
    return f"no {what} was" if len(names) == 1 else f"no {what}s were"


def _stopped(sentence: str) -> str:
    return sentence if sentence[-1:] in ".!?”" else f"{sentence}."
