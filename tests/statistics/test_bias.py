"""Bias: what was planted is found in its right size, and a judge that shares people's habits is not accused. What wrong
labels do to it is in test_leaning.py."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.statistics.bias import JudgedPair, bias_report, habit_bias, order_bias, win_curve


def other(side):
    return {"A": "B", "B": "A"}.get(side, side)


def lengths_of(pair):
    return pair.lengths


def planted(seed, size, *, first=0.0, longer=0.0, error=0.2, people_longer=0.6, wrong=(0.0, 0.0)):
    """Cases in which the longer answer is better so often; the judge is right but for errors, and people (as many as
    `wrong` has entries) but for theirs.

    With the chance `first` a verdict names the answer shown first instead, with `longer` the longer one.
    """
    rng = np.random.default_rng(seed)
    pairs = []
    for number in range(size):
        lengths = tuple(rng.integers(50, 400, 2).tolist())
        long = "A" if lengths[0] > lengths[1] else "B"
        better = long if rng.random() < people_longer else other(long)
        view = better if rng.random() >= error else other(better)
        view = long if rng.random() < longer else view
        orders = [shown if rng.random() < first else view for shown in ("A", "B")]
        winner = orders[0] if orders[0] == orders[1] else "tie"
        votes = {
            name: better if rng.random() >= share else other(better) for name, share in zip("cde", wrong, strict=False)
        }
        pairs.append(
            JudgedPair(
                str(number), winner, orders[0], orders[1], lengths=lengths, votes=votes, sources=("gpt", "other")
            )
        )
    return pairs


def test_a_judge_that_names_the_first_answer_65_times_of_100_is_found_with_that_size():
    rng = np.random.default_rng(41)
    picks = [["A" if rng.random() < 0.65 else "B", "B" if rng.random() < 0.65 else "A"] for _ in range(400)]
    found = order_bias([JudgedPair(str(at), "tie", *pick) for at, pick in enumerate(picks)])
    low, high = found.first_wins.interval
    assert found.found and low < 0.65 < high and high - low < 0.1 and found.first_wins.cases == 400
    # A flip is naming the first both times (.65²) or the second both times (.35²).
    low, high = found.flips.interval
    assert low < 0.65**2 + 0.35**2 < high


def test_a_fair_judge_is_accused_of_nothing():
    report = bias_report(planted(42, 400))
    assert report.order.found is False and report.order.flips.value == 0
    (length,) = report.habits
    assert (length.name, length.found) == ("length", False)


def test_both_rates_of_a_habit_are_over_the_labelled_cases():
    labelled = planted(51, 40, people_longer=0.5)
    others = [replace(pair, winner="A", lengths=(9, 5), votes={}) for pair in planted(52, 60)]
    found = habit_bias("length", labelled + others, lengths_of)
    alone = habit_bias("length", labelled, lengths_of)
    assert found == alone and found.more_wins.cases == found.people.cases == 40
    assert habit_bias("length", others, lengths_of).more_wins.cases == 60


def test_a_judge_that_follows_length_is_found_with_its_size():
    length = habit_bias("length", planted(43, 600, longer=0.5, error=0.0), lengths_of)
    # People prefer the longer in 60 %; half of the judge's other verdicts turn to it: 80 %.
    assert length.people.value == pytest.approx(0.6, abs=0.06)  # three deviations
    assert length.more_wins.value == pytest.approx(0.8, abs=0.05)
    assert length.found and length.followed.interval[0] < 0.5 < length.followed.interval[1]
    # Where people prefer the longer it always agrees, else half of the time.
    assert length.balanced_agreement.interval[0] < 0.75 < length.balanced_agreement.interval[1]


def test_wrong_labels_are_taken_out_of_a_habit_and_not_of_agreement():
    length = habit_bias("length", planted(53, 1500, longer=0.3, error=0.1, wrong=(0.1, 0.2, 0.3)), lengths_of)
    assert length.label_error == pytest.approx(0.2, abs=0.03)
    assert length.found and length.followed.value == pytest.approx(0.3, abs=0.06)
    # It picks the better answer in 93 % where that is the longer one, and in 63 % where not. Of the labels for the
    # longer answer 85.7 % are right, so it agrees with 85.0 % of them; of the others 72.7 %, so it agrees with 47.7 %.
    assert length.balanced_agreement.value == pytest.approx((0.850 + 0.477) / 2, abs=0.04)


def test_a_judge_that_only_measures_length_has_half_in_balanced_agreement():
    length = habit_bias("length", planted(44, 300, longer=1.0, people_longer=0.9), lengths_of)
    assert length.balanced_agreement.value == 0.5
    assert length.more_wins.value == 1


def test_a_rare_kind_of_vote_makes_balanced_agreement_uncertain():
    """All right, but only 4 of 50 votes are for the shorter answer: those alone leave a half of them open."""
    pairs = [JudgedPair(at, side, lengths=(2, 1), votes={"ann": side}) for at, side in enumerate("A" * 46 + "B" * 4)]
    found = habit_bias("length", pairs, lengths_of).balanced_agreement
    assert found.value == 1 and found.interval[0] == pytest.approx(1 - (1 - 0.5101) / 2, abs=0.01)


def test_a_judge_that_always_agrees_has_an_interval_of_balanced_agreement():
    low, high = habit_bias("length", planted(54, 60, error=0.0), lengths_of).balanced_agreement.interval
    assert 0.9 < low < high == 1


def test_without_labels_a_habit_is_reported_and_nobody_is_accused():
    pairs = [JudgedPair(str(at), "A", lengths=(9, 5)) for at in range(20)]
    found = habit_bias("length", pairs, lengths_of)
    assert (found.more_wins.value, found.people, found.found) == (1, None, None)


def test_pairs_alike_in_a_feature_and_ties_of_the_judge_say_nothing_of_it():
    pairs = [JudgedPair("1", "A", lengths=(5, 5)), JudgedPair("2", "tie", lengths=(9, 5)), JudgedPair("3", None)]
    assert habit_bias("length", pairs, lengths_of).more_wins.reason == "no cases"
    assert bias_report(pairs).habits == ()
    assert bias_report(pairs).order.first_wins.reason == "no order is known"


def test_where_people_see_a_tie_the_judges_habit_decides():
    held = 0
    for seed in range(12):
        tied, told = (planted(2 * seed + at, 80, longer=0.6, people_longer=0.5) for at in (0, 1))
        tied = [replace(pair, votes={"c": "tie", "d": "tie"}) for pair in tied]
        found, without = (habit_bias("length", pairs, lengths_of) for pairs in (tied + told, told))
        assert found.found and found.people.cases > 150
        assert np.ptp(found.followed.interval) < np.ptp(without.followed.interval)
        held += found.followed.interval[0] < 0.6 < found.followed.interval[1]
    assert held >= 10  # of 12; fewer about twice in a hundred, if each holds in 95 of 100


def test_lists_bold_and_the_judges_own_answers_are_measured_alike():
    rng = np.random.default_rng(45)
    pairs = []
    for at in range(300):
        better = "A" if rng.random() < 0.5 else "B"
        votes = {name: better if rng.random() < 0.9 else other(better) for name in "cd"}
        own = "A" if rng.random() < 0.5 else "B"
        winner = own if rng.random() < 0.4 else better
        sources = ("mine", "theirs") if own == "A" else ("theirs", "mine")
        items, bold = tuple(rng.integers(0, 5, 2).tolist()), tuple(rng.integers(0, 5, 2).tolist())
        pairs.append(JudgedPair(str(at), winner, list_items=items, bold=bold, sources=sources, votes=votes))
    found = {habit.name: habit for habit in bias_report(pairs, own_sources={"mine"}).habits}
    assert list(found) == ["lists", "bold", "self-preference"]
    assert found["self-preference"].found
    assert found["self-preference"].followed.interval[0] < 0.4 < found["self-preference"].followed.interval[1]
    assert not found["lists"].found and not found["bold"].found


def test_random_errors_are_no_bias_though_the_judge_picks_the_longer_less_often_than_people():
    found = habit_bias("length", planted(52, 1000, error=0.3, people_longer=0.8), lengths_of)
    assert found.more_wins.interval[1] < found.people.interval[0]
    assert found.found is False


def test_a_judge_that_shuns_length_is_found_too():
    pairs = [replace(pair, lengths=pair.lengths[::-1]) for pair in planted(48, 300, longer=0.4, people_longer=0.4)]
    found = habit_bias("length", pairs, lengths_of)
    assert found.found and found.followed.interval[0] < -0.4 < found.followed.interval[1]


def test_labels_of_one_kind_cannot_tell_a_habit_from_quality():
    found = habit_bias("length", planted(49, 30, people_longer=1.0), lengths_of)
    assert found.found is None
    assert found.followed.reason == found.balanced_agreement.reason == "people always prefer the same kind of answer"


def test_the_curve_rises_with_length_for_a_judge_that_follows_it():
    points = win_curve(planted(47, 300, longer=0.9, people_longer=0.5), lengths_of, bins=4)
    assert sum(point.cases for point in points) == 300 and all(70 <= point.cases <= 80 for point in points)
    assert points[0].difference < 0 < points[-1].difference
    assert points[0].judge < 0.2 and points[-1].judge > 0.8
    assert points[-1].people == pytest.approx(0.5, abs=0.2)
    assert win_curve([], lengths_of) == ()


def test_cases_of_one_unit_are_not_independent_in_any_figure():
    pairs = [replace(pair, a_first="A", b_first=pair.winner) for pair in planted(50, 60, error=0.4)]
    copies = [replace(pair, unit=pair.unit) for pair in pairs for _ in range(4)]
    apart = [replace(pair, unit=at) for at, pair in enumerate(copies)]

    def widths(report):
        (length,) = report.habits
        figures = (report.order.flips, report.order.first_wins, length.more_wins, length.people, length.followed)
        return [figure.interval[1] - figure.interval[0] for figure in (*figures, length.balanced_agreement)]

    # As wide as for 60 cases, and about twice as wide as for 240.
    for alone, together, many in zip(*map(widths, map(bias_report, (pairs, copies, apart))), strict=True):
        assert together == pytest.approx(alone, rel=0.15) and together > 1.6 * many
