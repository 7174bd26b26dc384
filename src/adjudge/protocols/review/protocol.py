"""What the rest of adjudge knows of reviews."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...judges.base import Asked, Judge, Question
from ...llm.base import BlankPrompt
from ...models.common import Failure
from ...rubric import Rubric
from ..base import Protocol
from ..estimate import ExpectedCalls
from ..procedure import Services
from ..service import Service
from ..special import Cards
from . import rubric
from .case import Review
from .command import COMMAND
from .embedded import no_explanation, rate
from .explainer import EXPLAINER
from .findings import facts_alone
from .form import FORM
from .jury import combine_explanations, combine_reviews
from .labelling import LABELLING
from .listing import LISTING
from .measured import MEASURED
from .questions import ExplainQuestion, RateQuestion
from .rater import RATER
from .reading.rows import READING
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


def _run_report() -> Any:
    from .run_report import RUN_REPORT

    return RUN_REPORT


def _first_prompts(verdict: ReviewVerdict) -> Mapping[str, BlankPrompt]:
    if verdict.invalid is not None:
        return {}
    return {"Rater": RATER.prompt(RateQuestion(verdict.case.blind(), verdict.rubric, facts_alone(verdict.case)))}


def _service() -> Service:
    from .service import SERVICE

    return SERVICE


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
    reading=READING,
    command=COMMAND,
    # Each review may need the explaining call, and one with a person's words probably does.
    calls=ExpectedCalls(reply_tokens=1500, after="rating", probable=lambda case: case.has_words),
    labelling=LABELLING,
    measured=MEASURED,
    view=build,
    run_report=_run_report,
    form=FORM,
    listing=LISTING,
    first_prompts=_first_prompts,
    service=_service,
    cards=_cards,
    formats={"tags": review_tags},
    # The owner's name for the review is left out, so that the verdict's id does not depend on it.
    stored_case=lambda case: case.updated(review_id=None),
)
