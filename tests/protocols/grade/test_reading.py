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
ASKED = {"role": "user", "content": "Weather in Oslo?"}
CALL = {"id": "c1", "function": {"name": "get_weather", "arguments": '{"city": "Bergen"}'}}
CALLED = [
    ASKED,
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "Rain."},
    {"role": "assistant", "content": "It rains in Oslo."},
]
USED = {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Bergen"}}
THOUGHT = {"type": "thinking", "thinking": "Hm."}
ANTHROPIC = [
    ASKED,
    {"role": "assistant", "content": [USED]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Rain."}]},
    {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "It rains in Oslo."}]},
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
PROMPTED = {"question": "T?", "expected": "R.", "context": "S1"}
PROMPTFOO = {"vars": PROMPTED, "response": {"output": "A."}, "prompt": {"raw": "Say: T?"}}
INSPECT = {
    "id": 1, "epoch": 1, "input": "T?", "target": "R.",
    "output": {"model": "x", "completion": "A.", "choices": [{"message": {"role": "assistant", "content": "A."}}]},
    "messages": [{"role": "user", "content": "T?"}, {"role": "assistant", "content": "A."}],
}  # fmt: skip
SOURCES = [{"id": "x", "text": "S1"}, {"text": "S2"}]
PLAIN = {"task": "T?", "output": "A.", "ideal": "R.", "context": json.dumps(SOURCES)}
TWO = [("1", "S1"), ("2", "S2")]


def test_the_column_names_of_other_tools(tmp_path):
    for row, suffix, sources in (
        (DEEPEVAL, "jsonl", TWO),
        (RAGAS, "jsonl", TWO),
        (RAGAS_OLD, "jsonl", TWO),
        ({**RAGAS_OLD, "contexts": '["S1", "S2"]'}, "csv", TWO),
        (PROMPTFOO, "jsonl", TWO[:1]),
        (INSPECT, "jsonl", []),
        (PLAIN, "csv", [("x", "S1"), ("2", "S2")]),
        (PLAIN, "jsonl", [("x", "S1"), ("2", "S2")]),
        ({"question": "T?", "expected": "R.", "[openai:gpt-4o] q": "A."}, "csv", []),  # promptfoo's table
    ):
        (read,) = rows_of(tmp_path, row, suffix)
        assert (read.case.task, read.case.answer, read.case.reference) == ("T?", "A.", "R."), row
        assert [(one.id, one.text) for one in read.case.context] == sources


def test_logs_of_inspect_and_promptfoo_hold_many_cases(tmp_path):
    file = tmp_path / "log.json"
    for log, count in (
        ({"version": 2, "eval": {"task": "x"}, "samples": [INSPECT, {**INSPECT, "id": 2, "input": "U?"}]}, 2),
        ({"version": 3, "results": {"version": 3, "results": [PROMPTFOO]}}, 1),
        (PLAIN, 1),
    ):
        for indent in (None, 2):
            file.write_text(json.dumps(log, indent=indent))
            assert [row.case.answer for row in open_rows(str(file), "grade", RUBRIC)] == ["A."] * count, log


def test_an_answer_may_be_messages_with_tool_calls(tmp_path):
    for written in [list, json.dumps]:
        for messages in [CALLED, ANTHROPIC]:
            (row,) = rows_of(tmp_path, {"task": "Weather in Oslo?", "answer": written(messages)})
            assert [(step.kind, step.name, step.text) for step in row.case.steps] == [
                ("user", "", "Weather in Oslo?"),
                ("tool call", "get_weather", '{"city": "Bergen"}'),
                ("tool result", "get_weather", "Rain."),
                ("assistant", "", "It rains in Oslo."),
            ]
            assert row.case.answer == "It rains in Oslo.", messages


LABELS = [
    ("pass", "pass"), ("FAIL", "fail"), (True, "pass"), (0, "fail"), (1.0, "pass"), ("yes", "pass"), ("I", "fail"),
]  # fmt: skip


def test_labels_are_pass_or_fail_in_many_words(tmp_path):
    for label, read in (*LABELS, ("", None), (None, None)):
        assert label_from(label) == read
        (row,) = rows_of(tmp_path, {"task": "T?", "answer": "A.", "label": label, "system": "m1"})
        assert (row.label, row.extra["system"]) == (read, "m1"), label


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


BAD = [
    ({"answer": "A."}, "task: missing; a string is needed"),
    ({"task": "T?"}, "answer: missing; a string, or a list of messages, is needed"),
    ({"task": "T?", "answr": "A."}, "answr: unknown field; did you mean answer?"),
    ({"task": "T?", "answer": "A.", "output": "B."}, "output: cannot be combined with answer; give one of the two"),
    ({"task": "", "answer": "A."}, "task: empty"),
    ({"question": 7, "answer": {}}, "answer: an object without a text"),
    ({"task": "T?", "answer": "A.", "reference": ["a", "b"]}, "reference: 2 texts; one is allowed"),
    ({"task": "T?", "answer": "A.", "contexts": [{"text": 3}]}, "contexts.1.text: expected text, found a number"),
]  # fmt: skip


def test_a_bad_object_is_refused_by_field():
    for given, says in BAD:
        with pytest.raises(InputError) as refused:
            grading_from(given, RUBRIC)
        assert str(refused.value).startswith(says), given


def test_a_row_with_expected_output_given_to_compare_says_that_grade_is_meant(tmp_path, capsys):
    (tmp_path / "rows.jsonl").write_text(json.dumps(DEEPEVAL) + "\n")
    assert main(["run", "compare", str(tmp_path / "rows.jsonl"), "--run", str(tmp_path / "out")]) == 2
    assert "adjudge run grade" in capsys.readouterr().err
