"""`POST /api/NAME` judges one case of a protocol that brings no route of its own: the fields of its form, as JSON."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import Field, create_model

from ..computing import computed
from ..models.base import to_json
from ..models.common import Failure
from ..protocols.base import Protocol
from ..protocols.registry import about
from .bodies import read_object
from .callers import MayJudge
from .common import ERRORS, StateOf, Strict, documented_body, failed, judged, validated, with_settings
from .idempotency import Idempotent


def router_of(protocol: Protocol) -> APIRouter:
    """Return a router with the route that judges one case."""
    router, form = APIRouter(responses=ERRORS, route_class=Idempotent), protocol.form
    texts: dict[str, Any] = {
        each.name: (str, Field(description=each.hint)) if each.needed else (str, Field("", description=each.hint))
        for each in form.fields
    }
    one_case = create_model(
        f"{protocol.name.capitalize()}Request", __base__=Strict, __doc__="One case, and how to judge it.", **texts
    )
    model = with_settings(one_case, protocol.settings.requested())

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
        settings = state.settings(state.own[protocol.name], asked)
        case = await computed(sum(map(len, values.values())), form.case, values, settings.rubric)
        outcome = await caller.judge(state.engine, case, settings)
        return failed(outcome) if isinstance(outcome, Failure) else judged(to_json(outcome))

    return router
