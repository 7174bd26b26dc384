"""Bias of a judge when labels are wrong: how often a fair judge is accused, how often a habit is found, and how often
intervals hold its size; with people of equal and unequal skill, many people who share the cases, cases that are hard
for everybody, votes that are ties, cases with one vote, and tasks with several cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from adjudge.models.figures import Figure
from adjudge.statistics.bias import JudgedPair, OrderBias, habit_bias, order_bias
from adjudge.statistics.leaning import lean_of

from .table import Interval, Line, alarms, coverage

Simulated = tuple[float, Interval, Interval]
Told = tuple[list[float], list[dict[str, float]], list[int]]


@dataclass(frozen=True)
class World:
    """`people` and `judge` say how often each is right, `more` how often the answer with more is better, and `habit`
    how often the judge picks it without looking. With `pool`, so many people share the cases, right up to 0.15 more or
    less often. `ties` of the votes are ties; `single` of the cases have one vote; half of the cases may be `hard`. If a
    task has several `cases`, two of three have its truth, and in two of three the judge errs together."""

    people: tuple[float, ...]
    judge: float = 0.75
    more: float = 0.7
    habit: float = 0.0
    size: int = 200
    pool: int = 0
    ties: float = 0.0
    single: float = 0.0
    hard: bool = False
    cases: int = 1

    def __str__(self) -> str:
        wrong = [f"{1 - right:.0%}".replace("%", " %") for right in self.people]
        labels = wrong[0] if len(set(wrong)) == 1 else ", ".join(wrong)
        said = [
            f"{self.size} cases, {len(self.people)} per case of {self.pool}" if self.pool else f"{self.size} cases",
            "" if self.pool else "1 person" if len(wrong) == 1 else f"{len(wrong)} people",
            f"{labels} of labels wrong",
            "perfect judge" if self.judge == 1 else f"judge {self.judge:.0%} right".replace("%", " %"),
            f"longer better in {self.more:.0%}".replace("%", " %"),
            f"{self.habit:.0%} by length".replace("%", " %") if self.habit else "",
            f"{self.ties:.0%} of votes are ties".replace("%", " %") if self.ties else "",
            f"{self.single:.0%} of cases with one vote".replace("%", " %") if self.single else "",
            "half of them hard" if self.hard else "",
            f"{self.cases} a task" if self.cases > 1 else "",
        ]
        return ", ".join(filter(None, said))

    def draw(self, rng: Any) -> Told:
        size, tasks = self.size, self.size // self.cases
        truth = np.where(rng.random(size) < self.more, 1, -1)
        errs = rng.random(size)
        if self.cases > 1:
            shared = np.repeat(np.where(rng.random(tasks) < self.more, 1, -1), self.cases)
            truth = np.where(rng.random(size) < 2 / 3, shared, truth)
            errs = np.where(rng.random(size) < 2 / 3, np.repeat(rng.random(tasks), self.cases), errs)
        clear = rng.choice([0.3, 1.0], size) if self.hard else np.ones(size)

        def said(right: Any, chance: Any) -> Any:
            return np.where(chance < 0.5 + (right - 0.5) * clear, truth, -truth)

        verdicts = np.where(rng.random(size) < self.habit, 1, said(self.judge, errs))
        who = np.tile(np.arange(len(self.people)), (size, 1))
        skill = np.array(self.people)
        if self.pool:
            who = np.argsort(rng.random((size, self.pool)), axis=1)[:, : len(self.people)]
            skill = rng.uniform(self.people[0] - 0.15, self.people[0] + 0.15, self.pool)
        votes = np.stack([said(skill[column], rng.random(size)) for column in who.T], axis=1)
        votes = np.where(rng.random(votes.shape) < self.ties, 0, votes).astype(float)
        count = np.where(rng.random(size) < self.single, 1, len(self.people))
        given = [
            dict(zip(map(str, names[:many]), row[:many], strict=True))
            for names, row, many in zip(who.tolist(), votes.tolist(), count.tolist(), strict=True)
        ]
        return list(map(float, verdicts)), given, [at // self.cases for at in range(size)]


def lean(world: World, rng: Any) -> Figure:
    return lean_of(*world.draw(rng)).figure


def accused(world: World, what: str, draws: int) -> Line:
    rng = np.random.default_rng(20_260_101)
    return alarms("bias by length", str(world), what, [lean(world, rng).leaves_out(0.0) for _ in range(draws)])


def held(world: World, draws: int) -> Line:
    def simulate(rng: Any) -> Simulated:
        return world.habit, lean(world, rng).interval, None

    return coverage("verdicts by length", str(world), simulate, draws)


UNEQUAL = [
    World((0.95, 0.65)),
    World((0.9, 0.8, 0.7)),
    World((0.95, 0.85, 0.6)),
    World((0.8, 0.8), pool=8),
    World((0.8, 0.8, 0.8), pool=40),
]
UNUSUAL = [
    World((0.9, 0.9, 0.9), hard=True),
    World((0.8,), ties=0.2),
    World((0.85, 0.85), ties=0.2),
    World((0.95, 0.95, 0.95), single=0.8),
    World((0.85, 0.85, 0.85), single=0.5),
    World((0.9,), cases=4),
    World((0.8, 0.8, 0.8), cases=4),
    World((0.9, 0.9, 0.9), size=40),
    World((0.9, 0.9, 0.9), more=0.9),
]


def lines(draws: int, costly: int) -> Iterator[Line]:
    judges, people, wrong = (0.75, 1.0), (1, 2, 3, 5), (0.0, 0.1, 0.2)
    for size, more, judge, count, error in product((200, 100), (0.5, 0.7), judges, people, wrong):
        yield accused(World((1 - error,) * count, judge, more, size=size), "false alarms", draws)
    for world, judge in product(UNEQUAL + UNUSUAL, judges):
        yield accused(replace(world, judge=judge), "false alarms", draws)
    for habit, count, error in product((0.15, 0.3), people, wrong):
        world = World((1 - error,) * count, habit=habit)
        yield accused(world, "power", draws)
        yield held(world, draws)
    for world in UNEQUAL + UNUSUAL:
        yield held(replace(world, habit=0.15), draws)
    yield from other_figures(draws, costly)


# -- what else the section on bias says -------------------------------------------------------------------------------


def pairs_of(told: Told) -> list[JudgedPair]:
    """Comparisons in which A is the longer answer."""
    side = {1.0: "A", 0.0: "tie", -1.0: "B"}
    return [
        JudgedPair(unit, side[verdict], lengths=(2, 1), votes={name: side[vote] for name, vote in votes.items()})  # type: ignore[arg-type]
        for verdict, votes, unit in zip(*told, strict=True)
    ]


def ordered(rng: Any, tasks: int, cases: int, first: float) -> list[JudgedPair]:
    """Comparisons in both orders; tasks differ in how often the answer shown first is named (by 0.2 on average)."""
    pairs = []
    for task in range(tasks):
        own = first + rng.choice([-0.2, 0.2])
        named = rng.random((cases, 2)) < own
        pairs += [JudgedPair(task, "tie", "A" if ab else "B", "B" if ba else "A") for ab, ba in named.tolist()]
    return pairs


def agreement(world: World) -> float:
    """Balanced agreement over infinitely many cases of a judge without a habit."""
    right = world.people[0]
    found = []
    for share in (world.more, 1 - world.more):
        true = share * right / (share * right + (1 - share) * (1 - right))
        found.append(true * world.judge + (1 - true) * (1 - world.judge))
    return sum(found) / 2


FIRST = 0.6  # how often the answer shown first is named, where order bias is planted
FLIPS = 1 - (0.4 * 0.6 + 0.8 * 0.2)  # of tasks that name it in 40 % and in 80 %


def other_figures(draws: int, costly: int) -> Iterator[Line]:
    for tasks, cases in ((60, 1), (40, 4)):
        situation = f"{tasks} tasks, {cases} {'case' if cases == 1 else 'cases'} each, both orders"
        biased = f"{situation}, first named in {FIRST:.0%}".replace("%", " %")
        rng = np.random.default_rng(20_260_101)
        fair, found = ([order_bias(ordered(rng, tasks, cases, by)) for _ in range(draws)] for by in (0.5, FIRST))
        yield alarms("order bias", situation, "false alarms", [each.found for each in fair])
        yield alarms("order bias", biased, "power", [each.found for each in found])
        yield coverage("first wins", biased, partial(first_wins, iter(found)), draws)
        yield coverage("winner changes", biased, partial(flips, iter(found)), draws)
    for world in (
        World((0.8, 0.8, 0.8), size=100),
        World((0.9,), size=60),
        World((0.95,), judge=0.9, more=0.9, size=60),
        World((0.95,), judge=0.9, more=0.96),
    ):
        yield coverage("agreement, controlled", str(world), partial(controlled, world), costly)


def first_wins(found: Iterator[OrderBias], _: Any) -> Simulated:
    return FIRST, next(found).first_wins.interval, None


def flips(found: Iterator[OrderBias], _: Any) -> Simulated:
    return FLIPS, next(found).flips.interval, None


def controlled(world: World, rng: Any) -> Simulated:
    found = habit_bias("length", pairs_of(world.draw(rng)), lambda pair: pair.lengths).balanced_agreement
    return agreement(world), found.interval if found else None, None
