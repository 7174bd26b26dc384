"""`POST /api/evaluate`: compare two answers, and return the verdict.

The case is parsed by the same code as files. The models here document it, and validate the options for judging.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from ...models.base import to_json
from ...models.common import Failure
from ...server.bodies import read_object
from ...server.callers import MayJudge
from ...server.common import ALLOWED_JUDGE, ERRORS, STEERED, StateOf, documented_body, failed, judged, validated
from ...server.idempotency import Idempotent
from ..service import Service
from .reading import WANTED, comparison_from
from .settings import CompareSettings
from .verdict import ComparisonVerdict

router = APIRouter(responses=ERRORS, route_class=Idempotent)
SERVICE = Service(routers=(router,))
_COMPARISON = {
    "userTask": "How do I undo my last git commit but keep the changes?",
    "responseA": "Run `git reset --soft HEAD~1`. The commit goes away and its changes stay staged.",
    "responseB": "You can delete the folder and clone the repository again, then redo your work.",
    "context": "",
    "weights": {"correctness_reasoning": 2.0},
}


class EvaluateOptions(BaseModel):
    """Options for comparing two answers."""

    judge: str | None = Field(None, description=ALLOWED_JUDGE)
    one_order: bool = Field(False, alias="oneOrder", description="Judge in one order only: half the cost.")
    recheck_attempts: bool = Field(False, alias="recheckAttempts", description=STEERED)
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
async def evaluate(request: Request, state: StateOf, caller: MayJudge) -> Response:
    """Return scores for seven weighted criteria, evidence quotes with offsets, exact totals, and a winner or a tie."""
    data = await read_object(request, WANTED)
    own = state.usual(CompareSettings)
    case = comparison_from(data, own.rubric)
    settings = state.settings(own, validated(EvaluateOptions, data, strict=True))
    outcome = await caller.judged(state.engine, lambda engine: engine.judge(case, settings))
    return failed(outcome) if isinstance(outcome, Failure) else judged(to_json(outcome))
