"""Corrected numbers: the published formula to six digits, and intervals that hold the truth as often as they say."""

import numpy as np
import pytest

from adjudge.agreement.calibration import corrected_mean, corrected_rate

THREE = np.array([1.0, 0.5, 0.0])  # what A, a tie and B are worth
LEANING = [[0.75, 0.05, 0.2], [0.15, 0.7, 0.15], [0.05, 0.05, 0.9]]
NO_TIES = [[0.9, 0, 0.1], [0.9, 0, 0.1], [0.1, 0, 0.9]]


def test_a_win_rate_is_the_judges_and_its_mean_error():
    labelled = [(1, 1)] * 8 + [(0, 1)] * 2 + [(1, 0.5)] * 4 + [(0, 0.5)] + [(1, 0)] + [(0, 0)] * 9
    found = corrected_rate([1.0] * 60 + [0.0] * 40, labelled)
    # Of 25 labels people's worth is 10 + 2.5, the judge's 13.
    assert found.corrected.value == pytest.approx(0.6 + (12.5 - 13) / 25, abs=1e-12)
    assert found.raw.value == 0.6 and found.raw.interval == pytest.approx((0.502003, 0.690599), abs=1e-6)  # Wilson's


def test_rates_and_their_intervals_are_never_below_none_or_above_all():
    found = corrected_rate([0.0] * 95 + [1.0] * 5, [(1, 1)] * 4 + [(1, 0)] * 2 + [(0, 0)] * 4).corrected
    assert found.value == 0 and found.interval[0] == 0 and 0 < found.interval[1] < 1
    raw = corrected_rate([1.0, 1.0, 1.0, 0.5], []).raw
    assert raw.value == 0.875 and 0 <= raw.interval[0] < raw.value and raw.interval[1] == 1
    assert corrected_rate([0.5], []).raw.interval is None


def test_no_error_among_a_few_labels_is_not_taken_for_a_judge_without_errors():
    sure = corrected_rate([1.0, 0.0] * 5000, [(1, 1), (0, 0)] * 500).corrected
    few = corrected_rate([1.0, 0.0] * 5000, [(1, 1), (0, 0)] * 5).corrected
    assert sure.value == few.value == 0.5
    assert few.interval[1] - few.interval[0] > 5 * (sure.interval[1] - sure.interval[0])


@pytest.mark.parametrize(
    "true, judge, labels",
    [([0.45, 0.15, 0.4], LEANING, 200), ([0.3, 0.4, 0.3], NO_TIES, 100), ([0.3, 0.4, 0.3], NO_TIES, 1000)],
)
def test_the_corrected_win_rates_interval_holds_the_truth_in_about_95_of_100(true, judge, labels):
    """A judge with planted errors and 1000 cases without labels; the raw rate's interval would mostly miss."""
    rng = np.random.default_rng(21)
    truth = true @ THREE
    joint = (np.array(true)[:, None] * judge).ravel()
    covered = missed = 0
    for _ in range(300):
        pairs = [(THREE[at % 3], THREE[at // 3]) for at in rng.choice(9, labels, p=joint)]
        found = corrected_rate(THREE[rng.choice(9, 1000, p=joint) % 3].tolist(), pairs)
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
