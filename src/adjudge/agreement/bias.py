"""What moves a judge of comparisons besides quality: the order, the length, the format, who wrote the answer.

That the longer answer wins more often is no bias if people prefer it too, and a judge with random errors picks it less
often than they do without being biased. What tells a bias is that errors lean: the judge picks the longer answer
against people more often than the shorter one. Labels are taken as the truth; without them only the habit itself is
reported. A bias is found where the 95 % interval leaves out what is fair.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

from .figures import DRAWS, Figure, grouped, mean_by_unit, parts_of

Side = Literal["A", "B", "tie"]
Feature = Callable[["JudgedPair"], Sequence[float] | None]
# Of each case: whether the judge picks the answer with more, whether people do, and its content.
Picks = Sequence[tuple[bool, bool, Hashable]]
EVEN = 0.5


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
        return _leaves_out(self.first_wins, EVEN)


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
        return None if self.followed is None else _leaves_out(self.followed, 0.0)


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


def bias_report(pairs: Sequence[JudgedPair], own_sources: Collection[str] = (), draws: int = DRAWS) -> BiasReport:
    """Order, length, lists, bold and, where `own_sources` names the judge's own systems, self-preference."""
    features: dict[str, Feature] = {
        "length": lambda pair: pair.lengths,
        "lists": lambda pair: pair.list_items,
        "bold": lambda pair: pair.bold,
    }
    if own_sources:
        features["self-preference"] = lambda pair: _owned(pair, own_sources)
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
    more = [(_more(pair, of), pair) for pair in pairs]
    judged = [(side, pair) for side, pair in more if side is not None and pair.winner in ("A", "B")]
    wins = mean_by_unit(((pair.winner == side, pair.content) for side, pair in judged), draws)
    labelled = [
        (pair.winner == side, pair.human == side, pair.content) for side, pair in judged if pair.human in ("A", "B")
    ]
    if not labelled:
        return HabitBias(name, wins)
    people = mean_by_unit(((human, content) for _, human, content in labelled), draws)
    followed, balanced = (grouped(measure, labelled, lambda pick: pick[2], draws) for measure in (_followed, _balanced))
    return HabitBias(name, wins, people, followed, balanced)


def win_curve(pairs: Sequence[JudgedPair], of: Feature, bins: int = 6) -> tuple[CurvePoint, ...]:
    """How often A wins by how much more of a feature it has, over bins of about as many cases each."""
    known = [(numbers[0] - numbers[1], pair) for pair in pairs if pair.winner and (numbers := of(pair)) is not None]
    points = []
    for part in parts_of(sorted(known, key=lambda item: item[0]), bins):
        inside = [pair for _, pair in part]
        people = [_worth(pair.human) for pair in inside if pair.human]
        points.append(
            CurvePoint(
                difference=median(apart for apart, _ in part),
                cases=len(part),
                judge=fmean(_worth(pair.winner) for pair in inside),
                people=fmean(people) if people else None,
            )
        )
    return tuple(points)


def _first_wins(pairs: Sequence[JudgedPair]) -> Figure:
    named = [(said, first) for pair in pairs for said, first in ((pair.a_first, "A"), (pair.b_first, "B"))]
    hits = [said == first for said, first in named if said in ("A", "B")]
    return Figure(fmean(hits), len(pairs)) if hits else Figure(None, 0, "no order is known")


def _picked_more(cases: Picks, of: Callable[[float, float], float]) -> Figure:
    """`of` how often the judge picks the answer with more where people prefer it, and where they prefer the other."""
    kinds = [[judge for judge, human, _ in cases if human is wanted] for wanted in (True, False)]
    if not all(kinds):
        return Figure(None, len(cases), "people always prefer the same kind of answer")
    return Figure(of(*map(fmean, kinds)), len(cases))


def _followed(cases: Picks) -> Figure:
    return _picked_more(cases, lambda more, less: more + less - 1)


def _balanced(cases: Picks) -> Figure:
    return _picked_more(cases, lambda more, less: (more + 1 - less) / 2)


def _more(pair: JudgedPair, of: Feature) -> Side | None:
    """The answer with more of a feature; None where they are equal or it is not known."""
    numbers = of(pair)
    if numbers is None or numbers[0] == numbers[1]:
        return None
    return "A" if numbers[0] > numbers[1] else "B"


def _owned(pair: JudgedPair, own: Collection[str]) -> tuple[float, float] | None:
    return None if pair.sources is None else (float(pair.sources[0] in own), float(pair.sources[1] in own))


def _worth(side: str | None) -> float:
    return {"A": 1.0, "tie": EVEN}.get(side or "", 0.0)


def _leaves_out(figure: Figure, fair: float) -> bool | None:
    return None if figure.interval is None else not figure.interval[0] <= fair <= figure.interval[1]
