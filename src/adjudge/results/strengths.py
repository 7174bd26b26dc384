"""How strong each system is, from who beat whom: Bradley and Terry's model with ties, length controlled if wanted.

The model. Each system has a strength θ on a logarithmic scale, and d = θ_A − θ_B for a pair. The odds of "A wins",
"B wins" and "a tie" are e^(d/2) : e^(−d/2) : ν, where one ν says how often equals tie (Davidson 1970, "On extending the
Bradley–Terry model to accommodate ties"). With two systems the fit is a matter of counting: θ_A − θ_B = ln(wins ÷
losses).

Length control, as AlpacaEval does it (Dubois and others 2024, "Length-Controlled AlpacaEval"): d gains a term γ·x for
the difference in length, where x = tanh(difference ÷ its typical size) so that a very long answer counts no more than a
long one. All systems share γ. Strengths read at x = 0 answer: who would win if both had written as much?

The fit is the greatest likelihood less a small penalty on the size of all parameters, as if each θ were drawn from a
normal distribution with a deviation of 3 (about 520 points). It hardly moves a strength that the data tell, and keeps
that of a system which always wins finite. The problem is convex, so there is one answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

POINTS = 400  # for odds of ten to one, as in the Elo ratings of chess
MIDDLE = 1000
_SPREAD = 3.0
_CLOSE = 1e-7  # a step of Newton's that is no longer than this is the last
STEPS = 50  # lengths are told apart this finely, on a scale from 0 to 1


@dataclass(frozen=True)
class Games:
    """Kinds of games: who met whom, by number, and `result`: 1 if the first won, −1 if the second did, 0 for a tie.

    `length` is x, the difference in length (first less second) on the scale from −1 to 1, in whole steps; 0 where it is
    not known. `count` says how many games are of this kind.
    """

    first: Any
    second: Any
    result: Any
    length: Any
    count: Any
    systems: int


@dataclass(frozen=True)
class Fit:
    """θ for each system, ln ν, and γ, which is 0 where lengths are left alone."""

    theta: Any
    log_nu: float
    gamma: float


def group(games: Games, *, lengths: bool) -> tuple[Games, Any]:
    """Equal kinds of games counted together, and to which of these each kind belongs; if `lengths` matter, games of
    different lengths are different."""
    # Seen from the system with the lower number, so that it makes no difference which answer was called A.
    turn = np.where(games.first <= games.second, 1, -1)
    ends = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    rows = np.stack([*ends, games.result * turn, games.length * turn * lengths]).astype(np.int64)
    kinds, of = np.unique(rows, axis=1, return_inverse=True)
    of = of.reshape(-1)
    return Games(*kinds, np.bincount(of, games.count), games.systems), of


def fit(games: Games, weights: Any, start: Fit | None = None) -> Fit:
    """The strengths that explain the kinds of games best, each counted as often as its weight says.

    Newton's method: SciPy's general ones take three times as long, and its solver of equations fails where few games
    between many systems count thousands of times.
    """
    first, second, x, systems = games.first, games.second, games.length / STEPS, games.systems
    result, tied = games.result, games.result == 0
    # θ for each system, γ, and last ln ν
    at = np.zeros(systems + 2) if start is None else np.array([*start.theta, start.gamma, start.log_nu])

    def measured(at: Any) -> tuple[float, Any]:
        """The loss, and the chances of a win, a loss and a tie in each kind."""
        d = at[first] - at[second] + at[systems] * x
        logs = np.stack([d / 2, -d / 2, np.full(len(d), at[-1])])
        highest = logs.max(axis=0)
        odds = np.exp(logs - highest)
        whole = odds.sum(axis=0)
        surprise = highest + np.log(whole) - np.where(tied, logs[2], result * logs[0])
        return float(weights @ surprise + at @ at / (2 * _SPREAD**2)), odds / whole

    def by_parameter(by_d: Any) -> Any:
        """What changes with d, as it changes with each θ and with γ."""
        return np.append(np.bincount(first, by_d, systems) - np.bincount(second, by_d, systems), by_d @ x)

    def slopes(at: Any, chances: Any) -> tuple[Any, Any]:
        """The gradient and the Hessian."""
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
        # A whole step may lead too far; as the problem is convex, some part of it leads down.
        while (found := measured(at + step))[0] > loss + gradient @ step / 10_000 and np.abs(step).max() > _CLOSE:
            step = step / 2
        at, (loss, chances) = at + step, found
    return Fit(at[:systems], float(at[-1]), float(at[systems]))


def points(theta: Any) -> Any:
    """Strengths as points: 1000 is the mean, and 400 points more are odds of ten wins to one loss."""
    return MIDDLE + POINTS / np.log(10) * (theta - np.mean(theta))
