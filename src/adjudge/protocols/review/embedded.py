"""How the embedded judge answers a review: it reads plain demands and gives no ratings of its own."""

from __future__ import annotations

from ...constraints.english import demands_in_english
from ...judges.embedded.model import Model, Prediction, compare_pair
from ...rubric import OVERALL
from ...text.findings import ATTEMPTS
from .questions import ExplainQuestion, RateQuestion
from .verdict import Explanation, RatedResponse, Rating, ReviewOpinion

_UNSURE_OVERALL = 4  # a 5 would claim that nothing can be improved

_NO_PREFERENCE = 4

_MUCH_BETTER = 0.9  # the confidence from which we say "much better"

_FOLLOWS = "Follows from the ratings above."

_NOT_ASSESSED = "Not assessed by the embedded judge, which measures and does not read."


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
        constraints=tuple(demands_in_english(case.system_prompt, case.prompt)),
    )


def _preference(prediction: Prediction) -> int:
    """Return the model's prediction on the Likert scale. The rating tables decide how much of it is kept."""
    if prediction.winner == "tie" or not prediction.decided:
        return _NO_PREFERENCE
    strength = 3 if prediction.confidence >= _MUCH_BETTER else 2
    return _NO_PREFERENCE + (-strength if prediction.winner == "A" else strength)


def no_explanation(_: ExplainQuestion, judge: str, __: Model | None) -> Explanation:
    """Return no reasons: only a judge that reads can say whether words are specific and true."""
    return Explanation(judge=judge, reasons=(), words={})
