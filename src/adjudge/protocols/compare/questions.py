"""What a judge is asked in a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from ...judges.base import Question
from ...models.common import Fact, Label, Lookup, Order
from ...rubric import Rubric
from .case import Comparison
from .verdict import ComparisonOpinion, Research

MAX_QUERIES = 4


@dataclass(frozen=True, slots=True)
class CompareQuestion(Question[ComparisonOpinion]):
    """How good are the two answers, shown in this order?"""

    case: Comparison
    rubric: Rubric
    order: Order
    facts: tuple[Fact, ...] = ()
    lookups: tuple[Lookup, ...] = ()

    @property
    def which(self) -> str:
        return f"CompareQuestion {self.order}"

    @property
    def shown(self) -> tuple[Label, Label]:
        """The case's labels in the order the judge sees them: Answer 1 first, then Answer 2."""
        return ("A", "B") if self.order == "ab" else ("B", "A")


@dataclass(frozen=True, slots=True)
class ResearchQuestion(Question[Research]):
    """What should be looked up before these answers are compared?"""

    case: Comparison
