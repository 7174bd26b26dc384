"""The request's JSON: exact numbers, both sets of names, and refusals that name the field."""

import contextlib
from decimal import Decimal

import pytest
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


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"\xff{}", "body: invalid UTF-8 at byte 0 (0xff); UTF-8 text is needed"),
        (b'{"userTask": ', "body: not JSON: Expecting value at line 1, column 14; one JSON object is needed"),
        (b"[1]", "body: expected an object, found an array; userTask, responseA, responseB, …"),
        (b"null", "body: expected an object, found null; userTask, responseA, responseB, …"),
        (b"[" * 100_000, "body: JSON that is nested too deeply or holds too long a number"),
        (b'{"x": NaN}', "body: NaN is not a JSON number; finite numbers are allowed"),
        (b'{"x": 1, "a": {"y": 1, "y": 2}}', "body: the key 'y' appears twice in an object; each key once"),
        (b'{"userTask":"t","userTask":"u"}', "body: the key 'userTask' appears twice in an object; each key once"),
        (b'{"x": 1} {"x": 2}', "body: not JSON: Extra data at line 1, column 10; one JSON object is needed"),
        (b"{}", "userTask: missing; a non-empty string is needed"),
        (b'{"userTask":"t","responseA":"x"}', "responseB: missing; a non-empty string is needed"),
        (b'{"task":"t","a":"x"}', "responseB: missing; a non-empty string is needed"),
        (b'{"userTask":"t","responseA":" ","responseB":"y"}', "responseA: empty; at least one character that is not"),
        (
            b'{"userTask":"t","responseA":5,"responseB":"y"}',
            "responseA: expected text, found a number; a string is allowed",
        ),
        (b'{"userTask":"t","responseA":"x","responseB":"\\ud800"}', "responseB: half of a surrogate pair (U+D800)"),
        (
            b'{"userTask":"t","a":"x","responseA":"x","b":"y"}',
            "a: cannot be combined with responseA; give one of the two",
        ),
        (b'{"userTask":"t","responseA":"x","responseB":"y","contxt":"c"}', "contxt: unknown field; did you mean con"),
        (b'{"userTask":"t","reponseA":"x","responseB":"y"}', "reponseA: unknown field; did you mean responseA?"),
        (b'{"userTask":"t","responseA":"x","responseB":"y","weights":{"wit":1}}', "weights.wit: unknown criterion; "),
        (b'{"userTask":"t","responseA":"x","responseB":"y","weights":{"clarity_structure":"1"}}', "weights.clarity_s"),
        (b'{"userTask":"t","responseA":"x","responseB":"y","context":7}', "context: expected text, found a number"),
    ],
)
def test_a_bad_request_is_refused_in_one_line_that_names_the_field(raw, says):
    with pytest.raises(InputError) as refused:
        read(raw)
    assert str(refused.value).startswith(says), str(refused.value)
    assert "\n" not in str(refused.value)


@given(st.binary(max_size=200))
def test_no_bytes_at_all_raise_anything_else(raw):
    with contextlib.suppress(InputError):
        read(raw)
