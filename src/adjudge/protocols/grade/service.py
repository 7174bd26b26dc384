"""`POST /api/grade`: the description of its body, which is read by the same code as files."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ..service import JudgeRequest, OwnRubric, Service

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


class GradeContext(BaseModel):
    """One of several sources."""

    id: str | None = None
    text: str


class GradeRequest(OwnRubric):
    """One answer to a task. Fields not listed here are ignored and never reach a judge."""

    task: str = Field(description="What was asked.")
    answer: str | list[dict[str, Any]] = Field(description="The answer, or messages with tool calls and results.")
    reference: str | None = Field(None, description="An answer known to be good.")
    context: str | list[GradeContext | str] | None = Field(
        None, description="What the answer must rest on: a text, or a list of them."
    )


SERVICE = Service(
    request=JudgeRequest(
        body=GradeRequest,
        example=_GRADING,
        summary="Grade one answer against a rubric",
        description="Return an exact score, whether the answer passes, and every item with its evidence.",
    )
)
