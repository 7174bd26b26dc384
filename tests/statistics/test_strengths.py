"""Strengths against what can be counted by hand, against a simulation, and under exchange of A and B."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.statistics.strengths import STEPS, Fit, Games, fit, group, points


def games_of(played, systems):
    """Games from (first, second, result) or (first, second, result, length)."""
    rows = [(*game, float("nan"))[:4] for game in played]
    first, second, result, length = (np.array(column) for column in zip(*rows, strict=True))
    return counted(first, second, result, length.astype(float), systems)


def counted(first, second, result, length, systems):
    typical = np.sqrt(np.nanmean(length**2)) if np.isfinite(length).any() else 0
    steps = np.round(np.tanh(np.nan_to_num(length) / typical) * STEPS) if typical else np.zeros(len(length))
    return Games(first, second, result, steps, np.ones(len(first)), systems)


def fitted(games, *, lengths=False):
    grouped, _ = group(games, lengths=lengths and bool(games.length.any()))
    return fit(grouped, grouped.count)


def simulated(theta, nu, gamma, number, seed):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, len(theta), number)
    second = (first + rng.integers(1, len(theta), number)) % len(theta)
    length = rng.normal(0, 100, number)
    d = theta[first] - theta[second] + gamma * np.tanh(length / 100)
    odds = np.exp(np.stack([d / 2, -d / 2, np.full(number, math.log(nu))]))
    drawn = rng.random(number) * odds.sum(axis=0)
    result = np.where(drawn < odds[0], 1, np.where(drawn < odds[0] + odds[1], -1, 0))
    return counted(first, second, result, length, len(theta))


def test_two_systems_differ_by_the_logarithm_of_wins_over_losses():
    for wins, losses, ties in ((30, 10, 8), (300, 100, 50), (120, 120, 60), (40, 80, 20)):
        found = fitted(games_of([(0, 1, 1)] * wins + [(0, 1, -1)] * losses + [(0, 1, 0)] * ties, 2))
        assert found.theta[0] - found.theta[1] == pytest.approx(math.log(wins / losses), abs=0.02)
        assert math.exp(found.log_nu) == pytest.approx(ties / math.sqrt(wins * losses), rel=0.03)


def test_a_system_that_always_wins_has_a_finite_strength_which_grows_with_its_wins():
    few, many = (fitted(games_of([(0, 1, 1)] * number, 2)) for number in (3, 300))
    assert 0 < few.theta[0] - few.theta[1] < many.theta[0] - many.theta[1] < 20


def test_four_hundred_points_are_odds_of_ten_to_one():
    shown = points(np.array([math.log(10), 0.0]), np.zeros(2, int))
    assert shown[0] - shown[1] == pytest.approx(400)
    assert shown.mean() == pytest.approx(1000)


def test_known_strengths_and_the_worth_of_length_are_found_again():
    theta = np.array([1.0, 0.3, 0.0, -1.3])
    games = simulated(theta, 0.6, 0.8, 12_000, seed=7)
    found = fitted(games, lengths=True)
    assert found.theta == pytest.approx(theta, abs=0.12)
    assert found.gamma == pytest.approx(0.8, abs=0.12)


def test_length_control_takes_from_the_winner_what_it_won_by_length():
    """One system wins by writing more and by nothing else."""
    rng = np.random.default_rng(5)
    length = rng.normal(60, 100, 4_000)
    won = rng.random(4_000) < 1 / (1 + np.exp(-2 * np.tanh(length / 116)))
    games = games_of([(0, 1, 1 if one else -1, how) for one, how in zip(won, length, strict=True)], 2)
    raw, controlled = fitted(games), fitted(games, lengths=True)
    assert raw.theta[0] - raw.theta[1] > 0.5
    assert abs(controlled.theta[0] - controlled.theta[1]) < 0.2


played = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([1, 0, -1]), st.integers(-300, 300)).map(
        lambda game: (game[0], (game[0] + game[1]) % 4, game[2], float(game[3]))
    ),
    min_size=1,
    max_size=25,
)


@settings(max_examples=25)
@given(played)
def test_exchanging_a_and_b_everywhere_changes_nothing(rows):
    there = games_of(rows, 4)
    back = games_of([(second, first, -result, -length) for first, second, result, length in rows], 4)
    for lengths in (False, True):
        one, other = fitted(there, lengths=lengths), fitted(back, lengths=lengths)
        assert one.theta == pytest.approx(other.theta, abs=1e-9)
        assert one.gamma == pytest.approx(other.gamma, abs=1e-9)


@settings(max_examples=25)
@given(played)
def test_a_win_more_never_weakens_the_winner(rows):
    before = fitted(games_of(rows, 4)).theta
    after = fitted(games_of([*rows, (0, 1, 1, 0.0)], 4)).theta
    assert after[0] - after[1] >= before[0] - before[1] - 1e-4


def test_there_is_one_answer_wherever_the_search_begins_also_where_few_games_count_much():
    rng = np.random.default_rng(6)
    for count in (1, 1_000_000):
        first = rng.integers(0, 40, 20)
        second = (first + rng.integers(1, 40, 20)) % 40
        games = Games(first, second, rng.integers(-1, 2, 20), rng.integers(-50, 51, 20), rng.integers(1, 9, 20), 40)
        grouped, _ = group(games, lengths=True)
        weights = grouped.count * count
        near, far = (fit(grouped, weights, start) for start in (None, Fit(rng.normal(0, 9, 40), 3.0, -3.0)))
        assert far.theta == pytest.approx(near.theta, abs=1e-5)
        assert (far.log_nu, far.gamma) == pytest.approx((near.log_nu, near.gamma), abs=1e-5)
