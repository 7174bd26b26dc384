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
from scipy import optimize, special  # type: ignore[import-untyped]

POINTS = 400  # for odds of ten to one, as in the Elo ratings of chess
MIDDLE = 1000
_SPREAD = 3.0
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
class Grouped:
    """Equal kinds of games counted together: `of` says to which group each kind belongs.

    `design` has a row a group and a column a system (and one for length): times the parameters it gives d.
    """

    design: Any
    result: Any
    of: Any
    systems: int


@dataclass(frozen=True)
class Fit:
    """θ for each system, ln ν, and γ, which is 0 where lengths are left alone."""

    theta: Any
    log_nu: float
    gamma: float


def group(games: Games, *, lengths: bool) -> Grouped:
    """Count equal games together; if `lengths` matter, games of different lengths are different."""
    # Seen from the system with the lower number, so that it makes no difference which answer was called A.
    turn = np.where(games.first <= games.second, 1, -1)
    first, second = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    x = games.length * turn if lengths else np.zeros(len(first))
    rows = np.stack([first, second, games.result * turn, x], axis=1).astype(np.int32)
    kinds, of = np.unique(rows, axis=0, return_inverse=True)
    first, second, result, x = kinds.T
    each = np.arange(len(kinds))
    design = np.zeros((len(kinds), games.systems + lengths))
    design[each, first] = 1
    design[each, second] = -1
    if lengths:
        design[:, -1] = x / STEPS
    return Grouped(design, result, of.reshape(-1), games.systems)


def fit(grouped: Grouped, weights: Any, start: Fit | None = None) -> Fit:
    """The strengths that explain the groups best, each counted as often as its weight says."""
    design, result = grouped.design, grouped.result
    size = design.shape[1]
    begin = np.zeros(size + 1)  # θ for each system, γ if there are lengths, and last ln ν
    if start is not None:
        begin = np.array([*start.theta, *([start.gamma] if size > grouped.systems else []), start.log_nu])

    def logs(at: Any) -> Any:
        d = design @ at[:size]
        return np.stack([d / 2, -d / 2, np.full(len(d), at[size])])

    def loss(at: Any) -> Any:
        said = logs(at)
        came = np.where(result == 0, said[2], result * said[0])
        return weights @ (special.logsumexp(said, axis=0) - came) + at @ at / (2 * _SPREAD**2)

    def gradient(at: Any) -> Any:
        win, lose, tie = special.softmax(logs(at), axis=0)
        by_d = weights * (win - lose - result) / 2
        return np.append(design.T @ by_d, weights @ (tie - (result == 0))) + at / _SPREAD**2

    def hessian(at: Any) -> Any:
        win, lose, tie = special.softmax(logs(at), axis=0)
        by_d = weights * (win + lose - (win - lose) ** 2) / 4
        across = (design.T @ (-weights * (win - lose) * tie / 2))[:, None]
        systems = (design.T * by_d) @ design
        ties = np.array([[weights @ (tie * (1 - tie))]])
        return np.block([[systems, across], [across.T, ties]]) + np.eye(size + 1) / _SPREAD**2

    options = {"gtol": 1e-5, "maxiter": 200}
    found = optimize.minimize(loss, begin, method="trust-exact", jac=gradient, hess=hessian, options=options).x
    gamma = float(found[grouped.systems]) if size > grouped.systems else 0.0
    return Fit(found[: grouped.systems], float(found[size]), gamma)


def points(theta: Any) -> Any:
    """Strengths as points: 1000 is the mean, and 400 points more are odds of ten wins to one loss."""
    return MIDDLE + POINTS / np.log(10) * (theta - np.mean(theta))
