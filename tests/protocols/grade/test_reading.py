"""Rows and objects become gradings under the names that other tools use."""

import csv
import io
import json

import pytest

from adjudge.cli.main import main
from adjudge.errors import InputError
from adjudge.inputs.rows import open_rows
from adjudge.protocols.grade.reading import grading_from, label_from
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("grade")
CALLED = [
    {"role": "user", "content": "Weather in Oslo?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "function": {"name": "get_weather", "arguments": '{"city": "Bergen"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "Rain."},
    {"role": "assistant", "content": "It rains in Oslo."},
]
ANTHROPIC = [
    {"role": "user", "content": "Weather in Oslo?"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Bergen"}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Rain."}]},
    {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "It rains in Oslo."}],
    },
]


def rows_of(tmp_path, row, suffix="jsonl", mapping=None):
    file = tmp_path / f"rows.{suffix}"
    if suffix == "csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, row)
        writer.writeheader()
        writer.writerow(row)
        file.write_text(out.getvalue())
    else:
        file.write_text(json.dumps(row) + "\n")
    return list(open_rows(str(file), "grade", RUBRIC, mapping))


DEEPEVAL = {"input": "T?", "actual_output": "A.", "expected_output": "R.", "retrieval_context": ["S1", "S2"]}
RAGAS = {"user_input": "T?", "response": "A.", "reference": "R.", "retrieved_contexts": ["S1", "S2"]}
RAGAS_OLD = {"question": "T?", "answer": "A.", "ground_truth": "R.", "contexts": ["S1", "S2"]}
PROMPTFOO = {
    "vars": {"question": "T?", "expected": "R.", "context": "S1"},
    "response": {"output": "A."},
    "prompt": {"raw": "Say: T?"},
}
INSPECT = {
    "id": 1, "epoch": 1, "input": "T?", "target": "R.",
    "output": {"model": "x", "completion": "A.", "choices": [{"message": {"role": "assistant", "content": "A."}}]},
    "messages": [{"role": "user", "content": "T?"}, {"role": "assistant", "content": "A."}],
}  # fmt: skip
PLAIN = {
    "task": "T?",
    "output": "A.",
    "ideal": "R.",
    "context": json.dumps([{"id": "x", "text": "S1"}, {"text": "S2"}]),
}


@pytest.mark.parametrize(
    ("row", "suffix", "sources"),
    [
        (DEEPEVAL, "jsonl", [("1", "S1"), ("2", "S2")]),
        (RAGAS, "jsonl", [("1", "S1"), ("2", "S2")]),
        (RAGAS_OLD, "jsonl", [("1", "S1"), ("2", "S2")]),
        ({**RAGAS_OLD, "contexts": '["S1", "S2"]'}, "csv", [("1", "S1"), ("2", "S2")]),
        (PROMPTFOO, "jsonl", [("1", "S1")]),
        (INSPECT, "jsonl", []),
        (PLAIN, "csv", [("x", "S1"), ("2", "S2")]),
        (PLAIN, "jsonl", [("x", "S1"), ("2", "S2")]),
    ],
)
def test_the_column_names_of_other_tools(tmp_path, row, suffix, sources):
    (read,) = rows_of(tmp_path, row, suffix)
    case = read.case
    assert (case.task, case.answer, case.reference) == ("T?", "A.", "R.")
    assert [(one.id, one.text) for one in case.context] == sources


@pytest.mark.parametrize(
    ("log", "answers"),
    [
        (
            {"version": 2, "eval": {"task": "x"}, "samples": [INSPECT, {**INSPECT, "id": 2, "input": "U?"}]},
            ["A.", "A."],
        ),
        ({"version": 3, "results": {"version": 3, "results": [PROMPTFOO]}}, ["A."]),
        (PLAIN, ["A."]),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_logs_of_inspect_and_promptfoo_hold_many_cases(tmp_path, log, answers, indent):
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log, indent=indent))
    assert [row.case.answer for row in open_rows(str(file), "grade", RUBRIC)] == answers


def test_promptfoos_table_has_a_column_for_its_provider(tmp_path):
    (row,) = rows_of(tmp_path, {"question": "T?", "expected": "R.", "[openai:gpt-4o] q": "A."}, "csv")
    assert (row.case.task, row.case.answer, row.case.reference) == ("T?", "A.", "R.")


@pytest.mark.parametrize("messages", [CALLED, ANTHROPIC])
@pytest.mark.parametrize("written", [list, json.dumps])
def test_an_answer_may_be_messages_with_tool_calls(tmp_path, messages, written):
    (row,) = rows_of(tmp_path, {"task": "Weather in Oslo?", "answer": written(messages)})
    assert [(step.kind, step.name, step.text) for step in row.case.steps] == [
        ("user", "", "Weather in Oslo?"),
        ("tool call", "get_weather", '{"city": "Bergen"}'),
        ("tool result", "get_weather", "Rain."),
        ("assistant", "", "It rains in Oslo."),
    ]
    assert row.case.answer == "It rains in Oslo."


@pytest.mark.parametrize(
    ("label", "read"),
    [
        ("pass", "pass"),
        ("FAIL", "fail"),
        (True, "pass"),
        (0, "fail"),
        (1.0, "pass"),
        ("yes", "pass"),
        ("I", "fail"),
        ("", None),
        (None, None),
    ],
)
def test_labels_are_pass_or_fail_in_many_words(tmp_path, label, read):
    assert label_from(label) == read
    (row,) = rows_of(tmp_path, {"task": "T?", "answer": "A.", "label": label, "system": "m1"})
    assert (row.label, row.extra["system"]) == (read, "m1")


def test_a_row_that_cannot_be_read_is_named(tmp_path):
    (row,) = rows_of(tmp_path, {"task": "T?", "answer": "A.", "label": "so-so"})
    assert row.message == "label: 'so-so' is neither pass nor fail; pass or fail, yes or no, 1 or 0"
    (row,) = rows_of(tmp_path, {"task": "T?", "answer": [{"role": "nobody", "content": "x"}]})
    assert row.message.startswith("answer[0].role: unknown role")
    # A row without an answer is no answer that fails.
    (tmp_path / "gaps.jsonl").write_text(
        '{"task": "T?", "answer": ""}\n{"task": "T?"}\n{"task": "T?", "answer": null}\n'
    )
    empty, *others = open_rows(str(tmp_path / "gaps.jsonl"), "grade", RUBRIC, None)
    assert empty.case.is_empty and all(other.message.startswith("answer: missing; a string") for other in others)
    with pytest.raises(InputError, match="no column for answer; columns found: task, text"):
        rows_of(tmp_path, {"task": "T?", "text": "A."})


def test_a_chosen_column_is_used(tmp_path):
    (row,) = rows_of(
        tmp_path, {"q": "T?", "a": "A.", "docs": "S1"}, mapping={"task": "q", "answer": "a", "context": "docs"}
    )
    assert (row.case.task, row.case.answer, row.case.context[0].text) == ("T?", "A.", "S1")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"answer": "A."}, "task: missing; a string is needed"),
        ({"task": "T?"}, "answer: missing; a string, or a list of messages, is needed"),
        ({"task": "T?", "answr": "A."}, "answr: unknown field; did you mean answer?"),
        ({"task": "T?", "answer": "A.", "output": "B."}, "output: cannot be combined with answer; give one of the two"),
        ({"task": "", "answer": "A."}, "task: empty"),
        ({"question": 7, "answer": {}}, "answer: an object without a text"),
        ({"task": "T?", "answer": "A.", "reference": ["a", "b"]}, "reference: 2 texts; one is allowed"),
        ({"task": "T?", "answer": "A.", "contexts": [{"text": 3}]}, "contexts.1.text: expected text, found a number"),
    ],
)
def test_a_bad_object_is_refused_by_field(given, says):
    with pytest.raises(InputError) as refused:
        grading_from(given, RUBRIC)
    assert str(refused.value).startswith(says)


def test_a_row_with_expected_output_given_to_compare_says_that_grade_is_meant(tmp_path, capsys):
    (tmp_path / "rows.jsonl").write_text(json.dumps(DEEPEVAL) + "\n")
    assert main(["run", "compare", str(tmp_path / "rows.jsonl"), "--run", str(tmp_path / "out")]) == 2
    assert "adjudge run grade" in capsys.readouterr().err
