"""The judge interface: a judge answers a question with an opinion, or with a failure that says why.

A judge knows no rules and no protocols. The question holds everything it may see and never says who wrote an answer.
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
    Favours,
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
    """A question to a judge about a case. Its type parameter is the type of opinion that answers it."""

    __slots__ = ()

    case: Comparison | Dialogue | Review


@dataclass(frozen=True, slots=True)
class CompareQuestion(Question[ComparisonOpinion]):
    """How good are the two answers, shown in this order?"""

    case: Comparison
    rubric: Rubric
    order: Order
    facts: tuple[Fact, ...] = ()
    lookups: tuple[Lookup, ...] = ()

    @property
    def shown(self) -> tuple[Label, Label]:
        """The case's labels in the order the judge sees them: Answer 1 first, then Answer 2."""
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
    """Where does the transcript contradict this evaluation?"""

    case: Dialogue
    rubric: Rubric
    evaluation: Evaluation


@dataclass(frozen=True, slots=True)
class RateQuestion(Question[ReviewOpinion]):
    """How good is each response, criterion by criterion? The case is blind: nothing a person entered is in it."""

    case: Review
    rubric: Rubric
    facts: tuple[Fact, ...] = ()


class Candidate(NamedTuple):
    """A person's justification that may be kept, with what it is about and the final rating it would stand beside.

    That of the preference has its `sentences`: the judge says what each is about, and which response it favours.
    """

    key: str
    about: str
    rating: int
    words: str
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExplainQuestion(Question[Explanation]):
    """Which of a person's justifications can be kept, and why do these final tables favour one side?

    The case is blind. `tables` hold the final ratings with our own words. `verdict` is the sentence the rules produce.
    `favoured` is the better response in each assessed dimension and `overall`, by the tables; the judge is not told.
    """

    case: Review
    rubric: Rubric
    tables: Mapping[Label, Mapping[str, tuple[int, str]]]
    verdict: str
    favoured: Mapping[str, Favours]
    candidates: tuple[Candidate, ...] = ()


class Judge(Protocol):
    """Anything that gives opinions."""

    @property
    def name(self) -> str:
        """The string that identifies this judge everywhere."""
        ...

    async def opine(self, question: Question[O]) -> O | Failure:
        """Return the opinion asked for, or a failure that says why there is none."""
        ...

    async def close(self) -> None:
        """Release connections and models."""
        ...


@dataclass(frozen=True, slots=True)
class Cascade:
    """Judges in order of rising cost. Each judges a case only if the one before it is unsure of that case.

    A single question cannot show that, so the protocols ask stage by stage. `margin` is how far apart the totals of a
    comparison must be. In a replay, `failed` holds the stages (from 0) that failed when the verdict was first made.
    """

    name: str
    stages: tuple[Judge, ...]
    margin: Decimal | None = None
    failed: Mapping[int, Failure] = field(default_factory=dict)

    async def opine(self, question: Question[O]) -> O | Failure:
        """Return the first judge's opinion."""
        return await self.stages[0].opine(question)

    async def close(self) -> None:
        for judge in self.stages:
            await judge.close()
