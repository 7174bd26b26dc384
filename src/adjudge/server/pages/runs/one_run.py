"""A run: its progress, its view in pictures with its cases, and each case's verdict.

What reads results is imported when it is first used, for it needs parts that a service may be installed without.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fastapi import APIRouter, HTTPException, Request, Response

from ....results import require_extra
from ....runs.hosted_run import HostedRun, RunStatus
from ...callers import Caller, CallerOf
from ...common import StateOf, validated
from ...run_exports import ExportQuery, export_run
from ...runs import ResumeRequest
from .. import verdict
from ..forms import read_form
from ..rendering import html, lead_to, page
from .telling import cost_of, estimated, find_run, left, moment, name_of, parts_of, rate, state_of

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
    run = find_run(name.removesuffix(".json"), state, caller)
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
async def show_progress(run_id: str, state: StateOf, caller: CallerOf) -> Response:
    """A run's progress as a piece of its page; once it has ended, the script is told to load the page again."""
    progress = await asyncio.to_thread(_progress, find_run(run_id, state, caller), caller)
    answer = html("run_progress", progress=progress)
    if progress.state not in ("queued", "running"):
        answer.headers["hx-refresh"] = "true"
    return answer


@router.get("/runs/{run_id}/export")
async def export(run_id: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The rows that the filters choose as a file."""
    wanted = validated(ExportQuery, dict(request.query_params))
    return await export_run(find_run(run_id, state, caller), state, wanted)


@router.post("/runs/{run_id}/{action}")
async def act(
    run_id: str,
    action: Literal["start", "cancel", "resume", "delete"],
    request: Request,
    state: StateOf,
    caller: CallerOf,
) -> Response:
    """Start, cancel, resume or delete a run."""
    caller.needs("reviewer")
    run, fields = find_run(run_id, state, caller), await read_form(request)
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
    await asyncio.to_thread(state.audit.record, caller.person, f"run.{_DONE[action]}", run.run_id)
    return lead_to(request, "/runs" if action == "delete" else f"/runs/{run.run_id}")


@router.get("/runs/{run_id}/cases/{name}")
async def show_case(run_id: str, name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The verdict of a case, in any form that a verdict has; without one, why."""
    run = find_run(run_id, state, caller)
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
        rate=rate(status.per_second),
        left=left(status.seconds_left),
        cost=cost_of(status),
        estimate=estimated(run.estimate, status) if state == "ready" else (),
        may_act=caller.may("reviewer"),
    )
