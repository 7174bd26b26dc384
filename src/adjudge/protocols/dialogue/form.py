"""The form of a dialogue, and its shipped example."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import InputError
from ...rubric import Rubric
from ..form import ExampleRun, Field, Form
from .case import Dialogue

_TRANSCRIPT = "Lines of SYSTEM, USER and TOOL with a tab between, “User: …” lines, or JSON messages."


def _case(values: Mapping[str, str], _: Rubric) -> Dialogue:
    from .reading import one_dialogue

    text, given = values.get("transcript", ""), values.get("dialogue_id", "").strip()
    if not text.strip():
        raise InputError("transcript", "empty", "a conversation of SYSTEM and USER is needed")
    return one_dialogue(text, (int(given) if given.isdecimal() and len(given) < 19 else given) or None)


FORM = Form(
    heading="How well was the customer served?",
    lead="An Evaluator scores, a Critic objects, a Referee decides by rule.",
    whole="A transcript in any supported format.",
    many="Support conversations",
    row='{"messages": [{"role": "user", "content": "It is late."}, {"role": "assistant", "content": "Sorry!"}]}',
    fields=(
        Field(
            "transcript",
            "Transcript",
            _TRANSCRIPT,
            18,
            needed="Enter a conversation",
            placeholder="USER\tHello, my parcel is late.\nSYSTEM\tI am sorry to hear that. …",
        ),
        Field("dialogue_id", "Conversation id", "A number or name of your choice; it is returned with the result.", 1),
    ),
    case=_case,
    fill=lambda whole, _: {"transcript": whole},
    example="example.txt",
    example_title="A parcel that is in Leeds, and then is not",
    example_runs=(
        ExampleRun(
            name="A bank’s assistant, to be labelled by you",
            file="demo/cases.jsonl",
            settings={"evaluator": "written:demo", "critic": "written:demo"},
            created="2026-04-01T16:00:00+00:00",
            replies="demo/replies.jsonl",
            labelling={"cases": 8, "people": 1},
        ),
    ),
)
