"""`/api/annotators`: report cards of the people whose ratings were audited by the service's review runs.

The figures are the same as in `adjudge annotators`. Reviewers see every card, other callers only their own.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from ....errors import InputError, NotFoundError
from ....models.figures import Change, Figure
from ....results.run import CASES, VERDICTS, open_run
from ....runs.hosted_run import HostedRun
from ....server.callers import Caller, CallerOf
from ....server.common import ERRORS, Cursor, State, StateOf, read_cursor
from ....server.visibility import open_positions

if TYPE_CHECKING:
    from ..annotators import AnnotatorReport

    Cards = tuple[AnnotatorReport | None, list[HostedRun], list[str]]

router = APIRouter(tags=["annotators"], responses=ERRORS)
_REPORTS = 8
ToLabel = tuple[tuple[Path, tuple[int, ...]], ...]


class ListedAnnotator(BaseModel):
    """One person in the list."""

    annotator: str
    reviews: int = Field(description="Reviews with a rating that was entered and assessed.")
    ratings: int
    correction_rate: Figure = Field(description="The share of these ratings that a review corrected.")
    has_pattern: bool = Field(description="Whether a direction, confusion or change is more than chance would explain.")


class AnnotatorPage(BaseModel):
    """People sorted by name, and the runs that their cards are based on."""

    annotators: list[ListedAnnotator]
    runs: list[str] = Field(description="Ids of the review runs.")
    notes: list[str] = Field(description="Which cases are in no card, and why.")
    next: str | None = Field(None, description="The cursor of the next page; null on the last.")


class AnnotatorCard(ListedAnnotator):
    """Everything known about a person's ratings. Each rate and share is a figure with its interval."""

    left_blank: int
    off_scale: int
    dimensions: dict[str, dict[str, Any]] = Field(
        description="By dimension, how often its ratings were corrected: as `counted`, as an `estimate` shrunk towards "
        "the rate of all people; by kind of error (`ways`); the `direction` they lean in beyond chance, and its `p`."
    )
    confused_values: list[dict[str, Any]] = Field(
        description="Frequent corrections: `dimension`, `entered`, `final`, `count`."
    )
    confused_dimensions: list[dict[str, Any]] = Field(
        description="Issues entered under `blamed` but found under `meant`: `responses` with both, `of` with either."
    )
    over_time: Change | None = Field(
        description="The earlier half of the reviews (`before`) and the later (`after`), the `change`, its `p`, "
        "adjusted for the number of people, and whether it is `real`: more than chance would explain. Null where too "
        "few reviews say when they were made."
    )
    agreement_with_others: dict[str, Figure] = Field(
        description="Krippendorff's ordinal alpha with the median of what others entered, by dimension."
    )
    lessons: list[dict[str, Any]] = Field(
        description="What to learn (`dimension`, `rule`, `direction`, `meant`), the `corrections` it would have "
        "avoided, their `share`, and in `said` the bullet of the reviews that is most typical of them."
    )
    runs: list[str]


OneRun = Annotated[str | None, Query(max_length=40, description="Only ratings of this review run.")]


@router.get("/api/annotators", summary="Everybody whose ratings were reviewed")
async def list_annotators(
    state: StateOf,
    caller: CallerOf,
    run: OneRun = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Cursor = None,
) -> AnnotatorPage:
    """List people by name, from the finished review runs. A caller who is not a reviewer sees only their own entry."""
    begin = int(read_cursor(cursor, "[0-9]{1,9}") or 0)
    report, runs, notes = await cards_for(state, caller, run)
    cards = _as_json(report)
    shown = [ListedAnnotator.model_validate(card) for card in cards[begin : begin + limit]]
    more = str(begin + limit) if begin + limit < len(cards) else None
    return AnnotatorPage(annotators=shown, runs=[each.run_id for each in runs], notes=notes, next=more)


@router.get("/api/annotators/{name:path}", summary="A person's report card")
async def get_annotator(name: str, state: StateOf, caller: CallerOf, run: OneRun = None) -> AnnotatorCard:
    """Return how often the person was corrected in each dimension, in which direction, and what would help."""
    report, runs, _ = await cards_for(state, caller, run)
    for card in _as_json(report):
        if card["annotator"] == name:
            return AnnotatorCard.model_validate({**card, "runs": [each.run_id for each in runs]})
    raise NotFoundError(f"{name[:80]}: no such annotator")


def _as_json(report: AnnotatorReport | None) -> list[dict[str, Any]]:
    return [] if report is None else [card.model_dump() for card in report.annotators]


# -- cards ------------------------------------------------------------------------------------------------------------


def review_runs(state: State, owner: str | None) -> list[HostedRun]:
    """Return the finished review runs of an owner, or all, oldest first: a later review replaces an earlier one."""
    found = state.runs.statuses(owner)
    reviews = [run for run, status in found if (status.protocol, status.state) == ("review", "finished")]
    return reviews[::-1]


async def cards_for(state: State, caller: Caller, run_id: str | None) -> Cards:
    """Return the cards that the caller may see, from one run or all; None if there are none, and the notes say why."""
    async with state.reading:
        return await asyncio.to_thread(_cards_for, state, caller, run_id)


def _cards_for(state: State, caller: Caller, run_id: str | None) -> Cards:
    # A caller who is not a reviewer sees their own card, based on the runs of all owners, or on one that they may see.
    runs = review_runs(state, caller.scope if run_id is not None or caller.may("reviewer") else None)
    if run_id is not None:
        runs = [run for run in runs if run.run_id == run_id]
        if not runs:
            raise NotFoundError(f"{run_id[:80]}: no finished review run has this id")
    if not runs:
        return None, [], []
    folders = tuple(run.directory.path for run in runs)
    try:
        # They change whenever the cases or verdicts of a run change.
        as_of = tuple(((each / CASES).stat().st_size, (each / VERDICTS).stat().st_mtime_ns) for each in folders)
        report = _report(folders, as_of, _to_label(state, caller))
    except InputError as error:
        # Leave out the place: it names a folder on this machine. Who is not a reviewer may not see the runs either.
        return (None, runs, [error.found]) if caller.may("reviewer") else (None, [], [])
    if not caller.may("reviewer"):
        own = tuple(card for card in report.annotators if card.annotator == caller.person)
        # The caller may not see these runs, so hide even their names.
        return (report.updated(annotators=own, runs=(), notes=()) if own else None), [], []
    names = tuple(run.status().name or run.run_id for run in runs)
    return report.updated(runs=names), runs, list(report.notes)


def _to_label(state: State, caller: Caller) -> ToLabel:
    """Return the reviews that the caller still has to label, by run. What the judge made of them is in no card."""
    found = ((run, open_positions(caller, run)) for run, status in state.runs.statuses() if status.protocol == "review")
    return tuple((run.directory.path, positions) for run, positions in found if positions)


@lru_cache(_REPORTS)
def _report(folders: tuple[Path, ...], _as_of: tuple[tuple[int, int], ...], to_label: ToLabel) -> AnnotatorReport:
    """Return the report on these runs. It is cached because computing its intervals takes seconds."""
    # SciPy takes seconds to import, so import it only when there is something to measure.
    from ..annotators import annotator_report

    left_out = [(open_run(folder), positions) for folder, positions in to_label]
    return annotator_report([open_run(folder) for folder in folders], left_out=left_out)
