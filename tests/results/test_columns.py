"""A run as a flat table: every case once, in order, with what came of it."""

import orjson
import pytest
from results.building import Given, write_lines, write_run
from results.samples import GOOD, SHORT, comparisons

from adjudge.errors import InputError
from adjudge.models.cases import Comparison
from adjudge.models.rows import agreement
from adjudge.results.columns import table_of
from adjudge.results.directory import open_run
from adjudge.results.lines import split_verdict
from adjudge.rubric import parse, shipped


def rows_of(folder):
    run = open_run(folder)
    table = table_of(run)
    return {row["case"]: row for row in map(table.row, run.outcomes())}


def test_every_case_with_an_outcome_is_a_row_in_the_order_of_the_input(runs):
    rows = list(rows_of(runs["compare"]).values())
    assert [row["position"] for row in rows] == list(range(10))
    assert [row["status"] for row in rows] == ["verdict"] * 8 + ["failure", "skipped"]


def test_a_comparison_gives_its_winner_totals_and_both_scores_of_a_criterion(runs):
    row = rows_of(runs["compare"])["egg-0"]
    assert row["winner"] == "A" and row["decided"] is False
    assert row["total_a"] - row["total_b"] == row["difference"]
    assert row["depth_coverage_usefulness_a"] > row["depth_coverage_usefulness_b"]
    assert (row["system_a"], row["system_b"], row["words_a"]) == ("wren", "crow", 39)
    assert row["label"] == "A" and row["agrees"] is True


def test_a_score_that_was_not_assessed_is_empty_and_not_a_number(runs):
    assert rows_of(runs["compare"])["egg-0"]["correctness_reasoning_a"] is None


def test_of_several_failures_the_last_counts_and_it_has_no_score(runs):
    row = rows_of(runs["compare"])["lost"]
    assert (row["reason"], row["message"], row["cost"]) == ("malformed", "no JSON", "0.0012")
    assert row["winner"] is None and row["total_a"] is None and row["agrees"] is None


def test_a_verdict_beats_any_failure_of_the_same_case(runs, tmp_path):
    folder = write_run(tmp_path / "run", comparisons()[:1])
    write_lines(folder / "failures.jsonl", [{"position": 0, "case": "egg-0", "reason": "timeout", "message": "late"}])
    assert rows_of(folder)["egg-0"]["status"] == "verdict"


def test_half_a_line_at_the_end_is_not_there_yet(tmp_path):
    folder = write_run(tmp_path / "run", comparisons()[:2])
    whole = (folder / "verdicts.jsonl").read_bytes()
    (folder / "verdicts.jsonl").write_bytes(whole[:-40])
    assert list(rows_of(folder)) == ["egg-1"]


def test_columns_of_the_input_keep_their_names_unless_they_meet_ours(runs):
    row = rows_of(runs["compare"])["egg-0"]
    assert (row["topic"], row["batch"], row["extra_winner"]) == ("eggs", 0, "people's choice")
    kinds = {column.name: column.kind for column in table_of(open_run(runs["compare"])).columns}
    assert (kinds["topic"], kinds["batch"]) == ("VARCHAR", "BIGINT")


def test_names_that_differ_only_in_case_do_not_hide_each_other(tmp_path):
    given = Given("x", Comparison("Say hello.", GOOD, SHORT), extra={"Mood": 1, "mood": "glad", "POSITION": 3.5})
    row = rows_of(write_run(tmp_path / "run", [given]))["x"]
    assert (row["Mood"], row["extra_mood"], row["extra_POSITION"]) == (1, "glad", 3.5)


def test_a_criterion_that_is_called_like_a_column_of_ours_is_renamed(tmp_path):
    source = shipped("compare").source.replace("insight_originality", "total")
    folder = write_run(tmp_path / "run", comparisons()[:1], rubric=parse(source, "own.yaml"))
    row = rows_of(folder)["egg-0"]
    assert row["total_a"] > 20 and row["criterion_total_a"] is None  # which the judge could not tell


def test_a_dialogue_gives_three_scores_a_criterion(runs):
    row = rows_of(runs["dialogue"])["1"]
    assert (row["overall_experience"], row["average"], row["evaluator_average"]) == (60, 71.0, 74.0)
    assert (row["Accuracy"], row["Accuracy_evaluator"], row["Accuracy_critic"]) == (40, 60, 40)
    assert (row["objections"], row["changed"], row["agrees"]) == (1, 1, True)


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


@pytest.mark.parametrize(
    ("label", "cells", "agrees"),
    [
        ("A", {"winner": "A"}, True),
        (" TIE ", {"winner": "B"}, False),
        ("6", {"winner": "B", "likert": 6}, True),
        ("80", {"overall_experience": 80}, True),
        ("good", {"winner": "A"}, None),
        ("8_0", {"overall_experience": 80}, None),
        ("nan", {"overall_experience": 80}, None),
        (None, {"winner": "A"}, None),
        ("A", {}, None),
    ],
)
def test_a_label_agrees_where_it_says_the_same(label, cells, agrees):
    assert agreement(label, cells) is agrees


def test_a_verdict_keeps_its_digits_whatever_stands_around_it():
    verdict = b'{"a": 0.12345678901234567890, "b": 88.00}'
    hostile = orjson.dumps({"position": 1, "case": '"verdict": {', "extra": {"verdict": {"x": 1}}})
    line = hostile[:-1] + b', "verdict": ' + verdict + b"}\n"
    head, kept = split_verdict(line)
    assert kept == verdict
    assert head["extra"] == {"verdict": {"x": 1}}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "no run.json"),
        (b"[1]", "not a JSON object"),
        (b'{"format": 2, "protocol": "compare", "rubric": ""}', "format 2"),
        (b'{"format": 1, "protocol": "guess"}', "'guess'"),
    ],
)
def test_what_is_no_run_is_refused_by_name(tmp_path, content, says):
    if content is not None:
        (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(InputError, match=says):
        open_run(tmp_path)
