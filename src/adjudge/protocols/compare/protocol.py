"""What the rest of adjudge knows of comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...judges.base import Asked, Judge, Question
from ...models.common import Failure
from ...rubric import Rubric
from ..base import Protocol
from ..procedure import Services
from ..special import Probes
from . import rubric
from .case import Comparison
from .embedded import compare_texts, no_research
from .jury import combine_comparisons, combine_research
from .labelling import LABELLING
from .measured import MEASURED
from .questions import CompareQuestion, ResearchQuestion
from .roles import COMPARER, RESEARCHER
from .rules import compare
from .settings import CompareSettings
from .table import TABLE
from .verdict import ComparisonVerdict
from .view import build


async def _judge(
    case: Comparison, judges: tuple[Judge, ...], settings: CompareSettings, services: Services
) -> ComparisonVerdict | Failure:
    searcher = None if settings.search is None else services.searcher(settings.search)
    return await compare(case, judges[0], settings.rubric, settings, searcher)


def _example_questions(rubric: Rubric) -> Iterable[Question[Any]]:
    case = Comparison("(the task)", "(the first answer)", "(the second answer)")
    return [CompareQuestion(case, rubric, "ab")]


def _probes() -> Probes:
    from .probes import ORIGINAL, copies, draw_rows, measure_probes, rows_of_run
    from .probes_view import probes_document

    return Probes(
        original=ORIGINAL,
        rows_of=rows_of_run,
        draw=draw_rows,
        copies=copies,
        measure=measure_probes,
        document=probes_document,
    )


PROTOCOL = Protocol(
    name="compare",
    noun="comparison",
    folder=Path(__file__).parent,
    case=Comparison,
    verdict=ComparisonVerdict,
    settings=CompareSettings,
    judge=_judge,
    questions=(
        Asked(CompareQuestion, COMPARER, combine_comparisons, compare_texts),
        Asked(ResearchQuestion, RESEARCHER, combine_research, no_research),
    ),
    example_questions=_example_questions,
    rubric=rubric.RULES,
    table=TABLE,
    labelling=LABELLING,
    measured=MEASURED,
    view=build,
    probes=_probes,
)
