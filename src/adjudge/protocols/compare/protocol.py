"""What the rest of adjudge knows of comparisons."""

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
from ..special import Probes, Ranking
from . import rubric
from .case import Comparison
from .command import COMMAND, PROBES, TRIAL
from .embedded import compare_texts, no_research
from .form import FORM
from .jury import combine_comparisons, combine_research
from .labelling import LABELLING
from .listing import LISTING
from .measured import MEASURED
from .questions import CompareQuestion, ResearchQuestion
from .reading_rows import READING
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


def _run_report() -> Any:
    from .run_report import RUN_REPORT

    return RUN_REPORT


def _first_prompts(verdict: ComparisonVerdict) -> Mapping[str, BlankPrompt]:
    return {
        f"Comparer, {order[0].upper()} first": COMPARER.prompt(
            CompareQuestion(verdict.case, verdict.rubric, order, verdict.facts, verdict.lookups)
        )
        for order in verdict.order.judged
    }


def _service() -> Service:
    from .service import SERVICE

    return SERVICE


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


def _ranking() -> Ranking:
    from .leaderboard import leaderboard_of
    from .leaderboard_view import leaderboard_document, leaderboard_json

    return Ranking(rank=leaderboard_of, document=leaderboard_document, data=leaderboard_json)


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
    reading=READING,
    command=COMMAND,
    trial=TRIAL,
    calls=ExpectedCalls(reply_tokens=1000, after="searches", times=lambda settings: 1 if settings.one_order else 2),
    labelling=LABELLING,
    measured=MEASURED,
    view=build,
    run_report=_run_report,
    form=FORM,
    listing=LISTING,
    first_prompts=_first_prompts,
    service=_service,
    probe_names=PROBES,
    probes=_probes,
    ranking=_ranking,
)
