"""A leaderboard of the systems a compare run names: strengths with intervals, raw and with length held apart.

Draws for the intervals are over tasks, so that several answers to one task count as the one question they are.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InputError
from ..models.rows import Cells
from .columns import table_of
from .directory import Run
from .needs import need
from .selecting import rows_of
from .statistics import CONFIDENCE, SEED
from .strengths import POINTS, Fit, Games, Grouped, fit, group, length_scale, points

DRAWS = 400
_FEW_DRAWS = 100
_MANY_GAMES = 100_000
COLUMNS = ("system_a", "system_b", "winner", "decided", "words_a", "words_b")
_RESULTS = {"A": 1, "B": -1, "tie": 0}
_TYPICAL = 0.7615941559557649  # tanh 1: a difference in length of typical size


@dataclass(frozen=True, slots=True)
class Strength:
    """Points on a scale like chess players', and the interval they lie in."""

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
class Leaderboard:
    """All standings, the strongest first, and what a reader should know of them."""

    standings: tuple[Standing, ...]
    games: int
    tasks: int
    undecided: int
    against_itself: int
    without_verdict: int
    without_systems: int
    groups: int
    longer: float | None
    draws: int


class Collected:
    """Games as they are read, 25 bytes each."""

    def __init__(self) -> None:
        self.systems: dict[str, int] = {}
        self.first, self.second, self.result = array("i"), array("i"), array("b")
        self.length, self.task = array("d"), array("Q")
        self.words: Counter[int] = Counter()
        self.counted: Counter[int] = Counter()
        self.undecided = self.against_itself = self.without_verdict = self.without_systems = 0

    def add(self, row: Cells, given: Mapping[str, Any]) -> None:
        """Take one row in; `given` are the texts of its case."""
        systems = row["system_a"], row["system_b"]
        if None in systems:
            self.without_systems += 1
            return
        if row["status"] != "verdict":
            self.without_verdict += 1
            return
        if systems[0] == systems[1]:
            self.against_itself += 1
            return
        self.undecided += row["decided"] is False
        pair = [self.systems.setdefault(str(system), len(self.systems)) for system in systems]
        self.first.append(pair[0])
        self.second.append(pair[1])
        self.result.append(_RESULTS[row["winner"]])
        words = row["words_a"], row["words_b"]
        self.length.append(float("nan") if None in words else words[0] - words[1])
        for system, count in zip(pair, words, strict=True):
            if count is not None:
                self.words[system] += count
                self.counted[system] += 1
        asked = f"{given.get('task')}\0{given.get('context')}".encode("utf-8", "replace")
        self.task.append(int.from_bytes(hashlib.blake2b(asked, digest_size=8).digest(), "big"))

    def games(self) -> Games:
        np = need("numpy", "a leaderboard")
        return Games(
            first=np.array(self.first, np.int64),
            second=np.array(self.second, np.int64),
            result=np.array(self.result, np.int64),
            length=np.array(self.length, float),
            task=np.unique(np.array(self.task, np.uint64), return_inverse=True)[1].reshape(-1),
            systems=len(self.systems),
        )


def leaderboard_of(run: Run) -> Leaderboard:
    """The leaderboard of a compare run whose rows name the systems that wrote the answers."""
    if run.protocol != "compare":
        raise InputError(str(run.folder), f"a {run.protocol} run", "a leaderboard needs a compare run")
    need("scipy.optimize", "a leaderboard")
    collected = Collected()
    with run.reader() as reader:
        for row in rows_of(run, table_of(run), COLUMNS):
            collected.add(row, reader.given(row["position"]))
    if not collected.first:
        found = "no verdict between two named systems"
        allowed = "rows must name who wrote each answer, as columns that `adjudge run` maps to system_a and system_b"
        raise InputError(str(run.folder), found, allowed)
    return ranked(collected)


def ranked(collected: Collected) -> Leaderboard:
    """The leaderboard of collected games."""
    np = need("numpy", "a leaderboard")
    games = collected.games()
    tasks = int(games.task.max()) + 1
    draws = DRAWS if len(games.first) <= _MANY_GAMES else _FEW_DRAWS
    groups, strong = _groups(games)
    scale = length_scale(games)
    models = [group(games), *([group(games, scale)] if scale else [])]
    (raw, _), *second = _strengths(games, models, tasks, groups, draws)
    controlled, longer = None, None
    if second:
        controlled, fitted = second[0]
        longer = float(fitted.gamma * _TYPICAL * POINTS / np.log(10))
    names = list(collected.systems)
    counts = _counts(games)
    standings = [
        Standing(
            system=names[at],
            raw=raw[at],
            length_controlled=controlled[at] if controlled else None,
            wins=counts[at][0],
            ties=counts[at][1],
            losses=counts[at][2],
            words=collected.words[at] / collected.counted[at] if collected.counted[at] else None,
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
        games=len(games.first),
        tasks=tasks,
        undecided=collected.undecided,
        against_itself=collected.against_itself,
        without_verdict=collected.without_verdict,
        without_systems=collected.without_systems,
        groups=len(sizes),
        longer=longer,
        draws=draws,
    )


def _strengths(
    games: Games, models: Sequence[Grouped], tasks: int, groups: Any, draws: int
) -> list[tuple[list[Strength], Fit]]:
    """Strengths with intervals and the fit behind them, for each way of counting games; all see the same draws."""
    np = need("numpy", "a leaderboard")
    fits = [fit(model, np.bincount(model.of).astype(float)) for model in models]
    rng = np.random.default_rng(SEED)
    drawn = np.empty((len(models), draws, games.systems))
    for at in range(draws):
        often = rng.multinomial(tasks, np.full(tasks, 1 / tasks)).astype(float)[games.task]
        for number, (model, fitted) in enumerate(zip(models, fits, strict=True)):
            drawn[number, at] = _centred(fit(model, np.bincount(model.of, often), fitted).theta, groups)
    return [
        (_with_intervals(_centred(fitted.theta, groups), drawn[number]), fitted) for number, fitted in enumerate(fits)
    ]


def _with_intervals(best: Any, drawn: Any) -> list[Strength]:
    np = need("numpy", "a leaderboard")
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    # A draw rarely straddles its own estimate where the penalty holds it: the interval always contains it.
    shown = zip(best, np.minimum(low, best), np.maximum(high, best), strict=True)
    return [Strength(float(middle), float(below), float(above)) for middle, below, above in shown]


def _centred(theta: Any, groups: Any) -> Any:
    """Points, with 1000 in the middle of each group of systems that met."""
    np = need("numpy", "a leaderboard")
    shown = np.empty(len(theta))
    for number in np.unique(groups):
        shown[groups == number] = points(theta[groups == number])
    return shown


def _groups(games: Games) -> tuple[Any, Any]:
    """The groups of systems that met, and those in which each could be shown to beat each, through others at least."""
    np, graph = need("numpy", "a leaderboard"), need("scipy.sparse.csgraph", "a leaderboard")
    size = games.systems
    beat = np.zeros((size, size))
    np.add.at(beat, (games.first, games.second), games.result >= 0)
    np.add.at(beat, (games.second, games.first), games.result <= 0)
    met = graph.connected_components(beat, directed=True, connection="weak")[1]
    return met, graph.connected_components(beat, directed=True, connection="strong")[1]


def _counts(games: Games) -> list[tuple[int, int, int]]:
    np = need("numpy", "a leaderboard")

    def count(chosen: Any, sides: Any) -> Any:
        return np.bincount(sides[chosen], minlength=games.systems)

    wins = count(games.result == 1, games.first) + count(games.result == -1, games.second)
    ties = count(games.result == 0, games.first) + count(games.result == 0, games.second)
    losses = count(games.result == -1, games.first) + count(games.result == 1, games.second)
    return [(int(won), int(tied), int(lost)) for won, tied, lost in zip(wins, ties, losses, strict=True)]


def _bound(counts: tuple[int, int, int], apart: bool) -> str:
    wins, ties, losses = counts
    if not apart or ties:
        return ""
    return "never lost" if wins and not losses else "never won" if losses and not wins else ""
