"""How lists of runs and of cases show what a protocol decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class OutcomeShare(NamedTuple):
    """Verdicts with the same outcome: the tone in which they are drawn, how many they are, and words for them."""

    tone: str
    cases: int
    words: str


def _by_answer(answers: Mapping[str, int]) -> Iterable[OutcomeShare]:
    return (OutcomeShare("tie", count, answer) for answer, count in sorted(answers.items()))


@dataclass(frozen=True, kw_only=True)
class CaseListing:
    """`parts` groups the verdicts of a run, counted by answer. `sorts` are names by which its cases can be sorted
    besides columns, with their SQL on a row `r`; `orders` are the most useful orders, with words for them."""

    parts: Callable[[Mapping[str, int]], Iterable[OutcomeShare]] = _by_answer
    sorts: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[str, str] = field(default_factory=dict)
