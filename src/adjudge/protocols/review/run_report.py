"""What a review run's report says: how many of the checked ratings were corrected, and in which dimensions.

A rating is checked if it was entered on its scale and the judge assessed it (`checked_rating`); report cards of
annotators count the same.
"""

from __future__ import annotations

from collections import Counter
from typing import get_args

from ...rendering.document import Picture, stack
from ...rendering.wording import many, rounded_percent
from ...reports.run.pictures import RunFigures, labels, numbers, outcomes
from ...reports.run.report import Headline, RunReport
from ...results.columns import criteria, name
from ...results.database import Database
from ...results.summary import counter
from .verdict import RatingAction

_UNCHECKED = "not assessed"
_TONES = {**dict(zip(get_args(RatingAction), ("A", "B", "tie", "bad"), strict=True)), _UNCHECKED: "undecided"}


def corrections_of(database: Database) -> dict[str, Counter[str]]:
    """Count the actions on the ratings of both responses by dimension; the preference is called `likert`. What was done
    with a rating that was not checked says nothing of it."""
    found: dict[str, Counter[str]] = {}
    for column in database.names:
        if column.endswith("_action"):
            stem = column.removesuffix("_action")
            dimension = stem if stem == "likert" else stem[:-2]
            unchecked = f"{name(column)} in ('kept', 'replaced') and not {name(f'{stem}_checked')}"
            action = f"case when {unchecked} then '{_UNCHECKED}' else {name(column)} end"
            actions = counter(database, action, f"{database.chosen} where status = 'verdict'")
            found.setdefault(dimension, Counter()).update(actions)
    return found


def _finding(figures: RunFigures) -> Headline:
    summary, corrections = figures.summary, figures.own
    together: Counter[str] = sum(corrections.values(), Counter())
    wrong, checked = together["replaced"], together["kept"] + together["replaced"]
    unchecked, refused = together[_UNCHECKED], together["refused"]
    preferred = ", ".join(
        f"{each.name.lower() if each.key in ('tie', 'invalid') else each.name} in {summary.outcomes[each.key]:,}"
        for each in figures.table.outcome.classes
        if summary.outcomes[each.key]
    )
    reviews = f"Preferred: {preferred} of {many(summary.verdicts, 'review')}."
    if summary.outcomes["invalid"] == summary.verdicts:
        return Headline("Nothing can be rated", f"None of {many(summary.verdicts, 'task')} can be rated.")
    if not checked and not unchecked and not refused:
        return Headline("Rated from scratch", f"No ratings had been entered. {reviews}")
    rest = f" {many(unchecked, 'more was', 'more were')} not assessed." if unchecked else ""
    rest += f" {many(refused, 'was', 'were')} not on the scale." if refused else ""
    if not checked:
        return Headline("No rating was checked", f"{rest.strip()} {reviews}")
    if not wrong:
        return Headline(
            "All ratings kept", f"None of {many(checked, 'checked rating')} was replaced.{rest} {reviews}", "A"
        )
    names = criteria(figures.run) | {"likert": "the preference"}
    corrected = {name: counted["replaced"] for name, counted in corrections.items()}
    most = [names.get(name, name) for name in corrected if corrected[name] == max(corrected.values())]
    often = f", most often {' and '.join(most)}" if len(most) < 3 else ""
    of = many(checked, "checked rating")
    sentence = f"{wrong:,} of {of} {'was' if wrong == 1 else 'were'} replaced{often}."
    return Headline(f"{rounded_percent(wrong / checked)} of ratings corrected", f"{sentence}{rest} {reviews}", "B")


def _corrections(figures: RunFigures) -> Picture:
    names = criteria(figures.run) | {"likert": "Preference"}
    rows = []
    for key, counted in figures.own.items():
        if counted.total():
            text = ", ".join(f"{counted[action]:,} {action}" for action in _TONES if counted[action])
            parts = ((tone, counted[action], f"{counted[action]:,}") for action, tone in _TONES.items())
            rows.append(stack(names.get(key, key), text, parts))
    lead = "What was done with the ratings of both responses, by dimension."
    legend = tuple((tone, action) for action, tone in _TONES.items())
    return Picture("stacks", "Corrections by dimension", lead, rows, legend)


RUN_REPORT = RunReport(own=corrections_of, finding=_finding, pictures=(_corrections, numbers, outcomes, labels))
