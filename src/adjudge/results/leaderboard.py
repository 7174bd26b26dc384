"""A leaderboard of the systems a compare run names: strengths with intervals, raw and with length controlled.

Draws for the intervals are over tasks, so that several answers to one task count as the one question they are. A
comparison that the judge did not decide counts neither as a win nor as a tie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csgraph, csr_array  # type: ignore[import-untyped]

from ..errors import InputError
from .database import Database
from .statistics import CONFIDENCE, SEED
from .strengths import POINTS, STEPS, Fit, Games, Grouped, fit, group, points

DRAWS = 400
_FEW_DRAWS = 100
_MANY_KINDS = 100_000  # of games on different kinds of tasks
_TYPICAL = float(np.tanh(1))  # a difference in length of typical size
_NAMED = "system_a is not null and system_b is not null"
_MET = f"{_NAMED} and system_a <> system_b and status = 'verdict'"
_PLAYED = f"{_MET} and decided is distinct from false"


@dataclass(frozen=True, slots=True)
class Strength:
    """Points, and the interval they lie in."""

    points: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """One system: its strength, with length held apart too where lengths are known, and what it rests on.

    `group` numbers the systems that met, through others at least, from 0 for the largest group; strengths of different
    groups do not compare.
    `bound` says that it never lost (or never won), so that only the penalty keeps its strength finite.
    """

    system: str
    raw: Strength
    length_controlled: Strength | None
    wins: int
    ties: int
    losses: int
    words: float | None
    group: int
    bound: str

    @property
    def games(self) -> int:
        return self.wins + self.ties + self.losses

    @property
    def share(self) -> float:
        """Games won, a tie counted as half."""
        return (self.wins + self.ties / 2) / self.games


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two systems that met, and how often the first won, tied and lost."""

    first: str
    second: str
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All standings, the strongest first, and what a reader should know of them."""

    standings: tuple[Standing, ...]
    meetings: tuple[Meeting, ...]
    games: int
    tasks: int
    undecided: int
    against_itself: int
    without_verdict: int
    without_systems: int
    groups: int
    longer: float | None
    draws: int


@dataclass(frozen=True)
class _Tasks:
    """Kinds of tasks: how many there are of each, and a row of how many games of each kind are played on one."""

    count: Any
    games: Any


def leaderboard_of(database: Database) -> Leaderboard:
    """The leaderboard of a compare run whose rows name the systems that wrote the answers."""
    folder = str(database.run.folder)
    if database.run.protocol != "compare":
        raise InputError(folder, f"a {database.run.protocol} run", "a leaderboard needs a compare run")
    ((undecided, itself, without_verdict, unnamed),) = database.query(
        f"""select count(*) filter ({_MET} and decided is false),
        count(*) filter ({_NAMED} and status = 'verdict' and system_a = system_b),
        count(*) filter ({_NAMED} and status <> 'verdict'), count(*) filter (not ({_NAMED})) from {database.chosen}"""
    )
    sides = " union all ".join(
        f"select system_{side} as system, words_{side} as words, position from {database.chosen} where {_PLAYED}"
        for side in "ab"
    )
    systems = database.query(f"select system, avg(words) from ({sides}) group by system order by min(position), system")
    if not systems:
        found = "no decided comparison of two named systems"
        allowed = f"the judge did not decide any of {undecided:,} comparisons; another judge may"
        if not undecided:
            allowed = "rows must name who wrote each answer: columns that `adjudge run` maps to system_a and system_b"
        raise InputError(folder, found, allowed)
    games, tasks, with_lengths = _games(database, [name for name, _ in systems])
    counted = {"undecided": undecided, "against_itself": itself}
    counted |= {"without_verdict": without_verdict, "without_systems": unnamed}
    return _ranked(games, tasks, dict(systems), counted, with_lengths=with_lengths)


def has_games(database: Database) -> bool:
    """Whether a leaderboard can be made."""
    return database.run.protocol == "compare" and bool(
        database.query(f"select 1 from {database.chosen} where {_PLAYED} limit 1")
    )


def _games(database: Database, names: list[str]) -> tuple[Games, _Tasks, bool]:
    """The kinds of games and the kinds of tasks, counted by the database; and whether answers differ in length."""
    played, kinds, tasks = (f"{database.schema}.{name}" for name in ("played", "kinds", "tasks"))
    ((scale,),) = database.query(f"select sqrt(avg((words_a - words_b) ** 2)) from {database.chosen} where {_PLAYED}")
    steps = f"round(tanh((words_a - words_b) / {scale!r}) * {STEPS})" if scale else "0"
    database.query(
        f"""create or replace table {played} as select list_position($1::VARCHAR[], system_a) - 1 as first,
        list_position($1::VARCHAR[], system_b) - 1 as second,
        case winner when 'A' then 1 when 'B' then -1 else 0 end as result, coalesce({steps}, 0) as length, task
        from {database.chosen} join (select position, task from {database.schema}.cases) using (position)
        where {_PLAYED}""",
        names,
    )
    database.query(
        f"""create or replace table {kinds} as
        select *, row_number() over (order by first, second, result, length) - 1 as kind from
        (select first, second, result, length, count(*) as count from {played} group by all)"""
    )
    # Two tasks are of a kind if the same games were played on them, whatever their order.
    database.query(
        f"""create or replace table {tasks} as select min(task) as task, count(*) as count from
        (select task, sum(hash(first, second, result, length)::HUGEINT) as games from {played} group by task)
        group by games order by 1"""
    )
    found = database.connection.execute(f"from {kinds} order by kind").fetchnumpy()
    first, second, result, length, count = (
        found[it].astype(np.int64) for it in ("first", "second", "result", "length", "count")
    )
    games = Games(first, second, result, length, count, len(names))
    counts = database.connection.execute(f"select count from {tasks} order by rowid").fetchnumpy()["count"]
    of = database.connection.execute(
        f"""select t.rowid as task, kind, count(*) as games from {played} join
        (select rowid, task from {tasks}) as t using (task) join {kinds} using (first, second, result, length)
        group by all"""
    ).fetchnumpy()
    size = (len(counts), len(games.first))
    return games, _Tasks(counts, csr_array((of["games"].astype(float), (of["task"], of["kind"])), size)), bool(scale)


def _ranked(
    games: Games, tasks: _Tasks, words: Mapping[str, float | None], counted: Mapping[str, int], *, with_lengths: bool
) -> Leaderboard:
    names = list(words)
    draws = DRAWS if tasks.games.nnz <= _MANY_KINDS else _FEW_DRAWS
    groups, strong = _groups(games)
    models = [group(games, lengths=lengths) for lengths in ((False, True) if with_lengths else (False,))]
    (raw, _), *second = _strengths(games, models, tasks, groups, draws)
    controlled, longer = None, None
    if second:
        controlled, fitted = second[0]
        longer = float(fitted.gamma * _TYPICAL * POINTS / np.log(10))
    counts = _counts(games)
    standings = [
        Standing(
            system=names[at],
            raw=raw[at],
            length_controlled=controlled[at] if controlled else None,
            wins=counts[at][0],
            ties=counts[at][1],
            losses=counts[at][2],
            words=words[names[at]],
            group=int(groups[at]),
            bound=_bound(counts[at], bool((strong == strong[at]).sum() == 1)),
        )
        for at in range(len(names))
    ]
    sizes = Counter(standing.group for standing in standings)
    ordered = {number: place for place, (number, _) in enumerate(sizes.most_common())}
    standings = [replace(standing, group=ordered[standing.group]) for standing in standings]
    standings.sort(key=lambda standing: (standing.group, -standing.raw.points, standing.system))
    return Leaderboard(
        standings=tuple(standings),
        meetings=_meetings(games, [standing.system for standing in standings], names),
        games=int(games.count.sum()),
        tasks=int(tasks.count.sum()),
        groups=len(sizes),
        longer=longer,
        draws=draws,
        **counted,
    )


def _meetings(games: Games, ordered: Sequence[str], names: Sequence[str]) -> tuple[Meeting, ...]:
    """Who met whom, those that met most often first; of two systems the stronger one is named first."""
    rank = np.array([ordered.index(name) for name in names])
    turn = np.where(rank[games.first] <= rank[games.second], 1, -1)
    one = np.where(turn > 0, rank[games.first], rank[games.second])
    other = np.where(turn > 0, rank[games.second], rank[games.first])
    met: dict[tuple[int, int], Counter[int]] = {}
    kinds = np.stack([one, other, games.result * turn, games.count], axis=1)
    for first, second, result, count in kinds.tolist():
        met.setdefault((first, second), Counter())[result] += count
    found = [
        Meeting(ordered[first], ordered[second], results[1], results[0], results[-1])
        for (first, second), results in met.items()
    ]
    order = {name: at for at, name in enumerate(ordered)}
    return tuple(sorted(found, key=lambda it: (-(it.wins + it.ties + it.losses), order[it.first], order[it.second])))


def _strengths(
    games: Games, models: Sequence[Grouped], tasks: _Tasks, groups: Any, draws: int
) -> list[tuple[list[Strength], Fit]]:
    """Strengths with intervals and the fit behind them, for each way of counting games; all see the same draws."""
    fits = [fit(model, np.bincount(model.of, games.count)) for model in models]
    rng = np.random.default_rng(SEED)
    total = int(tasks.count.sum())
    drawn = np.empty((len(models), draws, games.systems))
    for at in range(draws):
        often = rng.multinomial(total, tasks.count / total) @ tasks.games
        for number, (model, fitted) in enumerate(zip(models, fits, strict=True)):
            drawn[number, at] = _centred(fit(model, np.bincount(model.of, often), fitted).theta, groups)
    return [
        (_with_intervals(_centred(fitted.theta, groups), drawn[number]), fitted) for number, fitted in enumerate(fits)
    ]


def _with_intervals(best: Any, drawn: Any) -> list[Strength]:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    # A draw rarely straddles its own estimate where the penalty holds it: the interval always contains it.
    shown = zip(best, np.minimum(low, best), np.maximum(high, best), strict=True)
    return [Strength(float(middle), float(below), float(above)) for middle, below, above in shown]


def _centred(theta: Any, groups: Any) -> Any:
    """Points, with 1000 in the middle of each group of systems that met."""
    shown = np.empty(len(theta))
    for number in np.unique(groups):
        shown[groups == number] = points(theta[groups == number])
    return shown


def _groups(games: Games) -> tuple[Any, Any]:
    """The groups of systems that met, and those in which each could be shown to beat each, through others at least."""
    size = games.systems
    beat = np.zeros((size, size))
    np.add.at(beat, (games.first, games.second), games.result >= 0)
    np.add.at(beat, (games.second, games.first), games.result <= 0)
    met = csgraph.connected_components(beat, directed=True, connection="weak")[1]
    return met, csgraph.connected_components(beat, directed=True, connection="strong")[1]


def _counts(games: Games) -> list[tuple[int, int, int]]:

    def count(chosen: Any, sides: Any) -> Any:
        return np.bincount(sides[chosen], games.count[chosen], games.systems)

    wins = count(games.result == 1, games.first) + count(games.result == -1, games.second)
    ties = count(games.result == 0, games.first) + count(games.result == 0, games.second)
    losses = count(games.result == -1, games.first) + count(games.result == 1, games.second)
    return [(int(won), int(tied), int(lost)) for won, tied, lost in zip(wins, ties, losses, strict=True)]


def _bound(counts: tuple[int, int, int], apart: bool) -> str:
    wins, ties, losses = counts
    if not apart or ties:
        return ""
    return "never lost" if wins and not losses else "never won" if losses and not wins else ""
