"""The API's shapes as its documentation shows them.

Requests are read by `inputs.comparison` and answers written by `render.json`; a test holds these to them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

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
    seed: int = Field(0, description="For sampling, and for which answer stands first with oneOrder.")


class EvidenceItem(BaseModel):
    """A quote that stands in the answer it names, from `start` to `end` (in characters)."""

    answer: Literal["A", "B"]
    impact: Literal["favorable", "unfavorable"]
    quote: str
    rationale: str
    start: int
    end: int


class ScoreItem(BaseModel):
    """One criterion's score for one answer."""

    score: float
    justification: str
    evidence: list[EvidenceItem]
    assessed: bool = Field(description="False where the judge says that it cannot tell; the score is then the middle.")


class CriterionScores(BaseModel):
    """One criterion."""

    A: ScoreItem
    B: ScoreItem
    weight: float


class OverallItem(BaseModel):
    """An answer's exact weighted total."""

    weighted_total_score: float
    summary: str
    normalized: float


class OverallScores(BaseModel):
    """Both answers' totals."""

    A: OverallItem
    B: OverallItem


class Evaluation(BaseModel):
    """The judgment."""

    model_config = ConfigDict(extra="allow")

    criteria_scores: dict[str, CriterionScores]
    overall: OverallScores
    winner: Literal["A", "B", "tie"] = Field(description="Where `decided` is false, the best guess.")
    winner_rationale: str
    web_search_used: bool
    margin: float
    decided: bool = Field(description="False where the judge is too unsure to decide.")
    confidence: float | None = Field(description="How sure the judge is, from 0 to 1, if it measures that.")
    decided_by: str
    order_consistent: bool | None


class UsageItem(BaseModel):
    """Tokens of all calls, repairs and failed replies included."""

    input_tokens: int
    output_tokens: int
    total_tokens: int
    reasoning_tokens: int


class EvaluateResponse(BaseModel):
    """The verdict."""

    model_config = ConfigDict(extra="allow")

    evaluation: Evaluation
    usage: UsageItem
    verdict_id: str
    cost_usd: float | None


class ErrorResponse(BaseModel):
    """Every error of this service: one line that names the place, what was found and what is allowed."""

    error: str
    failure: dict[str, Any] | None = Field(None, description="For a failed judgment: reason, message, usage, calls.")
