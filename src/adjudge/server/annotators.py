"""`/api/annotators`: report cards of the people whose ratings the service's review runs have audited.

The figures are those of `adjudge annotators`. Reviewers see everybody's card, all others only their own.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from ..errors import InputError, NotFoundError
from ..results import require_extra
from ..results.run import CASES, VERDICTS, open_run
from ..runs.hosted_run import HostedRun
from .callers import Caller, CallerOf
from .common import ERRORS, Cursor, State, StateOf, read_cursor

if TYPE_CHECKING:
    from ..agreement.annotators import AnnotatorReport

    Cards = tuple[AnnotatorReport | None, list[HostedRun], list[str]]

router = APIRouter(tags=["annotators"], responses=ERRORS)
_REPORTS = 8


class MeasuredFigure(BaseModel):
    """A number that rests on so many cases; where it or its 95 % interval is null, `reason` says why."""

    value: float | None
    cases: int
    reason: str = ""
    interval: tuple[float, float] | None = None


class ListedAnnotator(BaseModel):
    """A person in a line."""

    annotator: str
    reviews: int = Field(description="Reviews with a rating that was entered and assessed.")
    ratings: int
    correction_rate: MeasuredFigure = Field(description="The share of these ratings that a review corrected.")
    has_pattern: bool = Field(description="Whether a direction, a confusion or a change is beyond chance.")


class AnnotatorPage(BaseModel):
    """People by name, and the runs that their cards rest on."""

    annotators: list[ListedAnnotator]
    runs: list[str] = Field(description="Ids of the review runs.")
    notes: list[str] = Field(description="Which cases are in no card, and why.")
    next: str | None = Field(None, description="The cursor of the next page; null on the last.")


class AnnotatorCard(ListedAnnotator):
    """All that is known of a person's ratings; each rate and share is a figure with its interval."""

    left_blank: int
    off_scale: int
    dimensions: dict[str, dict[str, Any]] = Field(
        description="By dimension, how often its ratings were corrected: `counted`, and as an `estimate` that is drawn "
        "towards everybody's rate; by what was wrong (`ways`); the `direction` in which they lean beyond chance, `p`."
    )
    confused_values: list[dict[str, Any]] = Field(
        description="Frequent corrections: `dimension`, `entered`, `final`, `count`."
    )
    confused_dimensions: list[dict[str, Any]] = Field(
        description="Issues entered under `blamed` that the reviews found under `meant`: in `responses` `of` all."
    )
    over_time: dict[str, Any] | None = Field(
        description="The `earlier` and the `later` half of the reviews, the `change`, its `p`, and whether it is "
        "`real`: more than chance would explain, over all people. Null where too few reviews say when they were made."
    )
    agreement_with_others: dict[str, MeasuredFigure] = Field(
        description="Krippendorff's ordinal alpha with the median of what others entered, by dimension."
    )
    lessons: list[dict[str, Any]] = Field(
        description="What to learn (`dimension`, `rule`, `direction`, `meant`), the `corrections` that it would have "
        "made needless and their `share`, and as `said` the bullet of the reviews that goes with it most."
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
    """By name, from the finished review runs. Without the role of a reviewer, only the caller's own."""
    begin = int(read_cursor(cursor, "[0-9]{1,9}") or 0)
    report, runs, notes = await cards_for(state, caller, run)
    cards = _as_json(report)
    shown = [ListedAnnotator.model_validate(card) for card in cards[begin : begin + limit]]
    more = str(begin + limit) if begin + limit < len(cards) else None
    return AnnotatorPage(annotators=shown, runs=[each.run_id for each in runs], notes=notes, next=more)


@router.get("/api/annotators/{name:path}", summary="A person's report card")
async def get_annotator(name: str, state: StateOf, caller: CallerOf, run: OneRun = None) -> AnnotatorCard:
    """How often the person was corrected in which dimension, which way, and what would help."""
    report, runs, _ = await cards_for(state, caller, run)
    for card in _as_json(report):
        if card["annotator"] == name:
            return AnnotatorCard.model_validate({**card, "runs": [each.run_id for each in runs]})
    raise NotFoundError(f"{name[:80]}: no such annotator")


def _as_json(report: AnnotatorReport | None) -> list[dict[str, Any]]:
    return [] if report is None else [card.model_dump() for card in report.annotators]


# -- cards ------------------------------------------------------------------------------------------------------------


def review_runs(state: State, owner: str | None) -> list[HostedRun]:
    """The finished review runs of an owner, or all, the oldest first: of two reviews of the same the later counts."""
    found = state.runs.statuses(owner)
    reviews = [run for run, status in found if (status.protocol, status.state) == ("review", "finished")]
    return reviews[::-1]


async def cards_for(state: State, caller: Caller, run_id: str | None) -> Cards:
    """The cards that the caller may see, of one run or of all; None where there are none, and the notes say why."""
    async with state.reading:
        return await asyncio.to_thread(_cards_for, state, caller, run_id)


def _cards_for(state: State, caller: Caller, run_id: str | None) -> Cards:
    require_extra("report cards", "agreement")
    # Whoever is no reviewer sees a card of her own, from whosever run it is.
    runs = review_runs(state, caller.scope if caller.may("reviewer") else None)
    if run_id is not None:
        runs = [run for run in runs if run.run_id == run_id]
        if not runs:
            raise NotFoundError(f"{run_id[:80]}: no such review run that is finished")
    if not runs:
        return None, [], []
    folders = tuple(run.directory.path for run in runs)
    try:
        report = _report(folders, tuple(_changed(folder) for folder in folders))
    except InputError as error:
        # It names a folder of this machine.
        return None, runs, [error.found]
    if not caller.may("reviewer"):
        own = tuple(card for card in report.annotators if card.annotator == caller.person)
        # Of runs that are nothing to the caller, not even the names are told.
        return (report.updated(annotators=own, runs=(), notes=()) if own else None), [], []
    names = tuple(run.status().name or run.run_id for run in runs)
    return report.updated(runs=names), runs, list(report.notes)


def _changed(folder: Path) -> tuple[int, int]:
    """What changes with a run's cases and verdicts."""
    return (folder / CASES).stat().st_size, (folder / VERDICTS).stat().st_mtime_ns


@lru_cache(_REPORTS)
def _report(folders: tuple[Path, ...], _as_of: tuple[tuple[int, int], ...]) -> AnnotatorReport:
    """The report on these runs as they are; to draw the intervals of one takes seconds."""
    # SciPy takes seconds to load: only when there is something to measure.
    from ..agreement.annotators import annotator_report

    return annotator_report([open_run(folder) for folder in folders])
