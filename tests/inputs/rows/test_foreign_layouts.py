"""Files as other tools write them (`layouts.yaml`): which columns are found without a word said."""

import csv
import io
import json
from pathlib import Path

import pytest
import yaml

LAYOUTS = yaml.safe_load((Path(__file__).parent / "layouts.yaml").read_text("utf-8"))


def table(header, *rows):
    file = io.StringIO(newline="")
    csv.writer(file).writerows([header, *rows])
    return file.getvalue()


def told(row, field):
    if field in ("label", "systems", "extra"):
        value = getattr(row, field)
        return list(value) if isinstance(value, tuple) else value
    return row.case_id if field == "id" else getattr(row.case, field)


@pytest.mark.parametrize("name", LAYOUTS)
def test_files_of_other_tools_are_read_and_the_mapping_that_is_shown_can_be_said_again(opened, name):
    layout = LAYOUTS[name]
    content = table(*layout["table"]) if "table" in layout else layout["rows"]
    if layout["file"].endswith(".json"):
        content = json.dumps(content, indent=4)
    rows = opened(layout["file"], content)
    assert rows.mapping == layout.get("mapping", rows.mapping)
    cases = layout["cases"]
    for shown in (list(rows), list(opened(layout["file"], content, mapping=rows.mapping))):
        found = [{field: told(row, field) for field in case} for row, case in zip(shown, cases, strict=True)]
        assert found == cases


def test_turns_that_are_broken_json_are_a_bad_row_and_not_judged_as_they_stand(opened):
    head = ["id", "model_a", "model_b", "prompt", "response_a", "response_b"]
    ((_, message),) = opened.bad("train.csv", table(head, ["1", "m", "n", '["q"]', '["x"', '["y"]']))
    assert message == "response_a: the list of turns is not valid JSON; a JSON list of strings is needed"


def test_of_three_providers_two_have_to_be_chosen(opened):
    content = table(["question", "[p:1] q", "[p:2] q", "[p:3] q"], ["q?", "x", "y", "z"])
    assert "--map a='[p:1] q' b='[p:2] q' or --map a='[p:2] q' b='[p:3] q'" in opened.refused("out.csv", content)
    row = opened.only("out.csv", content, mapping={"a": "[p:1] q", "b": "[p:3] q"})
    assert (row.case.b, row.systems) == ("z", ("p:1", "p:3"))


def test_deepevals_test_cases_are_for_grade_and_compared_only_if_asked_for(opened):
    shoes = {"input": "Do they fit?", "actual_output": "We refund.", "expected_output": "A refund in 30 days."}
    content = json.dumps([shoes | {"retrieval_context": ["Only shoes.", "30 days."]}])
    told = opened.refused("cases.json", content)
    assert "actual_output and expected_output are one answer and what was expected of it, not two answers" in told
    assert "adjudge run grade" in told
    case = opened.only("cases.json", content, mapping={"a": "actual_output", "b": "expected_output"}).case
    assert (case.task, case.a, case.b) == ("Do they fit?", "We refund.", "A refund in 30 days.")
    assert case.context == "Only shoes.\n\n30 days."
