"""Measures what moves a judge of comparisons besides quality: order, length, format, and who wrote the answer.

If people prefer longer answers too, it is no bias that they win more often. A judge with random errors picks them less
often than people do, without being biased. A bias is in errors that lean one way. People err, too, so their labels are
not taken as the truth (`leaning.py`). Without labels only the habit itself is reported. A bias is found if the 95 %
interval excludes the fair value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from typing import Any, Literal

from ..models.figures import Figure
from .leaning import WIDE, lean_of
from .ratings import longer_of, parts_of
from .resampling import mean_by_unit

Side = Literal["A", "B", "tie"]
Feature = Callable[["JudgedPair"], Sequence[float] | None]


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A comparison as the judge saw it and, if known, as people did. None means not known or not judged.

    `unit` is the same for cases that are not independent, such as those of one task. `a_first` and `b_first` are the
    winners when A or B was shown first. In the pairs of numbers, the first belongs to A and the second to B. `votes`
    holds what each person said.
    """

    unit: Hashable
    winner: Side | None
    a_first: Side | None = None
    b_first: Side | None = None
    lengths: Sequence[float] | None = None
    list_items: Sequence[float] | None = None
    bold: Sequence[float] | None = None
    sources: Sequence[str] | None = None
    votes: Mapping[str, Side] = field(default_factory=dict)


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
    """How often the answer with more of a feature, such as length, wins: for the judge (`more_wins`) and for people
    (`people`; a tie is half a win), over the same cases: all that have a label, or without labels all that were judged.

    `followed` is the share of verdicts that the habit decides: P(more | more is better) + P(more | less is better) − 1.
    For a judge that picks the answer with more in a share f of cases and is otherwise right but for random errors, it
    is f. 0 is fair; below 0 the judge leans to the answer with less. People's errors are taken out of it: `label_error`
    is the share of wrong votes, estimated from how often people disagree. It is None if too few cases
    have labels by two people (`paired` counts them): then `followed` has no value but the interval that label errors of
    0 to 20 % allow.
    `balanced_agreement` is agreement with a person, where votes for the answer with more and votes for the one with
    less count equally. A judge that only follows the habit gets 0.5, however often people share the habit.
    """

    name: str
    more_wins: Figure
    people: Figure | None = None
    followed: Figure | None = None
    label_error: float | None = None
    paired: int = 0
    balanced_agreement: Figure | None = None

    @property
    def found(self) -> bool | None:
        """Whether the judge leans one way more than by chance; None without an interval that could tell."""
        if self.followed is None or self.followed.interval is None:
            return None
        low, high = self.followed.interval
        return None if low <= 0 <= high and high - low >= WIDE else self.followed.leaves_out(0.0)


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


def bias_report(pairs: Sequence[JudgedPair], own_sources: Collection[str] = ()) -> BiasReport:
    """Measure order, length, lists, bold and, if `own_sources` names the judge's own systems, self-preference."""
    features: dict[str, Feature] = {
        "length": lambda pair: pair.lengths,
        "lists": lambda pair: pair.list_items,
        "bold": lambda pair: pair.bold,
    }
    if own_sources:
        features["self-preference"] = lambda pair: [it in own_sources for it in pair.sources or ()] or None
    habits = (habit_bias(name, pairs, of) for name, of in features.items())
    return BiasReport(order_bias(pairs), tuple(habit for habit in habits if habit.more_wins.cases))


def order_bias(pairs: Sequence[JudgedPair]) -> OrderBias:
    """Measure how the order moves the verdict. A tie in only one of the orders is a flip too."""
    both = [pair for pair in pairs if pair.a_first is not None and pair.b_first is not None]
    flips = mean_by_unit((pair.a_first != pair.b_first, pair.unit) for pair in both)
    named = [pair for pair in pairs if pair.a_first in ("A", "B") or pair.b_first in ("A", "B")]
    shown = [(one, first, pair.unit) for pair in named for one, first in ((pair.a_first, "A"), (pair.b_first, "B"))]
    wins = mean_by_unit((one == first, unit) for one, first, unit in shown if one in ("A", "B"))
    return OrderBias(flips, replace(wins, cases=len(named)) if named else Figure(None, 0, "no order is known"))


def habit_bias(name: str, pairs: Sequence[JudgedPair], of: Feature) -> HabitBias:
    """Measure how often the answer with more of a feature wins, among cases that differ in it and have a winner."""
    more = [(longer_of(*numbers), pair) for pair in pairs if (numbers := of(pair)) is not None]
    judged = [(side, pair) for side, pair in more if side != "tie" and pair.winner in ("A", "B")]
    if labelled := [(side, pair) for side, pair in judged if pair.votes]:
        judged = labelled
    units = [pair.unit for _, pair in judged]
    verdicts = [_towards(side, pair.winner) for side, pair in judged]
    wins = mean_by_unit(zip(((1 + it) / 2 for it in verdicts), units, strict=True))
    if not labelled:
        return HabitBias(name, wins)
    votes = [{person: _towards(side, vote) for person, vote in pair.votes.items()} for side, pair in judged]
    lean = lean_of(verdicts, votes, units)
    return HabitBias(
        name,
        wins,
        people=mean_by_unit(zip(((1 + fmean(each.values())) / 2 for each in votes), units, strict=True)),
        followed=lean.figure,
        label_error=lean.label_error,
        paired=sum(len(each) > 1 for each in votes),
        balanced_agreement=_balanced_agreement(verdicts, votes, units),
    )


def win_curve(pairs: Sequence[JudgedPair], of: Feature, bins: int = 6) -> tuple[CurvePoint, ...]:
    """Return how often A wins, in bins by how much more of a feature A has; bins have about the same size."""
    worth: dict[str | None, float] = {"A": 1.0, "tie": 0.5, "B": 0.0}
    known = [(numbers[0] - numbers[1], pair) for pair in pairs if pair.winner and (numbers := of(pair)) is not None]
    points = []
    for part in parts_of(sorted(known, key=lambda item: item[0]), bins):
        people = [fmean(worth[vote] for vote in pair.votes.values()) for _, pair in part if pair.votes]
        judge = fmean(worth[pair.winner] for _, pair in part)
        middle = float(median(apart for apart, _ in part))
        points.append(CurvePoint(middle, len(part), judge, fmean(people) if people else None))
    return tuple(points)


def _towards(side: Any, named: Side | None) -> float:
    """Return 1 if the named answer is on this side, −1 if it is on the other, and 0 for a tie."""
    return 0.0 if named == "tie" else 1.0 if named == side else -1.0


def _balanced_agreement(
    verdicts: Sequence[float], votes: Sequence[Mapping[str, float]], units: Sequence[Hashable]
) -> Figure:
    """Return the mean of the agreement with votes for the answer with more and with votes for the one with less. Its
    interval follows from those of both (Newcombe's method), because one kind of vote may be rare."""
    by_case = list(zip(verdicts, votes, units, strict=True))
    cast = [(vote, verdict, unit) for verdict, own, unit in by_case for vote in own.values()]
    more, less = (
        mean_by_unit((float(verdict == kind), unit) for vote, verdict, unit in cast if vote == kind)
        for kind in (1.0, -1.0)
    )
    cases = sum(any(own.values()) for own in votes)
    if more.value is None or less.value is None or more.interval is None or less.interval is None:
        return Figure(None, cases, "people always prefer the same kind of answer")
    value = (more.value + less.value) / 2
    below, above = (math.hypot(more.value - more.interval[end], less.value - less.interval[end]) / 2 for end in (0, 1))
    return Figure(value, cases, "", (max(value - below, 0.0), min(value + above, 1.0)))
