"""A run in numbers: what is decided, what is not, and what people say."""

from collections import Counter
from dataclasses import replace

import pytest
from results.building import Given, write_run
from results.samples import comparisons, reviews

from adjudge.agreement.report import build_report
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.review.annotators import annotator_report
from adjudge.protocols.review.run_report import corrections_of
from adjudge.results.database import opened
from adjudge.results.run import open_run
from adjudge.results.summary import summary_of
from adjudge.statistics.intervals import share_interval


def summarised(folder, where=None):
    with opened(open_run(folder), where) as database:
        return summary_of(database)


def said(row, winner, *, decided=True, label=None):
    return replace(
        row, label=label, cells={"winner": winner, "decided": decided, "agrees": label and decided and label == winner}
    )


def test_what_is_undecided_is_neither_a_win_nor_a_tie(tmp_path):
    one, two, three, four, *_ = comparisons()
    rows = [said(one, "A"), said(two, "A", decided=False), said(three, "tie", decided=False), said(four, "tie")]
    found = summarised(write_run(tmp_path / "run", rows))
    assert found.outcomes == {"A": 1, "tie": 1, "undecided": 2} and found.undecided == 2


def test_agreement_counts_what_was_decided_and_says_how_much_was_not(tmp_path):
    one, two, three, four, *_ = comparisons()
    rows = [
        said(one, "A", label="A"),
        said(two, "B", label="A"),
        said(three, "A", label="A", decided=False),
        said(four, "B", label="B", decided=False),
    ]
    found = summarised(write_run(tmp_path / "run", rows))
    assert (found.labelled, found.labelled_undecided, found.agreeing) == (4, 2, 1)
    assert (found.agreement.value, found.agreement.cases) == (0.5, 2)


def test_copies_make_no_interval_narrower(tmp_path):
    one, two, *_ = comparisons()
    rows = [said(one, "A"), said(two, "B")]
    copies = [replace(row, name=f"{row.name} {number}") for number in range(20) for row in rows]
    alone, copied = summarised(write_run(tmp_path / "one", rows)), summarised(write_run(tmp_path / "two", copies))
    assert (copied.different, copied.verdicts) == (2, 40)
    assert copied.share(20, 40).interval == alone.share(1, 2).interval


def test_the_interval_of_a_share_is_that_of_agree_and_counts_tasks(tmp_path):
    rows = [
        Given(
            f"case {n}",
            Comparison(f"Explain the number {n // 3}.", f"It is {n}.", f"Perhaps it is {n}."),
            extra={"votes": {"ann": "A"}} if n < 6 else {},
            cells={"winner": "A" if n % 12 < 7 else "B", "decided": True},
        )
        for n in range(36)
    ]
    folder = write_run(tmp_path / "run", rows)
    found, agreed = summarised(folder), build_report(open_run(folder), "votes", draws=19).corrected["A"].raw
    assert found.tasks == 12 and found.shares["A"].value == agreed.value == found.decided_shares["A"].value
    assert found.shares["A"].interval == pytest.approx(agreed.interval)
    alone = share_interval(found.outcomes["A"], 36)
    low, high = found.shares["A"].interval
    assert low < alone[0] and alone[1] < high, "cases of one task are alike here"


def test_corrected_ratings_are_the_same_share_on_the_run_and_on_report_cards(tmp_path):
    rows = [replace(row, extra={"annotator": "ann"}) for row in reviews() if row.fate == "verdict"]
    folder = write_run(tmp_path / "run", rows)
    with opened(open_run(folder)) as database:
        counted = sum(corrections_of(database).values(), Counter())
    (card,) = annotator_report([open_run(folder)], "annotator", draws=19).annotators
    assert counted["replaced"] > 0
    assert card.correction_rate.value == counted["replaced"] / (counted["kept"] + counted["replaced"])


def test_cost_tokens_and_judges_are_added_up_exactly(runs):
    found = summarised(runs["compare"])
    assert (str(found.cost.normalize()), found.tokens, found.calls) == ("0.0012", 912, 1)
    assert found.judges == {"embedded": 8, "openai:x": 1}
    assert found.statuses == {"verdict": 8, "failure": 1, "skipped": 1} and found.unfinished == 1


def test_a_dialogues_means_have_intervals_and_a_single_one_has_none(runs):
    found = summarised(runs["dialogue"])
    mean = found.means["average"]
    assert mean.cases == 3 and mean.interval[0] < mean.value < mean.interval[1]
    single = summarised(runs["dialogue"], "position = 0").means["average"]
    assert (single.interval, single.reason) == (None, "one case says nothing about others")


def test_a_reviews_corrections_are_counted_by_dimension(runs):
    with opened(open_run(runs["review"])) as database:
        found = corrections_of(database)
    assert found["localization"] == {"filled": 2, "not assessed": 2, "replaced": 2}
    assert found["likert"] == {"replaced": 2, "filled": 1}
    assert summarised(runs["review"]).outcomes["invalid"] == 1


@pytest.mark.parametrize("protocol", ["compare", "dialogue", "grade", "review"])
def test_a_run_without_a_row_has_a_summary(runs, protocol):
    found = summarised(runs[protocol], "1 = 2")
    assert found.finished == 0 and found.means == {} and found.agreement is None
