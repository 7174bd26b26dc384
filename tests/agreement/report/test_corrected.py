"""Corrected numbers of a run: which cases and labels count in them, the doubtful half included, and what is said."""

import random
from dataclasses import replace
from decimal import Decimal
from statistics import fmean

import pytest
from agreement.report.judged import compared, joined, shown, sides
from results.building import Given, write_run
from results.samples import GOOD, SHORT, dialogues

from adjudge.agreement.labels.files import HumanLabel
from adjudge.agreement.labels.sampling import candidates, select_cases
from adjudge.agreement.labels.sources import load_labels
from adjudge.agreement.report import build_report
from adjudge.agreement.report.corrected import corrected_of
from adjudge.agreement.report.joining import join_labels
from adjudge.models.base import to_json
from adjudge.protocols.review.case import Review
from adjudge.results.run import open_run

WORTH = {"A": 1.0, "tie": 0.5, "B": 0.0}


def found_in(run, source=None, **more):
    labels = load_labels(run, source)
    return corrected_of(join_labels(run, labels, **more), labels)


def write_labels(run, picks, human):
    folder = run.folder / "labels"
    folder.mkdir(exist_ok=True)
    lines = (
        HumanLabel(case=pick.case, position=pick.position, annotator="ann", value=human[pick.position]).updated(
            stratum=pick.stratum
        )
        for pick in picks
    )
    (folder / "ann.jsonl").write_bytes(b"".join(map(to_json, lines)))


def slope(pairs):
    judge, people = (fmean(side) for side in zip(*pairs, strict=True))
    return sum((x - judge) * (y - people) for x, y in pairs) / sum((x - judge) ** 2 for x, _ in pairs)


# -- which cases ------------------------------------------------------------------------------------------------------


def test_the_numbers_are_of_the_whole_run_and_labels_only_are_beside_them(folder, report):
    every = [row.winner for row in joined(folder).rows.values()]
    people = [WORTH[case.human] for case in joined(folder).labelled]
    wren, rook = report.corrected["wren"], report.corrected["rook"]
    assert (wren.raw.cases, wren.labels.cases) == (90, 60)
    assert wren.raw.value == pytest.approx(fmean(WORTH[said] for said in every))
    assert wren.labels.value == pytest.approx(fmean(people))
    by = slope([(WORTH[case.row.winner], WORTH[case.human]) for case in joined(folder).labelled])
    lucky = wren.raw.value - fmean(WORTH[case.row.winner] for case in joined(folder).labelled)
    assert wren.judge_weight == pytest.approx(by) and wren.corrected.value == pytest.approx(fmean(people) + by * lucky)
    assert wren.corrected.value + rook.corrected.value == pytest.approx(1)
    text = " ".join(shown(report, open_run(folder))[0].split())
    assert "People would give wren a win rate of" in text and "Labels only" in text
    assert f"{wren.as_good_as} labels" in text


def test_undecided_cases_count_with_the_best_guess_and_those_without_a_verdict_are_left_out(tmp_path):
    rows = [compared(n, *pair) for n, pair in enumerate(sides(40))]
    rows += [compared(50 + n, "A", None, decided=n % 2 == 0) for n in range(20)]
    rows += [replace(compared(80 + n, "B", None), fate="failure") for n in range(3)]
    run = open_run(write_run(tmp_path / "run", rows))
    found, facts = found_in(run)
    assert (facts.cases, facts.undecided, facts.unjudged, found["wren"].raw.cases) == (60, 10, 3, 60)
    text = " ".join(shown(build_report(run, draws=49), run)[0].split())
    assert "Undecided cases, which count here with the judge’s best guess: 10." in text
    assert "Cases without a verdict, which are left out: 3." in text


def test_several_peoples_labels_of_a_case_are_averaged_so_a_drawn_vote_is_half_a_win(tmp_path):
    votes = [["A", "A"], ["A", "B"], ["B", "B"], ["A", "tie"]] * 6
    rows = [replace(compared(n, "AB"[n % 2], None), extra={"votes": said}) for n, said in enumerate(votes)]
    run = open_run(write_run(tmp_path / "run", [*rows, compared(90, "A", None)]))
    found, _ = found_in(run, "votes")
    assert found["wren"].labels.value == pytest.approx((1 + 0.5 + 0 + 0.75) / 4) and found["wren"].labels.cases == 24


def test_there_is_nothing_to_correct_if_every_judged_case_has_a_label(tmp_path):
    run = open_run(write_run(tmp_path / "run", [compared(n, *pair) for n, pair in enumerate(sides(12))]))
    assert found_in(run) == ({}, None)


def test_of_a_large_run_the_cases_that_were_read_represent_the_others(folder):
    run = open_run(folder)
    whole, facts = found_in(run)
    part, of_part = found_in(run, others=10)
    assert facts.cases == of_part.cases == whole["wren"].raw.cases == part["wren"].raw.cases == 90


def test_dialogues_and_reviews_have_means_on_their_own_scale(tmp_path):
    drawn, case = random.Random(4), dialogues()[0].case
    rows, numbers = [], []
    for n in range(60):
        average = drawn.uniform(25, 99)
        human = Decimal(min(max(average // 20 * 20 + drawn.choice((-20, 0, 20)), 20), 100))
        turns = (case.turns[0].updated(text=f"My parcel {n} is late."), *case.turns[1:])
        cells = {"overall_experience": max(20, average // 20 * 20), "average": average}
        extra = {"people": str(human)} if n < 40 else {}
        rows.append(Given(str(n), case.updated(dialogue_id=n, turns=turns), extra=extra, cells=cells))
        numbers.append((average, float(human)))
    found, _ = found_in(open_run(write_run(tmp_path / "run", rows)), "people")
    mean, by = found["mean"], slope(numbers[:40])
    lucky = fmean(judge for judge, _ in numbers) - fmean(judge for judge, _ in numbers[:40])
    assert list(found) == ["mean"]
    assert mean.corrected.value == pytest.approx(fmean(human for _, human in numbers[:40]) + by * lucky)
    assert 20 <= mean.corrected.interval[0] < mean.corrected.interval[1] <= 100 and mean.as_good_as > 45
    rows = []
    for n in range(40):
        likert = drawn.randint(1, 7)
        cells = {"likert": likert, "winner": "A" if likert < 4 else "B" if likert > 4 else "tie"}
        extra = {"people": min(max(likert + drawn.choice((-1, 0, 1)), 1), 7)} if n < 30 else {}
        rows.append(Given(f"egg-{n}", Review(prompt=f"Boil {n} eggs?", a=GOOD, b=SHORT), extra=extra, cells=cells))
    found, _ = found_in(open_run(write_run(tmp_path / "reviews", rows)), "people")
    assert list(found) == ["A", "B", "mean"] and 1 < found["mean"].corrected.value < 7
    assert found["A"].corrected.value + found["B"].corrected.value == pytest.approx(1)


# -- the doubtful half ------------------------------------------------------------------------------------------------


@pytest.fixture
def picked(tmp_path):
    """A run of 120 comparisons without labels, what people would say, and its picks: 60, half for their doubts."""
    pairs = sides(120, right=0.7, seed=5)
    run = open_run(write_run(tmp_path / "run", [compared(n, judge, None) for n, (judge, _) in enumerate(pairs)]))
    selection = select_cases(run, 60, seed=1, random_share=None)
    return run, [human for _, human in pairs], selection.picks


def test_doubtful_cases_count_by_their_share_of_the_run(picked):
    run, human, picks = picked
    write_labels(run, picks, human)
    found, facts = found_in(run)
    # Up to the last one that was picked for its doubts, every case is labelled: by how small its margin is.
    margins = {case.position: case.margin for case in candidates(run)}
    last = max(margins[pick.position] for pick in picks if pick.stratum == "disagreement")
    doubtful = [n for n in range(120) if margins[n] <= last]
    others = [n for n in range(120) if margins[n] > last]
    known = {pick.position for pick in picks}
    assert set(doubtful) <= known and 30 < len(doubtful) < 60
    means = [fmean(WORTH[human[n]] for n in part if n in known) for part in (doubtful, others)]
    wren = found["wren"]
    assert wren.labels.value == pytest.approx((len(doubtful) * means[0] + len(others) * means[1]) / 120)
    assert (wren.labels.cases, wren.picked, facts.picked, facts.picked_out) == (60, 30, 30, "")
    report = build_report(run, draws=49)
    text = " ".join(shown(report, run)[0].split())
    assert "picked because the judge was unsure: 30; they count here by the share that such cases have" in text
    assert "and are in no figure but the corrected ones." in text


def test_if_people_stop_midway_it_is_chance_which_doubtful_cases_are_labelled_so_they_count(picked):
    run, human, picks = picked
    write_labels(run, picks[:50], human)
    found, facts = found_in(run)
    assert found["wren"].labels.cases == 50 and found["wren"].picked == facts.picked > 0 and not facts.picked_out


def test_doubtful_cases_are_left_out_if_it_is_not_known_how_likely_they_were_to_be_labelled(picked):
    run, human, picks = picked
    at_random = sum(pick.stratum == "random" for pick in picks)
    more = select_cases(run, 90, seed=None, random_share=None).picks
    write_labels(run, more[:70], human)
    found, facts = found_in(run)
    assert facts.picked_out == "they were picked in several steps, and not all of them are labelled"
    assert found["wren"].picked == 0 and at_random <= found["wren"].labels.cases < 70
    text = " ".join(shown(build_report(run, draws=49), run)[0].split())
    assert "left out, because they were picked in several steps" in text and "are in no figure." in text
    write_labels(run, more, human)
    assert found_in(run)[0]["wren"].labels.cases == 90
    (run.folder / "labels" / "selection.json").unlink()
    assert found_in(run)[1].picked_out == "how they were picked is not stored with these labels"
