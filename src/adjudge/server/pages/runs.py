"""The list of runs, and the pages of a run: progress, charts, and each case's verdict.

Code that reads results is imported on first use, because it needs an extra that may not be installed.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from typing import Any, Literal, TypedDict

from fastapi import APIRouter, HTTPException, Request, Response

from ...errors import NotFoundError
from ...rendering.wording import dollars
from ...runs.hosted_run import HostedRun, RunStatus
from ..callers import Caller, CallerOf, MayJudge
from ..common import StateOf, validated
from ..run_results import open_results, stored_summary
from ..runs import ResumeRequest, RunOf, cancel_run, delete_run, pause_run, record
from ..visibility import find_run, listed_runs
from . import verdict
from .common import FieldsOf, html, lead_to, page, wants_json
from .run_progress import estimated, live_of, parts_of

router = APIRouter(include_in_schema=False)

_AT_A_TIME = 25
_EXPORTS = {"jsonl": "JSON lines", "csv": "CSV", "parquet": "Parquet", "html": "HTML report", "markdown": "Markdown"}


# -- the list ---------------------------------------------------------------------------------------------------------


class RunsPage(TypedDict):
    """A page of runs, newest first, and whether the caller may start one."""

    runs: list[dict[str, Any]]
    first: bool
    older: str
    may_start: bool
    several: bool


@router.get("/runs")
@router.get("/runs.json")
def show_runs(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show the list of runs."""
    before = request.query_params.get("before")
    runs = list(islice(listed_runs(state, caller, before), _AT_A_TIME + 1))
    context = RunsPage(
        runs=[line_for(*each) for each in runs[:_AT_A_TIME]],
        first=before is None,
        older=runs[_AT_A_TIME - 1][0].run_id if len(runs) > _AT_A_TIME else "",
        may_start=caller.may("reviewer"),
        several=len(runs) > 1,
    )
    return page(request, "runs", context)


def line_for(run: HostedRun, status: RunStatus) -> dict[str, Any]:
    """Return a run as a row of the list."""
    summary, overview = stored_summary(run), _overview(run, status)
    state = overview["state"]
    if state == "running" and status.cases:
        state = f"running, {100 * (status.cases - status.open) // status.cases} %"
    elif state == "stopped" and status.stopped_by:
        state = "paused" if status.stopped_by == "paused" else f"stopped: {status.stopped_by}"
    so_far = ", ".join(words for _, _, words in overview["parts"]) or "No verdict yet"
    return {
        **overview,
        **status.model_dump(include={"protocol", "cases", "created"}),
        "judges": ", ".join(status.judges),
        "said": state,
        "finding": summary.title if summary and not status.open else so_far,
        "tone": summary.tone if summary else "",
    }


def name_of(status: RunStatus) -> str:
    """Return the run's display name: its own name, or else its source or its id."""
    return status.name or status.source or status.run_id


def _overview(run: HostedRun, status: RunStatus) -> dict[str, Any]:
    """Return what both the list and a run's own page show; the state is `ready` if the run was never started."""
    waits = status.state == "stopped" and status.stopped_by is None and status.open == status.cases
    cost = dollars(Decimal(status.cost_usd)) + (" + unknown" if status.cases_without_a_price else "")
    return {
        "run_id": run.run_id,
        "name": name_of(status),
        "state": "ready" if waits and run.estimate is not None else status.state,
        "parts": parts_of(status),
        "cost": cost if status.calls else "–",
        "when": _moment(status.created),
    }


def _moment(time: str | float) -> str:
    """Format a time in UTC for people, from ISO 8601 text or from seconds since the epoch."""
    known = datetime.fromtimestamp(time, UTC) if isinstance(time, float) else datetime.fromisoformat(time)
    return f"{known.day} {known:%b %Y, %H:%M}"


# -- a run ------------------------------------------------------------------------------------------------------------


@router.get("/runs/{name}")
async def show_run(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show a run; `.json` after its id gives JSON. Results are shown once any case has an outcome."""
    run = await asyncio.to_thread(find_run, state, caller, name.removesuffix(".json"))
    progress = await asyncio.to_thread(_progress, run, caller)
    context: dict[str, Any] = {"progress": progress, "view": None, "cases": None, "exports": [], "read": ""}
    if progress["state"] == "ready" and run.upload and caller.may("reviewer") and not wants_json(request):
        return lead_to(request, f"/runs/new/{run.run_id}")
    if not progress["done"]:
        return page(request, "run_open", context)
    from .run_cases import asked_for, list_cases

    asked = asked_for(request.query_params)
    async with state.reading:
        opened, cases = await asyncio.to_thread(list_cases, run, asked)
    exports = [(label, f"/runs/{run.run_id}/export{asked.tail(format=form)}") for form, label in _EXPORTS.items()]
    context |= {"view": opened.view, "cases": cases, "exports": exports, "read": _moment(opened.kept.made)}
    return page(
        request,
        "run_page",
        context,
        run=opened.run,
        view=opened.view,
        lines=cases["lines"],
        heads=cases["heads"],
        files="",
        notes=[],
        nothing="No case matches.",
        cases_at=f"/runs/{run.run_id}/cases/",
    )


@router.get("/runs/{run_id}/progress")
def show_progress(run: RunOf, caller: CallerOf) -> Response:
    """Return a run's progress as an HTML fragment. Once the run has ended, htmx reloads the page."""
    progress = _progress(run, caller)
    answer = html("run_progress", progress=progress, fragment=True)
    if progress["state"] not in ("queued", "running"):
        answer.headers["hx-refresh"] = "true"
    return answer


@router.post("/runs/{run_id}/{action}")
async def act(
    caller: MayJudge,
    run: RunOf,
    action: Literal["start", "pause", "cancel", "resume", "delete"],
    fields: FieldsOf,
    request: Request,
    state: StateOf,
) -> Response:
    """Start, pause, cancel, resume or delete a run."""
    if action == "pause":
        await pause_run(caller, run, state)
    elif action == "cancel":
        await cancel_run(caller, run, state)
    elif action == "delete":
        await delete_run(caller, run, state)
    else:
        given = {name: fields[name] for name in ("budget", "retry_failed") if fields.get(name, "").strip()}
        asked = validated(ResumeRequest, given)
        changes = asked.model_dump(include={"budget"}, exclude_unset=True)
        state.runs.resume(run, changes, retry=asked.retry_failed, payer=caller.name or "")
        await record(state, caller, "started" if action == "start" else "resumed", run)
    return lead_to(request, "/runs" if action == "delete" else f"/runs/{run.run_id}")


@router.get("/runs/{run_id}/cases/{name}")
async def show_case(run: RunOf, name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show the verdict of a case in any format that verdicts have, or why the case has none."""
    number, dot, form = name.partition(".")
    if not number.isdecimal() or len(number) > 9:
        raise HTTPException(404)
    from .run_cases import asked_for, find_case

    asked = asked_for(request.query_params)
    async with state.reading:
        try:
            verdict_id, failed, nav = await asyncio.to_thread(find_case, run, int(number), asked)
        except NotFoundError:
            if not run.marker.exists():
                raise
            # It may have been judged a moment ago.
            await asyncio.to_thread(open_results, run, fresh=True)
            verdict_id, failed, nav = await asyncio.to_thread(find_case, run, int(number), asked)
    nav["run"] = name_of(run.status())
    if verdict_id is not None:
        request.state.case_nav = nav
        return await verdict.show(f"{verdict_id}{dot}{form}", request, state, caller)
    if form not in ("", "json"):
        raise HTTPException(404)
    return page(request, "case_failed", failed, home=nav)


def _progress(run: HostedRun, caller: Caller) -> dict[str, Any]:
    """Return a run's progress, and whether the caller may act on it."""
    status = run.status()
    overview = _overview(run, status)
    return {
        **overview,
        "status": status,
        **live_of(run, status, overview["state"], overview["name"]),
        "estimate": estimated(run.estimate, status) if overview["state"] == "ready" and run.estimate else (),
        "may_act": caller.may("reviewer"),
    }
