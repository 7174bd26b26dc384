"""`/api/annotators`: report cards of the people whose ratings the service's review runs have audited.

The figures are those of `adjudge annotators`. Reviewers see everybody's card, all others only their own.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from ..errors import InputError, NotFoundError
from ..results import require_extra
from ..results.run import CASES, VERDICTS, open_run
from ..runs.hosted_run import HostedRun
from .callers import Caller, CallerOf
from .common import Cursor, State, StateOf, cursor_of, read_cursor

if TYPE_CHECKING:
    from ..agreement.annotators.report import AnnotatorReport

router = APIRouter(tags=["annotators"])
_REPORTS = 8


class MeasuredFigure(BaseModel):
    """A number that rests on so many cases; where it or its 95 % interval is null, `reason` says why."""

    value: float | None
    cases: int
    reason: str = ""
    interval: tuple[float, float] | None = None


class ListedAnnotator(BaseModel):
    """A person in a line."""

    model_config = ConfigDict(extra="ignore")

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


class DimensionRate(BaseModel):
    """How often ratings of a dimension were corrected: as counted, and drawn towards everybody's rate."""

    counted: MeasuredFigure
    estimate: MeasuredFigure
    ways: dict[str, int] = Field(description="Corrections by what was wrong: too lenient, too harsh, reversed, …")
    direction: str | None = Field(description="The way in which they lean beyond chance.")
    p: float


class ConfusedValue(BaseModel):
    """A frequent correction."""

    dimension: str
    entered: float
    final: float
    count: int


class ConfusedDimensions(BaseModel):
    """Issues entered under `blamed` that the reviews found under `meant`."""

    blamed: str
    meant: str
    responses: int
    of: int


class ChangeOverTime(BaseModel):
    """The earlier half of the reviews against the later one."""

    earlier: MeasuredFigure
    later: MeasuredFigure
    change: MeasuredFigure
    p: float | None
    real: bool = Field(description="Whether it is more than chance would explain, over all people.")


class LessonToLearn(BaseModel):
    """What to learn, and how many corrections it would have made needless."""

    dimension: str
    rule: str
    direction: str
    corrections: int
    share: float
    said: str = Field(description="The bullet of the reviews that goes with it most.")
    meant: str


class AnnotatorCard(ListedAnnotator):
    """All that is known of a person's ratings."""

    left_blank: int
    off_scale: int
    dimensions: dict[str, DimensionRate]
    confused_values: list[ConfusedValue]
    confused_dimensions: list[ConfusedDimensions]
    over_time: ChangeOverTime | None = Field(description="Null where too few reviews say when they were made.")
    agreement_with_others: dict[str, MeasuredFigure] = Field(
        description="Krippendorff's ordinal alpha with the median of what others entered, by dimension."
    )
    lessons: list[LessonToLearn]
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
    after = read_cursor(cursor, "[0-9]{1,9}")
    begin = 0 if after is None else int(after)
    report, runs, notes = await cards_for(state, caller, run)
    cards = [] if report is None else _as_json(report)
    shown = [ListedAnnotator.model_validate(card) for card in cards[begin : begin + limit]]
    more = cursor_of(begin + limit) if begin + limit < len(cards) else None
    return AnnotatorPage(annotators=shown, runs=[each.run_id for each in runs], notes=notes, next=more)


@router.get("/api/annotators/{name:path}", summary="A person's report card")
async def get_annotator(name: str, state: StateOf, caller: CallerOf, run: OneRun = None) -> AnnotatorCard:
    """How often the person was corrected in which dimension, which way, and what would help."""
    report, runs, _ = await cards_for(state, caller, run)
    for card in [] if report is None else _as_json(report):
        if card["annotator"] == name:
            return AnnotatorCard.model_validate({**card, "runs": [each.run_id for each in runs]})
    raise NotFoundError(f"{name[:80]}: no such annotator")


def _as_json(report: AnnotatorReport) -> list[dict[str, Any]]:
    from ..reports.annotators.view import annotators_json

    cards: list[dict[str, Any]] = annotators_json(report)["annotators"]
    return cards


# -- cards ------------------------------------------------------------------------------------------------------------


def review_runs(state: State, owner: str | None) -> list[HostedRun]:
    """The finished review runs of an owner, or all, the oldest first: of two reviews of the same the later counts."""
    found = state.runs.statuses(owner)
    reviews = [run for run, status in found if (status.protocol, status.state) == ("review", "finished")]
    return reviews[::-1]


async def cards_for(
    state: State, caller: Caller, run_id: str | None
) -> tuple[AnnotatorReport | None, list[HostedRun], list[str]]:
    """The cards that the caller may see, of one run or of all; None where there are none, and the notes say why."""
    async with state.reading:
        return await asyncio.to_thread(_cards_for, state, caller, run_id)


def _cards_for(
    state: State, caller: Caller, run_id: str | None
) -> tuple[AnnotatorReport | None, list[HostedRun], list[str]]:
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
    names = tuple(run.status().name or run.run_id for run in runs)
    report = replace(report, runs=names)
    if not caller.may("reviewer"):
        own = tuple(card for card in report.cards if card.person == caller.person)
        # Of runs that are nothing to the caller, not even the names are told.
        report = replace(report, cards=own, runs=(), notes=())
        return (report, [], []) if report.cards else (None, [], [])
    return report, runs, list(report.notes)


def _changed(folder: Path) -> tuple[int, int]:
    """What changes with a run's cases and verdicts."""
    return (folder / CASES).stat().st_size, (folder / VERDICTS).stat().st_mtime_ns


@lru_cache(_REPORTS)
def _report(folders: tuple[Path, ...], _as_of: tuple[tuple[int, int], ...]) -> AnnotatorReport:
    """The report on these runs as they are; to draw the intervals of one takes seconds."""
    # SciPy takes seconds to load: only when there is something to measure.
    from ..agreement.annotators.report import annotator_report

    return annotator_report([open_run(folder) for folder in folders])
