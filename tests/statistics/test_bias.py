"""Bias: what was planted is found in its right size, and a judge that shares people's habits is not accused."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from adjudge.statistics import bias
from adjudge.statistics.bias import JudgedPair, win_curve

# Intervals have tests of their own.
bias_report = partial(bias.bias_report, draws=199)
habit_bias = partial(bias.habit_bias, draws=199)
order_bias = partial(bias.order_bias, draws=199)


def other(side):
    return {"A": "B", "B": "A"}.get(side, side)


def lengths_of(pair):
    return pair.lengths


def planted(seed, size, *, first=0.0, longer=0.0, error=0.2, people_longer=0.6):
    """Cases in which people prefer the longer answer so often; the judge follows them but for errors.

    With the chance `first` a verdict names the answer shown first instead, with `longer` the longer one.
    """
    rng = np.random.default_rng(seed)
    pairs = []
    for number in range(size):
        lengths = tuple(rng.integers(50, 400, 2).tolist())
        long = "A" if lengths[0] > lengths[1] else "B"
        human = long if rng.random() < people_longer else other(long)
        view = human if rng.random() >= error else other(human)
        view = long if rng.random() < longer else view
        orders = [shown if rng.random() < first else view for shown in ("A", "B")]
        winner = orders[0] if orders[0] == orders[1] else "tie"
        pairs.append(
            JudgedPair(
                str(number), winner, orders[0], orders[1], lengths=lengths, human=human, sources=("gpt", "other")
            )
        )
    return pairs


def test_a_judge_that_names_the_first_answer_65_times_of_100_is_found_with_that_size():
    rng = np.random.default_rng(41)
    picks = [["A" if rng.random() < 0.65 else "B", "B" if rng.random() < 0.65 else "A"] for _ in range(400)]
    found = order_bias([JudgedPair(str(at), "tie", *pick) for at, pick in enumerate(picks)])
    low, high = found.first_wins.interval
    assert found.found and low < 0.65 < high and high - low < 0.1
    # A flip is naming the first both times (.65²) or the second both times (.35²).
    low, high = found.flips.interval
    assert low < 0.65**2 + 0.35**2 < high


def test_a_fair_judge_is_accused_of_nothing():
    report = bias_report(planted(42, 400))
    assert not report.order.found and report.order.flips.value == 0
    (length,) = report.habits
    assert (length.name, length.found) == ("length", False)


def test_fair_judges_are_accused_about_once_in_twenty():
    accused = sum(bool(habit_bias("length", planted(100 + seed, 60), lengths_of).found) for seed in range(20))
    assert accused <= 4  # one in the mean; five or more about three times in a thousand


def test_a_judge_that_follows_length_is_found_with_its_size():
    pairs = planted(43, 600, longer=0.5, error=0.0)
    length = habit_bias("length", pairs, lengths_of)
    # People prefer the longer in 60 %; half of the judge's other verdicts turn to it: 80 %.
    assert length.people.value == pytest.approx(0.6, abs=0.06)  # three deviations
    assert length.more_wins.value == pytest.approx(0.8, abs=0.05)
    assert length.found and length.followed.interval[0] < 0.5 < length.followed.interval[1]
    # Where people prefer the longer it always agrees, else half of the time.
    assert length.balanced_agreement.interval[0] < 0.75 < length.balanced_agreement.interval[1]


def test_a_judge_that_only_measures_length_has_half_in_balanced_agreement():
    length = habit_bias("length", planted(44, 300, longer=1.0, people_longer=0.9), lengths_of)
    assert length.balanced_agreement.value == 0.5
    assert length.more_wins.value == 1


def test_without_labels_a_habit_is_reported_and_nobody_is_accused():
    pairs = [JudgedPair(str(at), "A", lengths=(9, 5)) for at in range(20)]
    found = habit_bias("length", pairs, lengths_of)
    assert (found.more_wins.value, found.people, found.found) == (1, None, None)


def test_pairs_alike_in_a_feature_and_ties_say_nothing_of_it():
    pairs = [JudgedPair("1", "A", lengths=(5, 5)), JudgedPair("2", "tie", lengths=(9, 5)), JudgedPair("3", None)]
    assert habit_bias("length", pairs, lengths_of).more_wins.reason == "no cases"
    assert bias_report(pairs).habits == ()
    assert bias_report(pairs).order.first_wins.reason == "no order is known"


def test_lists_bold_and_the_judges_own_answers_are_measured_alike():
    rng = np.random.default_rng(45)
    pairs = []
    for at in range(300):
        human = "A" if rng.random() < 0.5 else "B"
        own = "A" if rng.random() < 0.5 else "B"
        winner = own if rng.random() < 0.4 else human
        sources = ("mine", "theirs") if own == "A" else ("theirs", "mine")
        items, bold = tuple(rng.integers(0, 5, 2).tolist()), tuple(rng.integers(0, 5, 2).tolist())
        pairs.append(JudgedPair(str(at), winner, list_items=items, bold=bold, sources=sources, human=human))
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
    assert found.followed.reason == "people always prefer the same kind of answer"


def test_the_curve_rises_with_length_for_a_judge_that_follows_it():
    points = win_curve(planted(47, 300, longer=0.9, people_longer=0.5), lengths_of, bins=4)
    assert sum(point.cases for point in points) == 300 and all(70 <= point.cases <= 80 for point in points)
    assert points[0].difference < 0 < points[-1].difference
    assert points[0].judge < 0.2 and points[-1].judge > 0.8
    assert points[-1].people == pytest.approx(0.5, abs=0.2)
    assert win_curve([], lengths_of) == ()


def test_the_planted_size_of_self_preference_is_held_in_about_95_of_100():
    held = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        pairs = []
        for at in range(140):
            human, own = rng.choice(["A", "B"], 2).tolist()
            sources = ("mine", "theirs") if own == "A" else ("theirs", "mine")
            pairs.append(JudgedPair(str(at), own if rng.random() < 0.4 else human, sources=sources, human=human))
        (habit,) = bias.bias_report(pairs, {"mine"}, draws=99).habits
        held += habit.followed.interval[0] < 0.4 < habit.followed.interval[1]
    assert held >= 34  # of 40; fewer about three times in a thousand, if each holds in 95 of 100


def test_copies_of_a_case_are_drawn_together_in_every_figure():
    pairs = [replace(pair, a_first="A", b_first=pair.winner) for pair in planted(50, 40, error=0.4)]
    copies = [replace(pair, content=pair.content) for pair in pairs for _ in range(4)]
    apart = [replace(pair, content=at) for at, pair in enumerate(copies)]

    def widths(report):
        (length,) = report.habits
        figures = (report.order.flips, report.order.first_wins, length.more_wins, length.people, length.followed)
        return [figure.interval[1] - figure.interval[0] for figure in (*figures, length.balanced_agreement)]

    # As wide as for 40 cases, and about twice as wide as for 160.
    for alone, together, many in zip(*map(widths, map(bias_report, (pairs, copies, apart))), strict=True):
        assert together == pytest.approx(alone, rel=0.15) and together > 1.6 * many
