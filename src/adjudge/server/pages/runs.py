"""The list of runs; a run's progress, results and actions.

Code that reads results is imported on first use, because it needs an extra that may not be installed.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from typing import Any, Literal, TypedDict

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ...errors import ConflictError
from ...rendering.wording import dollars
from ...runs.hosted_run import HostedRun, RunStatus
from ..callers import Caller, CallerOf, MayJudge
from ..common import StateOf, validated
from ..labelling import labelling_of, progress_of
from ..run_results import stored_summary
from ..runs import ResumeRequest, RunOf, cancel_run, delete_run, pause_run, record
from ..visibility import find_run, listed_runs
from .common import FieldsOf, html, lead_to, page, wants_json
from .run_pages import exports_of, moment
from .run_progress import estimated, live_of, parts_of
from .run_tabs import name_of, run_tabs

router = APIRouter(include_in_schema=False)

_AT_A_TIME = 25


# -- the list ---------------------------------------------------------------------------------------------------------


class RunsPage(TypedDict):
    """A page of runs, newest first, and whether the caller may start one."""

    runs: list[dict[str, Any]]
    first: bool
    older: str
    may_start: bool
    several: bool
    q: str


@router.get("/runs")
@router.get("/runs.json")
def show_runs(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show the list of runs."""
    before, words = request.query_params.get("before"), request.query_params.get("q", "").strip()[:200]
    found = (each for each in listed_runs(state, caller, before) if _fits(each[1], words))
    runs = list(islice(found, _AT_A_TIME + 1))
    context = RunsPage(
        runs=[line_for(*each) for each in runs[:_AT_A_TIME]],
        first=before is None,
        older=runs[_AT_A_TIME - 1][0].run_id if len(runs) > _AT_A_TIME else "",
        may_start=caller.may("reviewer"),
        several=len(runs) > 1,
        q=words,
    )
    return page(request, "runs", context)


def _fits(status: RunStatus, words: str) -> bool:
    """Return whether all words are in what the list shows of a run."""
    about = " ".join((name_of(status), status.source, status.protocol, status.rubric, *status.judges)).casefold()
    return all(word in about for word in words.casefold().split())


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
        "done": status.cases - status.open,
        "labels": _labels(run),
        "who": run.owner or "",
        "parts": [(tone, count / status.cases, f"{words}: {count:,}") for tone, count, words in summary.parts]
        if summary and not status.open
        else overview["parts"],
        "finding": summary.title if summary and not status.open else so_far,
        "tone": summary.tone if summary else "",
    }


def _labels(run: HostedRun) -> dict[str, int] | None:
    """Return how many of the cases to label are done; None if labelling is not set up, or cannot be read."""
    with suppress(ConflictError):
        found = labelling_of(run)
        return progress_of(found) if found else None
    return None


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
        "when": moment(status.created),
    }


# -- a run ------------------------------------------------------------------------------------------------------------


@router.get("/runs/{name}")
async def show_run(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show a run's results; `.json` after its id gives JSON, with its cases. They are shown once any case has an
    outcome. With filters or an order the address leads to the list of cases, which was a part of this page before."""
    run = await asyncio.to_thread(find_run, state, caller, name.removesuffix(".json"))
    progress = await asyncio.to_thread(_progress, run, caller)
    context: dict[str, Any] = {"progress": progress, "view": None, "cases": None, "exports": [], "read": ""}
    if progress["state"] == "ready" and run.upload and caller.may("reviewer") and not wants_json(request):
        return lead_to(request, f"/runs/new/{run.run_id}")
    tabs = await asyncio.to_thread(run_tabs, state, caller, run, "results", progress["status"])
    if not progress["done"]:
        return page(request, "run_open", context, tabs=tabs)
    from .run_cases import asked_for, list_cases

    asked = asked_for(request.query_params)
    if not wants_json(request) and asked != asked_for({}):
        return RedirectResponse(f"/runs/{run.run_id}/cases?{request.url.query}", 307)
    async with state.reading:
        opened, cases = await asyncio.to_thread(list_cases, run, asked)
    context |= {
        "view": opened.view,
        "cases": cases,
        "exports": exports_of(run, asked),
        "read": moment(opened.kept.made),
    }
    more: dict[str, Any] = {
        "run": opened.run,
        "view": opened.view,
        "cases_at": f"/runs/{run.run_id}/cases/",
        "notes": [],
    }
    # While it goes on, its title has a percentage, which the pieces of progress must not write in another way.
    return page(request, "run_page", context, own_words=not run.marker.exists(), tabs=tabs, **more)


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
