"""The form of a grading, and its shipped example."""

from __future__ import annotations

from collections.abc import Mapping

from ...inputs.json import parse_object
from ...rubric import Rubric
from ..form import Field, Form
from .case import Grading
from .reading import grading_from

_WANTED = "one JSON object with task and answer is needed"


def _case(values: Mapping[str, str], rubric: Rubric) -> Grading:
    return grading_from({name: value for name, value in values.items() if value.strip() or name == "answer"}, rubric)


def _fill(whole: str, rubric: Rubric) -> dict[str, str]:
    case = grading_from(parse_object(whole.encode(), "the case", _WANTED), rubric)
    context = "\n\n".join(one.text for one in case.context)
    return {"task": case.task, "answer": case.answer, "reference": case.reference, "context": context}


FORM = Form(
    heading="Is this answer good enough?",
    lead="One answer is held against a rubric.",
    whole="JSON with task and answer, and optionally reference and context.",
    many="Answers",
    row='{"task": "Name a prime above 10.", "answer": "11 is prime."}',
    fields=(
        Field("task", "Task", "What was asked.", 4, needed=True),
        Field("answer", "Answer", "The answer to grade.", 8, needed=True),
        Field("reference", "Reference", "An answer known to be good.", 4, folded=True),
        Field("context", "Context", "The source that the answer must rest on.", 6, folded=True),
    ),
    folded="What the answer is held against",
    case=_case,
    fill=_fill,
    example="example.json",
    example_title="The capital of Norway",
)
