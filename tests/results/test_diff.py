"""Two runs over the same cases: what changed, what is missing, and whether it is real."""

import json
from contextlib import ExitStack
from dataclasses import replace

import pytest
from results.building import write_lines, write_run
from results.samples import comparisons, dialogues, reviews

from adjudge.errors import InputError
from adjudge.results.diff import diff_of
from adjudge.results.diff_report import diff_document, diff_json
from adjudge.results.directory import open_run
from adjudge.results.documents import as_markdown, as_text
from adjudge.rubric import parse, shipped


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


@pytest.mark.parametrize("protocol", ["compare", "dialogue", "review"])
def test_a_run_does_not_differ_from_itself(runs, protocol, diffed):
    found = diffed(runs[protocol], runs[protocol])
    assert list(found.changes.greatest()) == [] and found.flipped == 0
    assert not found.only_first and not found.only_second
    assert all(change.change == 0 and not change.real for change in found.tests.values())
    assert "score for score" in as_text(diff_document(found, 5), colour=False, width=80)


def test_other_weights_move_totals_and_the_texts_still_pair(runs, tmp_path, diffed):
    second = write_run(tmp_path / "second", comparisons(), rubric=other_weights("compare"))
    found = diffed(runs["compare"], second)
    assert found.in_both == 11 and found.judged_in_both == 8 and found.unfinished == 1
    changed = next(change for change in found.changes.greatest() if change.case == "egg-0")
    assert set(changed.scores) >= {"total_a", "total_b", "lead"}
    assert found.tests["lead"].pairs == 8


def test_a_dialogue_run_is_compared_by_its_averages(runs, tmp_path, diffed):
    second = write_run(tmp_path / "second", dialogues(), rubric=other_weights("dialogue"))
    found = diffed(runs["dialogue"], second)
    assert found.tests["average"].pairs == 3
    assert found.tests["average"].change != 0


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
    assert found.agreement.before == 1 and found.agreement.after == 0.5 and not found.agreement.real
    told = json.loads(b"".join(diff_json(found)))
    assert told["flipped"]["by"] == [{"from": "A", "to": "B", "count": 1}]
    assert told["changed"][0]["case"] == "walk" and told["changed"][0]["likert"] == 4


@pytest.mark.parametrize("same", [True, False])
def test_the_pieces_are_one_indented_document(runs, tmp_path, diffed, same):
    rubric = shipped("compare") if same else other_weights("compare")
    found = diffed(runs["compare"], write_run(tmp_path / "second", comparisons(), rubric=rubric))
    written = b"".join(diff_json(found)).decode()
    told = json.loads(written)
    assert bool(told["changed"]) is not same
    assert written == json.dumps(told, indent=2) + "\n"


def test_hostile_ids_mark_up_nothing(runs, tmp_path, diffed):
    found = diffed(runs["compare"], write_run(tmp_path / "second", comparisons(), rubric=other_weights("compare")))
    assert "<script" not in as_markdown(diff_document(found, 50))


def test_runs_of_different_protocols_are_refused(runs, diffed):
    with pytest.raises(InputError, match="same protocol"):
        diffed(runs["compare"], runs["review"])
