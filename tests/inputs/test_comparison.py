"""The request's JSON: exact numbers, both sets of names, and refusals that name the field."""

import contextlib
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.inputs.json import parse_object
from adjudge.protocols.compare.reading import WANTED, comparison_from
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("compare")
SEED_REQUEST = b"""{
  "userTask": "The original task or question",
  "responseA": "First AI response to evaluate",
  "responseB": "Second AI response to evaluate",
  "context": "Optional additional context",
  "weights": {
    "task_understanding": 1.0, "correctness_reasoning": 2.0, "depth_coverage_usefulness": 1.5,
    "actionability_specificity": 1.5, "clarity_structure": 1.0,
    "constraints_tradeoffs_uncertainty": 0.5, "insight_originality": 0.5
  }
}"""


def read(raw):
    return comparison_from(parse_object(raw, "body", WANTED), RUBRIC)


def test_the_seeds_example_request_is_read():
    case = read(SEED_REQUEST)
    assert (case.task, case.a, case.b) == (
        "The original task or question",
        "First AI response to evaluate",
        "Second AI response to evaluate",
    )
    assert case.context == "Optional additional context"
    assert case.weights == RUBRIC.weights


def test_the_short_names_are_read_too_and_metadata_is_left_alone():
    case = read(b'{"task": "t", "a": "x", "b": "y", "context": null, "id": 7, "model_a": "gpt"}')
    assert (case.task, case.a, case.b, case.context) == ("t", "x", "y", "")


def test_numbers_are_exact():
    raw = b'{"task":"t","a":"x","b":"y","weights":{"clarity_structure":0.1000000001}}'
    assert read(raw).weights["clarity_structure"] == Decimal("0.1000000001")


@given(st.binary(max_size=200))
def test_no_bytes_at_all_raise_anything_else(raw):
    with contextlib.suppress(InputError):
        read(raw)
