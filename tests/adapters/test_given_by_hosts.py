"""What hosts hand over: data instead of texts, and names of what is not there. No host needs to be installed."""

import pytest

from adjudge.adapters.grading import named
from adjudge.adapters.promptfoo import get_assert
from adjudge.errors import InputError

CHECKS = """\
name: c
version: "1"
protocol: grade
items:
  - {key: city, points: 1, check: {contains: Oslo}}
  - {key: data, points: 1, check: {json: true}}
"""


@pytest.fixture
def context(tmp_path):
    """What promptfoo passes beside the output, with these options."""
    (tmp_path / "c.yaml").write_text(CHECKS)
    files = {"rubric": str(tmp_path / "c.yaml"), "journal": str(tmp_path / "journal.db")}

    def made(**config):
        return {"prompt": "Which city?", "vars": {"question": {"text": "Which?"}}, "config": {**files, **config}}

    return made


@pytest.mark.parametrize(
    ("output", "scores"),
    [
        ("It is Oslo.", {"city": 1.0, "data": 0.0}),
        ({"city": "Oslo"}, {"city": 1.0, "data": 1.0}),
        ([1, 2], {"city": 0.0, "data": 1.0}),
        ("", {}),
    ],
)
def test_promptfoos_output_may_be_data(context, output, scores):
    found = get_assert(output, context(task="question"))
    assert found["namedScores"] == scores
    assert found["pass"] is (scores == {"city": 1.0, "data": 1.0})


def test_a_variable_that_is_not_there_is_named_with_those_that_are(context):
    with pytest.raises(InputError, match=r"^config\.task: there is no 'queston'; one of question$"):
        get_assert("It is Oslo.", context(task="queston"))
    assert get_assert("It is Oslo.", context(reference="expected"))["score"] == 0.5, "a reference is optional"
    with pytest.raises(InputError, match="there is no 'x'; none is given"):
        named("task", "x", {})
