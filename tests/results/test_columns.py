"""A run as a flat table: every case once, in order, with what came of it."""

import json

import orjson
import pytest
from results.building import Given, write_lines, write_run
from results.samples import GOOD, SHORT, comparisons

from adjudge.errors import InputError
from adjudge.protocols.base import protocol_of
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.rubrics import parse, shipped
from adjudge.results.database import opened
from adjudge.results.run import Reader, open_run


def rows_of(folder):
    with opened(open_run(folder)) as database:
        return {row["case"]: row for row in database.rows()}


def test_every_case_with_an_outcome_is_a_row_in_the_order_of_the_input(runs):
    with opened(open_run(runs["compare"])) as database:
        rows = list(database.rows())
        kinds = {column.name: column.kind for column in database.columns}
    assert [row["position"] for row in rows] == list(range(10))
    assert [row["status"] for row in rows] == ["verdict"] * 8 + ["failure", "skipped"]
    # A comparison gives its winner, totals and both scores of a criterion, if they were assessed.
    row = rows[0]
    assert row["winner"] == "A" and row["decided"] is False
    assert row["total_a"] - row["total_b"] == row["difference"]
    assert row["normalized_a"] - row["normalized_b"] == pytest.approx(row["lead"], abs=0.0001)
    assert row["depth_coverage_usefulness_a"] > row["depth_coverage_usefulness_b"]
    assert row["correctness_reasoning_a"] is None
    assert (row["system_a"], row["system_b"], row["words_a"]) == ("wren", "crow", 39)
    assert row["label"] == "A" and row["agrees"] is False  # the best guess says A, but it was not decided
    # Columns of the input keep their names unless they meet ours.
    assert (row["topic"], row["batch"], row["extra_winner"]) == ("eggs", 0, "people's choice")
    assert (kinds["topic"], kinds["batch"]) == ("VARCHAR", "BIGINT")
    # Of several failures the last counts, and it has no score; a row that was skipped says why.
    row = rows[8]
    assert (row["reason"], row["message"], row["cost"], row["judge"]) == ("malformed", "no JSON", "0.0012", "openai:x")
    assert row["winner"] is None and row["total_a"] is None and row["agrees"] is None
    assert rows[9]["message"] == "task: empty; at least one character is needed"


def test_names_that_differ_only_in_case_do_not_hide_each_other(tmp_path):
    given = Given("x", Comparison("Say hello.", GOOD, SHORT), extra={"Mood": 1, "mood": "glad", "POSITION": 3.5})
    row = rows_of(write_run(tmp_path / "run", [given]))["x"]
    assert (row["Mood"], row["extra_mood"], row["extra_POSITION"]) == (1, "glad", 3.5)


def test_what_the_input_brought_along_has_one_type_a_column(tmp_path):
    odd = [
        {"mixed": 3, "float": 1e-7, "a/b~c": "x", "": "none", "big": 2**64 - 1, "whole": 7},
        {"mixed": "three", "float": 2, "text": 'quoted "\0" text\u2028', "flag": True, "verdict": "mine", "input": 1},
        {"mixed": 0.25, "float": -0.5, "flag": False, "empty": None, "it's": "1"},
    ]
    case = Comparison("Say hello.", GOOD, SHORT)
    folder = write_run(tmp_path / "run", [Given(f"x{at}", case, extra=extra) for at, extra in enumerate(odd)])
    first, second, third = rows_of(folder).values()
    assert (first["mixed"], second["mixed"], third["mixed"]) == ("3", "three", "0.25")
    assert (first["float"], second["float"], third["float"]) == (1e-7, 2, -0.5)
    assert (first["a/b~c"], first["extra"], first["big"], first["whole"]) == ("x", "none", str(2**64 - 1), 7)
    assert (second["text"], second["flag"], second["verdict"], second["input"]) == (
        *('quoted "\0" text\u2028', True),
        *("mine", 1),
    )
    assert (third["it's"], third["empty"], first["flag"]) == ("1", None, None)


def test_criteria_that_are_called_like_a_column_of_ours_are_renamed_and_those_sql_cannot_tell_apart_numbered(tmp_path):
    source = shipped("compare").source.replace("insight_originality", "Clarity_Structure")
    source = source.replace("constraints_tradeoffs_uncertainty", "total")
    row = rows_of(write_run(tmp_path / "run", comparisons()[:1], rubric=parse(source, "own.yaml")))["egg-0"]
    assert row["total_a"] > 20 and row["criterion_total_a"] is None  # which the judge could not tell
    assert row["clarity_structure_a"] == 6 and row["Clarity_Structure_a_2"] is None


def test_a_dialogue_gives_three_scores_a_criterion(runs):
    row = rows_of(runs["dialogue"])["1"]
    assert (row["overall_experience"], row["average"], row["evaluator_average"]) == (60, 67, 70)
    assert (row["Accuracy"], row["Accuracy_evaluator"], row["Accuracy_critic"]) == (40, 60, 40)
    assert (row["objections"], row["changed"], row["agrees"]) == (1, 1, None)


def test_a_review_gives_the_preference_and_what_became_of_every_rating(runs):
    rows = rows_of(runs["review"])
    row = rows["walk"]
    assert (row["winner"], row["likert"], row["likert_entered"], row["likert_action"]) == ("A", 2, "5", "replaced")
    changed = ("localization_b", "localization_b_entered", "localization_b_action")
    assert tuple(row[name] for name in changed) == (1, "3", "replaced")
    assert row["kept"] + row["replaced"] + row["filled"] + row["refused"] == 15
    assert row["localization_a"] == 3  # the person's, which the judge could not tell
    assert rows["odd"]["localization_a"] is None  # nobody's
    assert rows["empty"]["invalid"].startswith("Response 1 is missing") and rows["empty"]["winner"] is None


def test_a_label_agrees_where_it_says_the_same():
    for protocol, label, cells, agrees in (
        ("compare", "A", {"winner": "A"}, True),
        ("compare", " TIE ", {"winner": "B"}, False),
        ("compare", "A", {"winner": "A", "decided": False}, False),
        ("review", "6", {"winner": "B", "likert": 6}, True),
        ("dialogue", "80", {"overall_experience": 80}, None),
        ("dialogue", "4", {"overall_experience": 80}, None),
        ("compare", "good", {"winner": "A"}, None),
        ("review", "6_0", {"likert": 6}, None),
        ("review", "nan", {"likert": 6}, None),
        ("compare", None, {"winner": "A"}, None),
        ("compare", "A", {}, None),
    ):
        assert protocol_of(protocol).table.agreement(label, cells) is agrees, (protocol, label, cells)


def test_a_verdict_keeps_its_digits_whatever_stands_around_it(tmp_path):
    given = Given("x", Comparison("Say hello.", GOOD, SHORT), extra={"verdict": '","verdict":{'})
    folder = write_run(tmp_path / "run", [given])
    head, _, _ = (folder / "verdicts.jsonl").read_bytes().rpartition(b',"verdict":{')
    verdict = b'{"a": 0.12345678901234567890, "b": 88.00}'
    (folder / "verdicts.jsonl").write_bytes(head + b',"verdict":' + verdict + b"}\n")
    with Reader(open_run(folder)) as reader:
        assert reader.verdict_json(0) == verdict


@pytest.mark.parametrize("sort", [False, True])
def test_lines_that_another_program_wrote_anew_are_read(tmp_path, sort):
    folder = write_run(tmp_path / "run", comparisons()[:3])

    def read():
        run = open_run(folder)
        with Reader(run) as reader:
            verdicts = [(orjson.loads(reader.verdict_json(at)), reader.verdict(at).winner) for at in range(3)]
            return [reader.case(at) for at in range(3)], verdicts

    before = read()
    for name in ("cases.jsonl", "verdicts.jsonl"):
        lines = map(orjson.loads, (folder / name).read_bytes().splitlines())
        (folder / name).write_text("".join(json.dumps(line, sort_keys=sort) + "\n" for line in lines))
    assert read() == before


def test_what_is_no_run_is_refused_by_name(tmp_path):
    for content, says in (
        (None, "no run.json"),
        (b"[1]", "not a JSON object"),
        (b'{"format": 2, "protocol": "compare", "rubric": ""}', "format 2"),
        (b'{"format": 1, "protocol": "guess"}', "'guess'"),
        (b'{"format": 1, "protocol": "compare"}', "no cases.jsonl"),
    ):
        if content is not None:
            (tmp_path / "run.json").write_bytes(content)
        with pytest.raises(InputError, match=says):
            open_run(tmp_path)


def test_of_several_lines_the_first_verdict_and_the_last_failure_count(tmp_path, monkeypatch):
    monkeypatch.setattr("adjudge.results.database._STRETCH", 3)
    rows = [Given(**{**vars(row), "fate": "failure"}) if row.name == "egg-1" else row for row in comparisons()]
    folder = write_run(tmp_path / "run", rows)
    lines = (folder / "verdicts.jsonl").read_bytes().splitlines()
    write_lines(
        folder / "verdicts.jsonl", [*lines, *(line.replace(b'"winner":"A"', b'"winner":"B"') for line in lines)]
    )
    with (folder / "failures.jsonl").open("ab") as file:
        file.write(orjson.dumps({"position": 0, "case": "egg-0", "reason": "timeout", "message": "late"}) + b"\n")
    found = rows_of(folder)
    assert len(found) == 10
    assert (found["egg-0"]["status"], found["egg-0"]["winner"]) == ("verdict", "A")
    assert found["egg-1"]["message"] == "no JSON"


def test_half_a_line_and_what_is_no_line_of_a_run_are_passed_over(tmp_path):
    folder = write_run(tmp_path / "run", comparisons()[:3])
    whole = (folder / "verdicts.jsonl").read_bytes()
    for tail in (b"", b"not JSON\n", b"[]\n", b'{"position": "x"}\n', b'{"position": 7', b"\n\n"):
        (folder / "verdicts.jsonl").write_bytes(whole + tail if tail else whole[:-40])
        assert len(rows_of(folder)) == (3 if tail else 2), tail


def test_a_line_longer_than_any_usual_one_is_read(tmp_path):
    given = Given("long", Comparison("Say hello. " + "x" * 900_000, GOOD + "y" * 900_000, SHORT))
    assert rows_of(write_run(tmp_path / "run", [given, *comparisons()[:1]]))["long"]["status"] == "verdict"


def test_signs_in_a_folders_name_stand_for_themselves(tmp_path):
    write_run(tmp_path / "run1", comparisons()[1:2])
    folder = write_run(tmp_path / "case=7" / "position=9" / "run[1]*?", comparisons()[:1])
    assert list(rows_of(folder)) == ["egg-0"]
