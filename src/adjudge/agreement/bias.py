"""What moves a judge of comparisons besides quality: the order, the length, the format, who wrote the answer.

That the longer answer wins more often is no bias if people prefer it too, and a judge with random errors picks it less
often than they do without being biased. What tells a bias is that errors lean: the judge picks the longer answer
against people more often than the shorter one. Labels are taken as the truth; without them only the habit itself is
reported. A bias is found where the 95 % interval leaves out what is fair.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from statistics import fmean, median
from typing import Literal

from .figures import DRAWS, Figure, grouped, longer_of, mean_by_unit, parts_of

Side = Literal["A", "B", "tie"]
Feature = Callable[["JudgedPair"], Sequence[float] | None]


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A comparison as the judge saw it and, if known, as people did. None is not known or not judged.

    `content` is the same for copies of a case, which are drawn together. `a_first` and `b_first` are the winners named
    when A or B stood first; the pairs of numbers belong to A and B.
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
    """`flips`: of the cases judged in both orders, those whose winner changed with the order.

    `first_wins`: of all verdicts that name a winner, those that name the answer shown first; 0.5 is fair.
    """

    flips: Figure
    first_wins: Figure

    @property
    def found(self) -> bool | None:
        """Whether the first or the second answer wins beyond chance; None without an interval to tell by."""
        return self.first_wins.leaves_out(0.5)


@dataclass(frozen=True, slots=True)
class HabitBias:
    """How often the answer with more of something wins, with the judge (`more_wins`) and with people.

    `followed` is the share of verdicts that the habit decides: P(more | people: more) + P(more | people: less) − 1. It
    is f for a judge that picks the answer with more in a share f of cases and otherwise follows people, whatever its
    random errors; 0 is fair, and below 0 the judge leans to the answer with less.
    `balanced_agreement` is agreement with length (or whatever it is) controlled: the mean of the agreement where people
    prefer the answer with more and of that where they prefer the one with less. A judge that only follows the habit
    has 0.5 there, however often people share the habit.
    """

    name: str
    more_wins: Figure
    people: Figure | None = None
    followed: Figure | None = None
    balanced_agreement: Figure | None = None

    @property
    def found(self) -> bool | None:
        """Whether the judge leans one way beyond chance; None without an interval to tell by."""
        return None if self.followed is None else self.followed.leaves_out(0.0)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Cases with a similar difference: its middle, and how often A won (a tie counts half)."""

    difference: float
    cases: int
    judge: float
    people: float | None


@dataclass(frozen=True, slots=True)
class BiasReport:
    """All of it; a habit that no case can show is left out."""

    order: OrderBias
    habits: tuple[HabitBias, ...]

    @property
    def found(self) -> dict[str, bool | None]:
        order = {"order": self.order.found} if self.order.first_wins.cases else {}
        return order | {habit.name: habit.found for habit in self.habits}


def bias_report(pairs: Sequence[JudgedPair], own_sources: Collection[str] = (), draws: int = DRAWS) -> BiasReport:
    """Order, length, lists, bold and, where `own_sources` names the judge's own systems, self-preference."""
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
    """How the order moves the verdict; a tie in one order only is a flip too."""
    both = [pair for pair in pairs if pair.a_first is not None and pair.b_first is not None]
    flips = mean_by_unit(((pair.a_first != pair.b_first, pair.content) for pair in both), draws)
    named = [pair for pair in pairs if pair.a_first in ("A", "B") or pair.b_first in ("A", "B")]
    # Both verdicts of a case are drawn together: they are not independent.
    return OrderBias(flips, grouped(_first_wins, named, lambda pair: pair.content, draws))


def habit_bias(name: str, pairs: Sequence[JudgedPair], of: Feature, draws: int = DRAWS) -> HabitBias:
    """How often the answer with more of a feature wins, among cases that differ in it and have a winner."""
    more = [(longer_of(*numbers), pair) for pair in pairs if (numbers := of(pair)) is not None]
    judged = [(side, pair) for side, pair in more if side != "tie" and pair.winner in ("A", "B")]
    wins = mean_by_unit(((pair.winner == side, pair.content) for side, pair in judged), draws)
    # Of each case: whether the judge picks the answer with more, whether people do, and its content.
    picks = [
        (pair.winner == side, pair.human == side, pair.content) for side, pair in judged if pair.human in ("A", "B")
    ]
    if not picks:
        return HabitBias(name, wins)

    def picked(of: Callable[[float, float], float], cases: Sequence[tuple[bool, bool, Hashable]]) -> Figure:
        """`of` how often the judge picks the answer with more where people prefer it, and where they do not."""
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
    """How often A wins by how much more of a feature it has, over bins of about as many cases each."""
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
