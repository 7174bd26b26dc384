"""The embedded judge measures the texts, weighs the measures, and says in plain words what it found.

It is deterministic and works offline. It knows nothing about the world, follows no argument, and says so. In a review
it reads plain demands and gives no ratings of its own: the certain findings of code are facts, and these bind anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

from ...computing import computed
from ...constraints.english import demands_in_english
from ...models import Explanation, Failure, RatedResponse, Rating, Research, ReviewOpinion
from ...rubric import OVERALL
from ...text.findings import ATTEMPTS
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
from .dialogue import criticize, evaluate
from .model import Model, Prediction, compare_pair

O = TypeVar("O")
_UNSURE_OVERALL = 4  # a 5 would claim that nothing can be improved
_NO_PREFERENCE = 4
_MUCH_BETTER = 0.9  # the confidence from which we say "much better"
_FOLLOWS = "Follows from the ratings above."
_NOT_ASSESSED = "Not assessed by the embedded judge, which measures and does not read."


class EmbeddedJudge:
    """Gives opinions from measures alone. Comparisons use the shipped model or a model of the user's own."""

    def __init__(self, model: Model | None = None, name: str = "embedded") -> None:
        self._model = model
        self.name = name

    async def opine(self, question: Question[O]) -> O | Failure:
        """Return the opinion asked for. It is the same for both orders of the same case."""
        work: Callable[[], object]
        match question:
            case CompareQuestion():
                work = partial(compare_texts, question, self.name, self._model)
            case RateQuestion():
                work = partial(rate, question, self.name, self._model)
            case EvaluateQuestion():
                work = partial(evaluate, question)
            case CriticizeQuestion():
                work = partial(criticize, question)
            case ResearchQuestion():
                work = partial(Research, judge=self.name, queries=())
            case ExplainQuestion():
                # Only a judge that reads can say whether words are specific and true.
                work = partial(Explanation, judge=self.name, reasons=(), words={})
            case _:
                message = f"cannot answer a {type(question).__name__}"
                return Failure(reason="rejected", message=message, judge=self.name)
        return cast(O, await computed(question.case.size, work))

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""


# -- reviews -----------------------------------------------------------------------------------------------------------


def rate(question: RateQuestion, judge: str = "embedded", model: Model | None = None) -> ReviewOpinion:
    """Return what the task demands and which side the model prefers. The ratings are placeholders, not assessed."""
    case = question.case
    _, prediction = compare_pair(case.prompt, case.a, case.b, model=model)
    ratings = {
        item.key: Rating(
            value=0 if item.scale.low < 0 else int(item.scale.high), justification=_NOT_ASSESSED, assessed=False
        )
        for item in question.rubric.criteria
    }
    ratings[OVERALL] = Rating(value=_UNSURE_OVERALL, justification=_FOLLOWS, assessed=False)
    return ReviewOpinion(
        judge=judge,
        task_type="other",
        invalid="",
        response1=RatedResponse(ratings=ratings),
        response2=RatedResponse(ratings=ratings),
        preference=_NO_PREFERENCE if any(f.name in ATTEMPTS for f in question.facts) else _preference(prediction),
        constraints=tuple(demands_in_english(case)),
    )


def _preference(prediction: Prediction) -> int:
    """Return the model's prediction on the Likert scale. The rating tables decide how much of it is kept."""
    if prediction.winner == "tie" or not prediction.decided:
        return _NO_PREFERENCE
    strength = 3 if prediction.confidence >= _MUCH_BETTER else 2
    return _NO_PREFERENCE + (-strength if prediction.winner == "A" else strength)
