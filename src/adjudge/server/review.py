"""`POST /api/review`: a person's ratings in, the audited ones out; and drafts, for reviews that come in pieces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from ..api import one_review
from ..drafts import Draft, add_to_draft, find_draft, new_draft
from ..engine import ReviewSettings
from ..errors import InputError
from ..inputs.json import parse_object
from ..inputs.text import decode
from ..models import ErrorReport, Failure, ReviewVerdict
from ..models.base import to_json
from ..models.cases import Review
from ..reports import render
from .bodies import read_case, read_object
from .callers import Caller, CallerOf, ReviewerOf
from .common import FAILURES, State, StateOf, documented_body, failed, judged, whole_number, yes_or_no
from .idempotency import Idempotent

router = APIRouter(tags=["review"], route_class=Idempotent)
_OPTIONS = ("judge", "languages", "seed", "recheck_attempts")
_WANTED = "prompt, response1, response2, and optionally the other slots"
_EXAMPLE: dict[str, Any] = {
    "taskconfig": "locale: en-US",
    "prompt": "Name three primes between 10 and 20, as a bulleted list.",
    "response1": "- 11\n- 13\n- 17",
    "response2": "Sure! 11 and 13 are primes. I hope this helps!",
    "response1_original_ratings": {"Truthfulness": {"rating": 3, "justification": "All three are primes."}},
    "response2_original_ratings": {"Instruction Following": 3, "Style & Clarity": 3},
    "original_likert_and_justification": {"likert": 4},
}


class ReviewSlots(BaseModel):
    """The nine slots, all of them optional here; null or empty means not provided. No judge sees the ratings."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

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
    review_id: int | str | None = Field(None, description="Your name for it (also `id`, `task_id`), given back.")


class ReviewRequest(ReviewSlots):
    """The nine slots and how they are judged. Without a prompt or a response the task is invalid, and said to be."""

    judge: str | None = Field(None, description="One of the judges this service allows; default: its own.")
    languages: list[str] | None = Field(None, description="ISO codes in scope; a task in none of them is invalid.")
    seed: int = 0
    recheck_attempts: bool = Field(
        False, description="Where a text tries to steer the judge, judge again without these passages."
    )


class DraftResponse(BaseModel):
    """A draft: what was given so far, what is still needed before it can be judged, and what else may be given."""

    draft_id: str
    given: list[str]
    needed: list[str]
    optional: list[str]
    ready: bool
    message: str = Field(description="What is still needed and what is optional, as a sentence for a person.")
    slots: dict[str, Any] = Field(description="What was given, by slot, in the shape it was given.")


_QUERY = [
    {"name": name, "in": "query", "required": False, "schema": schema, "description": f"With tagged slots: {said}"}
    for name, schema, said in (
        ("judge", {"type": "string"}, "one of the judges this service allows; default: its own."),
        ("languages", {"type": "string"}, "ISO codes in scope, such as en,es; a task in none of them is invalid."),
        ("seed", {"type": "integer"}, "for everything random; default: 0."),
    )
]
_TEXT = {"text/plain": {"schema": {"type": "string"}}}
_BLOCKS: dict[int | str, dict[str, Any]] = {
    200: {"content": _TEXT, "description": "The review; as text/plain the five tagged blocks, or INVALID TASK."}
}
_DRAFT_FAILURES: dict[int | str, dict[str, Any]] = {
    **{status: FAILURES[status] for status in (400, 401, 403, 413, 429)},
    404: {"model": ErrorReport, "description": "There is no such draft."},
}


@router.post(
    "/api/review",
    summary="Audit a person's side-by-side ratings",
    response_model=ReviewVerdict,
    responses={**FAILURES, **_BLOCKS},
    openapi_extra={**documented_body(ReviewRequest, _TEXT), "parameters": _QUERY},
)
async def review(request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Both responses are rated blind; facts bind the ratings; originals are kept, replaced, filled in or refused.

    The body is JSON, or as `text/plain` the nine tagged slots, beside which judge, languages and seed are parameters of
    the query. With `accept: text/plain` the five blocks come back.
    """
    tagged = request.headers.get("content-type", "").lower().startswith("text/plain")

    def read(body: bytes) -> tuple[Review, ReviewSettings]:
        if tagged:
            settings = _settings(_in_query(request), state)
            return one_review(decode(body, "body"), settings.rubric, "body"), settings
        data = parse_object(body, "body", _WANTED)
        settings = _settings(data, state)
        return one_review({name: data[name] for name in data if name not in _OPTIONS}, settings.rubric), settings

    case, settings = await read_case(request, read)
    return await _judged(request, case, settings, state, caller)


@router.post(
    "/api/review/drafts",
    summary="Begin a review that comes in pieces",
    status_code=201,
    response_model=DraftResponse,
    responses=_DRAFT_FAILURES,
    openapi_extra=documented_body(ReviewSlots, required=False),
)
async def begin_draft(request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Whatever is there already; the answer says what is still needed. The draft survives a restart."""
    slots = await read_object(request, _WANTED, optional=True)
    async with state.drafting:
        draft = await new_draft(state.engine.journal, slots, state.review.rubric, caller.name or "")
    return _shown(draft, state, 201)


@router.get(
    "/api/review/drafts/{draft_id}",
    summary="What a draft has, and what it still needs",
    response_model=DraftResponse,
    responses=_DRAFT_FAILURES,
)
async def show_draft(draft_id: str, state: StateOf, caller: CallerOf) -> Response:
    """The draft as it was left; with tokens, only its owner's."""
    return _shown(find_draft(state.engine.journal, draft_id, caller.name), state)


@router.delete("/api/review/drafts/{draft_id}", summary="Delete a draft", status_code=204, responses=_DRAFT_FAILURES)
async def delete_draft(draft_id: str, state: StateOf, caller: ReviewerOf) -> None:
    """The draft and all its pieces; verdicts made of it stay."""
    draft = find_draft(state.engine.journal, draft_id, caller.name)
    async with state.drafting:
        await state.engine.journal.remove_drafts(draft.draft_id)


@router.patch(
    "/api/review/drafts/{draft_id}",
    summary="Add a piece to a draft",
    response_model=DraftResponse,
    responses=_DRAFT_FAILURES,
    openapi_extra=documented_body(ReviewSlots),
)
async def extend_draft(draft_id: str, request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Set one slot or several, in any order; null takes one out. All are checked before any is kept."""
    find_draft(state.engine.journal, draft_id, caller.name)
    slots = await read_object(request, _WANTED)
    async with state.drafting:
        draft = find_draft(state.engine.journal, draft_id, caller.name)
        draft = await add_to_draft(state.engine.journal, draft, slots, state.review.rubric)
    return _shown(draft, state)


@router.post(
    "/api/review/drafts/{draft_id}/judge",
    summary="Judge a draft that has all it needs",
    response_model=ReviewVerdict,
    responses={
        **FAILURES,
        **_DRAFT_FAILURES,
        **_BLOCKS,
        409: {"model": ErrorReport, "description": "A slot is still needed."},
    },
)
async def judge_draft(draft_id: str, request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """The body may name a judge, languages, a seed and a recheck, as for `/api/review`."""
    draft = find_draft(state.engine.journal, draft_id, caller.name)
    data = await read_object(request, ", ".join(_OPTIONS), optional=True)
    for name in data:
        if name not in _OPTIONS:
            raise InputError(name[:80], "unknown field", f"one of {', '.join(_OPTIONS)}; slots are set with PATCH")
    settings = _settings(data, state)
    if needed := draft.needed(settings.rubric):
        return JSONResponse(
            {"error": f"{needed[0]}: still needed; add {', '.join(needed)} first", "needed": list(needed)}, 409
        )
    return await _judged(request, draft.case(settings.rubric), settings, state, caller)


async def _judged(request: Request, case: Review, settings: ReviewSettings, state: State, caller: Caller) -> Response:
    outcome = await caller.judged(state.engine, lambda engine: engine.review(case, settings))
    if isinstance(outcome, Failure):
        return failed(outcome, review_id=case.review_id)
    verdict_id = {"x-verdict-id": outcome.verdict_id}
    accepted = [kind.partition(";")[0].strip() for kind in request.headers.get("accept", "").lower().split(",")]
    if "text/plain" in accepted and "application/json" not in accepted:
        return Response(render(outcome, "tags"), media_type="text/plain", headers=verdict_id)
    return judged(to_json(outcome.updated(review_id=case.review_id)), **verdict_id)


def _in_query(request: Request) -> dict[str, Any]:
    """The options beside tagged slots, as the JSON body would hold them."""
    given = request.query_params.multi_items()
    names = [name for name, _ in given]
    for name in names:
        if name not in _OPTIONS:
            raise InputError(name[:80], "unknown parameter", f"one of {', '.join(_OPTIONS)}")
        if names.count(name) > 1:
            raise InputError(name, "appears twice", "each parameter once")
    data: dict[str, Any] = dict(given)
    if "languages" in data:
        data["languages"] = [code.strip() for code in data["languages"].split(",") if code.strip()]
    if re.fullmatch(r"-?[0-9]{1,18}", data.get("seed", "")):
        data["seed"] = int(data["seed"])
    return data


def _settings(data: Mapping[str, Any], state: State) -> ReviewSettings:
    settings, languages = state.review, data.get("languages")
    if languages is not None and not (isinstance(languages, list) and all(isinstance(c, str) for c in languages)):
        raise InputError("languages", f"{str(languages)[:80]!r}", "a list of ISO codes such as en, es")
    return replace(
        settings,
        judge=state.judge(data, "judge") or settings.judge,
        languages=tuple(languages) if languages is not None else settings.languages,
        seed=whole_number(data, "seed", settings.seed),
        recheck_attempts=yes_or_no(data, "recheck_attempts", settings.recheck_attempts),
    )


def _shown(draft: Draft, state: State, status: int = 200) -> Response:
    rubric = state.review.rubric
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
