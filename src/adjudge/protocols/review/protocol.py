"""What the rest of adjudge knows of reviews."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...judges.base import Asked, Judge, Question
from ...models.common import Failure
from ...rubric import Rubric
from ..base import Protocol
from ..procedure import Services
from ..special import Cards
from . import rubric
from .case import Review
from .embedded import no_explanation, rate
from .explainer import EXPLAINER
from .jury import combine_explanations, combine_reviews
from .labelling import LABELLING
from .measured import MEASURED
from .questions import ExplainQuestion, RateQuestion
from .rater import RATER
from .rules import review
from .settings import ReviewSettings
from .table import TABLE
from .tags import review_tags
from .verdict import ReviewVerdict
from .view import build


async def _judge(
    case: Review, judges: tuple[Judge, ...], settings: ReviewSettings, _: Services
) -> ReviewVerdict | Failure:
    return await review(case, judges[0], settings.rubric, settings)


def _example_questions(rubric: Rubric) -> Iterable[Question[Any]]:
    return [RateQuestion(Review("(the prompt)", "(the first response)", "(the second response)"), rubric)]


def _cards() -> Cards:
    from .annotators import annotator_report
    from .annotators_view import annotators_document, annotators_html

    return Cards(report=annotator_report, document=annotators_document, html=annotators_html)


PROTOCOL = Protocol(
    name="review",
    noun="review",
    folder=Path(__file__).parent,
    case=Review,
    verdict=ReviewVerdict,
    settings=ReviewSettings,
    judge=_judge,
    questions=(
        Asked(RateQuestion, RATER, combine_reviews, rate),
        Asked(ExplainQuestion, EXPLAINER, combine_explanations, no_explanation),
    ),
    example_questions=_example_questions,
    rubric=rubric.RULES,
    table=TABLE,
    labelling=LABELLING,
    measured=MEASURED,
    view=build,
    cards=_cards,
    formats={"tags": review_tags},
    # The owner's name for the review is left out, so that the verdict's id does not depend on it.
    stored_case=lambda case: case.updated(review_id=None),
)
