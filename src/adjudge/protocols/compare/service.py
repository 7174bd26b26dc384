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
from ...server.common import ERRORS, StateOf, documented_body, failed, judged, validated, with_settings
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


class EvaluateRequest(BaseModel):
    """Two answers to one task. Fields not listed here are ignored and never reach a judge."""

    userTask: str = Field(description="The task or question both answers respond to.")  # noqa: N815
    responseA: str = Field(description="The first answer.")  # noqa: N815
    responseB: str = Field(description="The second answer.")  # noqa: N815
    context: str | None = Field(None, description="What the answers should be read against.")
    weights: dict[str, float] | None = Field(
        None, description="Weights by criterion, each ≥ 0; criteria not named keep their default."
    )


_SETTINGS = CompareSettings.requested()
_Options = with_settings(BaseModel, _SETTINGS, camel=True)


@router.post(
    "/api/evaluate",
    tags=["compare"],
    summary="Compare two answers to one task",
    response_model=ComparisonVerdict,
    openapi_extra=documented_body(with_settings(EvaluateRequest, _SETTINGS, camel=True), _COMPARISON),
)
async def evaluate(request: Request, state: StateOf, caller: MayJudge) -> Response:
    """Return scores for seven weighted criteria, evidence quotes with offsets, exact totals, and a winner or a tie."""
    data = await read_object(request, WANTED)
    own = state.usual(CompareSettings)
    case = comparison_from(data, own.rubric)
    settings = state.settings(own, validated(_Options, data, strict=True))
    outcome = await caller.judge(state.engine, case, settings)
    return failed(outcome) if isinstance(outcome, Failure) else judged(to_json(outcome))
