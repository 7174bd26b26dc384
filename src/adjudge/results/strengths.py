"""How strong each system is, from who beat whom: Bradley and Terry's model with ties, lengths held apart if wanted.

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

from .needs import need

POINTS = 400  # for odds of ten to one, as chess players are used to
MIDDLE = 1000
_SPREAD = 3.0
_STEPS = 0.02  # lengths are told apart this finely, on a scale from −1 to 1


@dataclass(frozen=True)
class Games:
    """Who met whom, by number; `result` is 1 if the first won, −1 if the second did, 0 for a tie.

    `length` is the difference in words, first less second, not a number where it is not known; `task` numbers what was
    asked, by which draws are made.
    """

    first: Any
    second: Any
    result: Any
    length: Any
    task: Any
    systems: int


@dataclass(frozen=True)
class Grouped:
    """Equal games counted together: `of` says to which group each game belongs."""

    first: Any
    second: Any
    result: Any
    x: Any
    of: Any
    systems: int
    with_length: bool


@dataclass(frozen=True)
class Fit:
    """θ for each system, ln ν, and γ, which is 0 where lengths are left alone."""

    theta: Any
    log_nu: float
    gamma: float


def length_scale(games: Games) -> float:
    """The typical size of a difference in length: its root mean square, the same whichever answer is called A."""
    np = need("numpy", "a leaderboard")
    known = games.length[np.isfinite(games.length)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else 0.0


def group(games: Games, scale: float | None = None) -> Grouped:
    """Count equal games together; with a scale, games of different lengths are different."""
    np = need("numpy", "a leaderboard")
    # Seen from the system with the lower number, so that it makes no difference which answer was called A.
    turn = np.where(games.first <= games.second, 1, -1)
    first, second = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    x = np.zeros(len(first))
    if scale:
        x = np.round(np.tanh(np.nan_to_num(games.length) / scale) / _STEPS) * turn
    rows = np.stack([first, second, games.result * turn, x], axis=1).astype(np.int32)
    kinds, of = np.unique(rows, axis=0, return_inverse=True)
    return Grouped(
        first=kinds[:, 0],
        second=kinds[:, 1],
        result=kinds[:, 2],
        x=kinds[:, 3] * _STEPS,
        of=of.reshape(-1),
        systems=games.systems,
        with_length=bool(scale),
    )


def fit(grouped: Grouped, weights: Any, start: Fit | None = None) -> Fit:
    """The strengths that explain the groups best, each counted as often as its weight says."""
    np, optimize = need("numpy", "a leaderboard"), need("scipy.optimize", "a leaderboard")
    size = grouped.systems
    begin = np.zeros(size + 1 + grouped.with_length)
    if start is not None:
        begin[:size], begin[size] = start.theta, start.log_nu
        begin[size + 1 :] = start.gamma
    found = optimize.minimize(
        _loss,
        begin,
        args=(np, grouped, weights),
        method="trust-exact",
        jac=_gradient,
        hess=_hessian,
        options={"gtol": 1e-5, "maxiter": 200},
    ).x
    return Fit(found[:size], float(found[size]), float(found[size + 1]) if grouped.with_length else 0.0)


def points(theta: Any) -> Any:
    """Strengths on the scale people know from chess: 1000 is the middle, 400 points are odds of ten to one."""
    np = need("numpy", "a leaderboard")
    return MIDDLE + POINTS / np.log(10) * (theta - np.mean(theta))


def _odds(np: Any, grouped: Grouped, at: Any) -> tuple[Any, Any, Any, Any]:
    """d, and the probabilities of a win, a loss and a tie, for each group."""
    size = grouped.systems
    d = at[grouped.first] - at[grouped.second]
    if grouped.with_length:
        d = d + at[size + 1] * grouped.x
    logs = np.stack([d / 2, -d / 2, np.full(len(d), at[size])])
    top = logs.max(axis=0)
    odds = np.exp(logs - top)
    total = odds.sum(axis=0)
    return top + np.log(total), odds[0] / total, odds[1] / total, odds[2] / total


def _loss(at: Any, np: Any, grouped: Grouped, weights: Any) -> float:
    size = grouped.systems
    d = at[grouped.first] - at[grouped.second]
    if grouped.with_length:
        d = d + at[size + 1] * grouped.x
    came = np.where(grouped.result == 0, at[size], grouped.result * d / 2)
    return float(weights @ (_odds(np, grouped, at)[0] - came) + at @ at / (2 * _SPREAD**2))


def _gradient(at: Any, np: Any, grouped: Grouped, weights: Any) -> Any:
    size = grouped.systems
    _, win, loss, tie = _odds(np, grouped, at)
    by_d = weights * ((win - loss) / 2 - grouped.result / 2)
    by_nu = weights @ (tie - (grouped.result == 0))
    gradient = at / _SPREAD**2
    gradient[:size] += np.bincount(grouped.first, by_d, size) - np.bincount(grouped.second, by_d, size)
    gradient[size] += by_nu
    if grouped.with_length:
        gradient[size + 1] += by_d @ grouped.x
    return gradient


def _hessian(at: Any, np: Any, grouped: Grouped, weights: Any) -> Any:
    size = grouped.systems
    _, win, loss, tie = _odds(np, grouped, at)
    by_d = weights * ((win + loss) / 4 - ((win - loss) / 2) ** 2)
    by_both = -weights * (win - loss) / 2 * tie
    pairs = np.bincount(grouped.first * size + grouped.second, by_d, size * size).reshape(size, size)
    pairs = pairs + pairs.T
    matrix = np.eye(len(at)) / _SPREAD**2
    matrix[:size, :size] += np.diag(pairs.sum(axis=1)) - pairs
    across = np.bincount(grouped.first, by_both, size) - np.bincount(grouped.second, by_both, size)
    matrix[:size, size] += across
    matrix[size, :size] += across
    matrix[size, size] += weights @ (tie * (1 - tie))
    if grouped.with_length:
        sides = by_d * grouped.x
        slope = np.bincount(grouped.first, sides, size) - np.bincount(grouped.second, sides, size)
        matrix[:size, size + 1] += slope
        matrix[size + 1, :size] += slope
        matrix[size, size + 1] += by_both @ grouped.x
        matrix[size + 1, size] += by_both @ grouped.x
        matrix[size + 1, size + 1] += sides @ grouped.x
    return matrix
