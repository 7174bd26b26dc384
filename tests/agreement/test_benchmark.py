"""Judges on labelled sets, counted by hand: best guesses, what is decided, failures, several people, tasks."""

import gzip
import json

import pytest
from results.building import Given, write_run

from adjudge.agreement.benchmark import Benchmark, JudgeOnSet, LabelledSet, SetResult, find_sets, measure_set
from adjudge.errors import InputError
from adjudge.models.figures import Figure
from adjudge.protocols.compare.case import Comparison
from adjudge.rendering.document import as_text
from adjudge.reports.judges import benchmark_document
from adjudge.results.run import open_run
from adjudge.statistics.intervals import share
from adjudge.statistics.resampling import mean_by_unit

LONG, SHORT = "A long answer of many words. " * 3, "A short answer."


def given(n, label, winner, decided=True, **more):
    """A case whose first answer is the longer one."""
    case = Comparison(f"Task {n}", LONG, SHORT)
    return Given(f"case {n}", case, label, cells={"winner": winner, "decided": decided}, **more)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    rows = [
        *(given(n, "A", "A") for n in range(6)),
        *(given(n, "B", "B", extra={"votes": '["B", "B", "A"]'}) for n in range(6, 9)),
        *(given(n, "B", "A", decided=False) for n in range(9, 12)),
        given(12, "tie", "A"),
        given(13, "A", "B", fate="failure"),
        given(14, None, "A"),
        given(15, "A", "A", fate="unfinished"),
    ]
    run = open_run(write_run(folder / "run", rows))
    return measure_set(LabelledSet("set", folder / "set.jsonl", "compare"), {"embedded": run}, "votes")


def test_labelled_cases_with_an_outcome_count(measured):
    assert (measured.cases, measured.judges[0].judged, measured.judges[0].failed) == (14, 13, 1)
    assert measured.base_rates == {"A": 7 / 14, "B": 6 / 14, "tie": 1 / 14}


def test_rules_are_measured_on_all_of_them_and_a_tie_is_an_answer_of_its_own(measured):
    assert {name: rule.value for name, rule in measured.rules.items()} == {
        "constant": 7 / 14,
        "longest": 7 / 14,
        "first position": 7 / 14,
    }


def test_an_undecided_case_counts_with_the_best_guess_and_is_left_out_of_what_is_decided(measured):
    (judge,) = measured.judges
    assert judge.undecided == 3
    assert (judge.agreement.value, judge.agreement.cases) == (9 / 13, 13)
    assert (judge.decided.value, judge.decided.cases) == (9 / 10, 10)
    assert judge.longest_there.value == 6 / 10


def test_a_judge_is_ahead_of_the_longest_answer_by_the_cases_it_alone_gets_right(measured):
    ahead = measured.judges[0].ahead
    assert (ahead.value, ahead.cases) == (pytest.approx(3 / 13), 13)
    low, high = ahead.interval
    assert low <= 3 / 13 <= high


def test_a_person_and_the_judge_are_measured_against_one_person(measured):
    # Of B, B and A one pair of three agrees.
    assert (measured.people.value, measured.people.cases) == (pytest.approx(1 / 3), 3)
    with_person = measured.judges[0].with_person
    assert with_person.value in (pytest.approx(1 / 3), pytest.approx(2 / 3)) and with_person.cases <= 3


def test_cases_of_one_task_are_drawn_together():
    alone = mean_by_unit([(float(n % 2), n) for n in range(100)])
    together = mean_by_unit([(float(n // 5 % 2), n // 5) for n in range(100)])
    assert alone.value == together.value == 0.5
    width = [high - low for low, high in (alone.interval, together.interval)]
    assert width[1] > 1.8 * width[0]
    always = mean_by_unit([(1.0, n // 5) for n in range(100)])
    assert (always.value, always.cases, always.interval) == (1, 100, share(20, 20).interval)


def test_sets_are_found_by_their_labels_and_named_apart(tmp_path):
    row = {"task": "t", "response_a": "a", "response_b": "b"}
    labelled = json.dumps(row | {"human": "A"}) + "\n"
    (tmp_path / "one.jsonl").write_text(labelled)
    (tmp_path / "two.json").write_text(json.dumps([row | {"winner": "tie"}]))
    (tmp_path / "two.jsonl.gz").write_bytes(gzip.compress(labelled.encode()))
    (tmp_path / "none.csv").write_text("x,y\n1,2\n")
    (tmp_path / "talk.txt").write_text("SYSTEM\tHello.\nUSER\tHi.\t\t3\nUSER\tOVERALL\tOTHER\t4,5\n")
    (tmp_path / "notes.md").write_text("no set")
    found, left_out = find_sets(tmp_path)
    assert [(each.name, each.protocol) for each in found] == [
        ("one", "compare"), ("talk", "dialogue"), ("two.json", "compare"), ("two.jsonl.gz", "compare"),
    ]  # fmt: skip
    assert list(left_out) == ["none.csv"]
    assert "no column for" in left_out["none.csv"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no file with labelled cases"):
        find_sets(tmp_path / "empty")


def test_of_a_set_of_which_a_judge_judged_nothing_no_difference_is_claimed():
    nothing = Figure(None, 0, "no cases")
    judge = JudgeOnSet(
        judge="silent", run="runs/silent", judged=0, failed=12, undecided=0, agreement=nothing, decided=nothing,
        longest_there=nothing, ahead=nothing, with_person=None, took_part=(), cost=0, unpriced=0,
    )  # fmt: skip
    rules = dict.fromkeys(("longest", "first position", "constant"), Figure(0.5, 12))
    one = SetResult(
        name="plans", protocol="compare", measure="agreement", cases=12, skipped=0, base_rates={}, rules=rules,
        people=None, judges=(judge,),
    )  # fmt: skip
    text = as_text(benchmark_document(Benchmark(sets=(one,), left_out={})), colour=False, width=100)
    assert "silent: judged nothing on plans." in text and "no difference is shown" not in text
