"""What the rest of adjudge knows of reviews."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...judges.base import Asked
from ...llm.base import BlankPrompt
from ..base import ExpectedCalls, Protocol, imported
from . import rubric
from .case import Review
from .command import COMMAND
from .embedded import no_explanation, rate
from .explainer import EXPLAINER
from .findings import facts_alone
from .form import FORM
from .jury import combine_explanations, combine_reviews
from .labelling import LABELLING, MEASURED
from .questions import ExplainQuestion, RateQuestion
from .rater import RATER
from .reading.rows import READING
from .rules import review
from .settings import ReviewSettings
from .table import LISTING, TABLE
from .tags import review_tags
from .verdict import ReviewVerdict
from .view import build


def _first_prompts(verdict: ReviewVerdict) -> Mapping[str, BlankPrompt]:
    if verdict.invalid is not None:
        return {}
    return {"Rater": RATER.prompt(RateQuestion(verdict.case.blind(), verdict.rubric, facts_alone(verdict.case)))}


PROTOCOL = Protocol(
    name="review",
    noun="review",
    folder=Path(__file__).parent,
    case=Review,
    verdict=ReviewVerdict,
    settings=ReviewSettings,
    judge=lambda case, judges, settings, _: review(case, judges[0], settings.rubric, settings),
    questions=(
        Asked(RateQuestion, RATER, combine_reviews, rate),
        Asked(ExplainQuestion, EXPLAINER, combine_explanations, no_explanation),
    ),
    example_questions=lambda rubric: [
        RateQuestion(Review("(the prompt)", "(the first response)", "(the second response)"), rubric)
    ],
    rubric=rubric.RULES,
    table=TABLE,
    reading=READING,
    command=COMMAND,
    # Each review may need the explaining call, and one with a person's words probably does.
    calls=ExpectedCalls(reply_tokens=1500, after="rating", probable=lambda case: case.has_words),
    labelling=LABELLING,
    measured=MEASURED,
    view=build,
    run_report=imported(f"{__package__}.run_report", "RUN_REPORT"),
    form=FORM,
    listing=LISTING,
    first_prompts=_first_prompts,
    service=imported(f"{__package__}.service", "SERVICE"),
    cards=imported(f"{__package__}.annotators_view", "CARDS"),
    formats={"tags": review_tags},
    # The owner's name for the review is left out, so that the verdict's id does not depend on it.
    stored_case=lambda case: case.updated(review_id=None),
)
