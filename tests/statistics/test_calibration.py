"""Calibration: the fits against a second library, choices by held-out error, and that few labels change little."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from adjudge.statistics.calibration import (
    CalibrationMap,
    calibrate,
    calibration_error,
    confidence_bins,
    fit_isotonic,
    fit_ordinal,
    learn_weights,
)

SCORES = st.sampled_from([1.0, 2.5, 4.0, 6.0, 9.0])


@settings(max_examples=40)
@given(st.lists(st.tuples(SCORES, st.sampled_from([1.0, 2.0, 3.0])), min_size=1, max_size=40))
def test_the_isotonic_map_is_that_of_scikit_learn(pairs):
    x, y = zip(*pairs, strict=True)
    other = IsotonicRegression(out_of_bounds="clip").fit(x, y)
    asked = [0.0, 1.0, 2.0, 3.3, 5.0, 9.0, 12.0]
    assert [fit_isotonic(x, y).apply(score) for score in asked] == pytest.approx(other.predict(asked), abs=1e-6)


def test_with_two_levels_proportional_odds_are_a_logistic_regression():
    rng = np.random.default_rng(31)
    x = rng.normal(5, 2, 300)
    y = (rng.random(300) < 1 / (1 + np.exp(-(x - 5)))).astype(float)
    other = LogisticRegression(C=1e4).fit(x[:, None], y)
    found = fit_ordinal(x, y)
    assert found.slope == pytest.approx(float(other.coef_[0, 0]), rel=0.01)
    for score in (2.0, 5.0, 7.5):
        assert found.apply(score) == pytest.approx(float(other.predict_proba([[score]])[0, 1]), abs=5e-3)


def test_proportional_odds_find_the_cuts_that_were_planted():
    rng = np.random.default_rng(32)
    x = rng.uniform(0, 10, 4000)
    hidden = 0.8 * x + rng.logistic(size=4000)
    found = fit_ordinal(x, np.searchsorted([2.0, 4.0, 6.5], hidden) + 1.0)
    assert found.slope == pytest.approx(0.8, abs=0.05)
    assert found.cuts == pytest.approx([2.0, 4.0, 6.5], abs=0.3)
    assert found.levels == (1, 2, 3, 4)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(SCORES, st.sampled_from([1.0, 2.0, 3.0])), min_size=3, max_size=25))
def test_every_map_rises_stays_on_the_human_scale_and_survives_json(pairs):
    x, y = zip(*pairs, strict=True)
    for fit in (fit_isotonic, fit_ordinal):
        made = fit(x, y)
        again = CalibrationMap.model_validate(json.loads(json.dumps(made.model_dump())))
        values = [again.apply(score) for score in (0.0, 1.0, 3.0, 5.0, 8.0, 12.0)]
        assert again == made
        assert all(low <= high + 1e-9 for low, high in pairwise(values))
        assert min(y) - 1e-9 <= values[0] and values[-1] <= max(y) + 1e-9


@pytest.mark.parametrize("data", [
    {}, {"kind": "isotonic"}, {"kind": "isotonic", "points": []}, {"kind": "isotonic", "points": [[[1], 2]]},
    {"kind": "isotonic", "points": 3}, {"kind": "ordinal", "levels": [1], "cuts": [2], "slope": 1},
    {"kind": "ordinal", "levels": [1, 2], "cuts": [0]},
    {"kind": "ordinal", "levels": [[1], [2]], "cuts": [0], "slope": 1},
    {"kind": ["ordinal"], "levels": [1, 2], "cuts": [0], "slope": 1},
    {"kind": "linear", "levels": [1, 2], "cuts": [0], "slope": 1},
])  # fmt: skip
def test_what_is_no_map_is_refused(data):
    with pytest.raises(ValidationError, match="for CalibrationMap"):
        CalibrationMap.model_validate(data)


def judged(rng, size, noise=6.0):
    """Human steps of 20 and a judge that is 25 points too kind."""
    human = rng.choice([20.0, 40.0, 60.0, 80.0, 100.0], size)
    return (human / 2 + 60 + rng.normal(0, noise, size)).tolist(), human.tolist()


def test_a_kind_judge_is_mapped_to_the_human_scale_and_errs_less_on_held_out_cases():
    scores, human = judged(np.random.default_rng(33), 120)
    found = calibrate(scores, human)
    assert found.chosen is not None and found.cases == 120
    assert found.errors[found.chosen.kind] == min(found.errors.values()) < 0.6 * found.errors["unchanged"]
    new_scores, new_human = judged(np.random.default_rng(34), 200)
    fresh = np.sqrt(np.mean([(found.chosen.apply(a) - b) ** 2 for a, b in zip(new_scores, new_human, strict=True)]))
    assert fresh == pytest.approx(found.errors[found.chosen.kind], rel=0.25)  # what cross-validation promised


def test_a_judge_that_knows_nothing_gets_no_map_even_if_one_does_a_little_better_by_chance():
    lucky = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        found = calibrate(rng.uniform(0, 100, 60).tolist(), rng.choice([20.0, 60.0, 100.0], 60).tolist())
        assert found.chosen is None
        assert found.reason == "no map has a clearly smaller error on held-out cases than one number for all cases"
        lucky += min(found.errors["isotonic"], found.errors["ordinal"]) < found.errors["mean"]
    assert lucky >= 2


def test_a_judge_that_is_right_already_keeps_its_own_score():
    rng = np.random.default_rng(36)
    scores = rng.uniform(20, 100, 100)
    found = calibrate(scores.tolist(), np.round(scores + rng.normal(0, 10, 100), -1).tolist())  # in tens: few levels
    assert found.chosen is None
    assert found.reason == "no map has a clearly smaller error on held-out cases than the judge's own score"


def test_copies_do_not_make_a_chance_gain_look_certain():
    """A judge that knows nothing, and ten copies of each of 20 cases, held out with and without each other."""
    copies, together, alone = np.repeat(np.arange(20), 10), 0, 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        scores, human = rng.uniform(0, 100, 20)[copies].tolist(), rng.choice([20.0, 60.0, 100.0], 20)[copies].tolist()
        together += calibrate(scores, human, copies.tolist()).chosen is not None
        alone += calibrate(scores, human).chosen is not None
    assert together <= 1 and alone >= 5


def test_few_cases_give_no_map():
    assert calibrate([1.0] * 5, [1.0] * 5).reason == "too few labelled cases for a map: 5, at least 20"


def test_a_groups_cases_are_held_out_together():
    """Ten copies of each case: split between fitting and checking they would promise too much."""
    rng = np.random.default_rng(36)
    scores, human = rng.uniform(0, 100, 12), rng.uniform(0, 100, 12)
    copies, groups = np.repeat(np.arange(12), 10), np.repeat(np.arange(12), 10).tolist()
    honest = calibrate(scores[copies].tolist(), human[copies].tolist(), groups)
    split = calibrate(scores[copies].tolist(), human[copies].tolist())
    assert split.errors["isotonic"] < honest.errors["isotonic"]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50))
def test_the_calibration_error_is_the_mean_gap_between_sure_and_right_by_tenths(pairs):
    """Over tenths, the gaps of the sums: no mean is needed."""
    tenths = {min(int(sure * 10), 9) for sure, _ in pairs}
    gaps = [sum(sure - right for sure, right in pairs if min(int(sure * 10), 9) == tenth) for tenth in tenths]
    bins = confidence_bins(pairs)
    assert sum(part.cases for part in bins) == len(pairs)
    assert calibration_error(bins) == pytest.approx(sum(map(abs, gaps)) / len(pairs), abs=1e-9)


def test_a_judge_always_sure_and_right_half_the_time_is_off_by_half():
    assert calibration_error(confidence_bins([(1.0, True), (1.0, False)] * 5)) == pytest.approx(0.5)
    assert calibration_error(()) is None


DEFAULTS = {"correctness": 2.0, "depth": 1.5, "clarity": 1.0}


def compared(rng, size, weights, ties=True):
    differences = rng.integers(-4, 5, (size, 3)).astype(float)
    hidden = differences @ np.array(weights) + rng.logistic(size=size)
    band = 0.7 if ties else 0.0
    winners = [0.5 if value > band else -0.5 if value < -band else 0.0 for value in hidden]
    return [dict(zip(DEFAULTS, row, strict=True)) for row in differences.tolist()], winners


def learned(differences, winners):
    return learn_weights(differences, winners, DEFAULTS, of_two=True)


@pytest.mark.parametrize("ties", [True, False])
def test_weights_that_people_follow_are_learned_and_have_the_sum_of_the_defaults(ties):
    found = learned(*compared(np.random.default_rng(37), 500, (0.2, 0.2, 1.2), ties))
    assert found.better and sum(found.weights.values()) == pytest.approx(4.5)
    assert found.weights["clarity"] == pytest.approx(4.5 * 1.2 / 1.6, abs=0.4)
    assert found.weights["clarity"] > 3 * max(found.weights["correctness"], found.weights["depth"])


def test_a_weight_is_never_negative():
    found = learned(*compared(np.random.default_rng(38), 300, (1.0, -0.8, 0.5)))
    assert found.weights["depth"] == pytest.approx(0, abs=0.15)
    assert min(found.weights.values()) >= 0


def test_which_answer_is_called_a_makes_no_difference_to_the_weights():
    differences, winners = compared(np.random.default_rng(39), 100, (1.0, 0.5, 0.5))
    turned = [{key: -value for key, value in row.items()} for row in differences]
    one, other = learned(differences, winners), learned(turned, [-winner for winner in winners])
    assert one.weights == pytest.approx(other.weights, abs=0.01)


def test_labels_that_follow_the_defaults_leave_them_about_where_they_were():
    assert not any(learned(*compared(np.random.default_rng(seed), 100, (0.6, 0.45, 0.3))).better for seed in range(10))
    found = learned(*compared(np.random.default_rng(40), 300, (0.6, 0.45, 0.3)))
    assert found.weights == pytest.approx(DEFAULTS, abs=0.45)
    few = learned([], [])
    assert (few.weights, few.reason) == (None, "too few labels for weights: 0, at least 20")
