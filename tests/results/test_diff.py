"""Two runs over the same cases: what changed, what is missing, and whether it is real."""

import json
from contextlib import ExitStack
from dataclasses import replace

import pytest
from results.building import write_lines, write_run
from results.samples import comparisons, dialogues, reviews

from adjudge.errors import InputError
from adjudge.protocols.rubrics import parse, shipped
from adjudge.results.diff import diff_of
from adjudge.results.run import open_run


def other_weights(protocol):
    """The same criteria, weighed otherwise."""
    source = shipped(protocol).source
    if protocol == "dialogue":
        swapped = source.replace("weight: 0.40", "weight: X").replace("weight: 0.10", "weight: 0.40", 1)
        return parse(swapped.replace("weight: X", "weight: 0.10"), "other.yaml")
    return parse(source.replace("weight: 1.5", "weight: 9", 1), "other.yaml")


@pytest.fixture
def diffed():
    """The differences of two folders; what changed can be read until the test ends."""
    with ExitStack() as kept:
        yield lambda first, second: kept.enter_context(diff_of(open_run(first), open_run(second)))


@pytest.mark.parametrize("protocol", ["compare", "dialogue", "grade", "review"])
def test_a_run_does_not_differ_from_itself(runs, protocol, diffed):
    found = diffed(runs[protocol], runs[protocol])
    assert list(found.changes()) == [] and found.flipped == 0 == found.changed
    assert not found.only_first and not found.only_second
    assert all(change.change.value == 0 and not change.real for change in found.tests.values())


def test_other_weights_move_totals_and_the_texts_still_pair(runs, tmp_path, diffed):
    second = write_run(tmp_path / "second", comparisons(), rubric=other_weights("compare"))
    found = diffed(runs["compare"], second)
    assert found.in_both == 11 and found.judged_in_both == 8 and found.unfinished == 1
    changed = next(change for change in found.changes() if change.case == "egg-0")
    assert set(changed.scores) >= {"total_a", "total_b", "lead"}
    assert found.tests["lead"].change.cases == 8
    assert len(list(found.changes(2))) == 2 < found.changed


def test_a_dialogue_run_is_compared_by_its_averages(runs, tmp_path, diffed):
    second = write_run(tmp_path / "second", dialogues(), rubric=other_weights("dialogue"))
    found = diffed(runs["dialogue"], second)
    assert found.tests["average"].change.cases == 3
    assert found.tests["average"].change.value != 0


def test_cases_in_one_run_only_and_ids_with_other_texts_are_named(runs, tmp_path, diffed):
    rows = comparisons()
    rows[0] = replace(rows[0], case=rows[0].case.updated(task="How do I fry an egg?"))
    found = diffed(runs["compare"], write_run(tmp_path / "second", rows[:-2]))
    assert found.only_first == ["egg-0", "bad", "late"]
    assert found.only_second == ["egg-0"] == found.other_texts


def test_failures_that_are_fixed_or_new_are_named(runs, tmp_path, diffed):
    rows = [replace(row, fate="failure" if row.name == "egg-1" else "verdict") for row in comparisons()[:9]]
    found = diffed(runs["compare"], write_run(tmp_path / "second", rows))
    assert (found.fixed, found.broken) == (["lost"], ["egg-1"])


def test_a_case_that_stands_twice_is_paired_twice(tmp_path, diffed):
    rows = [comparisons()[0]] * 2
    first, second = write_run(tmp_path / "first", rows), write_run(tmp_path / "second", [*rows, rows[0]])
    found = diffed(first, second)
    assert found.in_both == 2 and found.only_second == ["egg-0"]


def decided(row, winner, label="A", name=None):
    """A case that a judge decided so, whatever its texts."""
    cells = {"decided": True, "winner": winner, "agrees": winner == label}
    cells |= {"normalized_a": 8, "normalized_b": 5, "lead": 3} if winner == "A" else {
        "normalized_a": 5, "normalized_b": 8, "lead": -3
    }  # fmt: skip
    return replace(row, name=name or row.name, label=label, cells=cells)


def test_ten_copies_of_a_case_count_as_one_in_tests_and_intervals(tmp_path, diffed):
    """One case of two changed; its nine copies under other ids are no further evidence."""
    one, other, *_ = comparisons()
    copies = [replace(one, name=f"copy-{number}") for number in range(9)]
    first = write_run(tmp_path / "first", [decided(row, "B") for row in (one, other, *copies)])
    second = write_run(tmp_path / "second", [*(decided(row, "A") for row in (one, *copies)), decided(other, "B")])
    found = diffed(first, second)
    assert (found.judged_in_both, found.different, found.flipped) == (11, 2, 10)
    assert (found.tests["lead"].change.cases, found.agreement.change.cases) == (2, 2)
    assert not found.tests["lead"].real and not found.agreement.real
    assert found.tests["lead"].change.value == pytest.approx(3)  # the mean over two cases, not over eleven
    low, high = found.flipped_share.interval
    assert low < 0.1 and high > 0.9


def test_copies_of_a_dialogue_are_known_by_what_is_said(tmp_path, diffed):
    one = dialogues()[0]
    rows = [replace(one, name=str(number), case=one.case.updated(dialogue_id=number)) for number in range(4)]
    folder = write_run(tmp_path / "run", rows)
    assert (diffed(folder, folder).judged_in_both, diffed(folder, folder).different) == (4, 1)


def test_what_is_undecided_is_an_outcome_of_its_own_and_agrees_with_no_label(tmp_path, diffed):
    rows = comparisons()[:2]
    undecided = [replace(row, label="A", cells={"decided": False, "winner": "A", "agrees": False}) for row in rows]
    first = write_run(tmp_path / "first", undecided)
    second = write_run(tmp_path / "second", [decided(row, "A") for row in rows])
    found = diffed(first, second)
    assert dict(found.flips) == {("undecided", "A"): 2} and found.undecided == [2, 0]
    assert (found.agreement.before.value, found.agreement.after.value) == (0, 1)


def test_the_winner_of_swapped_reviews_flips_and_agreement_falls(tmp_path, diffed):
    rows = reviews()[:2]
    first = write_run(tmp_path / "first", rows)
    second = write_run(tmp_path / "second", rows)
    lines = [json.loads(line) for line in (second / "verdicts.jsonl").read_bytes().splitlines()]
    for line in lines:
        if line["row"]["likert"] == 2:
            line["row"] |= {"likert": 6, "winner": "B", "agrees": False}
    write_lines(second / "verdicts.jsonl", lines)
    found = diffed(first, second)
    assert dict(found.flips) == {("A", "B"): 1}
    assert found.agreement.before.value == 1 and found.agreement.after.value == 0.5 and not found.agreement.real
    (changed,) = found.changes()
    assert (changed.case, changed.before, changed.after, changed.change) == ("walk", "A", "B", 4)


def test_changes_come_with_another_outcome_first_then_the_greatest_then_by_name(tmp_path, diffed):
    def scored(row, winner, lead):
        cells = {"decided": True, "winner": winner, "normalized_a": 5 + lead, "normalized_b": 5, "lead": lead}
        return replace(row, cells=cells)

    names = ["flip", "far", "b", "a", "same"]
    rows = [replace(row, name=name) for row, name in zip(comparisons(), names, strict=False)]
    first = write_run(tmp_path / "first", [scored(row, "A", 1) for row in rows])
    after = [("B", 0.75), ("A", -2.5), ("A", 2), ("A", 2), ("A", 1)]
    second = write_run(tmp_path / "second", [scored(row, *how) for row, how in zip(rows, after, strict=True)])
    found = diffed(first, second)
    assert [each.case for each in found.changes()] == ["flip", "far", "a", "b"]
    assert [each.case for each in found.changes(1)] == ["flip"] and found.changed == 4
    assert next(found.changes()).change == -0.25


def test_runs_of_different_protocols_are_refused(runs, diffed):
    with pytest.raises(InputError, match="same protocol"):
        diffed(runs["compare"], runs["review"])
