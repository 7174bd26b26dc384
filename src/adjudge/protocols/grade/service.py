"""`POST /api/grade`: grade one answer, and return the verdict.

The case is parsed by the same code as files. The models here document it, and validate the options for judging.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from ...computing import computed
from ...errors import InputError, TooLargeError
from ...models.base import to_json
from ...models.common import Failure
from ...rubric import MAX_RUBRIC_BYTES, Rubric
from ...server.bodies import read_object
from ...server.callers import Caller, MayJudge
from ...server.common import ALLOWED_JUDGE, ERRORS, STEERED, State, StateOf, documented_body, failed, judged, validated
from ...server.idempotency import Idempotent
from ...server.rubrics import named_rubric
from ..rubrics import parse
from ..service import Service
from .reading import WANTED, grading_from
from .settings import GradeSettings
from .verdict import GradeVerdict

router = APIRouter(responses=ERRORS, route_class=Idempotent)
SERVICE = Service(routers=(router,))
_RUBRIC = """\
name: capitals
version: "1"
protocol: grade
items:
  - {key: names_it, points: 2, check: {contains: Oslo}}
  - {key: rests_on_the_sources, points: 1, claims: context}
"""
_GRADING = {
    "task": "What is the capital of Norway?",
    "answer": "The capital of Norway is Oslo.",
    "reference": "Oslo.",
    "context": [{"id": "guide", "text": "Oslo is the capital of Norway."}],
    "rubric": _RUBRIC,
}


class GradeOptions(BaseModel):
    """Options for grading an answer."""

    judge: str | None = Field(None, description=ALLOWED_JUDGE)
    rubric: str | None = Field(
        None, description="A rubric of `/api/rubrics`, `name` or `name@version`, or the text of one in YAML."
    )
    recheck_attempts: bool = Field(False, description=STEERED)
    seed: int = Field(0, description="Seed for sampling.")


class GradeContext(BaseModel):
    """One of several sources."""

    id: str | None = None
    text: str


class GradeRequest(GradeOptions):
    """One answer to a task. Fields not listed here are ignored and never reach a judge."""

    task: str = Field(description="What was asked.")
    answer: str | list[dict[str, Any]] = Field(description="The answer, or messages with tool calls and results.")
    reference: str | None = Field(None, description="An answer known to be good.")
    context: str | list[GradeContext | str] | None = Field(
        None, description="What the answer must rest on: a text, or a list of them."
    )


async def _rubric(state: State, caller: Caller, given: str) -> Rubric:
    """Return the rubric that a request names or holds."""
    if "\n" not in given:
        return await asyncio.to_thread(named_rubric, state, caller, given, GradeSettings.protocol)
    if len(given) > MAX_RUBRIC_BYTES:
        raise TooLargeError("rubric", f"{len(given):,} characters", f"at most {MAX_RUBRIC_BYTES:,} are allowed")
    rubric = await computed(len(given), parse, given, "rubric")
    if rubric.protocol != GradeSettings.protocol:
        raise InputError("rubric", f"its protocol is {rubric.protocol}", f"{GradeSettings.protocol} is needed here")
    return rubric


@router.post(
    "/api/grade",
    tags=["grade"],
    summary="Grade one answer against a rubric",
    response_model=GradeVerdict,
    openapi_extra=documented_body(GradeRequest, _GRADING),
)
async def grade(request: Request, state: StateOf, caller: MayJudge) -> Response:
    """Return an exact score, whether the answer passes, and every item with its evidence."""
    data = await read_object(request, WANTED)
    own = state.usual(GradeSettings)
    options = validated(GradeOptions, data, strict=True)
    if options.rubric is not None:
        own = replace(own, rubric=await _rubric(state, caller, options.rubric))
    case = await computed(sum(len(str(value)) for value in data.values()), grading_from, data, own.rubric)
    settings = state.settings(own, options.model_copy(update={"rubric": None}))
    outcome = await caller.judged(state.engine, lambda engine: engine.judge(case, settings))
    return failed(outcome) if isinstance(outcome, Failure) else judged(to_json(outcome))
