"""The judge interface: a judge answers a question with an opinion, or with a failure that says why.

A judge knows no rules and no protocols. The question holds everything it may see and never says who wrote an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, Protocol, TypeVar

from ..models.cases import Case
from ..models.common import Failure
from .role import Role

O_co = TypeVar("O_co", covariant=True)
O = TypeVar("O")


class Question(Generic[O_co]):
    """A question to a judge about a case. Its type parameter is the type of opinion that answers it."""

    __slots__ = ()

    case: Case

    @property
    def which(self) -> str:
        """What tells this question from the others of its case, for the record of a jury member's failure."""
        return type(self).__name__


@dataclass(frozen=True, slots=True)
class Asked:
    """How judges answer one kind of question: the role of an LLM, how a jury combines its members' opinions, and how
    the embedded judge answers, if it can. A protocol registers its questions when it is loaded.

    `combine` gets the jury, its members' votes and the question. `embedded` gets the question, the judge's name and
    the model of a user's own, if there is one.
    """

    question: type[Question[Any]]
    role: Role[Any, Any]
    combine: Callable[[Any, Any, Any], Any]
    embedded: Callable[[Any, str, Any], Any] | None = None


ASKED: dict[type[Question[Any]], Asked] = {}


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
