"""`POST /api/review` judges a review, and `/api/review/drafts` takes one in pieces.

Cases are parsed by the same code as files. The models here document them, and validate the options for judging.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from ....inputs.json import parse_object
from ....models.base import to_json
from ....models.common import Failure
from ....reports import render
from ....server.bodies import each_once, read_body, read_object
from ....server.callers import Caller, CallerOf, MayJudge
from ....server.common import (
    ERRORS,
    State,
    StateOf,
    Strict,
    documented_body,
    documented_query,
    failed,
    judged,
    validated,
    with_settings,
)
from ....server.idempotency import Idempotent
from ....text.decoding import decode
from ..case import Review
from ..drafts import Draft, add_to_draft, find_draft, new_draft
from ..form import WANTED
from ..reading.rows import one_review
from ..settings import ReviewSettings
from ..verdict import ReviewVerdict

router = APIRouter(responses=ERRORS, route_class=Idempotent)

_REVIEW = {
    "taskconfig": "locale: en-US",
    "prompt": "Name three primes between 10 and 20, as a bulleted list.",
    "response1": "- 11\n- 13\n- 17",
    "response2": "Sure! 11 and 13 are primes. I hope this helps!",
    "response1_original_ratings": {"Truthfulness": {"rating": 3, "justification": "All three are primes."}},
    "response2_original_ratings": {"Instruction Following": 3, "Style & Clarity": 3},
    "original_likert_and_justification": {"likert": 4},
}


class ReviewSlots(BaseModel):
    """The nine slots, all optional here; null or empty means not provided. No judge sees the original ratings."""

    taskconfig: str | dict[str, Any] | None = Field(None, description="Locale, category and the like.")
    system_prompt: str | None = None
    conversation_history: str | list[dict[str, Any]] | None = None
    prompt: str | None = Field(None, description="The last user message, with any reference text.")
    response1: str | None = None
    response2: str | None = None
    response1_original_ratings: dict[str, Any] | list[dict[str, Any]] | str | None = Field(
        None, description="Dimension → rating, or → {rating, justification}; or the table as Markdown."
    )
    response2_original_ratings: dict[str, Any] | list[dict[str, Any]] | str | None = None
    original_likert_and_justification: dict[str, Any] | int | str | None = Field(
        None, description="{likert, justification}, or the number."
    )
    review_id: int | str | None = Field(None, description="Your id of the review (or `id`, `task_id`); it is returned.")


class ReviewRequest(ReviewSlots):
    """The nine slots and options for judging. Without the prompt or a response, the task is judged invalid."""


_SETTINGS = ReviewSettings.requested()
_Options, _Query = (with_settings(Strict, _SETTINGS, text=text) for text in (False, True))


class DraftResponse(BaseModel):
    """A draft: the slots given so far, those still needed before it can be judged, and those still optional."""

    draft_id: str
    given: list[str]
    needed: list[str]
    optional: list[str]
    ready: bool
    message: str = Field(description="What is still needed and what is optional, as a sentence for a person.")
    slots: dict[str, Any] = Field(description="What was given, by slot, in the shape it was given.")


_TEXT: dict[str, Any] = {"text/plain": {"schema": {"type": "string"}}}
_REVIEWED: dict[str, Any] = {
    "tags": ["review"],
    "response_model": ReviewVerdict,
    "responses": {
        200: {"content": _TEXT, "description": "The review; as text/plain the five tagged blocks, or INVALID TASK."}
    },
}
_DRAFTED: dict[str, Any] = {"tags": ["review"], "response_model": DraftResponse}


@router.post(
    "/api/review",
    summary="Audit a person's side-by-side ratings",
    openapi_extra={
        **documented_body(with_settings(ReviewRequest, _SETTINGS), _REVIEW, **_TEXT),
        "parameters": documented_query(_Query, "With tagged slots."),
    },
    **_REVIEWED,
)
async def review(request: Request, state: StateOf, caller: MayJudge) -> Response:
    """Rate both responses blind, within what measured facts allow, then keep, replace, fill in or refuse the originals.

    The body is JSON, or the nine tagged slots as `text/plain`, with the options as query parameters.
    With `accept: text/plain` the response consists of the five tagged blocks.
    """
    tagged = request.headers.get("content-type", "").lower().startswith("text/plain")

    def read(body: bytes) -> tuple[Review, ReviewSettings]:
        if tagged:
            asked = validated(_Query, each_once(request.query_params.multi_items()))
            settings = state.settings(state.usual(ReviewSettings), asked)
            return one_review(decode(body, "body"), settings.rubric, "body"), settings
        data = parse_object(body, "body", WANTED)
        asked = validated(_Options, {name: data.pop(name) for name in _SETTINGS if name in data}, strict=True)
        settings = state.settings(state.usual(ReviewSettings), asked)
        return one_review(data, settings.rubric), settings

    case, settings = await asyncio.to_thread(read, await read_body(request))
    return await _judged(request, case, settings, state, caller)


@router.post(
    "/api/review/drafts",
    summary="Start a draft of a review that is sent in pieces",
    status_code=201,
    openapi_extra=documented_body(ReviewSlots, _REVIEW, required=False),
    **_DRAFTED,
)
async def begin_draft(request: Request, state: StateOf, caller: MayJudge) -> Response:
    """Store the slots given so far and return what is still needed. The draft survives a restart."""
    slots = await read_object(request, WANTED, optional=True)
    async with state.drafting:
        draft = await new_draft(state.engine.journal, slots, state.usual(ReviewSettings).rubric, caller.name or "")
    return _shown(draft, state, 201)


@router.get("/api/review/drafts/{draft_id}", summary="What a draft has, and what it still needs", **_DRAFTED)
async def show_draft(draft_id: str, state: StateOf, caller: CallerOf) -> Response:
    """Return the draft as it was last stored. Tokens and people see only their own drafts."""
    return _shown(find_draft(state.engine.journal, draft_id, caller.name), state)


@router.delete("/api/review/drafts/{draft_id}", tags=["review"], summary="Delete a draft", status_code=204)
async def delete_draft(draft_id: str, state: StateOf, caller: MayJudge) -> None:
    """Delete the draft and all its pieces. Verdicts made from it stay."""
    draft = find_draft(state.engine.journal, draft_id, caller.name)
    async with state.drafting:
        await state.engine.journal.remove_drafts(draft.draft_id)


@router.patch(
    "/api/review/drafts/{draft_id}",
    summary="Add a piece to a draft",
    openapi_extra=documented_body(ReviewSlots, _REVIEW),
    **_DRAFTED,
)
async def extend_draft(draft_id: str, request: Request, state: StateOf, caller: MayJudge) -> Response:
    """Set one or more slots, in any order; null removes a slot. All are checked before any is stored."""
    slots = await read_object(request, WANTED)
    async with state.drafting:
        draft = find_draft(state.engine.journal, draft_id, caller.name)
        draft = await add_to_draft(state.engine.journal, draft, slots, state.usual(ReviewSettings).rubric)
    return _shown(draft, state)


@router.post("/api/review/drafts/{draft_id}/judge", summary="Judge a draft that has all it needs", **_REVIEWED)
async def judge_draft(draft_id: str, request: Request, state: StateOf, caller: MayJudge) -> Response:
    """Judge the draft. The body may set judge, languages, seed and the other options of `/api/review`."""
    draft = find_draft(state.engine.journal, draft_id, caller.name)
    data = await read_object(request, ", ".join(_SETTINGS), optional=True)
    settings = state.settings(state.usual(ReviewSettings), validated(_Options, data, strict=True))
    if needed := draft.needed(settings.rubric):
        message = f"{needed[0]}: still needed; add {', '.join(needed)} first"
        return JSONResponse({"error": message, "needed": list(needed)}, 409)
    return await _judged(request, draft.case(settings.rubric), settings, state, caller)


async def _judged(request: Request, case: Review, settings: ReviewSettings, state: State, caller: Caller) -> Response:
    outcome = await caller.judge(state.engine, case, settings)
    if isinstance(outcome, Failure):
        return failed(outcome, review_id=case.review_id)
    verdict_id = {"x-verdict-id": outcome.verdict_id}
    accepted = request.headers.get("accept", "").lower()
    if "text/plain" in accepted and "application/json" not in accepted:
        return Response(render(outcome, "tags"), media_type="text/plain", headers=verdict_id)
    return judged(to_json(outcome.updated(review_id=case.review_id)), **verdict_id)


def _shown(draft: Draft, state: State, status: int = 200) -> Response:
    rubric = state.usual(ReviewSettings).rubric
    shown = DraftResponse(
        draft_id=draft.draft_id,
        given=list(draft.given(rubric)),
        needed=list(draft.needed(rubric)),
        optional=list(draft.optional(rubric)),
        ready=not draft.needed(rubric),
        message=draft.message(rubric),
        slots=dict(draft.slots),
    )
    return Response(to_json(shown), status, media_type="application/json")
