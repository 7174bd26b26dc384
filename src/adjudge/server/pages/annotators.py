"""The pages of `/api/annotators`: everybody in a table, and a card for each, with the templates of the report file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ...runs.hosted_run import HostedRun
from ..annotators import cards_for, get_annotator, list_annotators, review_runs
from ..callers import CallerOf
from ..common import StateOf
from .rendering import html, page, paged, wants_json

router = APIRouter(include_in_schema=False)
_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class NobodyRated:
    """There is no card: why, and the run that was asked for."""

    run: str
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class RunChoice:
    """A run whose ratings alone may be shown."""

    run_id: str
    name: str
    chosen: bool


@router.get("/annotators")
@router.get("/annotators.json")
async def show_all(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Everybody, those with a pattern first, of all runs or of `run=ID`; who is no reviewer is led to her own card."""
    run = request.query_params.get("run") or None
    if wants_json(request):
        found = await list_annotators(state, caller, run, _A_PAGE, request.query_params.get("cursor"))
        return page(request, "", found.model_dump(mode="json"))
    report, _, notes = await cards_for(state, caller, run)
    if report is None:
        return html("annotators_none", page=NobodyRated(run or "", notes))
    if not caller.may("reviewer"):
        return RedirectResponse(f"/annotators/{quote(caller.person)}{_query(run)}", 303)
    from ...reports.annotators.view import build

    view = build(report)
    view.cards, at, pages = paged(view.cards, request)
    return html(
        "annotators",
        own_words=True,
        view=view,
        headline=view.headline,
        home="",
        at=at,
        pages=pages,
        choices=_choices(review_runs(state, caller.scope), run),
        query=_query(run),
    )


@router.get("/annotators/{name:path}")
async def show_one(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """One person's card; `.json` after the name gives the twin."""
    run = request.query_params.get("run") or None
    report, _, _ = await cards_for(state, caller, run)
    if report is None:
        raise HTTPException(404)
    from ...reports.annotators.view import build

    view = build(report)
    by_name = {card.name: card for card in view.cards}
    wanted = name if name in by_name else name.removesuffix(".json")
    card = by_name.get(wanted)
    if card is None:
        raise HTTPException(404)
    if wants_json(request):
        return page(request, "", (await get_annotator(wanted, state, caller, run)).model_dump(mode="json"))
    view.cards = [card]
    return html(
        "annotator", own_words=True, view=view, card=card, headline=card.name, home="", query=_query(run),
        alone=not caller.may("reviewer"),
    )  # fmt: skip


def _query(run: str | None) -> str:
    return f"?{urlencode({'run': run})}" if run else ""


def _choices(runs: Sequence[HostedRun], chosen: str | None) -> list[RunChoice]:
    """The runs to choose from, the newest first."""
    return [RunChoice(run.run_id, run.status().name or run.run_id, run.run_id == chosen) for run in reversed(runs)]
