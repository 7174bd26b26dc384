"""Ratings as people give them: how often each is given, what people say together, what simple rules would say, and
how cases are grouped."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any, TypeVar

from .agreement import Ratings, Value

T = TypeVar("T")
N = TypeVar("N", bound=tuple[float, object])

FEW_IN_PART = 5
# The winners of a comparison as numbers, for measures that need numbers.
PREFERENCE = {"A": -1.0, "tie": 0.0, "B": 1.0}


@dataclass(frozen=True, slots=True)
class Confusion:
    """A confusion matrix: the judge's classes in columns, people's classes in rows."""

    classes: tuple[Value, ...]
    counts: tuple[tuple[int, ...], ...]


def confusion(pairs: Iterable[Sequence[Any]], classes: Sequence[Value]) -> Confusion:
    """Return the confusion matrix of these classes."""
    counts = Counter((one, other) for one, other, *_ in pairs if one is not None and other is not None)
    return Confusion(tuple(classes), tuple(tuple(counts[judged, meant] for judged in classes) for meant in classes))


def base_rates(human: Ratings) -> dict[Value, float]:
    """Return the share of each class, the most frequent first; it is the accuracy of a judge that always says it."""
    counts = Counter(value for value in human if value is not None)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {value: count / counts.total() for value, count in ordered}


def consensus(ratings: Iterable[Value | None]) -> Value | None:
    """Return people's joint rating: the median of numbers, or the most frequent class; None if two classes tie."""
    given = [value for value in ratings if value is not None]
    if not given:
        return None
    if not any(isinstance(value, str) for value in given):
        return median(float(value) for value in given)
    (first, most), *others = Counter(given).most_common(2)
    return None if others and others[0][1] == most else first


def baselines(human: Ratings, lengths: Sequence[Sequence[float]]) -> dict[str, list[Value | None]]:
    """Return the verdicts of three simple rules for comparisons: the most frequent class, the longer answer, the first.

    `lengths` are those of A and B, and A is shown first. The constant is chosen from the labels it is measured on, so
    no constant can do better.
    """
    constant = next(iter(base_rates(human)), None)
    longest: list[Value | None] = [longer_of(*pair) for pair in lengths]
    return {"constant": [constant] * len(human), "longest": longest, "first position": ["A"] * len(human)}


def longer_of(a: float, b: float) -> Value:
    """Return which of two answers is longer; "tie" if neither is."""
    return "A" if a > b else "B" if b > a else "tie"


def units_of(cases: Iterable[T], unit: Callable[[T], Hashable]) -> list[list[T]]:
    """Group the cases that must be drawn together."""
    units: dict[Hashable, list[T]] = defaultdict(list)
    for case in cases:
        units[unit(case)].append(case)
    return list(units.values())


def parts_of(numbered: Sequence[N], most: int) -> Iterator[Sequence[N]]:
    """Split cases, sorted by their first element, into at most `most` parts of about the same size, fewer if there are
    few cases. Cases with the same number are always in the same part."""
    parts = max(min(most, len(numbered) // FEW_IN_PART), 1)
    numbers = [case[0] for case in numbered]
    cuts = (
        {bisect_left(numbers, numbers[round(len(numbers) * at / parts)]) for at in range(parts)} if numbers else set()
    )
    return (numbered[begin:end] for begin, end in pairwise([*sorted(cuts), len(numbers)]))
