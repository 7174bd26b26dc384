"""The pages for `/api/annotators`: a table of all annotators and a card for each, using the report's templates."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ..annotators import cards_for, get_annotator, list_annotators, review_runs
from ..callers import CallerOf
from ..common import StateOf
from .common import A_PAGE, html, page, paged, wants_json

_REVIEW = "adjudge.protocols.review"
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
        return html("annotators_none", notes=notes)
    if not caller.may("reviewer"):
        return RedirectResponse(f"/annotators/{quote(caller.person)}{_query(run)}", 303)
    from ...protocols.review.annotators_view import build

    view = build(report)
    view.cards, at, pages = paged(view.cards, request)
    return html(
        "annotators_page",
        package=_REVIEW,
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
    from ...protocols.review.annotators_view import build

    view = build(report) if report else None
    if view is None or not (cards := [card for card in view.cards if card.name == name]):
        raise HTTPException(404)
    view.cards = cards
    return html(
        "annotator_page", package=_REVIEW, own_words=True, view=view, card=cards[0], headline=name, home="",
        query=_query(run), alone=not caller.may("reviewer"),
    )  # fmt: skip


def _query(run: str | None) -> str:
    return f"?{urlencode({'run': run})}" if run else ""
