"""A run: its progress, its view in pictures with its cases, and each case's verdict.

What reads results is imported when it is first used, for it needs parts that a service may be installed without.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fastapi import APIRouter, HTTPException, Request, Response

from ....reports.wording import duration, rounded
from ....results import require_extra
from ....runs.hosted_run import HostedRun, RunStatus
from ...callers import Caller, CallerOf, ReviewerOf
from ...common import StateOf, validated
from ...runs import ResumeRequest, RunOf, note
from .. import verdict
from ..forms import read_form
from ..rendering import html, lead_to, page
from .telling import cost_of, estimated, moment, name_of, parts_of, state_of

if TYPE_CHECKING:
    from ....reports.run.view import RunView
    from .cases import CaseList

router = APIRouter()

_EXPORTS = {"jsonl": "JSON lines", "csv": "CSV", "parquet": "Parquet", "html": "HTML report", "markdown": "Markdown"}
_DONE = {"start": "started", "cancel": "cancelled", "resume": "resumed", "delete": "deleted"}


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Where a run stands, and what may be done about it."""

    run_id: str
    name: str
    state: str
    status: dict[str, Any]
    when: str
    parts: tuple[tuple[str, float, str], ...]
    done: int
    share: str
    rate: str
    left: str
    cost: str
    estimate: tuple[tuple[str, str, str], ...]
    may_act: bool


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run with its view, if any case has an outcome, and a page of its cases; `read` is when they were read."""

    progress: RunProgress
    view: RunView | None = None
    cases: CaseList | None = None
    exports: tuple[tuple[str, str], ...] = ()
    read: str = ""


@router.get("/runs/{name}")
async def show_run(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The page of a run, or `.json` after its id."""
    run = state.runs.find(name.removesuffix(".json"), caller.scope)
    progress = await asyncio.to_thread(_progress, run, caller)
    if not progress.done:
        return page(request, "run_open", ShownRun(progress))
    require_extra("a run's results")
    from .cases import asked_for, list_cases

    asked = asked_for(request.query_params)
    async with state.reading:
        opened, cases = await asyncio.to_thread(list_cases, run, asked)
    exports = tuple((said, f"/runs/{run.run_id}/export{asked.tail(format=form)}") for form, said in _EXPORTS.items())
    context = ShownRun(progress, opened.view, cases, exports, moment(opened.kept.made))
    return page(
        request,
        "run_page",
        context,
        run=opened.run,
        view=opened.view,
        lines=cases.lines,
        heads=cases.heads,
        files="",
        notes=[],
        nothing="No case fits.",
        cases_at=f"/runs/{run.run_id}/cases/",
    )


@router.get("/runs/{run_id}/progress")
async def show_progress(run: RunOf, caller: CallerOf) -> Response:
    """A run's progress as a piece of its page; once it has ended, the script is told to load the page again."""
    progress = await asyncio.to_thread(_progress, run, caller)
    answer = html("run_progress", progress=progress)
    if progress.state not in ("queued", "running"):
        answer.headers["hx-refresh"] = "true"
    return answer


@router.post("/runs/{run_id}/{action}")
async def act(
    caller: ReviewerOf,
    run: RunOf,
    action: Literal["start", "cancel", "resume", "delete"],
    request: Request,
    state: StateOf,
) -> Response:
    """Start, cancel, resume or delete a run."""
    fields = await read_form(request)
    if action == "cancel":
        state.runs.cancel(run)
    elif action == "delete":
        await asyncio.to_thread(state.runs.remove, run)
    else:
        given = {name: fields[name] for name in ("budget", "retry_failed") if fields.get(name, "").strip()}
        asked = validated(ResumeRequest, given)
        state.runs.resume(
            run,
            {"budget": asked.budget} if "budget" in given else {},
            retry=asked.retry_failed,
            payer=caller.name or "",
        )
    await note(state, caller, _DONE[action], run)
    return lead_to(request, "/runs" if action == "delete" else f"/runs/{run.run_id}")


@router.get("/runs/{run_id}/cases/{name}")
async def show_case(run: RunOf, name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The verdict of a case, in any form that a verdict has; without one, why."""
    number, dot, form = name.partition(".")
    if not number.isdecimal() or len(number) > 9:
        raise HTTPException(404)
    require_extra("a run's results")
    from .cases import asked_for, find_case

    async with state.reading:
        found = await asyncio.to_thread(find_case, run, int(number), asked_for(request.query_params))
    request.state.case_nav = found.nav
    if found.failed is None:
        return await verdict.show(f"{found.verdict_id}{dot}{form}", request, state, caller)
    if form not in ("", "json"):
        raise HTTPException(404)
    return page(request, "case_failed", found.failed, home=found.nav)


def _progress(run: HostedRun, caller: Caller) -> RunProgress:
    status: RunStatus = run.status()
    state, done = state_of(run, status), status.cases - status.open
    return RunProgress(
        run_id=run.run_id,
        name=name_of(status),
        state=state,
        status=status.model_dump(),
        when=moment(status.created),
        parts=parts_of(status),
        done=done,
        share=f"{100 * done // max(status.cases, 1)} %",
        rate=f"{rounded(status.per_second, 1)} cases a second" if status.per_second else "",
        left="" if status.seconds_left is None else f"about {duration(status.seconds_left)} left",
        cost=cost_of(status),
        estimate=estimated(run.estimate, status) if state == "ready" else (),
        may_act=caller.may("reviewer"),
    )
