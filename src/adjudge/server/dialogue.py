"""`POST /api/dialogue`: a conversation in, the audited scores out."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ..api import one_dialogue
from ..engine import DialogueSettings
from ..errors import InputError
from ..inputs.text import kind_of
from ..models import DialogueOutput, Failure
from ..models.base import to_json
from .bodies import read_object
from .callers import ReviewerOf
from .common import FAILURES, State, StateOf, documented_body, failed, yes_or_no
from .idempotency import Idempotent

router = APIRouter(route_class=Idempotent)

_EXAMPLE: dict[str, Any] = {
    "dialogue_id": 7,
    "messages": [
        {"role": "user", "content": "My parcel was due on Monday and it still isn't here."},
        {"role": "assistant", "content": "I'm sorry about that. It is at the depot and comes tomorrow before noon."},
        {"role": "user", "content": "Fine, thank you."},
    ],
}


class DialogueRequest(BaseModel):
    """One conversation, as messages or as a transcript. Human ratings and acts in it never reach a judge."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    messages: list[dict[str, Any]] | None = Field(None, description='`[{"role": "user"|"assistant", "content": …}]`')
    transcript: str | None = Field(None, description="Or text: `SPEAKER <tab> utterance` lines, or `User: …` lines.")
    dialogue_id: int | str | None = Field(None, description="Comes back with the result; default: 1.")
    judge: str | None = Field(None, description="Does both parts: one of the judges this service allows.")
    evaluator: str | None = Field(None, description="One of the judges this service allows; default: its own.")
    critic: str | None = Field(None, description="One of the judges this service allows; default: its own.")
    recheck_attempts: bool = Field(
        False, description="Where an utterance tries to steer the judge, judge again without these passages."
    )


@router.post(
    "/api/dialogue",
    tags=["dialogue"],
    summary="Judge a customer-service conversation",
    response_model=DialogueOutput,
    responses=FAILURES,
    openapi_extra=documented_body(DialogueRequest),
)
async def dialogue(request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """An Evaluator scores six criteria, a Critic challenges the scores, the Referee settles them by rule."""
    data = await read_object(request, "messages or transcript, and optionally dialogue_id")
    for name in data:
        if name not in DialogueRequest.model_fields:
            raise InputError(name[:80], "unknown field", f"one of {', '.join(DialogueRequest.model_fields)}")
    case = await asyncio.to_thread(one_dialogue, _transcript(data), _dialogue_id(data))
    settings = _settings(data, state)
    outcome = await caller.judged(state.engine, lambda engine: engine.dialogue(case, settings))
    if isinstance(outcome, Failure):
        return failed(outcome)
    headers = {"x-verdict-id": outcome.verdict_id}
    return Response(to_json(outcome.output, indent=True), media_type="application/json", headers=headers)


def _transcript(data: dict[str, Any]) -> Any:
    given = [name for name in ("messages", "transcript") if data.get(name) is not None]
    if len(given) != 1:
        found = "given together with transcript" if given else "missing"
        raise InputError("messages", found, "either messages or transcript is needed")
    value = data[given[0]]
    if not isinstance(value, list if given[0] == "messages" else str):
        allowed = "a list of messages" if given[0] == "messages" else "text"
        raise InputError(given[0], f"expected {allowed}, found {kind_of(value)}", f"{allowed} is allowed")
    return value


def _dialogue_id(data: dict[str, Any]) -> int | str | None:
    value = data.get("dialogue_id")
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | str)):
        raise InputError("dialogue_id", f"{str(value)[:80]!r}", "a whole number or text is allowed")
    return value


def _settings(data: dict[str, Any], state: State) -> DialogueSettings:
    settings, both = state.dialogue, state.judge(data, "judge")
    return replace(
        settings,
        evaluator=state.judge(data, "evaluator") or both or settings.evaluator,
        critic=state.judge(data, "critic") or both or settings.critic,
        recheck_attempts=yes_or_no(data, "recheck_attempts", settings.recheck_attempts),
    )
