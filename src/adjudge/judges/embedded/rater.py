"""The embedded Rater: it measures, and what cannot be measured it leaves alone.

What is certain about a response, the facts say, and facts bind by rule. Beyond them it assesses nothing: what a person
entered stands, and where nothing was entered it assumes no issue and says so.
"""

from __future__ import annotations

from ...rubric import OVERALL, Criterion
from ...verdicts import LABELS, Fact, RatedResponse, Rating, ReviewOpinion, TaskType
from ..base import RateQuestion

_UNSURE_OVERALL = 4  # a 5 would claim that nothing can be improved
_HINTS = 2


def rate(question: RateQuestion) -> ReviewOpinion:
    """No issue anywhere, and nothing of it assessed."""
    return ReviewOpinion(
        judge="embedded",
        task_type=_task_type(question.case.prompt),
        # Cue words are not certain, and what is said here binds: whether a refusal was right is for a judge that reads.
        harmful_request=None,
        invalid="",
        responses={label: _rated(question, label) for label in LABELS},
        preference=4,
        reasons="",
    )


def _rated(question: RateQuestion, label: str) -> RatedResponse:
    facts = [fact for fact in question.facts if fact.where == label and not fact.certain]
    return RatedResponse(
        {criterion.key: _unassessed(criterion, facts) for criterion in question.rubric.criteria},
    )


def _unassessed(criterion: Criterion, hints: list[Fact]) -> Rating:
    if criterion.key == OVERALL:
        return Rating(_UNSURE_OVERALL, "Follows from the ratings above.", assessed=False)
    said = "Not assessed by the embedded judge, which measures and does not read; no issue was measured."
    own = [fact.found.rstrip(".") for fact in hints if criterion.key in _CONCERNS.get(fact.name, ())]
    if own:
        said = f"Not assessed by the embedded judge; possibly the response {'; '.join(own[:_HINTS])}."
    return Rating(0 if criterion.scale.low < 0 else int(criterion.scale.high), said, assessed=False)


_CONCERNS = {
    "truncation": ("verbosity",),
    "language": ("localization", "instruction_following"),
    "too_long": ("instruction_following", "verbosity"),
    "too_short": ("instruction_following", "verbosity"),
    "items": ("instruction_following",),
    "format": ("instruction_following",),
    "refusal": ("instruction_following",),
}


def _task_type(prompt: str) -> TaskType:
    from ...facts.requests import read_requests

    return "coding" if read_requests(prompt).asks_for_code else "other"
