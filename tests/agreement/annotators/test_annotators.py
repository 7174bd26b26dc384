"""Report cards from real review runs: planted habits are described, a faultless rater is not accused."""

import json
import shutil
from collections import Counter
from functools import partial
from itertools import product

import numpy as np
import pytest
from agreement.annotators.planted_raters import HOSTILE, ITEMS, rows, truth, write_planted_run
from results.building import Given, write_run
from results.samples import comparisons, reviews
from scipy import stats
from scripted.ratings import KEYS
from stored import everything_in

from adjudge.cli.main import main
from adjudge.errors import InputError
from adjudge.models.base import to_json
from adjudge.protocols.review import annotators as reporting
from adjudge.protocols.review.annotators_view import annotators_document
from adjudge.protocols.review.report_cards import ReviewedRating, report_cards
from adjudge.rendering.document import as_markdown, as_text
from adjudge.results.run import open_run

# Intervals have tests of their own.
annotator_report = partial(reporting.annotator_report, draws=49)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    return write_planted_run(tmp_path_factory.mktemp("planted"))


@pytest.fixture(scope="module")
def report(planted):
    return annotator_report([open_run(planted)])


def card_of(report, person):
    return next(card for card in report.annotators if card.annotator == person)


def directions(card):
    return {key: rate.direction for key, rate in card.dimensions.items() if rate.direction}


def test_a_rater_too_lenient_on_one_dimension_is_described_as_that_and_no_more(report):
    card = card_of(report, "lena")
    assert directions(card) == {"truthfulness": "too lenient"}
    assert card.confused_dimensions == () and not card.over_time.real and card.has_pattern
    (lesson,) = card.lessons  # Overall and preference follow from it
    assert (lesson.dimension, lesson.direction, lesson.corrections, lesson.share) == (
        "truthfulness",
        "too lenient",
        8,
        1,
    )
    assert lesson.said.startswith("Truthfulness of a response was rated too high (3, not 2)")
    assert list(dict(card.confused_values[0]).values()) == ["truthfulness", 3, 2, 8]


def test_a_rater_who_confuses_two_dimensions_is_said_to_confuse_them(report):
    card = card_of(report, "max")
    (swap,) = card.confused_dimensions
    assert (swap.blamed, swap.meant, swap.responses, swap.of) == ("verbosity", "style_clarity", 8, 8)
    assert directions(card) == {}  # that is all there is to it
    (lesson,) = card.lessons
    assert (lesson.dimension, lesson.meant, lesson.corrections) == ("verbosity", "style_clarity", 16)


def test_a_rater_who_drifts_is_said_to_drift(report):
    card = card_of(report, "dora")
    assert card.over_time.real and directions(card) == {} and card.confused_dimensions == ()
    assert card.over_time.before.value == 0
    assert card.over_time.after.value == 12 / (12 * 15)  # one of fifteen ratings in each of the later twelve


def test_a_faultless_rater_is_accused_of_nothing(report):
    for person in ("faye", HOSTILE):
        card = card_of(report, " ".join(person.split()))
        assert not card.has_pattern and card.lessons == () and card.confused_values == ()
        assert card.correction_rate.value == 0
        assert all(rate.counted.value == 0 and rate.estimate.value < 0.05 for rate in card.dimensions.values())


def test_counts_are_those_of_the_rows_that_were_entered(report):
    wrong, entered = Counter(), Counter()
    for row in rows():
        item = int(row["prompt"].rstrip(".").rpartition(" ")[2])
        first, second, likert = truth(item)
        for number, table in ((1, first), (2, second)):
            for key in KEYS:
                entered[row["rater"], key] += 1
                wrong[row["rater"], key] += row[f"response{number}_{key}"] != table[key]
        entered[row["rater"], "preference"] += 1
        wrong[row["rater"], "preference"] += row["likert"] != likert
    for person in ("lena", "max", "faye"):
        for key, rate in card_of(report, person).dimensions.items():
            hits, of = wrong[person, key], entered[person, key]
            assert (rate.counted.value * of, rate.counted.cases) == (pytest.approx(hits), of), key
            low, high = stats.binomtest(hits, of).proportion_ci(method="wilson")
            assert rate.counted.interval == pytest.approx((low, high))
            assert sum(rate.ways.values()) == hits
    assert report.dimensions["truthfulness"].correction_rate == pytest.approx(8 / (8 * ITEMS + 6))
    assert (report.reviews, report.annotator_column, report.time_column) == (4 * ITEMS + 3, "rater", "rated_at")


def test_agreement_with_others_is_with_their_median(report):
    assert card_of(report, "faye").agreement_with_others["truthfulness"].value == pytest.approx(1)
    lena = card_of(report, "lena").agreement_with_others["truthfulness"]
    assert lena.value < 0 and lena.cases == 2 * ITEMS and lena.interval is not None
    assert card_of(report, "faye").agreement_with_others["harmlessness"].reason.startswith("every rating is 3")


def test_a_column_and_a_time_that_were_named_are_used_and_wrong_ones_are_refused(planted):
    run = open_run(planted)
    assert annotator_report([run], "rated_at", draws=19).annotators[0].annotator == "2026-03-01T10:00:00Z"
    with pytest.raises(InputError, match=r"--annotator: no column 'nobody' in the input; one of rater, rated_at"):
        annotator_report([run], "nobody")
    timeless = annotator_report([run], None, "rater", draws=19)
    assert timeless.time_column is None and timeless.annotators[0].over_time is None
    note = "99 cases: each has no time in the column rater, so it does not count for the change over time"
    assert note in timeless.notes


def test_the_same_run_twice_counts_each_review_once(planted, report):
    twice = annotator_report([open_run(planted)] * 2, draws=19)
    assert twice.reviews == report.reviews
    assert [card.correction_rate for card in twice.annotators] == [card.correction_rate for card in report.annotators]
    assert any(note.startswith("99 cases: each was replaced by a later review") for note in twice.notes)


def test_the_last_run_counts_also_where_its_judge_assessed_nothing(planted, tmp_path):
    later = shutil.copytree(planted, tmp_path / "later")
    verdicts = (later / "verdicts.jsonl").read_bytes()
    (later / "verdicts.jsonl").write_bytes(verdicts.replace(b'"assessed":true', b'"assessed":false'))
    with pytest.raises(InputError, match="no rating to base a card on"):
        annotator_report([open_run(planted), open_run(later)])


def test_other_runs_and_runs_without_raters_are_refused(tmp_path):
    run = open_run(write_run(tmp_path / "review", reviews()[:1]))
    with pytest.raises(InputError, match="no column says who rated a case"):
        annotator_report([run])
    walk, _, odd, *_ = reviews()
    named = [Given("walk", walk.case, extra={"annotator": " "}), Given("odd", odd.case, extra={"annotator": "ben"})]
    run = open_run(write_run(tmp_path / "named", named))
    reasons = "it has nothing in the column annotator; 1 case: it has no rating that was entered and assessed"
    with pytest.raises(InputError, match=f"no rating to base a card on: 1 case: {reasons}"):
        annotator_report([run])
    with pytest.raises(InputError, match="a compare run; report cards need review runs"):
        annotator_report([open_run(write_run(tmp_path / "compare", comparisons()[:1]))])


def test_who_rated_is_never_shown_to_a_judge(planted):
    # A run's lines have all columns of its input; no judge gets them.
    stored = everything_in(planted / "journal.db", without=["lines"])
    assert b"river number" in stored
    assert b"lena" not in stored and b"2026-03-" not in stored


def test_random_errors_are_seldom_taken_for_a_habit():
    rng, ratings = np.random.default_rng(7), []
    for one in product(range(8), range(30)):
        for dimension in ("truth", "style", "length", "safety"):
            final = int(rng.integers(1, 4))
            wrong = rng.random() < 0.15
            entered = int(rng.choice([value for value in (1, 2, 3) if value != final])) if wrong else final
            about = {"time": float(one[1]), "issues": (3 - entered, 3 - final)}
            ratings.append(ReviewedRating(f"p{one[0]}", dimension, entered, final, one, one, **about))
    assert sum(card.has_pattern for card in report_cards(ratings, draws=19)) <= 1  # of 8 people without a habit


def test_every_format_says_the_same_and_names_are_escaped(planted, report, tmp_path):
    document = annotators_document(report)
    written = {"cards.txt": as_text(document, colour=False, width=100), "cards.md": as_markdown(document)}
    assert main(["annotators", str(planted), "--draws", "99", "-o", str(tmp_path / "cards.html")]) == 0
    written["cards.html"] = (tmp_path / "cards.html").read_text("utf-8")
    data = json.loads(to_json(report))
    assert data["dimensions"]["style_clarity"]["name"] == "Style & Clarity"
    lena = next(card for card in data["annotators"] if card["annotator"] == "lena")
    assert lena["dimensions"]["truthfulness"]["direction"] == "too lenient"
    assert lena["over_time"]["real"] is False
    assert all("3 of 5 annotators show a pattern" in page for page in written.values())
    assert "Confuses Style & Clarity with Verbosity" in written["cards.txt"]
    assert "\u202e" not in "".join(written.values())
    assert "<script" not in written["cards.html"] and "&lt;script&gt;alert(1)" in written["cards.html"]
    assert "[x](" not in written["cards.md"] and "<script" not in written["cards.md"]
    assert "src=" not in written["cards.html"] and "http-equiv" in written["cards.html"]
