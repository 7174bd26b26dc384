"""`POST /api/evaluate`, `/api/dialogue` and `/api/review` judge one case and return its verdict. Also review drafts.

Cases are parsed by the same code as files. The models here document them, and validate the options for judging.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from ..api import one_dialogue, one_review
from ..computing import computed
from ..errors import InputError
from ..inputs.json import parse_object
from ..inputs.text import decode
from ..models.base import to_json
from ..models.common import Failure
from ..protocols.compare.reading import WANTED, comparison_from
from ..protocols.compare.verdict import ComparisonVerdict
from ..protocols.dialogue.verdict import DialogueOutput
from ..protocols.review.case import Review
from ..protocols.review.drafts import Draft, add_to_draft, find_draft, new_draft
from ..protocols.review.settings import ReviewSettings, codes_in
from ..protocols.review.verdict import ReviewVerdict
from ..reports import render
from .bodies import each_once, read_case, read_object
from .callers import Caller, CallerOf, ReviewerOf
from .common import ERRORS, State, StateOf, documented_body, documented_query, failed, judged, validated
from .idempotency import Idempotent

router = APIRouter(responses=ERRORS, route_class=Idempotent)
_STEERED = "If a text tries to steer the judge, judge again without those passages."
_ALLOWED_JUDGE = "One of the judges this service allows; default: its own."

# -- comparisons ------------------------------------------------------------------------------------------------------


_COMPARISON = {
    "userTask": "How do I undo my last git commit but keep the changes?",
    "responseA": "Run `git reset --soft HEAD~1`. The commit goes away and its changes stay staged.",
    "responseB": "You can delete the folder and clone the repository again, then redo your work.",
    "context": "",
    "weights": {"correctness_reasoning": 2.0},
}


class EvaluateOptions(BaseModel):
    """Options for comparing two answers."""

    judge: str | None = Field(None, description=_ALLOWED_JUDGE)
    one_order: bool = Field(False, alias="oneOrder", description="Judge in one order only: half the cost.")
    recheck_attempts: bool = Field(False, alias="recheckAttempts", description=_STEERED)
    seed: int = Field(0, description="Seed for sampling and, with oneOrder, for which answer comes first.")


class EvaluateRequest(EvaluateOptions):
    """Two answers to one task. Fields not listed here are ignored and never reach a judge."""

    userTask: str = Field(description="The task or question both answers respond to.")  # noqa: N815
    responseA: str = Field(description="The first answer.")  # noqa: N815
    responseB: str = Field(description="The second answer.")  # noqa: N815
    context: str | None = Field(None, description="What the answers should be read against.")
    weights: dict[str, float] | None = Field(
        None, description="Weights by criterion, each ≥ 0; criteria not named keep their default."
    )


@router.post(
    "/api/evaluate",
    tags=["compare"],
    summary="Compare two answers to one task",
    response_model=ComparisonVerdict,
    openapi_extra=documented_body(EvaluateRequest, _COMPARISON),
)
async def evaluate(request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Return scores for seven weighted criteria, evidence quotes with offsets, exact totals, and a winner or a tie."""
    data = await read_object(request, WANTED)
    case = comparison_from(data, state.compare.rubric)
    settings = state.settings(state.compare, validated(EvaluateOptions, data, strict=True))
    outcome = await caller.judged(state.engine, lambda engine: engine.judge(case, settings))
    return failed(outcome) if isinstance(outcome, Failure) else judged(to_json(outcome))


# -- dialogues --------------------------------------------------------------------------------------------------------

_DIALOGUE = {
    "dialogue_id": 7,
    "messages": [
        {"role": "user", "content": "My parcel was due on Monday and it still isn't here."},
        {"role": "assistant", "content": "I'm sorry about that. It is at the depot and comes tomorrow before noon."},
        {"role": "user", "content": "Fine, thank you."},
    ],
}
_Id = Annotated[Any, WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]})]


class DialogueRequest(BaseModel):
    """One conversation, as messages or as a transcript. Human ratings and acts in it never reach a judge."""

    model_config = ConfigDict(extra="forbid")

    messages: list[dict[str, Any]] | None = Field(None, description='`[{"role": "user"|"assistant", "content": …}]`')
    transcript: str | None = Field(None, description="Or text: `SPEAKER <tab> utterance` lines, or `User: …` lines.")
    dialogue_id: _Id = Field(None, description="Returned with the result; default: 1.")
    judge: str | None = Field(None, description="For both evaluator and critic: one of the judges this service allows.")
    evaluator: str | None = Field(None, description=_ALLOWED_JUDGE)
    critic: str | None = Field(None, description=_ALLOWED_JUDGE)
    recheck_attempts: bool = Field(False, description=_STEERED)


@router.post(
    "/api/dialogue",
    tags=["dialogue"],
    summary="Judge a customer-service conversation",
    response_model=DialogueOutput,
    openapi_extra=documented_body(DialogueRequest, _DIALOGUE),
)
async def dialogue(request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Let an Evaluator score six criteria and a Critic challenge the scores; the Referee decides them by rule."""
    data = await read_object(request, "messages or transcript, and optionally dialogue_id")
    asked = validated(DialogueRequest, data, strict=True)
    if (asked.messages is None) == (asked.transcript is None):
        found = "missing" if asked.messages is None else "given together with transcript"
        raise InputError("messages", found, "either messages or transcript is needed")
    if asked.messages is None:
        transcript = asked.transcript or ""
        case = await computed(len(transcript), one_dialogue, transcript, asked.dialogue_id)
    else:
        case = await asyncio.to_thread(one_dialogue, asked.messages, asked.dialogue_id)
    settings = state.settings(state.dialogue, asked)
    outcome = await caller.judged(state.engine, lambda engine: engine.judge(case, settings))
    if isinstance(outcome, Failure):
        return failed(outcome)
    headers = {"x-verdict-id": outcome.verdict_id}
    return Response(to_json(outcome.output, indent=True), media_type="application/json", headers=headers)


# -- reviews ----------------------------------------------------------------------------------------------------------

_REVIEW = {
    "taskconfig": "locale: en-US",
    "prompt": "Name three primes between 10 and 20, as a bulleted list.",
    "response1": "- 11\n- 13\n- 17",
    "response2": "Sure! 11 and 13 are primes. I hope this helps!",
    "response1_original_ratings": {"Truthfulness": {"rating": 3, "justification": "All three are primes."}},
    "response2_original_ratings": {"Instruction Following": 3, "Style & Clarity": 3},
    "original_likert_and_justification": {"likert": 4},
}
_WANTED = "prompt, response1, response2, and optionally the other slots"


class JudgeDraftRequest(BaseModel):
    """Options for judging a review."""

    model_config = ConfigDict(extra="forbid")

    judge: str | None = Field(None, description=_ALLOWED_JUDGE)
    languages: list[str] | None = Field(None, description="ISO codes in scope; a task in none of them is invalid.")
    seed: int = 0
    recheck_attempts: bool = Field(False, description=_STEERED)


class ReviewQuery(BaseModel):
    """Query parameters for judging a review that is sent as tagged slots."""

    model_config = ConfigDict(extra="forbid")

    judge: str | None = Field(None, description=f"With tagged slots. {_ALLOWED_JUDGE}")
    languages: Annotated[str, AfterValidator(codes_in)] | None = Field(
        None, description="With tagged slots: ISO codes in scope, such as `en,es`; a task in none of them is invalid."
    )
    seed: int = Field(0, description="With tagged slots: the seed for everything random.")


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


class ReviewRequest(JudgeDraftRequest, ReviewSlots):
    """The nine slots and options for judging. Without the prompt or a response, the task is judged invalid."""

    model_config = ConfigDict(extra="ignore")


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
    openapi_extra={**documented_body(ReviewRequest, _REVIEW, **_TEXT), "parameters": documented_query(ReviewQuery)},
    **_REVIEWED,
)
async def review(request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Rate both responses blind, within what measured facts allow, then keep, replace, fill in or refuse the originals.

    The body is JSON, or the nine tagged slots as `text/plain`, with judge, languages and seed as query parameters.
    With `accept: text/plain` the response consists of the five tagged blocks.
    """
    tagged = request.headers.get("content-type", "").lower().startswith("text/plain")

    def read(body: bytes) -> tuple[Review, ReviewSettings]:
        if tagged:
            asked = validated(ReviewQuery, each_once(request.query_params.multi_items()))
            settings = state.settings(state.review, asked)
            return one_review(decode(body, "body"), settings.rubric, "body"), settings
        data = parse_object(body, "body", _WANTED)
        options = {name: data.pop(name) for name in JudgeDraftRequest.model_fields if name in data}
        settings = state.settings(state.review, validated(JudgeDraftRequest, options, strict=True))
        return one_review(data, settings.rubric), settings

    case, settings = await read_case(request, read)
    return await _judged(request, case, settings, state, caller)


@router.post(
    "/api/review/drafts",
    summary="Start a draft of a review that is sent in pieces",
    status_code=201,
    openapi_extra=documented_body(ReviewSlots, _REVIEW, required=False),
    **_DRAFTED,
)
async def begin_draft(request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Store the slots given so far and return what is still needed. The draft survives a restart."""
    slots = await read_object(request, _WANTED, optional=True)
    async with state.drafting:
        draft = await new_draft(state.engine.journal, slots, state.review.rubric, caller.name or "")
    return _shown(draft, state, 201)


@router.get("/api/review/drafts/{draft_id}", summary="What a draft has, and what it still needs", **_DRAFTED)
async def show_draft(draft_id: str, state: StateOf, caller: CallerOf) -> Response:
    """Return the draft as it was last stored. Tokens and people see only their own drafts."""
    return _shown(find_draft(state.engine.journal, draft_id, caller.name), state)


@router.delete("/api/review/drafts/{draft_id}", tags=["review"], summary="Delete a draft", status_code=204)
async def delete_draft(draft_id: str, state: StateOf, caller: ReviewerOf) -> None:
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
async def extend_draft(draft_id: str, request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Set one or more slots, in any order; null removes a slot. All are checked before any is stored."""
    slots = await read_object(request, _WANTED)
    async with state.drafting:
        draft = find_draft(state.engine.journal, draft_id, caller.name)
        draft = await add_to_draft(state.engine.journal, draft, slots, state.review.rubric)
    return _shown(draft, state)


@router.post("/api/review/drafts/{draft_id}/judge", summary="Judge a draft that has all it needs", **_REVIEWED)
async def judge_draft(draft_id: str, request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Judge the draft. The body may set judge, languages, seed and recheck_attempts, as for `/api/review`."""
    draft = find_draft(state.engine.journal, draft_id, caller.name)
    data = await read_object(request, ", ".join(JudgeDraftRequest.model_fields), optional=True)
    settings = state.settings(state.review, validated(JudgeDraftRequest, data, strict=True))
    if needed := draft.needed(settings.rubric):
        said = f"{needed[0]}: still needed; add {', '.join(needed)} first"
        return JSONResponse({"error": said, "needed": list(needed)}, 409)
    return await _judged(request, draft.case(settings.rubric), settings, state, caller)


async def _judged(request: Request, case: Review, settings: ReviewSettings, state: State, caller: Caller) -> Response:
    outcome = await caller.judged(state.engine, lambda engine: engine.judge(case, settings))
    if isinstance(outcome, Failure):
        return failed(outcome, review_id=case.review_id)
    verdict_id = {"x-verdict-id": outcome.verdict_id}
    accepted = request.headers.get("accept", "").lower()
    if "text/plain" in accepted and "application/json" not in accepted:
        return Response(render(outcome, "tags"), media_type="text/plain", headers=verdict_id)
    return judged(to_json(outcome.updated(review_id=case.review_id)), **verdict_id)


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
