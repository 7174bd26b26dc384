"""The embedded judge: measures the texts, weighs what it measured, and says in plain words what it saw.

Deterministic and offline. It knows nothing of the world and follows no argument, and says so. In a review it reads
plain demands and leaves every rating to the person who entered it: what code is certain of, facts say, and facts bind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

from ...computing import computed
from ...constraints.english import demands_in_english
from ...models import Explanation, Failure, RatedResponse, Rating, Research, ReviewOpinion
from ...models.cases import Review
from ...rubric import OVERALL
from ...text.findings import ATTEMPTS
from ...text.language import is_in_a_language
from ...text.words import split_words
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
_MUCH_BETTER = 0.9  # how sure the model must be
_NONSENSE_WORDS = 4  # fewer words may be a name, a term or an acronym in any language
_NONSENSE = "The prompt is in no language that can be told, and no word of it stands in either response."
_FOLLOWS = "Follows from the ratings above."
_NOT_ASSESSED = "Not assessed by the embedded judge, which measures and does not read; no issue was measured."


class EmbeddedJudge:
    """Gives opinions from measures alone; comparisons by the shipped model, or by one of the user's own."""

    def __init__(self, model: Model | None = None, name: str = "embedded") -> None:
        self._model = model
        self.name = name

    async def opine(self, question: Question[O]) -> O | Failure:
        """The opinion asked for; the same for both orders of the same case."""
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
                # Whether words are specific and true is for a judge that reads.
                work = partial(Explanation, judge=self.name, reasons="", words={})
            case _:
                message = f"cannot answer a {type(question).__name__}"
                return Failure(reason="rejected", message=message, judge=self.name)
        return cast(O, await computed(question.case.size, work))

    async def close(self) -> None:
        """Nothing to let go of."""


# -- reviews -----------------------------------------------------------------------------------------------------------


def rate(question: RateQuestion, judge: str = "embedded", model: Model | None = None) -> ReviewOpinion:
    """What is demanded, which side the model prefers, and no rating of its own."""
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
        invalid=_NONSENSE if _is_nonsense(case) else "",
        response1=RatedResponse(ratings=ratings),
        response2=RatedResponse(ratings=ratings),
        preference=_NO_PREFERENCE if any(f.name in ATTEMPTS for f in question.facts) else _preference(prediction),
        reasons="",
        constraints=tuple(demands_in_english(case)),
    )


def _is_nonsense(case: Review) -> bool:
    """A prompt of no language that CLD3 is sure of, of whose words none stands in any other text of the task."""
    words = {word.casefold() for word in split_words(case.prompt)}
    if len(split_words(case.prompt)) < _NONSENSE_WORDS or is_in_a_language(case.prompt):
        return False
    others = "\n".join((case.a, case.b, case.system_prompt, case.history, case.task_config))
    return words.isdisjoint(word.casefold() for word in split_words(others))


def _preference(prediction: Prediction) -> int:
    """How far the model's word goes on the Likert scale; the tables decide how much of it can be said."""
    if prediction.winner == "tie" or not prediction.decided:
        return _NO_PREFERENCE
    strength = 3 if prediction.confidence >= _MUCH_BETTER else 2
    return _NO_PREFERENCE + (-strength if prediction.winner == "A" else strength)
