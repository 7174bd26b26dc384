"""The form of a grading, and its shipped example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from ...inputs.json import parse_object
from ...rubric import Rubric
from ..form import ExampleRun, Field, Form, RecordedExample
from .case import Grading
from .reading import FIELDS, grading_from

_WANTED = "one JSON object with task and answer is needed"
_ANSWER = "The answer to grade: a text, or a JSON list of messages with tool calls and results."
_CONTEXT = 'What the answer must rest on: a text, or a JSON list such as [{"id": "guide", "text": "…"}].'
_FIELDS = (
    Field("task", "Task", "What was asked.", 3, needed="Enter a task"),
    Field("answer", "Answer", _ANSWER, 10, needed="Enter an answer"),
    Field("context", "Sources", _CONTEXT, 6),
    Field("reference", "Reference", "An answer that is known to be good.", 4),
)


def _case(values: Mapping[str, str], rubric: Rubric) -> Grading:
    # An empty answer is one; another empty field was not given.
    given = {each.name: values.get(each.name, "") for each in _FIELDS}
    return grading_from({name: text for name, text in given.items() if text.strip() or name == "answer"}, rubric)


def _fill(whole: str, rubric: Rubric) -> dict[str, str]:
    data = parse_object(whole.encode("utf-8", "surrogatepass"), "whole", _WANTED)
    case = grading_from(data, rubric)
    given = {name: next((data[each] for each in names if each in data), None) for name, names in FIELDS.items()}
    context = "".join(one.text for one in case.context)
    if len(case.context) > 1 or any(one.id != "1" for one in case.context):
        context = _json([one.model_dump() for one in case.context])
    answer = _json(given["answer"]) if case.steps and isinstance(given["answer"], list) else case.answer
    return {"task": case.task, "answer": answer, "context": context, "reference": case.reference}


def _json(listed: list[Any]) -> str:
    """Write a list as JSON with one entry a line."""
    lines = ",\n".join(orjson.dumps(each).decode() for each in listed)
    return f"[{lines}]"


FORM = Form(
    heading="Is this answer good enough?",
    lead="One answer held against a rubric: questions, claims against sources, the task’s demands, checks by code.",
    whole="JSON with task and answer, and optionally context and reference.",
    many="Answers, each held against a rubric",
    row='{"task": "Name a prime above 10.", "answer": "11 is prime.", "system": "small model"}',
    fields=_FIELDS,
    case=_case,
    fill=_fill,
    example="example.json",
    example_title="A reply about a refund, checked by code",
    example_rubric="example.yaml",
    example_runs=(
        ExampleRun(
            name="A library’s assistant, held against its pages",
            file="demo/cases.jsonl",
            settings={"judge": "written:demo"},
            rubric="demo/rubric.yaml",
            created="2026-04-01T08:00:00+00:00",
            replies="demo/replies.jsonl",
        ),
    ),
    recorded=(RecordedExample("A museum’s answer held against its sources, recorded", "example_claims.db"),),
)
