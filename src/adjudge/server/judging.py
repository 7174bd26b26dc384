"""`POST /api/NAME` judges one case of a protocol that brings no route of its own.

The body is the JSON object that the protocol's service describes, read as in files, or else the fields of its form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field, create_model

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
    router, reading, path = (
        APIRouter(responses=ERRORS, route_class=Idempotent),
        protocol.reading,
        about(protocol.name).path,
    )
    described, settings = protocol.service().request, protocol.settings.requested()
    if described is None:
        options = body = with_settings(_form_body(protocol), settings)
        wanted, read, examples = ", ".join(body.model_fields), protocol.form.case, []
    else:
        options, body = (with_settings(each, settings, camel=described.camel) for each in (BaseModel, described.body))
        wanted, read, examples = reading.wanted, reading.from_object, [described.example]

    @router.post(
        path,
        name=path.rpartition("/")[2],
        tags=[protocol.name],
        summary=described.summary if described else f"Judge a {protocol.noun}",
        description=described.description if described else None,
        response_model=protocol.verdict,
        openapi_extra=documented_body(body, *examples),
    )
    async def judge(request: Request, state: StateOf, caller: MayJudge) -> Response:
        data = await read_object(request, wanted)
        asked, own = validated(options, data, strict=True), state.own[protocol.name]
        given: Mapping[str, Any] = data if described else asked.model_dump(exclude=set(settings))
        case = await computed(sum(len(str(value)) for value in given.values()), read, given, own.rubric)
        outcome = await caller.judge(state.engine, case, state.settings(own, asked))
        return failed(outcome) if isinstance(outcome, Failure) else judged(to_json(outcome))

    return router


def _form_body(protocol: Protocol) -> type[BaseModel]:
    texts: dict[str, Any] = {
        each.name: (str, Field(description=each.hint)) if each.needed else (str, Field("", description=each.hint))
        for each in protocol.form.fields
    }
    name = f"{protocol.name.capitalize()}Request"
    return create_model(name, __base__=Strict, __doc__="One case, and how to judge it.", **texts)
