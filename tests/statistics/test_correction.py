"""Corrected numbers: the published formulas to six digits, and intervals that hold the truth as often as they say."""

import numpy as np
import pytest

from adjudge.statistics.correction import corrected_mean, corrected_rate
from adjudge.statistics.figures import Confusion

THREE = ("A", "tie", "B")


def corrected_shares(labelled, said):
    """The share of each class."""
    return {value: corrected_rate(labelled, said, {value: 1.0}) for value in labelled.classes}


def table(counts, classes=("A", "B")):
    return Confusion(classes, tuple(map(tuple, counts)))


def test_two_classes_are_corrected_by_rogan_and_gladens_formula():
    sensitivity, specificity, positive = 40 / 50, 45 / 50, 300 / 1000
    found = corrected_rate(table([[40, 10], [5, 45]]), {"A": 300, "B": 700}, {"A": 1}).corrected
    assert found.value == pytest.approx((positive + specificity - 1) / (sensitivity + specificity - 1), abs=1e-6)


def test_the_interval_has_the_variance_of_rogan_and_gladen():
    """With so many labels that what is added to small counts does not matter."""
    se, sp, p, n = 0.8, 0.9, 0.3, 10**9
    found = corrected_rate(
        table([[8 * n // 10, 2 * n // 10], [n // 10, 9 * n // 10]]), {"A": 300, "B": 700}, {"A": 1}
    ).corrected
    width = found.interval[1] - found.interval[0]
    assert width == pytest.approx(2 * 1.959964 * np.sqrt(p * (1 - p) / 1000) / (se + sp - 1), abs=1e-6)
    # And the calibration's own part, where the run is the one without end.
    share = (p + sp - 1) / (se + sp - 1)
    few = corrected_rate(
        table([[80_000, 20_000], [10_000, 90_000]]), {"A": 3 * n // 10, "B": 7 * n // 10}, {"A": 1}
    ).corrected
    own = (share**2 * se * (1 - se) + (1 - share) ** 2 * sp * (1 - sp)) / 100_000 / (se + sp - 1) ** 2
    assert few.interval[1] - few.interval[0] == pytest.approx(2 * 1.959964 * np.sqrt(own), rel=1e-3)


def test_three_classes_are_corrected_through_the_inverse_of_the_matrix():
    true, matrix = np.array([0.5, 0.2, 0.3]), np.array([[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
    said = dict(zip(THREE, (true @ matrix * 10_000).round().astype(int).tolist(), strict=True))
    found = corrected_shares(table((matrix * 100).astype(int).tolist(), THREE), said)
    assert [found[name].corrected.value for name in THREE] == pytest.approx(true, abs=1e-6)
    assert found["A"].raw.value == pytest.approx(true @ matrix[:, 0])
    rate = corrected_rate(table((matrix * 100).astype(int).tolist(), THREE), said, {"A": 1, "tie": 0.5})
    assert rate.corrected.value == pytest.approx(0.6, abs=1e-6)


def test_shares_are_never_below_zero_or_above_one():
    found = corrected_shares(table([[40, 10], [10, 40]]), {"A": 5, "B": 95})
    assert [found[name].corrected.value for name in ("A", "B")] == [0, 1]
    assert all(0 <= end <= 1 for name in ("A", "B") for end in found[name].corrected.interval)


def test_a_raw_win_rates_interval_stays_between_none_and_all():
    labelled = Confusion(("A", "B", "tie"), ((9, 1, 0), (1, 9, 0), (2, 2, 6)))
    raw = corrected_rate(labelled, {"A": 3, "B": 0, "tie": 1}, {"A": 1, "tie": 0.5}).raw
    assert raw.value == 0.875
    assert raw.interval is not None and 0 <= raw.interval[0] < raw.value and raw.interval[1] == 1
    assert corrected_rate(labelled, {"A": 1}, {"A": 1, "tie": 0.5}).raw.interval is None


def test_a_class_that_people_never_use_takes_no_share():
    found = corrected_rate(table([[40, 5, 5], [0, 0, 0], [5, 5, 40]], THREE), {"A": 45, "tie": 10, "B": 45}, {"A": 1})
    assert found.corrected.value == pytest.approx(0.5)
    # But how many ties there are cannot be told from labels without one.
    shares = corrected_shares(table([[40, 5, 5], [0, 0, 0], [5, 5, 40]], THREE), {"A": 45, "tie": 10, "B": 45})
    assert shares["tie"].raw.value == 0.1 and shares["tie"].corrected.value is None


def test_what_cannot_be_corrected_says_why_and_keeps_the_raw_number():
    said = {"A": 60, "B": 40}
    blind = corrected_rate(table([[30, 20], [31, 19]]), said, {"A": 1})
    assert (blind.raw.value, blind.corrected.value) == (0.6, None)
    assert "hardly depend on people's labels" in blind.corrected.reason
    few = corrected_rate(table([[30, 20], [1, 2]]), said, {"A": 1})
    assert few.corrected.reason == "too few labelled cases that people call B: 3, at least 5 are needed"
    for one_sided in ([[0, 0], [0, 0]], [[30, 20], [0, 0]]):
        found = corrected_rate(table(one_sided), said, {"A": 1}).corrected
        assert found.reason == "the labelled cases have too few different labels to measure the judge's error"
    assert corrected_rate(table([[9, 1], [1, 9]]), {}, {"A": 1}).raw.reason == "no cases without labels"
    with pytest.raises(ValueError, match="C: not one of A, B"):
        corrected_rate(table([[9, 1], [1, 9]]), {"C": 1}, {"A": 1})


@pytest.mark.parametrize("worth, truth", [({"A": 1}, 0.45), ({"A": 1, "tie": 0.5}, 0.525)])
def test_the_corrected_win_rates_interval_holds_the_truth_in_about_95_of_100(worth, truth):
    """A judge with planted errors, 200 labels and 1000 cases without; the raw rate's interval would mostly miss."""
    rng = np.random.default_rng(21)
    true, matrix = np.array([0.45, 0.15, 0.4]), np.array([[0.75, 0.05, 0.2], [0.15, 0.7, 0.15], [0.05, 0.05, 0.9]])
    covered = missed = 0
    for _ in range(300):
        sizes = rng.multinomial(200, true)
        counts = [rng.multinomial(size, row).tolist() for size, row in zip(sizes, matrix, strict=True)]
        said = dict(zip(THREE, rng.multinomial(1000, true @ matrix).tolist(), strict=True))
        found = corrected_rate(table(counts, THREE), said, worth)
        low, high = found.corrected.interval
        covered += low <= truth <= high
        missed += not found.raw.interval[0] <= truth <= found.raw.interval[1]
    assert 276 <= covered <= 297  # 95 % are 285
    assert missed > 150


def test_a_mean_is_corrected_by_the_prediction_powered_estimator():
    unlabelled, labelled = [60.0, 70.0, 80.0, 90.0], [(70, 60), (80, 75), (90, 70), (60, 65), (75, 70)]
    found = corrected_mean(unlabelled, labelled)
    assert found.raw.value == 75
    assert found.corrected.value == pytest.approx(75 + (-10 - 5 - 20 + 5 - 5) / 5, abs=1e-6)
    # t with four degrees of freedom times the root of both variances: 166.667 / 4 + 82.5 / 5
    assert found.corrected.interval[1] - found.corrected.value == pytest.approx(
        2.776445 * (500 / 12 + 16.5) ** 0.5, abs=1e-4
    )


def test_a_corrected_means_interval_holds_the_truth_in_about_95_of_100():
    rng = np.random.default_rng(22)
    covered = 0
    for _ in range(400):
        human = rng.normal(70, 12, 440)
        judge = np.clip(0.8 * human + 24 + rng.normal(0, 5, 440), 0, 100)  # ten points too kind
        labelled = list(zip(judge[:40].tolist(), human[:40].tolist(), strict=True))
        low, high = corrected_mean(judge[40:].tolist(), labelled).corrected.interval
        covered += low <= 70 <= high
    assert 367 <= covered <= 393


def test_a_mean_of_too_few_labels_is_not_corrected():
    found = corrected_mean([70.0, 80.0], [(70, 60)])
    assert found.raw.value == 75
    assert found.corrected.reason == "too few labelled cases: 1, at least 5 are needed"
    assert corrected_mean([], []).raw.reason == "no cases without labels"


@pytest.mark.parametrize("labels", [100, 1000])
def test_a_judge_that_never_says_tie_is_corrected_all_the_same(labels):
    """It calls most ties a win: their share cannot be told from what it says, but the mean worth can."""
    rng = np.random.default_rng(23)
    true, matrix = np.array([0.30, 0.40, 0.30]), np.array([[0.9, 0, 0.1], [0.9, 0, 0.1], [0.1, 0, 0.9]])
    covered = 0
    for _ in range(200):
        sizes = rng.multinomial(labels, true)
        counts = [rng.multinomial(size, row).tolist() for size, row in zip(sizes, matrix, strict=True)]
        said = dict(zip(THREE, rng.multinomial(1000, true @ matrix).tolist(), strict=True))
        found = corrected_rate(table(counts, THREE), said, {"A": 1, "tie": 0.5}).corrected
        covered += found.interval[0] <= 0.5 <= found.interval[1]
    assert 180 <= covered <= 199  # 95 % are 190


def test_without_a_class_that_people_use_the_rate_is_the_judges_mean_and_its_mean_error():
    found = corrected_rate(table([[8, 0, 2], [4, 0, 1], [1, 0, 9]], THREE), {"A": 60, "B": 40}, {"A": 1, "tie": 0.5})
    # Of 25 labels people's worth is 10 + 2.5, the judge's 13.
    assert found.corrected.value == pytest.approx(0.6 + (12.5 - 13) / 25, abs=1e-12)
    assert found.raw.value == 0.6
