"""The embedded Rater: it measures, and what cannot be measured it leaves alone.

What is certain about a response, the facts say, and facts bind by rule. What the measures of comparisons find beyond
them is tentative: it counts where no person has rated anything. The rest is not assessed: what was entered stands, and
where nothing was entered no issue is assumed. The preference is the fitted model's.
"""

from __future__ import annotations

from ...rubric import LIKERT, OVERALL, Criterion
from ...verdicts import LABELS, Label, Passage, RatedResponse, Rating, ReviewOpinion, TaskType
from ..base import RateQuestion
from .measures import Measured
from .model import Model, Prediction, compare_pair
from .quoting import fit
from .review_issues import VERBOSITY, Issue, find_issues

_UNSURE_OVERALL = 4  # a 5 would claim that nothing can be improved
_NO_PREFERENCE = 4
_MUCH_BETTER = 0.9  # how sure the model must be
_FOLLOWS = "Follows from the ratings above."
_NOT_ASSESSED = "Not assessed by the embedded judge, which measures and does not read; no issue was measured."


def rate(question: RateQuestion, judge: str = "embedded", model: Model | None = None) -> ReviewOpinion:
    """What was measured, and nothing else."""
    case = question.case
    measured, prediction = compare_pair(case.prompt, case.a, case.b, model=model)
    return ReviewOpinion(
        judge=judge,
        task_type=_task_type(case.prompt),
        # Cue words are not certain, and what is said here binds: whether a refusal was right is for a judge that reads.
        harmful_request=None,
        invalid="",
        responses={label: _rated(question, label, measured) for label in LABELS},
        preference=_preference(prediction),
        reasons="",
    )


def _preference(prediction: Prediction) -> int:
    """How far the model's word goes on the Likert scale; the tables decide how much of it can be said."""
    if prediction.winner == "tie" or not prediction.decided:
        return _NO_PREFERENCE
    much = prediction.confidence >= _MUCH_BETTER
    low, high = int(LIKERT.low), int(LIKERT.high)
    return (low if much else low + 1) if prediction.winner == "A" else (high if much else high - 1)


def _rated(question: RateQuestion, label: Label, measured: Measured) -> RatedResponse:
    text = question.case.answer(label)
    issues = find_issues(text, label, measured, question.facts)
    return RatedResponse(
        {criterion.key: _rating(criterion, issues.get(criterion.key), text) for criterion in question.rubric.criteria},
    )


def _rating(criterion: Criterion, issue: Issue | None, text: str) -> Rating:
    if criterion.key == OVERALL:
        return Rating(_UNSURE_OVERALL, _FOLLOWS, assessed=False)
    both_ways = criterion.scale.low < 0
    # A rubric of the user's own may use the same name for another scale.
    if issue is None or both_ways != (criterion.key == VERBOSITY):
        return Rating(0 if both_ways else int(criterion.scale.high), _NOT_ASSESSED, assessed=False)
    span = fit(text, *issue.place) if issue.place is not None else None
    quotes = (Passage(text[span.start : span.end], span.start, span.end),) if span is not None else ()
    return Rating(issue.value, f"{issue.says}. Measured by code, not read.", quotes, tentative=True)


def _task_type(prompt: str) -> TaskType:
    from ...facts.requests import read_requests

    return "coding" if read_requests(prompt).asks_for_code else "other"
