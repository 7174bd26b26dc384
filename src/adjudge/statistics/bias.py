"""Measures what moves a judge of comparisons besides quality: order, length, format, and who wrote the answer.

If people prefer longer answers too, it is no bias that they win more often. A judge with random errors picks them less
often than people do, without being biased. A bias shows in errors that lean one way: against people, the judge picks
the longer answer more often than the shorter one. Labels are taken as the truth; without labels only the habit itself
is reported. A bias is found if the 95 % interval excludes the fair value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from statistics import fmean, median
from typing import Literal

from ..models.figures import Figure
from .figures import (
    DRAWS,
    grouped,
    longer_of,
    mean_by_unit,
    parts_of,
)

Side = Literal["A", "B", "tie"]
Feature = Callable[["JudgedPair"], Sequence[float] | None]


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A comparison as the judge saw it and, if known, as people did. None means not known or not judged.

    `content` is the same for copies of a case, which are drawn together. `a_first` and `b_first` are the winners when
    A or B was shown first. In the pairs of numbers, the first belongs to A and the second to B.
    """

    content: Hashable
    winner: Side | None
    a_first: Side | None = None
    b_first: Side | None = None
    lengths: Sequence[float] | None = None
    list_items: Sequence[float] | None = None
    bold: Sequence[float] | None = None
    sources: Sequence[str] | None = None
    human: Side | None = None


@dataclass(frozen=True, slots=True)
class OrderBias:
    """`flips` is the share of cases judged in both orders whose winner changed with the order.

    `first_wins` is the share of verdicts with a winner that name the answer shown first; 0.5 is fair.
    """

    flips: Figure
    first_wins: Figure

    @property
    def found(self) -> bool | None:
        """Whether the first or the second answer wins more often than by chance; None without an interval."""
        return self.first_wins.leaves_out(0.5)


@dataclass(frozen=True, slots=True)
class HabitBias:
    """How often the answer with more of a feature, such as length, wins: for the judge (`more_wins`) and for people.

    `followed` is the share of verdicts that the habit decides: P(more | people: more) + P(more | people: less) − 1. For
    a judge that picks the answer with more in a share f of cases and otherwise follows people, it is f, whatever its
    random errors. 0 is fair; below 0 the judge leans to the answer with less.
    `balanced_agreement` controls agreement for the feature: it is the mean of the agreement where people prefer the
    answer with more and the agreement where they prefer the one with less. A judge that only follows the habit gets
    0.5, however often people share the habit.
    """

    name: str
    more_wins: Figure
    people: Figure | None = None
    followed: Figure | None = None
    balanced_agreement: Figure | None = None

    @property
    def found(self) -> bool | None:
        """Whether the judge leans one way more than by chance; None without an interval."""
        return None if self.followed is None else self.followed.leaves_out(0.0)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Cases with a similar difference: the median difference, and how often A won (a tie counts half)."""

    difference: float
    cases: int
    judge: float
    people: float | None


@dataclass(frozen=True, slots=True)
class BiasReport:
    """The order bias and the habits. A habit that no case can show is left out."""

    order: OrderBias
    habits: tuple[HabitBias, ...]

    @property
    def found(self) -> dict[str, bool | None]:
        order = {"order": self.order.found} if self.order.first_wins.cases else {}
        return order | {habit.name: habit.found for habit in self.habits}


def bias_report(pairs: Sequence[JudgedPair], own_sources: Collection[str] = (), draws: int = DRAWS) -> BiasReport:
    """Measure order, length, lists, bold and, if `own_sources` names the judge's own systems, self-preference."""
    features: dict[str, Feature] = {
        "length": lambda pair: pair.lengths,
        "lists": lambda pair: pair.list_items,
        "bold": lambda pair: pair.bold,
    }
    if own_sources:
        features["self-preference"] = lambda pair: [it in own_sources for it in pair.sources or ()] or None
    habits = (habit_bias(name, pairs, of, draws) for name, of in features.items())
    return BiasReport(order_bias(pairs, draws), tuple(habit for habit in habits if habit.more_wins.cases))


def order_bias(pairs: Sequence[JudgedPair], draws: int = DRAWS) -> OrderBias:
    """Measure how the order moves the verdict. A tie in only one of the orders is a flip too."""
    both = [pair for pair in pairs if pair.a_first is not None and pair.b_first is not None]
    flips = mean_by_unit(((pair.a_first != pair.b_first, pair.content) for pair in both), draws)
    named = [pair for pair in pairs if pair.a_first in ("A", "B") or pair.b_first in ("A", "B")]
    # Both verdicts of a case are drawn together because they are not independent.
    return OrderBias(flips, grouped(_first_wins, named, lambda pair: pair.content, draws))


def habit_bias(name: str, pairs: Sequence[JudgedPair], of: Feature, draws: int = DRAWS) -> HabitBias:
    """Measure how often the answer with more of a feature wins, among cases that differ in it and have a winner."""
    more = [(longer_of(*numbers), pair) for pair in pairs if (numbers := of(pair)) is not None]
    judged = [(side, pair) for side, pair in more if side != "tie" and pair.winner in ("A", "B")]
    wins = mean_by_unit(((pair.winner == side, pair.content) for side, pair in judged), draws)
    # For each case: whether the judge picks the answer with more, whether people do, and its content.
    picks = [
        (pair.winner == side, pair.human == side, pair.content) for side, pair in judged if pair.human in ("A", "B")
    ]
    if not picks:
        return HabitBias(name, wins)

    def picked(of: Callable[[float, float], float], cases: Sequence[tuple[bool, bool, Hashable]]) -> Figure:
        """Apply `of` to how often the judge picks the answer with more where people do, and where they do not."""
        kinds = [[judge for judge, human, _ in cases if human is wanted] for wanted in (True, False)]
        if not all(kinds):
            return Figure(None, len(cases), "people always prefer the same kind of answer")
        return Figure(of(*map(fmean, kinds)), len(cases))

    return HabitBias(
        name,
        wins,
        people=mean_by_unit(((human, content) for _, human, content in picks), draws),
        followed=grouped(partial(picked, lambda more, less: more + less - 1), picks, itemgetter(2), draws),
        balanced_agreement=grouped(
            partial(picked, lambda more, less: (more + 1 - less) / 2), picks, itemgetter(2), draws
        ),
    )


def win_curve(pairs: Sequence[JudgedPair], of: Feature, bins: int = 6) -> tuple[CurvePoint, ...]:
    """Return how often A wins, in bins by how much more of a feature A has; bins have about the same size."""
    worth: dict[str | None, float] = {"A": 1.0, "tie": 0.5, "B": 0.0}
    known = [(numbers[0] - numbers[1], pair) for pair in pairs if pair.winner and (numbers := of(pair)) is not None]
    points = []
    for part in parts_of(sorted(known, key=lambda item: item[0]), bins):
        people = [worth[pair.human] for _, pair in part if pair.human]
        judge = fmean(worth[pair.winner] for _, pair in part)
        middle = float(median(apart for apart, _ in part))
        points.append(CurvePoint(middle, len(part), judge, fmean(people) if people else None))
    return tuple(points)


def _first_wins(pairs: Sequence[JudgedPair]) -> Figure:
    named = [(said, first) for pair in pairs for said, first in ((pair.a_first, "A"), (pair.b_first, "B"))]
    hits = [said == first for said, first in named if said in ("A", "B")]
    return Figure(fmean(hits), len(pairs)) if hits else Figure(None, 0, "no order is known")
