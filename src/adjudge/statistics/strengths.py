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

from ..models.figures import Figure
from .intervals import CONFIDENCE, SEED

POINTS = 400  # for odds of ten to one, as in chess Elo ratings
MIDDLE = 1000
STEPS = 50  # length differences are rounded to this many steps on a scale from 0 to 1
_SPREAD = 3.0
_CLOSE = 1e-7  # Newton's method stops at a step of at most this size


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
    rng, total, tail = np.random.default_rng(SEED), int(tasks.sum()), (1 - CONFIDENCE) / 2
    whole = models[0][0]
    games = np.bincount(np.append(whole.first, whole.second), np.tile(whole.count, 2), whole.systems).astype(int)
    drawn = np.empty((len(models), draws, whole.systems))
    for at in range(draws):
        often = rng.multinomial(total, tasks / total) @ played
        for number, ((model, of), fitted) in enumerate(zip(models, fits, strict=True)):
            drawn[number, at] = points(fit(model, np.bincount(of, often), fitted).theta, groups)
    found = []
    for fitted, own in zip(fits, drawn, strict=True):
        best, (low, high) = points(fitted.theta, groups), np.quantile(own, [tail, 1 - tail], axis=0)
        # If the penalty limits a strength, all draws may lie on one side of it. Widen the interval to contain it.
        ends = np.stack([best, np.minimum(low, best), np.maximum(high, best)], axis=1).round(2).tolist()
        rows = zip(ends, games.tolist(), strict=True)
        figures = [Figure(value, cases, "", (low, high)) for (value, low, high), cases in rows]
        found.append((figures, fitted))
    return found


def points(theta: Any, groups: Any) -> Any:
    """Convert strengths to points: 1000 is the mean of each group of connected systems, and 400 points more are odds of
    ten wins to one loss."""
    means = np.bincount(groups, theta) / np.bincount(groups)
    return MIDDLE + POINTS / np.log(10) * (theta - means[groups])


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
    """Fit the strengths that best explain the games; each kind counts as often as its weight says.

    We use Newton's method: SciPy's general minimizers take three times as long, and its equation solver fails if few
    games between many systems count thousands of times.
    """
    first, second, x, systems = games.first, games.second, games.length / STEPS, games.systems
    result, tied = games.result, games.result == 0
    # θ for each system, then γ, then ln ν
    at = np.zeros(systems + 2) if start is None else np.array([*start.theta, start.gamma, start.log_nu])

    def measured(at: Any) -> tuple[float, Any]:
        """Return the loss, and the probabilities of a win, a loss and a tie in each kind of game."""
        d = at[first] - at[second] + at[systems] * x
        odds, whole, highest = outcome_odds(d / 2, np.full(len(d), at[-1]))
        surprise = highest + np.log(whole) - np.where(tied, at[-1], result * d / 2)
        return float(weights @ surprise + at @ at / (2 * _SPREAD**2)), odds / whole

    def by_parameter(by_d: Any) -> Any:
        """Convert a derivative with respect to d into derivatives with respect to each θ and γ."""
        return np.append(np.bincount(first, by_d, systems) - np.bincount(second, by_d, systems), by_d @ x)

    def slopes(at: Any, chances: Any) -> tuple[Any, Any]:
        """Return the gradient and the Hessian."""
        win, lose, tie = chances
        gradient = np.append(by_parameter(weights * (win - lose - result) / 2), weights @ (tie - tied))
        by_d = weights * (win + lose - (win - lose) ** 2) / 4
        met = np.bincount(first * systems + second, by_d, systems**2).reshape(systems, systems)
        hessian = np.eye(systems + 2) / _SPREAD**2
        hessian[:systems, :systems] += np.diag(met.sum(axis=0) + met.sum(axis=1)) - met - met.T
        by_length = by_parameter(by_d * x)
        hessian[systems, : systems + 1] += by_length
        hessian[:systems, systems] += by_length[:systems]
        with_ties = by_parameter(-weights * (win - lose) * tie / 2)
        hessian[-1, :-1] += with_ties
        hessian[:-1, -1] += with_ties
        hessian[-1, -1] += weights @ (tie * (1 - tie))
        return gradient + at / _SPREAD**2, hessian

    loss, chances = measured(at)
    step = np.ones(len(at))
    while np.abs(step).max() > _CLOSE:
        gradient, hessian = slopes(at, chances)
        step = -np.linalg.solve(hessian, gradient)
        # A full step may overshoot. Because the problem is convex, a shorter one in the same direction lowers the loss.
        while (found := measured(at + step))[0] > loss + gradient @ step / 10_000 and np.abs(step).max() > _CLOSE:
            step = step / 2
        at, (loss, chances) = at + step, found
    return Fit(at[:systems], float(at[-1]), float(at[systems]))
