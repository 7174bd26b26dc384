"""Which cases are picked: a true random sample beside the doubtful ones, growing without moving an earlier pick."""

import json
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from statistics import fmean

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results.building import Given, write_run
from results.samples import GOOD, LONG, SHORT, TASK, comparisons, dialogues, reviews

from adjudge.agreement.labels.sampling import (
    JudgedCase,
    Selection,
    candidates,
    doubtful_stratum,
    grow,
    jurors_agree,
    make_folder,
    order_for,
    read_selection,
    select_cases,
)
from adjudge.errors import InputError
from adjudge.files import open_handle, try_lock
from adjudge.models.base import to_json
from adjudge.models.common import MemberScores
from adjudge.protocols.compare.case import Comparison
from adjudge.results.run import Reader, open_run


def among(count, doubted=()):
    return [
        JudgedCase(n, f"case-{n}", ("orders disagree",) if n in doubted else (), float(n % 7)) for n in range(count)
    ]


def at_random(selection):
    return {pick.position for pick in selection.picks if pick.stratum == "random"}


def positions(selection, annotator=None):
    return [pick.position for pick in selection.of(annotator)]


sizes = st.integers(1, 40)


@given(st.integers(0, 99), sizes, sizes, sizes, st.decimals(0, 1, places=2))
def test_a_selection_grows_without_moving_an_earlier_pick_and_its_sample_does_not_depend_on_the_steps(
    seed, cases, first, more, share
):
    population = among(cases, doubted=range(0, cases, 3))
    empty = Selection(seed=seed, random_share=share)
    small = grow(empty, population, first)
    grown = grow(small, population, first + more)
    at_once = grow(empty, population, first + more)
    assert positions(grown)[: len(small.picks)] == positions(small)
    assert len(set(positions(grown))) == len(grown.picks) == min(cases, first + more)
    assert at_random(small) <= at_random(grown) == at_random(at_once)
    assert grow(grown, population, first) == grown


def test_half_are_drawn_at_random_and_the_others_are_the_most_doubtful():
    selection = grow(Selection(), among(100, doubted=range(50, 100)), 20)
    strata = Counter(pick.stratum for pick in selection.picks)
    assert strata == {"random": 10, "disagreement": 10}
    doubtful = [pick for pick in selection.picks if pick.stratum == "disagreement"]
    assert all(pick.position >= 50 and pick.why == "orders disagree" for pick in doubtful)
    assert max(pick.position % 7 for pick in doubtful) <= 2  # the smallest margins of the doubted
    assert {pick.stratum for pick in selection.picks[:8]} == {"random", "disagreement"}  # shown mixed


def test_every_case_is_as_likely_to_be_in_the_sample_as_any_other_however_doubtful_it_is():
    # Picked for its doubts first, and the sample enlarged: a case must not lose its chance by that.
    population = among(20, doubted=range(5))
    drawn = Counter()
    for seed in range(600):
        selection = grow(grow(Selection(seed=seed), population, 8), population, 16)
        drawn.update(at_random(selection))
    # 240 are expected of each, and 60 are five deviations.
    assert all(240 - 60 < drawn[position] < 240 + 60 for position in range(20)), drawn


def test_separate_picks_are_nobody_elses_and_the_samples_together_are_one_sample():
    population = among(60, doubted=range(0, 60, 4))
    shared = grow(Selection(), population, 20)
    both = grow(grow(shared, population, 10, "ann"), population, 10, "ben")
    assert positions(both) == positions(shared)
    groups = [set(positions(both, who)) for who in (None, "ann", "ben")]
    assert [len(group) for group in groups] == [20, 10, 10] and len(set().union(*groups)) == 40
    size = len(at_random(both))
    assert at_random(both) == at_random(grow(Selection(random_share=Decimal(1)), population, size))


@given(st.integers(0, 99), sizes, sizes, sizes)
def test_the_doubtful_stratum_is_picked_whole_and_of_the_other_cases_only_a_random_sample(seed, cases, first, more):
    population = among(cases, doubted=range(0, cases, 3))
    for selection in (grown := grow(Selection(seed=seed), population, first), grow(grown, population, first + more)):
        stratum = doubtful_stratum(selection, population, positions(selection))
        assert stratum <= set(positions(selection))
        assert set(positions(selection)) - stratum <= at_random(selection)


def test_weighted_by_their_share_doubtful_cases_leave_a_mean_unbiased():
    # Both are labelled: the most doubtful cases, where the value is 1, and a sample of the others.
    population, value = among(60, doubted=range(9)), [float(n < 9 or n % 7 == 0) for n in range(60)]
    weighted, plain = [], []
    for seed in range(300):
        selection = grow(Selection(seed=seed), population, 24)
        stratum = doubtful_stratum(selection, population, positions(selection))
        others = [value[n] for n in positions(selection) if n not in stratum]
        weighted.append((sum(value[n] for n in stratum) + (60 - len(stratum)) * fmean(others)) / 60)
        plain.append(fmean(value[n] for n in positions(selection)))
    assert fmean(weighted) == pytest.approx(fmean(value), abs=0.012) and fmean(plain) > fmean(value) + 0.1


def test_the_doubtful_stratum_is_not_known_if_the_run_changed_or_only_some_of_later_picks_are_labelled():
    population = among(60, doubted=range(0, 60, 4))
    once = grow(Selection(), population, 20)
    twice = grow(once, population, 40)
    some = positions(twice)[:30]
    assert isinstance(doubtful_stratum(once, population, positions(once)[:9]), frozenset)
    assert doubtful_stratum(twice, population, some).startswith("they were picked in several steps")
    assert isinstance(doubtful_stratum(twice, population, positions(twice)), frozenset)
    judged_later = JudgedCase(60, "case-60", ("orders disagree", "undecided"), 0.0)
    assert doubtful_stratum(once, [*population, judged_later], positions(once)).startswith("the run has changed")
    gone = next(pick.position for pick in once.picks if pick.stratum == "disagreement")
    kept = [case for case in population if case.position != gone]
    assert doubtful_stratum(once, kept, positions(once)).startswith("the run has changed")


def test_which_answer_stands_first_differs_between_cases_and_people_and_is_the_same_again():
    selection = Selection()
    ann = [order_for(selection, "ann", n) for n in range(200)]
    ben = [order_for(selection, "ben", n) for n in range(200)]
    assert ann == [order_for(selection, "ann", n) for n in range(200)]
    assert 70 < ann.count("ab") < 130
    assert 60 < sum(one == other for one, other in zip(ann, ben, strict=True)) < 140


# -- over runs --------------------------------------------------------------------------------------------------------


def pairs(count, **cells):
    answers = [GOOD, SHORT, LONG]
    return [
        Given(f"egg-{n}", Comparison(TASK.format(f" for {n}"), answers[n % 3], answers[(n + 1) % 3]), cells=cells)
        for n in range(count)
    ]


def test_only_cases_with_a_verdict_are_picked_and_of_copies_only_the_first(tmp_path):
    rows = comparisons()
    copy = Given("copy", rows[0].case)
    found = candidates(open_run(write_run(tmp_path / "run", [*rows, copy])))
    assert [candidate.case for candidate in found] == [row.name for row in rows if row.fate == "verdict"]


def test_doubts_of_a_comparison_are_its_orders_and_what_was_not_decided(tmp_path):
    rows = pairs(3)
    sure = {"decided": True, "order_consistent": True, "lead": 2}
    cells = [sure, {**sure, "order_consistent": False}, {**sure, "decided": False, "lead": 0.1}]
    rows = [Given(row.name, row.case, cells=each) for row, each in zip(rows, cells, strict=True)]
    found = candidates(open_run(write_run(tmp_path / "run", rows)))
    assert [candidate.doubts for candidate in found] == [(), ("orders disagree",), ("undecided",)]
    assert [round(candidate.margin, 6) for candidate in found] == [2, 2, 0.1]


def test_identical_answers_are_no_doubtful_case(tmp_path):
    same = comparisons()[0].case.updated(b=comparisons()[0].case.a)
    folder = write_run(tmp_path / "run", [Given("same", same)], judge="jury:embedded+embedded")
    (candidate,) = candidates(open_run(folder))
    assert (candidate.doubts, candidate.margin) == ((), float("inf"))


def test_members_of_a_jury_that_prefer_different_answers_are_a_doubt(tmp_path):
    sure = {"decided": True, "order_consistent": True}
    folder = write_run(tmp_path / "run", pairs(2, **sure), judge="jury:embedded+embedded")
    assert [candidate.doubts for candidate in candidates(open_run(folder))] == [(), ()]
    lines = [orjson.loads(line) for line in (folder / "verdicts.jsonl").read_bytes().splitlines()]
    first = next(line for line in lines if line["position"] == 0)
    members = first["verdict"]["opinions"][0]["members"]
    members[0]["preference"] = "B" if members[1]["preference"] == "A" else "A"
    (folder / "verdicts.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    assert [candidate.doubts for candidate in candidates(open_run(folder))] == [("jurors disagree",), ()]


def test_doubts_of_a_dialogue_are_objections_and_of_a_review_a_replaced_preference(tmp_path):
    talks = [Given(row.name, row.case, cells=cells) for row, cells in zip(
        dialogues()[:2], ({"objections": 2, "average": 61}, {"objections": 0, "average": 70}), strict=True
    )]  # fmt: skip
    found = candidates(open_run(write_run(tmp_path / "talks", talks)))
    assert [(each.doubts, each.margin) for each in found] == [(("Evaluator and Critic disagree",), 1), ((), 10)]
    found = candidates(open_run(write_run(tmp_path / "reviews", reviews())))
    assert [each.case for each in found] == ["walk", "swapped", "odd"]  # the invalid and the failed one are left out
    assert found[0].doubts == ("differs from what was entered",) and found[2].doubts == ()


def test_the_selection_is_kept_privately_and_is_the_same_for_the_next_one_who_asks(copied):
    opened = copied()
    assert read_selection(opened) is None
    made = select_cases(opened, 4, seed=3, random_share=None)
    path = opened.folder / "labels" / "selection.json"
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert json.loads(path.read_text())["seed"] == 3
    assert select_cases(opened, None, seed=None, random_share=None) == made == read_selection(opened)
    assert positions(select_cases(opened, 6, seed=3, random_share=None))[:4] == positions(made)


def test_what_the_cases_were_drawn_from_cannot_be_changed_afterwards(copied):
    opened = copied()
    select_cases(opened, 2, seed=None, random_share=None)
    with pytest.raises(InputError, match=r"--seed: 5; the cases of this run were picked with 0"):
        select_cases(opened, 4, seed=5, random_share=None)
    with pytest.raises(InputError, match=r"--random-share: 1; the cases of this run were picked with 0.5"):
        select_cases(opened, 4, seed=None, random_share=Decimal(1))


def test_a_seed_that_another_process_chose_in_the_meantime_is_not_ignored(copied):
    opened = copied()
    make_folder(opened.folder / "labels")
    lock = opened.folder / "labels" / "lock"
    handle = open_handle(lock, os.O_RDWR | os.O_CREAT)
    try_lock(handle)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(select_cases, opened, 2, seed=5, random_share=None)
        # It has seen that nobody picked cases yet, and waits for the lock.
        while [each.resolve() for each in Path("/proc/self/fd").iterdir()].count(lock) < 2:
            assert not waiting.done()
        (lock.parent / "selection.json").write_bytes(to_json(Selection(seed=3)))
        os.close(handle)
        with pytest.raises(InputError, match=r"--seed: 5; the cases of this run were picked with 3"):
            waiting.result()


def test_a_selection_that_cannot_be_read_and_a_folder_that_is_a_link_are_refused(copied, tmp_path):
    opened = copied()
    (tmp_path / "elsewhere").mkdir()
    (opened.folder / "labels").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a symbolic link"):
        select_cases(opened, 2, seed=None, random_share=None)
    (opened.folder / "labels").unlink()
    (opened.folder / "labels").mkdir()
    for content in (b"{", b"[]", b'{"picks": 3}'):
        (opened.folder / "labels" / "selection.json").write_bytes(content)
        with pytest.raises(InputError, match="not a selection of cases"):
            select_cases(opened, 2, seed=None, random_share=None)


def test_a_run_without_a_verdict_says_how_to_go_on(tmp_path):
    rows = [Given("late", Comparison("t", "a", "b"), fate="unfinished")]
    with pytest.raises(InputError, match="no case has a verdict yet; continue it: adjudge run --resume"):
        candidates(open_run(write_run(tmp_path / "run", rows)))


def test_jurors_of_dialogues_and_reviews_agree_by_what_their_scores_come_to(tmp_path):
    def members(*scores):
        return tuple(MemberScores(judge=f"m{at}", scores=each) for at, each in enumerate(scores))

    talks, rated = (open_run(write_run(tmp_path / name, rows[:1])) for name, rows in _BOTH.items())
    with Reader(talks) as reader:
        talk = reader.verdict(0)
    keys = talks.rubric.weights
    all_at, one_off = dict.fromkeys(keys, Decimal(80)), dict.fromkeys(keys, Decimal(80)) | {"Fluency": Decimal(100)}
    assert jurors_agree(talk) is None
    assert jurors_agree(talk.updated(evaluator_members=members(all_at, one_off))) is True  # 80 and 82 are both 80
    assert jurors_agree(talk.updated(evaluator_members=members(all_at, dict.fromkeys(keys, Decimal(40))))) is False
    with Reader(rated) as reader:
        review = reader.verdict(0)
    for likerts, agree in (((1, 3), True), ((3, 4), False), ((2, None), True)):
        own = members(*({"likert": None if likert is None else Decimal(likert)} for likert in likerts))
        assert jurors_agree(review.updated(opinion=review.opinion.updated(members=own))) is agree


_BOTH = {"talks": dialogues(), "reviews": reviews()}
