"""Ranks the systems that a compare run names: strengths with intervals, raw and with length controlled.

The bootstrap for the intervals draws tasks, because several comparisons on one task are not independent. A comparison
that the judge did not decide counts neither as a win nor as a tie.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.sparse import csgraph, csr_array  # type: ignore[import-untyped]

from ...errors import InputError
from ...models.figures import Figure
from ...results.database import Database
from ...statistics.strengths import POINTS, STEPS, Games, group, strengths

DRAWS = 400
_FEW_DRAWS = 100
_MANY_KINDS = 100_000  # combinations of kinds of tasks and games; with more, we draw less often
_TYPICAL = float(np.tanh(1))  # a difference in length of typical size
_NAMED = "system_a is not null and system_b is not null"
_MET = f"{_NAMED} and system_a <> system_b and status = 'verdict'"
_PLAYED = f"{_MET} and decided is distinct from false"


@dataclass(frozen=True, slots=True)
class Standing:
    """One system: its strength, raw and (if lengths are known) with length controlled, and the games behind it.

    Strengths are in points, based on its games. `group` numbers the groups of systems connected by games, directly or
    through others, from 0 for the largest. Strengths and ranks of different groups cannot be compared. A tie counts as
    half a game won.
    `note` says that it never lost (or never won), so that only the penalty keeps its strength finite.
    """

    rank: int
    system: str
    group: int
    raw: Figure
    length_controlled: Figure | None
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
    (raw, _), *second = strengths(models, counts, played, met, draws)
    controlled, longer = None, None
    if second:
        controlled, fitted = second[0]
        longer = round(float(fitted.gamma * _TYPICAL * POINTS / np.log(10)), 2)
    names, standings, ranked = list(words), [], Counter[int]()
    order = sorted(range(len(names)), key=lambda at: (groups[met[at]], -(raw[at].value or 0.0), names[at]))
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
