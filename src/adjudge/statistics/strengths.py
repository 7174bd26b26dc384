"""Strengths of systems from who beat whom, with ties, and with length controlled (Davidson's model).

The model. Each system has a strength θ on a logarithmic scale, and d = θ_A − θ_B for a pair. The odds of "A wins",
"B wins" and "a tie" are e^(d/2) : e^(−d/2) : ν, where ν says how often equal systems tie (Davidson 1970, "On extending
the Bradley–Terry model to accommodate ties"). With two systems it is enough to count: θ_A − θ_B = ln(wins ÷ losses).

Length control, as in AlpacaEval (Dubois and others 2024, "Length-Controlled AlpacaEval"): d gains a term γ·x for the
difference in length, where x = tanh(difference ÷ its typical size), so that a very long answer counts no more than a
long one. All systems share γ. Strengths at x = 0 answer the question: who would win if both answers were equally long?

The fit maximises the likelihood minus a small penalty on the size of all parameters, as if each θ were drawn from a
normal distribution with a standard deviation of 3 (about 520 points). The penalty hardly changes a strength that the
data determine, and keeps that of a system that always wins finite. The problem is convex, so there is one solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array  # type: ignore[import-untyped]

from ..models.figures import Figure
from .intervals import SEED
from .resampling import expanded_tail

POINTS = 400  # for odds of ten to one, as in chess Elo ratings
MIDDLE = 1000
STEPS = 50  # length differences are rounded to this many steps on a scale from 0 to 1
_SPREAD = 3.0
_CLOSE = 1e-7  # Newton's method stops at a step of at most this size
_AT_ONCE = 200_000  # numbers in an array of draws that are fitted together


@dataclass(frozen=True)
class Games:
    """Kinds of games: two systems by number, and `result`: 1 if the first won, −1 if the second did, 0 for a tie.

    `length` is x, the difference in length (first minus second) on the scale from −1 to 1, in whole steps; 0 if it is
    not known. `count` says how many games are of each kind.
    """

    first: Any
    second: Any
    result: Any
    length: Any
    count: Any
    systems: int


@dataclass(frozen=True)
class Fit:
    """θ for each system, ln ν, and γ, which is 0 if lengths are not controlled."""

    theta: Any
    log_nu: float
    gamma: float


def strengths(
    models: Sequence[tuple[Games, Any]], tasks: Any, played: Any, groups: Any, draws: int
) -> list[tuple[list[Figure], Fit]]:
    """Return strengths in points with their intervals, and the fit behind them, for each model.

    A model holds the kinds of games, and which of them each kind in `played` is. `tasks` says how many tasks there are
    of each kind; a row of `played` holds the games on a task of that kind. All models use the same draws, which draw
    tasks, because games on one task are not independent. `groups` are the numbers of the groups of connected systems.
    """
    fits = [fit(model, model.count) for model, _ in models]
    rng, total = np.random.default_rng(SEED), int(tasks.sum())
    tail = expanded_tail(max(total, 2))
    whole = models[0][0]
    games = np.bincount(np.append(whole.first, whole.second), np.tile(whole.count, 2), whole.systems).astype(int)
    drawn: list[list[Any]] = [[] for _ in models]
    at_once = max(1, _AT_ONCE // max(*played.shape, (whole.systems + 2) ** 2))
    for begin in range(0, draws, at_once):
        often = rng.multinomial(total, tasks / total, min(at_once, draws - begin)) @ played
        for own, (model, of), fitted in zip(drawn, models, fits, strict=True):
            merged = csr_array((np.ones(len(of)), (np.arange(len(of)), of)), (len(of), len(model.first)))
            own.append(points(_fitted(model, often @ merged, fitted)[:, : model.systems], groups))
    found = []
    for fitted, own in zip(fits, drawn, strict=True):
        best, (low, high) = points(fitted.theta, groups), np.quantile(np.concatenate(own), [tail, 1 - tail], axis=0)
        # If the penalty limits a strength, all draws may lie on one side of it. Widen the interval to contain it.
        ends = np.stack([best, np.minimum(low, best), np.maximum(high, best)], axis=1).round(2).tolist()
        rows = zip(ends, games.tolist(), strict=True)
        figures = [Figure(value, cases, "", (low, high)) for (value, low, high), cases in rows]
        found.append((figures, fitted))
    return found


def points(theta: Any, groups: Any) -> Any:
    """Convert strengths, those of one fit or a row for each, to points: 1000 is the mean of each group of connected
    systems, and 400 points more are odds of ten wins to one loss."""
    member = groups[:, None] == np.arange(max(groups) + 1)
    means = theta @ member / member.sum(axis=0)
    return MIDDLE + POINTS / np.log(10) * (theta - means[..., groups])


def group(games: Games, *, lengths: bool) -> tuple[Games, Any]:
    """Merge equal kinds of games, and return them with the merged kind of each given kind. With `lengths`, games with
    different lengths are of different kinds."""
    # Describe a game from the side of the system with the lower number, so that it does not matter which one was A.
    turn = np.where(games.first <= games.second, 1, -1)
    ends = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    rows = np.stack([*ends, games.result * turn, games.length * turn * lengths]).astype(np.int64)
    (first, second, result, length), of = np.unique(rows, axis=1, return_inverse=True)
    of = of.reshape(-1)
    return Games(first, second, result, length, np.bincount(of, games.count), games.systems), of


def outcome_odds(half: Any, log_nu: Any) -> tuple[Any, Any, Any]:
    """Return the odds of a win, a loss and a tie, their sum, and the logarithm of the factor that they were divided by.

    `half` is d/2. The largest of the three odds is 1, so that none is too large for a float.
    """
    logs = np.stack([half, -half, log_nu])
    highest = logs.max(axis=0)
    odds = np.exp(logs - highest)
    return odds, odds.sum(axis=0), highest


def fit(games: Games, weights: Any, start: Fit | None = None) -> Fit:
    """Fit the strengths that best explain the games; each kind counts as often as its weight says."""
    ((*theta, gamma, log_nu),) = _fitted(games, np.asarray(weights)[None], start)
    return Fit(np.array(theta), float(log_nu), float(gamma))


def _fitted(games: Games, weights: Any, start: Fit | None) -> Any:
    """Return a row of parameters (θ for each system, then γ, then ln ν) for each row of weights, all fitted together.

    We use Newton's method: SciPy's general minimizers take three times as long, and its equation solver fails if few
    games between many systems count thousands of times.
    """
    systems, result, tied = games.systems, games.result, games.result == 0
    terms, pairs = _terms(games)

    def measured(at: Any, weights: Any) -> tuple[Any, Any]:
        """Return the losses, and the probabilities of a win, a loss and a tie in each kind of game."""
        d, log_nu = (terms @ at[:, :-1].T).T, at[:, -1:]
        odds, whole, highest = outcome_odds(d / 2, np.broadcast_to(log_nu, d.shape))
        surprise = highest + np.log(whole) - np.where(tied, log_nu, result * d / 2)
        return (weights * surprise).sum(axis=1) + (at**2).sum(axis=1) / (2 * _SPREAD**2), odds / whole

    def slopes(at: Any, chances: Any, weights: Any) -> tuple[Any, Any]:
        """Return the gradients and the Hessians."""
        win, lose, tie = chances
        by_d, by_tie = weights * (win - lose - result) / 2 @ terms, (weights * (tie - tied)).sum(axis=1)
        hessians = np.tile(np.eye(systems + 2) / _SPREAD**2, (len(at), 1, 1))
        twice = weights * (win + lose - (win - lose) ** 2) / 4 @ pairs
        hessians[:, :-1, :-1] += twice.reshape(-1, systems + 1, systems + 1)
        with_ties = -weights * (win - lose) * tie / 2 @ terms
        hessians[:, -1, :-1] += with_ties
        hessians[:, :-1, -1] += with_ties
        hessians[:, -1, -1] += (weights * tie * (1 - tie)).sum(axis=1)
        return np.column_stack([by_d, by_tie]) + at / _SPREAD**2, hessians

    first = np.zeros(systems + 2) if start is None else np.array([*start.theta, start.gamma, start.log_nu])
    at = np.tile(first, (len(weights), 1))
    loss, chances = measured(at, weights)
    going = np.arange(len(weights))  # the rows that are not yet at their best
    while len(going):
        here, own = at[going], weights[going]
        gradient, hessians = slopes(here, chances, own)
        step = -np.linalg.solve(hessians, gradient[..., None])[..., 0]
        # A full step may overshoot. Because the problem is convex, a shorter one in the same direction lowers the loss.
        while True:
            found, chances = measured(here + step, own)
            large = np.abs(step).max(axis=1) > _CLOSE
            over = large & (found > loss + (gradient * step).sum(axis=1) / 10_000)
            if not over.any():
                break
            step[over] /= 2
        at[going] = here + step
        going, loss, chances = going[large], found[large], chances[:, large]
    return at


def _terms(games: Games) -> tuple[Any, Any]:
    """Return d of each kind of game as a sum over θ of all systems and γ, a row each; and the products of two terms."""
    kinds, size = len(games.first), games.systems + 1
    values = np.stack([np.ones(kinds), -np.ones(kinds), games.length / STEPS], axis=1)
    places = np.stack([games.first, games.second, np.full(kinds, games.systems)], axis=1)
    rows = np.arange(kinds)
    terms = csr_array((values.ravel(), (rows.repeat(3), places.ravel())), (kinds, size))
    products = values[:, :, None] * values[:, None, :]
    both = places[:, :, None] * size + places[:, None, :]
    return terms, csr_array((products.ravel(), (rows.repeat(9), both.ravel())), (kinds, size**2))
