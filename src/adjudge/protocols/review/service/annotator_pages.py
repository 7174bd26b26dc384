"""The pages for `/api/annotators`: a table of all annotators and a card for each, using the report's templates."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote, urlencode

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ....server.callers import CallerOf
from ....server.common import StateOf
from ....server.pages.common import A_PAGE, html, page, paged, wants_json
from .annotators import cards_for, get_annotator, list_annotators, review_runs

_TEMPLATES = "adjudge.protocols.review"
router = APIRouter(include_in_schema=False)


@router.get("/annotators")
@router.get("/annotators.json")
async def show_all(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """List the annotators of all runs or of `run=ID`, those with a pattern first. Non-reviewers get their own card."""
    run = request.query_params.get("run") or None
    if wants_json(request):
        found = await list_annotators(state, caller, run, A_PAGE, request.query_params.get("cursor"))
        return page(request, "", found)
    report, _, notes = await cards_for(state, caller, run)
    if report is None:
        return html("annotators_none", package=_TEMPLATES, notes=notes)
    if not caller.may("reviewer"):
        return RedirectResponse(f"/annotators/{quote(caller.person)}{_query(run)}", 303)
    from ..annotators_view import build

    view = build(report)
    cards, at, pages = paged(view.cards, request)
    view = replace(view, cards=cards)
    return html(
        "annotators_page",
        package=_TEMPLATES,
        own_words=True,
        view=view,
        headline=view.headline,
        home="",
        at=at,
        pages=pages,
        # Newest first.
        choices=[(each.run_id, each.status().name or each.run_id) for each in review_runs(state, caller.scope)[::-1]],
        chosen=run,
        query=_query(run),
    )


@router.get("/annotators/{name:path}")
async def show_one(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show one person's card; `.json` after the name gives JSON."""
    run = request.query_params.get("run") or None
    if wants_json(request):
        return page(request, "", await get_annotator(name.removesuffix(".json"), state, caller, run))
    report, _, _ = await cards_for(state, caller, run)
    from ..annotators_view import build

    view = build(report) if report else None
    if view is None or not (cards := [card for card in view.cards if card.name == name]):
        raise HTTPException(404)
    return html(
        "annotator_page", package=_TEMPLATES, own_words=True, view=replace(view, cards=cards), card=cards[0],
        headline=name, home="",
        query=_query(run), alone=not caller.may("reviewer"),
    )  # fmt: skip


def _query(run: str | None) -> str:
    return f"?{urlencode({'run': run})}" if run else ""
