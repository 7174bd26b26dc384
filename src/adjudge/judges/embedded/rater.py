"""The embedded Rater: it leaves the ratings alone, for what they ask needs reading; the preference is the model's.

What was entered stands, and where nothing was entered no issue is assumed. What is certain about a response, code says
elsewhere, and it binds by rule.
"""

from __future__ import annotations

from ...rubric import LIKERT, OVERALL, Criterion
from ...verdicts import LABELS, RatedResponse, Rating, ReviewOpinion
from ..base import RateQuestion
from .model import Model, Prediction, compare_pair

_UNSURE_OVERALL = 4  # a 5 would claim that nothing can be improved
_MUCH_BETTER = 0.9  # how sure the model must be
_FOLLOWS = "Follows from the ratings above."
_NOT_ASSESSED = "Not assessed by the embedded judge, which measures and does not read."


def rate(question: RateQuestion, judge: str = "embedded", model: Model | None = None) -> ReviewOpinion:
    """No rating of its own, and which response people would prefer."""
    case = question.case
    _, prediction = compare_pair(case.prompt, case.a, case.b, model)
    ratings = {criterion.key: _unassessed(criterion) for criterion in question.rubric.criteria}
    return ReviewOpinion(
        judge=judge,
        task_type="other",
        harmful_request=None,
        invalid="",
        responses={label: RatedResponse(ratings) for label in LABELS},
        preference=_preference(prediction),
        reasons="",
    )


def _preference(prediction: Prediction) -> int:
    """How far the model's word goes on the Likert scale; the tables decide how much of it can be said."""
    low, high = int(LIKERT.low), int(LIKERT.high)
    if prediction.winner == "tie" or not prediction.decided:
        return (low + high) // 2
    away = 0 if prediction.confidence >= _MUCH_BETTER else 1
    return low + away if prediction.winner == "A" else high - away


def _unassessed(criterion: Criterion) -> Rating:
    if criterion.key == OVERALL:
        return Rating(_UNSURE_OVERALL, _FOLLOWS, assessed=False)
    return Rating(0 if criterion.scale.low < 0 else int(criterion.scale.high), _NOT_ASSESSED, assessed=False)
