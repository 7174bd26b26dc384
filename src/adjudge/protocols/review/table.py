"""The columns of a review in a run's flat table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, get_args
from unicodedata import normalize

from ...models.common import LABELS, Label
from ..figures import (
    CaseListing,
    CaseSql,
    CriterionGrid,
    ListColumn,
    Number,
    OutcomeClass,
    Outcomes,
    OutcomeShare,
    counted,
    win_rate,
)
from ..table import Column, Table, agrees_on_winner, winner_of
from . import GATES
from .correcting import checked_rating
from .verdict import NO_PREFERENCE, FinalRating, RatingAction, ReviewVerdict, side_of

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


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


_SIDE = "A (response 1), B (response 2) or tie, as the preference says"
_SEVEN = "the preference: 1 response 1 is much better … 7 response 2 is much better"

_ALIKE = (
    "whether the judge gave both responses the same ratings and prefers neither; empty for identical responses, and "
    "where it did not assess everything"
)

_CHECKED = "whether a rating on its scale was entered and the judge assessed it"


_KIND = "what kind of task the judge took it for"

_COLUMNS = (
    Column("winner", "VARCHAR", _SIDE, lambda v: v.likert and (side_of(v.likert.value) or "tie")),
    Column("likert", "BIGINT", _SEVEN, lambda v: v.likert and v.likert.value, score=True),
    Column("likert_entered", "VARCHAR", "the preference that was entered", lambda v: _entered(v.likert)),
    Column("likert_action", "VARCHAR", "kept, replaced, filled or refused", lambda v: v.likert and v.likert.action),
    Column(
        "likert_checked",
        "BOOLEAN",
        f"the preference: {_CHECKED}",
        lambda v: v.likert and checked_rating(v, None, v.likert) is not None,
    ),
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


def _is_checked(verdict: ReviewVerdict, key: str, label: Label) -> bool | None:
    line = verdict.table(label).get(key)
    criterion = next((each for each in verdict.rubric.criteria if each.key == key), None)
    return None if line is None or criterion is None else checked_rating(verdict, criterion, line) is not None


def _criterion_columns(key: str, name: str, called: str) -> Iterable[Column]:
    for number, label in enumerate(LABELS, start=1):

        def cell(verdict: ReviewVerdict, of: Callable[[Any], Any], label: Label = label) -> Any:
            return of(verdict.table(label).get(key))

        column, about = f"{called}_{label.lower()}", f"{name} of response {number}"
        yield Column(column, "BIGINT", f"{about}: the final rating", partial(cell, of=_rated), score=True, title=about)
        yield Column(f"{column}_entered", "VARCHAR", f"{about}: what was entered", partial(cell, of=_entered))
        action = partial(cell, of=lambda line: line and line.action)
        yield Column(f"{column}_action", "VARCHAR", f"{about}: kept, replaced, filled or refused", action)
        checked = partial(_is_checked, key=key, label=label)
        yield Column(f"{column}_checked", "BOOLEAN", f"{about}: {_CHECKED}", checked)


def _agrees(label: str, cells: Mapping[str, Any]) -> bool | None:
    """Check whether a review agrees with a label: the same winner, or the same preference from 1 to 7."""
    if winner_of(label) is not None:
        return agrees_on_winner(label, cells)
    number, given = label.strip(), cells.get("likert")
    return None if given is None or not _NUMBER.fullmatch(number) else float(given) == float(number)


def _corrected(action: str) -> str:
    return f"cast({action} = 'replaced' as INTEGER)"


# Dimensions have different scales, and most responses have no issue in most of them, so equal ratings say nothing of
# the judge: there are no `score_suffixes`.
TABLE = Table(
    columns=_COLUMNS,
    of_criterion=_criterion_columns,
    criteria=lambda verdict: verdict.table("A"),
    agrees=_agrees,
    two_sides=True,
    outcome=Outcomes(
        value="coalesce(winner, 'invalid')",
        column="winner",
        name="preferred response",
        heading="Preferred",
        title="Which response is preferred",
        before="Preferred",
        classes=(
            OutcomeClass("A", "Response 1", "A", "Response 1", always=True),
            OutcomeClass("B", "Response 2", "B", "Response 2", always=True),
            OutcomeClass("tie", "Neither", "tie", "Neither", always=True),
            OutcomeClass("invalid", "Cannot be rated", "bad", "cannot be rated", known=False),
        ),
        sorted=("A", "tie", "B", "invalid"),
        reason="invalid",
    ),
    number=Number(
        column="likert",
        step=1,
        expected="People are expected to say {} on the scale from 1 (Response 1 is much better) to 7",
        title="Preference",
        lead="Final preferences: 1 means response 1 is much better, 4 no preference, 7 response 2 is much better.",
        noun="review",
        scale=(1, 7),
        middle=NO_PREFERENCE,
        tones=("A", "B"),
    ),
    case=CaseSql(
        extracted={"given": "input ->> ['/prompt', '/system_prompt', '/history']"},
        content="""hash(json_merge_patch(input, '{"review_id": null}'))""",
        task="hash(given[1], given[2], given[3])",
        opening="given[1]",
    ),
    shown=("winner", "likert", *get_args(RatingAction), "label", "invalid"),
    listed=(ListColumn("likert", "1 to 7"), *(ListColumn(each, each.capitalize()) for each in get_args(RatingAction))),
    tested={
        "likert": "preference, 1 to 7",
        "overall_quality_a": "overall quality of response 1",
        "overall_quality_b": "overall quality of response 2",
    },
    grid=CriterionGrid(
        suffixes=("_a_action", "_b_action"),
        cell=f"{_corrected('{0}')} + {_corrected('{1}')}",
        more={"Preference": _corrected("likert_action")},
        order="replaced",
        lead="the most corrected on the left",
        tones=("", "", "B"),
        legend=(("B", "corrected"),),
        reach=2,
        unit=" corrected",
    ),
    traits={"ties": counted("equal_totals")},
    gates=(win_rate(GATES["win_rate"]),),
)


def _parts(answers: Mapping[str, int]) -> Iterable[OutcomeShare]:
    """Group the preferences from 1 to 7 by the response that they prefer."""
    sides = (
        ("A", "123", "for response 1"),
        ("B", "567", "for response 2"),
        ("tie", "4", "for neither"),
        ("bad", ("invalid",), "cannot be rated"),
    )
    return (OutcomeShare(tone, sum(answers.get(each, 0) for each in given), words) for tone, given, words in sides)


LISTING = CaseListing(parts=_parts, orders={"-replaced": "most replaced first"})
