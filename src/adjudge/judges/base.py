"""What a judge is: anything that answers a question with an opinion, or fails and says why.

A judge knows no rule and no protocol. The question carries all it may see, and nothing about where an answer came from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ..cases import Comparison, Dialogue
from ..rubric import Rubric
from ..verdicts import ComparisonOpinion, Critique, Evaluation, Fact, Failure, Label, Lookup, Order, Research

O_co = TypeVar("O_co", covariant=True)
O = TypeVar("O")

MAX_QUERIES = 4


class Question(Generic[O_co]):
    """Something a judge can be asked; its type says which opinion answers it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class CompareQuestion(Question[ComparisonOpinion]):
    """How good are both answers, shown in this order?"""

    case: Comparison
    rubric: Rubric
    order: Order
    facts: tuple[Fact, ...] = ()
    lookups: tuple[Lookup, ...] = ()

    @property
    def shown(self) -> tuple[Label, Label]:
        """The case's labels in the order the judge sees them: its Answer 1 and Answer 2."""
        return ("A", "B") if self.order == "ab" else ("B", "A")


@dataclass(frozen=True, slots=True)
class ResearchQuestion(Question[Research]):
    """What should be looked up before these answers are compared?"""

    case: Comparison


@dataclass(frozen=True, slots=True)
class EvaluateQuestion(Question[Evaluation]):
    """How well did SYSTEM serve USER, criterion by criterion?"""

    case: Dialogue
    rubric: Rubric


@dataclass(frozen=True, slots=True)
class CriticizeQuestion(Question[Critique]):
    """Where is this evaluation wrong, by the transcript?"""

    case: Dialogue
    rubric: Rubric
    evaluation: Evaluation


class Judge(Protocol):
    """Anything that gives opinions."""

    @property
    def name(self) -> str:
        """The string that names this judge everywhere."""
        ...

    async def opine(self, question: Question[O]) -> O | Failure:
        """The opinion asked for, or why there is none."""
        ...

    async def close(self) -> None:
        """Let go of connections and models."""
        ...
