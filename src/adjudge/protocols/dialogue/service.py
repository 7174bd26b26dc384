"""`POST /api/dialogue`: judge a conversation, and return the verdict.

The case is parsed by the same code as files. The models here document it, and validate the options for judging.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from ...computing import computed
from ...errors import InputError
from ...models.base import to_json
from ...models.common import Failure
from ...server.bodies import read_object
from ...server.callers import MayJudge
from ...server.common import ALLOWED_JUDGE, ERRORS, STEERED, StateOf, documented_body, failed, validated
from ...server.idempotency import Idempotent
from ..service import Service
from .reading import one_dialogue
from .settings import DialogueSettings
from .verdict import DialogueOutput

router = APIRouter(responses=ERRORS, route_class=Idempotent)
SERVICE = Service(routers=(router,))
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

    messages: list[dict[str, Any]] | None = Field(
        None, description='`[{"role": "user"|"assistant"|"tool", "content": …}]`, also with `tool_calls` or `tool_use`.'
    )
    transcript: str | None = Field(None, description="Or text: `SPEAKER <tab> utterance` lines, or `User: …` lines.")
    dialogue_id: _Id = Field(None, description="Returned with the result; default: 1.")
    judge: str | None = Field(None, description="For both evaluator and critic: one of the judges this service allows.")
    evaluator: str | None = Field(None, description=ALLOWED_JUDGE)
    critic: str | None = Field(None, description=ALLOWED_JUDGE)
    recheck_attempts: bool = Field(False, description=STEERED)


@router.post(
    "/api/dialogue",
    tags=["dialogue"],
    summary="Judge a customer-service conversation",
    response_model=DialogueOutput,
    openapi_extra=documented_body(DialogueRequest, _DIALOGUE),
)
async def dialogue(request: Request, state: StateOf, caller: MayJudge) -> Response:
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
    settings = state.settings(state.usual(DialogueSettings), asked)
    outcome = await caller.judged(state.engine, lambda engine: engine.judge(case, settings))
    if isinstance(outcome, Failure):
        return failed(outcome)
    headers = {"x-verdict-id": outcome.verdict_id}
    return Response(to_json(outcome.output, indent=True), media_type="application/json", headers=headers)
