"""`POST /api/NAME` judges one case of a protocol that brings no route of its own: the fields of its form, as JSON."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, create_model

from ..computing import computed
from ..models.base import to_json
from ..models.common import Failure
from ..protocols.base import Protocol
from ..protocols.registry import about
from .bodies import read_object
from .callers import MayJudge
from .common import ALLOWED_JUDGE, ERRORS, STEERED, StateOf, documented_body, failed, judged, validated
from .idempotency import Idempotent


class JudgeRequest(BaseModel):
    """One case, and options for judging it."""

    model_config = ConfigDict(extra="forbid")

    judge: str | None = Field(None, description=ALLOWED_JUDGE)
    seed: int | None = None
    recheck_attempts: bool | None = Field(None, description=STEERED)


def router_of(protocol: Protocol) -> APIRouter:
    """Return a router with the route that judges one case."""
    router, form = APIRouter(responses=ERRORS, route_class=Idempotent), protocol.form
    texts: dict[str, Any] = {
        each.name: (str, Field(description=each.hint)) if each.needed else (str, Field("", description=each.hint))
        for each in form.fields
    }
    options: dict[str, Any] = {
        each.setting: (each.kind | None, Field(None, description=each.meaning)) for each in form.options
    }
    model = create_model(f"{protocol.name.capitalize()}Request", __base__=JudgeRequest, **texts, **options)

    @router.post(
        about(protocol.name).path,
        tags=[protocol.name],
        summary=f"Judge a {protocol.noun}",
        response_model=protocol.verdict,
        openapi_extra=documented_body(model),
    )
    async def judge(request: Request, state: StateOf, caller: MayJudge) -> Response:
        asked = validated(model, await read_object(request, ", ".join(model.model_fields)), strict=True)
        values: dict[str, str] = asked.model_dump(include=set(texts))
        given = asked.model_dump(include={*JudgeRequest.model_fields, *options}, exclude_none=True)
        settings = state.changed(state.own[protocol.name], given)
        case = await computed(sum(map(len, values.values())), form.case, values, settings.rubric)
        outcome = await caller.judged(state.engine, lambda engine: engine.judge(case, settings))
        return failed(outcome) if isinstance(outcome, Failure) else judged(to_json(outcome))

    return router
