"""`POST /api/evaluate`: two answers in, a verdict out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ..engine import CompareSettings
from ..inputs.comparison import WANTED, comparison_from
from ..models import ComparisonVerdict, Failure
from ..models.base import to_json
from .bodies import read_object
from .callers import ReviewerOf
from .common import FAILURES, State, StateOf, documented_body, failed, judged, whole_number, yes_or_no
from .idempotency import Idempotent

router = APIRouter(route_class=Idempotent)

_EXAMPLE: dict[str, Any] = {
    "userTask": "How do I undo my last git commit but keep the changes?",
    "responseA": "Run `git reset --soft HEAD~1`. The commit goes away and its changes stay staged.",
    "responseB": "You can delete the folder and clone the repository again, then redo your work.",
    "context": "",
    "weights": {"correctness_reasoning": 2.0},
}


class EvaluateRequest(BaseModel):
    """Two answers to one task. Fields not listed here are ignored and never reach a judge."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    userTask: str = Field(description="The task or question both answers respond to.")  # noqa: N815
    responseA: str = Field(description="The first answer.")  # noqa: N815
    responseB: str = Field(description="The second answer.")  # noqa: N815
    context: str | None = Field(None, description="What the answers should be read against.")
    weights: dict[str, float] | None = Field(
        None, description="Weights by criterion, each ≥ 0; criteria not named keep their default."
    )
    judge: str | None = Field(None, description="One of the judges this service allows; default: the service's own.")
    oneOrder: bool = Field(False, description="Judge in one order only: half the cost.")  # noqa: N815
    recheckAttempts: bool = Field(  # noqa: N815
        False, description="Where a text tries to steer the judge, judge again without these passages."
    )
    seed: int = Field(0, description="For sampling, and for which answer stands first with oneOrder.")


@router.post(
    "/api/evaluate",
    tags=["compare"],
    summary="Compare two answers to one task",
    response_model=ComparisonVerdict,
    responses=FAILURES,
    openapi_extra=documented_body(EvaluateRequest),
)
async def evaluate(request: Request, state: StateOf, caller: ReviewerOf) -> Response:
    """Seven weighted criteria, evidence quotes with their offsets, exact totals, and a winner or a tie."""
    data = await read_object(request, WANTED)
    case = comparison_from(data, state.compare.rubric)
    settings = _settings(data, state)
    outcome = await caller.judged(state.engine, lambda engine: engine.compare(case, settings))
    return failed(outcome) if isinstance(outcome, Failure) else judged(to_json(outcome))


def _settings(data: dict[str, Any], state: State) -> CompareSettings:
    settings = state.compare
    return replace(
        settings,
        judge=state.judge(data, "judge") or settings.judge,
        one_order=yes_or_no(data, "oneOrder", settings.one_order),
        recheck_attempts=yes_or_no(data, "recheckAttempts", settings.recheck_attempts),
        seed=whole_number(data, "seed", settings.seed),
    )
