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
from .common import ERRORS, Cursor, State, StateOf, read_cursor

if TYPE_CHECKING:
    from ..agreement.annotators.report import AnnotatorReport

    Cards = tuple[AnnotatorReport | None, list[HostedRun], list[str]]

router = APIRouter(tags=["annotators"], responses=ERRORS)
_REPORTS = 8


class ListedAnnotator(BaseModel):
    """A person in a line."""

    annotator: str
    reviews: int = Field(description="Reviews with a rating that was entered and assessed.")
    ratings: int
    correction_rate: dict[str, Any] = Field(
        description="The share of these ratings that a review corrected: `value`, of `cases`, with its 95 % "
        "`interval`; `reason` says why one of them is null."
    )
    has_pattern: bool = Field(description="Whether a direction, a confusion or a change is beyond chance.")


class AnnotatorPage(BaseModel):
    """People by name, and the runs that their cards rest on."""

    annotators: list[ListedAnnotator]
    runs: list[str] = Field(description="Ids of the review runs.")
    notes: list[str] = Field(description="Which cases are in no card, and why.")
    next: str | None = Field(None, description="The cursor of the next page; null on the last.")


class AnnotatorCard(ListedAnnotator):
    """All figures of a person's card, as `adjudge annotators --format json` names them, and the runs they are from."""

    model_config = ConfigDict(extra="allow")

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
    more = str(begin + limit) if begin + limit < len(cards) else None
    shown: Any = cards[begin : begin + limit]
    return AnnotatorPage(annotators=shown, runs=[each.run_id for each in runs], notes=notes, next=more)


@router.get("/api/annotators/{name:path}", summary="A person's report card")
async def get_annotator(name: str, state: StateOf, caller: CallerOf, run: OneRun = None) -> AnnotatorCard:
    """How often the person was corrected in which dimension, which way, and what would help."""
    report, runs, _ = await cards_for(state, caller, run)
    for card in _as_json(report):
        if card["annotator"] == name:
            return AnnotatorCard(**card, runs=[each.run_id for each in runs])
    raise NotFoundError(f"{name[:80]}: no such annotator")


def _as_json(report: AnnotatorReport | None) -> list[dict[str, Any]]:
    from ..reports.annotators.view import annotators_json

    return [] if report is None else list(annotators_json(report)["annotators"])


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
    if run_id is not None and not (runs := [run for run in runs if run.run_id == run_id]):
        raise NotFoundError(f"{run_id[:80]}: no such review run that is finished")
    if not runs:
        return None, [], []
    folders = tuple(run.directory.path for run in runs)
    try:
        # What changes with a run's cases and verdicts.
        as_of = tuple(((each / CASES).stat().st_size, (each / VERDICTS).stat().st_mtime_ns) for each in folders)
        report = _report(folders, as_of)
    except InputError as error:
        # It names a folder of this machine.
        return None, runs, [error.found]
    if not caller.may("reviewer"):
        own = tuple(card for card in report.cards if card.person == caller.person)
        # Of runs that are nothing to the caller, not even the names are told.
        return (replace(report, cards=own, runs=(), notes=()) if own else None), [], []
    names = tuple(run.status().name or run.run_id for run in runs)
    return replace(report, runs=names), runs, list(report.notes)


@lru_cache(_REPORTS)
def _report(folders: tuple[Path, ...], _as_of: tuple[tuple[int, int], ...]) -> AnnotatorReport:
    """The report on these runs as they are; to draw the intervals of one takes seconds."""
    # SciPy takes seconds to load: only when there is something to measure.
    from ..agreement.annotators.report import annotator_report

    return annotator_report([open_run(folder) for folder in folders])
