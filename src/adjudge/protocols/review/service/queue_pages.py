"""The pages of the queue: the reviews of a run to decide, one after the other, and the runs with some left.

Filters and order are in the address, and stay there from one review to the next.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ....errors import NotFoundError
from ....runs.hosted_run import HostedRun
from ....server.callers import Caller, MayJudge
from ....server.common import State, StateOf
from ....server.pages import verdict
from ....server.pages.case_labels import about_case
from ....server.pages.common import A_PAGE, page, wants_json
from ....server.pages.run_tabs import name_of, run_tabs
from ....server.runs import RunOf
from ....server.visibility import listed_runs
from .decisions import Decided, find_decided
from .pages import decision_page, submitted
from .queue import QueuePlace, QueueQuery, asked_for, find_place, list_queue, progress

router = APIRouter(include_in_schema=False)
_TEMPLATES = "adjudge.protocols.review"
_POSITION = re.compile(r"[0-9]{1,9}")


# -- runs with something to decide -------------------------------------------------------------------------------------


@router.get("/review")
@router.get("/review.json")
async def list_runs(caller: MayJudge, request: Request, state: StateOf) -> Response:
    """List the review runs, those with undecided reviews first, with how many are decided."""
    runs = await asyncio.to_thread(lambda: list(islice(_runs(state, caller), A_PAGE)))
    runs.sort(key=lambda run: run["decided"] == run["of"])
    return page(request, "review_runs", {"runs": runs}, package=_TEMPLATES)


async def where_to_review(state: State, caller: Caller) -> str:
    """Return the queue in which reviews wait for a reviewer, or the list if there are several; empty if none wait."""
    if not caller.may("reviewer"):
        return ""

    def find() -> list[str]:
        waiting = (run["run_id"] for run in islice(_runs(state, caller), A_PAGE) if run["decided"] < run["of"])
        return list(islice(waiting, 2))

    found = await asyncio.to_thread(find)
    return "" if not found else "/review" if len(found) > 1 else f"/runs/{found[0]}/review"


def go_on(state: State, run: HostedRun) -> tuple[str, str] | None:
    """Return the button that goes on with the run's queue, as its address and name; None if all is decided."""
    decided, of = progress(state, run)
    return (f"/runs/{run.run_id}/review/next", "Review next") if decided < of else None


def _runs(state: State, caller: Caller) -> Iterator[dict[str, Any]]:
    for run, status in listed_runs(state, caller):
        if status.protocol == "review" and status.verdicts:
            decided, of = progress(state, run)
            yield {"run_id": run.run_id, "name": name_of(status), "decided": decided, "of": of, "when": status.created}


# -- a run's queue ----------------------------------------------------------------------------------------------------


@router.get("/runs/{run_id}/review")
@router.get("/runs/{run_id}/review.json")
async def show_queue(caller: MayJudge, run: RunOf, request: Request, state: StateOf) -> Response:
    """List the reviews of a run by what is decided; the parameters say which, and in which order."""
    asked = _asked(request, run)
    async with state.reading:
        context = await asyncio.to_thread(list_queue, state, run, asked, _last(request))
    tabs = await asyncio.to_thread(run_tabs, state, caller, run, "review")
    return page(request, "review_queue", {**context, "name": tabs.name}, package=_TEMPLATES, tabs=tabs)


@router.get("/runs/{run_id}/review/{name}")
async def show_review(caller: MayJudge, run: RunOf, name: str, request: Request, state: StateOf) -> Response:
    """Show a review in its place in the queue; `next` leads to the first that is undecided."""
    asked = _asked(request, run)
    if name == "next":
        place = await _place(state, run, asked, None)
        return RedirectResponse(place.address if place else f"/runs/{run.run_id}/review{asked.tail()}", 303)
    place, known = await _found(name, run, request, state, caller, asked)
    if wants_json(request):
        return await verdict.show(f"{place.verdict_id}.json", request, state, caller)
    return await decision_page(request, state, caller, known, queue=place)


@router.post("/runs/{run_id}/review/{name}")
async def decide_and_go_on(caller: MayJudge, run: RunOf, name: str, request: Request, state: StateOf) -> Response:
    """Save a decision and show the next undecided review, or the list if there is none."""
    asked = _asked(request, run)
    place, known = await _found(name, run, request, state, caller, asked)
    then = place.following or f"/runs/{run.run_id}/review{asked.tail()}"
    then += f"{'&' if '?' in then else '?'}last={place.position}"
    return await submitted(request, state, caller, known, then, place)


def _asked(request: Request, run: HostedRun) -> QueueQuery:
    if run.status().protocol != "review":
        raise NotFoundError(f"{run.run_id}: only a run of reviews is reviewed")
    return asked_for(request.query_params)


def _last(request: Request) -> int | None:
    """Return the position of the review that was decided just before, if the address names one."""
    last = request.query_params.get("last", "")
    return int(last) if _POSITION.fullmatch(last) else None


async def _found(
    name: str, run: HostedRun, request: Request, state: State, caller: Caller, asked: QueueQuery
) -> tuple[QueuePlace, Decided]:
    if not _POSITION.fullmatch(name.removesuffix(".json")):
        raise HTTPException(404)
    place = await _place(state, run, asked, int(name.removesuffix(".json")), _last(request))
    assert place is not None  # a position was given
    # The bar above every page of a case links its neighbours.
    tabs = await asyncio.to_thread(run_tabs, state, caller, run, "review")
    request.state.case_nav = {
        "home": place.home, "before": place.before, "after": place.after, "title": "All reviews", "tabs": tabs,
        "place": f"{place.decided:,} of {place.of:,} decided",
        "about": await asyncio.to_thread(about_case, run, caller, place.position, place.row),
    }  # fmt: skip
    return place, await find_decided(place.verdict_id, request, state, caller)


async def _place(
    state: State, run: HostedRun, asked: QueueQuery, position: int | None, last: int | None = None
) -> QueuePlace | None:
    async with state.reading:
        return await asyncio.to_thread(find_place, state, run, asked, position, last)
