"""`POST /api/evaluate`: the description of its body, which is read by the same code as files."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ..service import JudgeRequest, Service

_COMPARISON = {
    "userTask": "How do I undo my last git commit but keep the changes?",
    "responseA": "Run `git reset --soft HEAD~1`. The commit goes away and its changes stay staged.",
    "responseB": "You can delete the folder and clone the repository again, then redo your work.",
    "context": "",
    "weights": {"correctness_reasoning": 2.0},
}
_RETURNED = (
    "Return scores for seven weighted criteria, evidence quotes with offsets, exact totals, and a winner or a tie."
)


class EvaluateRequest(BaseModel):
    """Two answers to one task. Fields not listed here are ignored and never reach a judge."""

    userTask: str = Field(description="The task or question both answers respond to.")  # noqa: N815
    responseA: str = Field(description="The first answer.")  # noqa: N815
    responseB: str = Field(description="The second answer.")  # noqa: N815
    context: str | None = Field(None, description="What the answers should be read against.")
    weights: dict[str, float] | None = Field(
        None, description="Weights by criterion, each ≥ 0; criteria not named keep their default."
    )


SERVICE = Service(
    request=JudgeRequest(
        body=EvaluateRequest,
        example=_COMPARISON,
        summary="Compare two answers to one task",
        description=_RETURNED,
        camel=True,
    )
)
