"""The embedded judge: measures two answers, weighs what it measured, and says in plain words what moved each score.

Deterministic and offline. It works from the form of the texts, what the task asks for and the facts found; it knows
nothing of the world and says so. Conversations go to its Evaluator and its Critic, reviews to its Rater.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, TypeVar, cast

from ...verdicts import ComparisonOpinion, Explanation, Failure, Research
from ..base import (
    CompareQuestion,
    CriticizeQuestion,
    EvaluateQuestion,
    ExplainQuestion,
    Question,
    RateQuestion,
    ResearchQuestion,
)

if TYPE_CHECKING:
    from .model import Model

O = TypeVar("O")
LARGE = 100_000  # characters that take long enough for others to notice


class EmbeddedJudge:
    """Gives opinions from measures alone; comparisons by the shipped model, or by one of the user's own."""

    def __init__(self, model: Model | None = None, name: str = "embedded") -> None:
        self._model = model
        self._name = name
        self._last: tuple[CompareQuestion, ComparisonOpinion] | None = None
        self._one_at_a_time = Lock()

    @property
    def name(self) -> str:
        """How this judge is called everywhere."""
        return self._name

    async def opine(self, question: Question[O]) -> O | Failure:
        """The opinion asked for; the same for both orders of the same case."""
        # Each part is loaded by the first question that needs it: few processes ask all kinds.
        if isinstance(question, CompareQuestion):
            if _is_large(question):
                return cast(O, await _in_a_thread(self._compare_large, question))
            return cast(O, self._compare(question))
        if isinstance(question, EvaluateQuestion):
            from .evaluator import evaluate

            if _is_large(question):
                return cast(O, await _in_a_thread(evaluate, question))
            return cast(O, evaluate(question))
        if isinstance(question, CriticizeQuestion):
            from .critic import criticize

            if _is_large(question):
                return cast(O, await _in_a_thread(criticize, question))
            return cast(O, criticize(question))
        if isinstance(question, RateQuestion):
            from .rater import rate

            if _is_large(question):
                return cast(O, await _in_a_thread(rate, question, self._name, self._model))
            return cast(O, rate(question, self._name, self._model))
        if isinstance(question, ResearchQuestion):
            return cast(O, Research(judge=self.name, queries=()))
        if isinstance(question, ExplainQuestion):
            # Whether words are specific and true is for a judge that reads.
            return cast(O, Explanation(judge=self.name, reasons="", words={}))
        return Failure(reason="rejected", message=f"cannot answer a {type(question).__name__}", judge=self.name)

    def _compare(self, question: CompareQuestion) -> ComparisonOpinion:
        """A case is asked about once for each order, and both have the same answer."""
        from .comparer import compare_texts

        last = self._last
        if last is None or last[0].case is not question.case or last[0].rubric is not question.rubric:
            last = self._last = question, compare_texts(question, self._name, self._model)
        opinion = last[1]
        return opinion if opinion.order == question.order else replace(opinion, order=question.order)

    def _compare_large(self, question: CompareQuestion) -> ComparisonOpinion:
        """The same in a thread; that of the other order waits, and finds what this one made."""
        with self._one_at_a_time:
            return self._compare(question)

    async def close(self) -> None:
        """Nothing to let go of."""


def _is_large(question: CompareQuestion | RateQuestion | EvaluateQuestion | CriticizeQuestion) -> bool:
    if isinstance(question, EvaluateQuestion | CriticizeQuestion):
        return sum(len(turn.text) for turn in question.case.turns) > LARGE
    return len(question.case.a) + len(question.case.b) > LARGE


async def _in_a_thread(work: Callable[..., O], *given: object) -> O:
    import asyncio

    return await asyncio.to_thread(work, *given)
