"""`POST /api/NAME` judges one case of a protocol that brings no route of its own.

The body is the JSON object that the protocol's service describes, read as in files, or else the fields of its form.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field, create_model

from ..computing import computed
from ..errors import InputError, TooLargeError
from ..models.base import to_json
from ..models.common import Failure
from ..protocols.base import Protocol
from ..protocols.registry import about
from ..protocols.rubrics import parse
from ..protocols.service import OwnRubric
from ..rubric import MAX_RUBRIC_BYTES, Rubric
from .bodies import read_object
from .callers import Caller, MayJudge
from .common import ERRORS, State, StateOf, Strict, documented_body, failed, judged, validated, with_settings
from .idempotency import Idempotent
from .rubrics import named_rubric


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
        base = OwnRubric if issubclass(described.body, OwnRubric) else BaseModel
        options, body = (with_settings(each, settings, camel=described.camel) for each in (base, described.body))
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
        if isinstance(asked, OwnRubric) and asked.rubric is not None:
            own = replace(own, rubric=await _rubric(state, caller, asked.rubric, protocol.name))
        case = await computed(sum(len(str(value)) for value in given.values()), read, given, own.rubric)
        outcome = await caller.judge(state.engine, case, state.settings(own, asked, rubric=own.rubric))
        return failed(outcome) if isinstance(outcome, Failure) else judged(to_json(outcome))

    return router


async def _rubric(state: State, caller: Caller, given: str, protocol: str) -> Rubric:
    """Return the rubric that a request names or holds."""
    if "\n" not in given:
        return await asyncio.to_thread(named_rubric, state, caller, given, protocol)
    if len(given) > MAX_RUBRIC_BYTES:
        raise TooLargeError("rubric", f"{len(given):,} characters", f"at most {MAX_RUBRIC_BYTES:,} are allowed")
    rubric = await computed(len(given), parse, given, "rubric")
    if rubric.protocol != protocol:
        raise InputError("rubric", f"its protocol is {rubric.protocol}", f"{protocol} is needed here")
    return rubric


def _form_body(protocol: Protocol) -> type[BaseModel]:
    texts: dict[str, Any] = {
        each.name: (str, Field(description=each.hint)) if each.needed else (str, Field("", description=each.hint))
        for each in protocol.form.fields
    }
    name = f"{protocol.name.capitalize()}Request"
    return create_model(name, __base__=Strict, __doc__="One case, and how to judge it.", **texts)
