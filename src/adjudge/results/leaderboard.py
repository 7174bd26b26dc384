"""Ranks the systems that a compare run names: strengths with intervals, raw and with length controlled.

The bootstrap for the intervals draws tasks, because several comparisons on one task are not independent. A comparison
that the judge did not decide counts neither as a win nor as a tie.

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

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.sparse import csgraph, csr_array  # type: ignore[import-untyped]

from ..errors import InputError
from ..statistics.changes import CONFIDENCE, SEED
from .database import Database

DRAWS = 400
POINTS = 400  # for odds of ten to one, as in chess Elo ratings
MIDDLE = 1000
_SPREAD = 3.0
_CLOSE = 1e-7  # Newton's method stops at a step of at most this size
STEPS = 50  # length differences are rounded to this many steps on a scale from 0 to 1
_FEW_DRAWS = 100
_MANY_KINDS = 100_000  # combinations of kinds of tasks and games; with more, we draw less often
_TYPICAL = float(np.tanh(1))  # a difference in length of typical size
_NAMED = "system_a is not null and system_b is not null"
_MET = f"{_NAMED} and system_a <> system_b and status = 'verdict'"
_PLAYED = f"{_MET} and decided is distinct from false"


@dataclass(frozen=True, slots=True)
class Strength:
    """Points with their interval."""

    points: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """One system: its strength, raw and (if lengths are known) with length controlled, and the games behind it.

    `group` numbers the groups of systems connected by games, directly or through others, from 0 for the largest.
    Strengths and ranks of different groups cannot be compared. A tie counts as half a game won.
    `note` says that it never lost (or never won), so that only the penalty keeps its strength finite.
    """

    rank: int
    system: str
    group: int
    raw: Strength
    length_controlled: Strength | None
    wins: int
    ties: int
    losses: int
    share_won: float
    mean_words: float | None
    note: str | None

    @property
    def games(self) -> int:
        return self.wins + self.ties + self.losses


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two systems that met, and how often the first won, tied and lost."""

    first: str
    second: str
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All standings, the strongest first, and what a reader should know about them."""

    standings: tuple[Standing, ...]
    meetings: tuple[HeadToHead, ...]
    games: int
    tasks: int
    undecided: int
    against_itself: int
    without_verdict: int
    without_systems: int
    groups: int
    longer: float | None
    draws: int


def leaderboard_of(database: Database) -> Leaderboard:
    """Build the leaderboard of a compare run whose rows name the systems that wrote the answers."""
    folder = str(database.run.folder)
    if database.run.protocol != "compare":
        raise InputError(folder, f"a {database.run.protocol} run", "a leaderboard needs a compare run")
    counted = database.figures(
        f"""select count(*) filter ({_MET} and decided is false) as undecided,
        count(*) filter ({_NAMED} and status = 'verdict' and system_a = system_b) as against_itself,
        count(*) filter ({_NAMED} and status <> 'verdict') as without_verdict,
        count(*) filter (not ({_NAMED})) as without_systems from {database.chosen}"""
    )
    sides = " union all ".join(
        f"select system_{side} as system, words_{side} as words, position from {database.chosen} where {_PLAYED}"
        for side in "ab"
    )
    systems = database.query(f"select system, avg(words) from ({sides}) group by system order by min(position), system")
    if not systems:
        found = "no decided comparison of two named systems"
        allowed = f"the judge did not decide any of {counted['undecided']:,} comparisons; another judge may"
        if not counted["undecided"]:
            allowed = "rows must name who wrote each answer: columns that `adjudge run` maps to system_a and system_b"
        raise InputError(folder, found, allowed)
    words = dict(systems)
    games, counts, played, with_lengths = _games(database, list(words))
    draws = DRAWS if played.nnz <= _MANY_KINDS else _FEW_DRAWS
    wins, ties = _results(games)
    beat = wins + ties
    met = csgraph.connected_components(beat)[1]  # directly or through others
    sizes = Counter(met.tolist())
    groups = {number: place for place, (number, _) in enumerate(sizes.most_common())}
    models = [group(games, lengths=lengths) for lengths in ((False, True) if with_lengths else (False,))]
    (raw, _), *second = _strengths(models, counts, played, met, draws)
    controlled, longer = None, None
    if second:
        controlled, fitted = second[0]
        longer = round(float(fitted.gamma * _TYPICAL * POINTS / np.log(10)), 2)
    names, standings, ranked = list(words), [], Counter[int]()
    order = sorted(range(len(names)), key=lambda at: (groups[met[at]], -raw[at].points, names[at]))
    for at in order:
        won, tied, lost = int(wins[at].sum()), int(ties[at].sum()), int(wins[:, at].sum())
        ranked[met[at]] += 1
        standings.append(
            Standing(
                rank=ranked[met[at]],
                system=names[at],
                group=groups[met[at]],
                raw=raw[at],
                length_controlled=controlled[at] if controlled else None,
                wins=won,
                ties=tied,
                losses=lost,
                share_won=round((won + tied / 2) / (won + tied + lost), 6),
                mean_words=None if (mean := words[names[at]]) is None else round(mean, 2),
                note="never lost" if not (tied or lost) else "never won" if not (tied or won) else None,
            )
        )
    meetings = [
        HeadToHead(names[one], names[other], int(wins[one, other]), int(ties[one, other]), int(wins[other, one]))
        for one, other in combinations(order, 2)
        if beat[one, other] or beat[other, one]
    ]
    return Leaderboard(
        standings=tuple(standings),
        meetings=tuple(sorted(meetings, key=lambda it: -(it.wins + it.ties + it.losses))),
        games=int(games.count.sum()),
        tasks=int(counts.sum()),
        groups=len(sizes),
        longer=longer,
        draws=draws,
        **counted,
    )


def _games(database: Database, names: list[str]) -> tuple[Games, Any, Any, bool]:
    """Return the kinds of games; how many tasks there are of each kind; the games played on a task of each kind, one
    row each; and whether answers differ in length. The database does the counting. Two tasks are of one kind if the
    same games were played on them, in any order."""
    ((scale,),) = database.query(f"select sqrt(avg((words_a - words_b) ** 2)) from {database.chosen} where {_PLAYED}")
    steps = f"round(tanh((words_a - words_b) / {scale!r}) * {STEPS})" if scale else "0"
    found = database.connection.execute(
        f"""with played as (select list_position($1::VARCHAR[], system_a) - 1 as first,
          list_position($1::VARCHAR[], system_b) - 1 as second,
          case winner when 'A' then 1 when 'B' then -1 else 0 end as result, coalesce({steps}, 0) as length, task
          from {database.chosen} join (select position, task from {database.schema}.cases) using (position)
          where {_PLAYED}),
        tasks as (select task, sum(hash(first, second, result, length)::HUGEINT) as games from played group by task),
        alike as (select min(task) as task, count(*) as tasks from tasks group by games),
        counted as (select *, count(*) as count from played join alike using (task) group by all)
        select *, dense_rank() over (order by task) - 1 as of,
        dense_rank() over (order by first, second, result, length) - 1 as kind from counted""",
        [names],
    ).fetchnumpy()
    of, kind, tasks, count = (found[it] for it in ("of", "kind", "tasks", "count"))
    _, once = np.unique(kind, return_index=True)
    first, second, result, length = (found[it][once].astype(np.int64) for it in ("first", "second", "result", "length"))
    rows = csr_array((count.astype(float), (of, kind)), (of.max() + 1, len(once)))
    counts = np.zeros(of.max() + 1, np.int64)
    counts[of] = tasks
    games = Games(first, second, result, length, (counts @ rows).astype(np.int64), len(names))
    return games, counts, rows, bool(scale)


def _results(games: Games) -> tuple[Any, Any]:
    """Return how often each system (row) beat each other (column), and how often it tied with it."""
    wins, ties = np.zeros((2, games.systems, games.systems), np.int64)
    for sides, result in (((games.first, games.second), 1), ((games.second, games.first), -1)):
        np.add.at(wins, sides, games.count * (games.result == result))
        np.add.at(ties, sides, games.count * (games.result == 0))
    return wins, ties


def _strengths(
    models: Sequence[tuple[Games, Any]], tasks: Any, played: Any, groups: Any, draws: int
) -> list[tuple[list[Strength], Fit]]:
    """Return strengths with intervals and the fit behind them for each model. All models use the same draws."""
    fits = [fit(model, model.count) for model, _ in models]
    rng, total, tail = np.random.default_rng(SEED), int(tasks.sum()), (1 - CONFIDENCE) / 2
    drawn = np.empty((len(models), draws, models[0][0].systems))
    for at in range(draws):
        often = rng.multinomial(total, tasks / total) @ played
        for number, ((model, of), fitted) in enumerate(zip(models, fits, strict=True)):
            drawn[number, at] = points(fit(model, np.bincount(of, often), fitted).theta, groups)
    found = []
    for fitted, own in zip(fits, drawn, strict=True):
        best, (low, high) = points(fitted.theta, groups), np.quantile(own, [tail, 1 - tail], axis=0)
        # If the penalty limits a strength, all draws may lie on one side of it. Widen the interval to contain it.
        ends = np.stack([best, np.minimum(low, best), np.maximum(high, best)], axis=1)
        found.append(([Strength(*row) for row in ends.round(2).tolist()], fitted))
    return found


def points(theta: Any, groups: Any) -> Any:
    """Convert strengths to points: 1000 is the mean of each group of connected systems, and 400 points more are odds of
    ten wins to one loss."""
    means = np.bincount(groups, theta) / np.bincount(groups)
    return MIDDLE + POINTS / np.log(10) * (theta - means[groups])


# -- the model --------------------------------------------------------------------------------------------------------


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
        logs = np.stack([d / 2, -d / 2, np.full(len(d), at[-1])])
        highest = logs.max(axis=0)
        odds = np.exp(logs - highest)
        whole = odds.sum(axis=0)
        surprise = highest + np.log(whole) - np.where(tied, logs[2], result * logs[0])
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
