"""The embedded judge: measures the texts, weighs what it measured, and says in plain words what it saw.

Deterministic and offline. It knows nothing of the world and follows no argument, and says so. Conversations go to its
Evaluator and its Critic, reviews to its Rater.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

from ...models import Explanation, Failure, Research
from ..base import (
    CompareQuestion,
    CriticizeQuestion,
    EvaluateQuestion,
    ExplainQuestion,
    Question,
    RateQuestion,
    ResearchQuestion,
)
from .comparer import compare_texts
from .critic import criticize
from .evaluator import evaluate
from .model import Model
from .rater import rate

O = TypeVar("O")
_LARGE = 100_000  # characters that take long enough for others to notice


class EmbeddedJudge:
    """Gives opinions from measures alone; comparisons by the shipped model, or by one of the user's own."""

    def __init__(self, model: Model | None = None, name: str = "embedded") -> None:
        self._model = model
        self._name = name

    @property
    def name(self) -> str:
        """How this judge is called everywhere."""
        return self._name

    async def opine(self, question: Question[O]) -> O | Failure:
        """The opinion asked for; the same for both orders of the same case."""
        work: Callable[[], object]
        if isinstance(question, CompareQuestion):
            work = partial(compare_texts, question, self._name, self._model)
            size = len(question.case.a) + len(question.case.b)
        elif isinstance(question, RateQuestion):
            work = partial(rate, question, self._name, self._model)
            size = len(question.case.a) + len(question.case.b)
        elif isinstance(question, EvaluateQuestion):
            work = partial(evaluate, question)
            size = sum(len(turn.text) for turn in question.case.turns)
        elif isinstance(question, CriticizeQuestion):
            work = partial(criticize, question)
            size = sum(len(turn.text) for turn in question.case.turns)
        elif isinstance(question, ResearchQuestion):
            return cast(O, Research(judge=self.name, queries=()))
        elif isinstance(question, ExplainQuestion):
            # Whether words are specific and true is for a judge that reads.
            return cast(O, Explanation(judge=self.name, reasons="", words={}))
        else:
            return Failure(reason="rejected", message=f"cannot answer a {type(question).__name__}", judge=self.name)
        return cast(O, await asyncio.to_thread(work) if size > _LARGE else work())

    async def close(self) -> None:
        """Nothing to let go of."""
