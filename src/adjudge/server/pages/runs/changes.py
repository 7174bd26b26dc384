"""Two runs compared, only what changed and whether chance would explain it; and one judge or system over many runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from ....errors import InputError
from ....reports.wording import percent, signed
from ....results import require_extra
from ....runs.hosted_run import HostedRun, RunStatus
from ...callers import CallerOf
from ...common import State, StateOf
from ...run_results import Glance, glance_at, open_results
from ..rendering import page
from .telling import RunLine, line_for, name_of

if TYPE_CHECKING:
    from ....reports.document import Picture, Section

router = APIRouter()

_MOST_RUNS = 200
_AT_A_TIME = 100


@dataclass(frozen=True, slots=True)
class ChangedCase:
    """A case whose verdict changed, with the pages of both verdicts."""

    case: str
    before: str
    after: str
    links: tuple[str, str]
    scores: str
    change: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed from one run to another: sentences, pictures, tables, and a page of the cases."""

    lead: tuple[str, ...]
    pictures: tuple[Picture, ...]
    sections: tuple[Section, ...]
    measured: str
    cases: tuple[ChangedCase, ...]
    changed: int
    number: int
    pages: int


@dataclass(frozen=True, slots=True)
class ComparePage:
    """The two runs, those that can be chosen, and what changed once two are."""

    runs: tuple[RunLine, ...]
    a: RunLine | None
    b: RunLine | None
    changes: Changes | None


@dataclass(frozen=True, slots=True)
class Point:
    """A run of a judge or a system: a share with its interval, if there is one, and what it is of."""

    run: RunLine
    share: float | None
    low: float
    high: float
    said: str
    of: str
    before: str


@dataclass(frozen=True, slots=True)
class OverTimePage:
    """One judge or system over its runs, the oldest first; and all that can be chosen."""

    judges: tuple[str, ...]
    systems: tuple[str, ...]
    judge: str
    source: str
    measure: str
    points: tuple[Point, ...]


@router.get("/runs/compare")
@router.get("/runs/compare.json")
async def compare(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """`a` and `b` are the ids of two runs; the difference is from `a` to `b`."""
    query = request.query_params
    first, second = (state.runs.find(query[name], caller.scope) if query.get(name) else None for name in "ab")
    given = query.get("page", "1")
    number = int(given) if given.isdecimal() and len(given) < 7 else 1

    def found() -> ComparePage:
        lines = [line_for(*each) for each in _recent(state, caller.scope)]
        a, b = (None if run is None else line_for(run, run.status()) for run in (first, second))
        some = a or b
        fitting = tuple(
            line for line in lines if line.state != "ready" and (not some or line.protocol == some.protocol)
        )
        if first is None or second is None:
            return ComparePage(fitting, a, b, None)
        return ComparePage(fitting, a, b, _changes(first, second, max(number, 1)))

    if first is not None and second is not None:
        if first.run_id == second.run_id:
            raise InputError("b", "the same run as a", "choose another one")
        require_extra("a comparison of runs")
    async with state.reading:
        context = await asyncio.to_thread(found)
    return page(request, "runs_compared", context)


def _changes(first: HostedRun, second: HostedRun, number: int) -> Changes:
    from ....reports.run.diff import diff_document, diff_pictures, measured, moved_scores
    from ....results.diff import diff_of

    runs = [open_results(run) for run in (first, second)]
    kept = {each.run.folder: each.kept for each in runs}
    with diff_of(runs[0].run, runs[1].run, lambda *where: kept[where[2].folder].attached(*where)) as diff:
        pages = max((diff.changed + _AT_A_TIME - 1) // _AT_A_TIME, 1)
        number = min(number, pages)
        named = replace(diff, names=(name_of(first.status()), name_of(second.status())))
        document = diff_document(named, 0)
        cases = tuple(
            ChangedCase(
                each.case,
                each.before,
                each.after,
                (f"/runs/{first.run_id}/cases/{each.positions[0]}", f"/runs/{second.run_id}/cases/{each.positions[1]}"),
                moved_scores(each),
                signed(each.change),
            )
            for each in diff.changes(_AT_A_TIME, (number - 1) * _AT_A_TIME)
        )
        return Changes(
            lead=document.lead,
            pictures=tuple(diff_pictures(named)),
            sections=document.sections,
            measured=measured(named),
            cases=cases,
            changed=diff.changed,
            number=number,
            pages=pages,
        )


@router.get("/runs/over-time")
@router.get("/runs/over-time.json")
async def over_time(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """`judge`: how far it agrees with people, run by run. `source`: how often the system of this name wins."""
    judge, source = (request.query_params.get(name, "") for name in ("judge", "source"))
    if judge and source:
        raise InputError("source", "given beside judge", "one of them")

    def found() -> OverTimePage:
        known = [(line_for(*each), each[1].judges, glance_at(each[0])) for each in _recent(state, caller.scope)]
        judged = [(line, judges, glance) for line, judges, glance in reversed(known) if glance is not None]
        points = _points(
            [(line, glance) for line, judges, glance in judged if _is_of(judge, source, judges, glance)], source
        )
        return OverTimePage(
            judges=tuple(sorted({name for _, judges, _ in judged for name in judges})),
            systems=tuple(sorted({name for _, _, glance in judged for name in glance.systems})),
            judge=judge,
            source=source,
            measure="Share of its decided comparisons that it won" if source else "Share decided as people labelled",
            points=tuple(points) if judge or source else (),
        )

    return page(request, "runs_over_time", await asyncio.to_thread(found))


def _is_of(judge: str, source: str, judges: list[str], glance: Glance) -> bool:
    return source in glance.systems if source else judge in judges


def _points(runs: list[tuple[RunLine, Glance]], source: str) -> Iterator[Point]:
    earlier: dict[str, str] = {}
    for line, glance in runs:
        before = earlier.get(line.protocol, "")
        earlier[line.protocol] = line.run_id
        link = f"/runs/compare?a={quote(before)}&b={quote(line.run_id)}" if before else ""
        if source:
            won, tied, lost, low, high = glance.systems[source]
            share, of = won / (won + tied + lost), f"{won:,} won, {tied:,} tied, {lost:,} lost"
        elif glance.agreement is not None:
            right, among, low, high = glance.agreement
            share, of = right / among, f"{right:,} of {among:,} labelled and decided"
        else:
            yield Point(line, None, 0.0, 0.0, "–", "no case is labelled and decided", link)
            continue
        said = f"{percent(share)} ({percent(low)} to {percent(high)})"
        yield Point(line, share, low, high, said, of, link)


def _recent(state: State, owner: str | None) -> list[tuple[HostedRun, RunStatus]]:
    return list(islice(state.runs.statuses(owner), _MOST_RUNS))
