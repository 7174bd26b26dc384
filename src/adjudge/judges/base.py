"""What a judge is: anything that answers a question with an opinion, or fails and says why.

A judge knows no rule and no protocol. The question carries all it may see, and nothing about where an answer came from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Generic, NamedTuple, Protocol, TypeVar

from ..models import (
    ComparisonOpinion,
    Critique,
    Evaluation,
    Explanation,
    Fact,
    Failure,
    Label,
    Lookup,
    Order,
    Research,
    ReviewOpinion,
)
from ..models.cases import Comparison, Dialogue, Review
from ..rubric import Rubric

O_co = TypeVar("O_co", covariant=True)
O = TypeVar("O")

MAX_QUERIES = 4


class Question(Generic[O_co]):
    """Something a judge can be asked about a case; its type says which opinion answers it."""

    __slots__ = ()

    case: Comparison | Dialogue | Review


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


@dataclass(frozen=True, slots=True)
class RateQuestion(Question[ReviewOpinion]):
    """How good is each response, criterion by criterion? The case is blind: it holds nothing a person entered."""

    case: Review
    rubric: Rubric
    facts: tuple[Fact, ...] = ()


class Candidate(NamedTuple):
    """A person's justification that may be kept: what it was written for, the rating that stands, and its words."""

    key: str
    about: str
    rating: int
    words: str


@dataclass(frozen=True, slots=True)
class ExplainQuestion(Question[Explanation]):
    """Which of a person's justifications may stand, and why do these final tables favour one side?

    The case is blind; `tables` hold final ratings with our own words, `verdict` is the sentence that the rules give.
    """

    case: Review
    rubric: Rubric
    tables: Mapping[Label, Mapping[str, tuple[int, str]]]
    verdict: str
    candidates: tuple[Candidate, ...] = ()


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


@dataclass(frozen=True, slots=True)
class Cascade:
    """Judges by rising cost: the next one judges a case only where the one before is unsure of it.

    One question cannot show that, so the protocols ask stage by stage. `margin` is how far apart a comparison's totals
    must be; `failed` are the stages, from 0, that failed when a verdict was made that is now replayed.
    """

    name: str
    stages: tuple[Judge, ...]
    margin: Decimal | None = None
    failed: Mapping[int, Failure] = field(default_factory=dict)

    async def opine(self, question: Question[O]) -> O | Failure:
        """The first judge's opinion."""
        return await self.stages[0].opine(question)

    async def close(self) -> None:
        for judge in self.stages:
            await judge.close()
