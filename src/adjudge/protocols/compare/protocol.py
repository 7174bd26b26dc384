"""What the rest of adjudge knows of comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...judges.base import Asked, Judge
from ...llm.base import BlankPrompt
from ...models.common import Failure
from ...rubric import RubricRules
from ..base import ExpectedCalls, Protocol, imported
from ..procedure import Services
from .case import Comparison
from .command import COMMAND, PROBES, TRIAL
from .embedded import compare_texts, no_research
from .form import FORM
from .jury import combine_comparisons, combine_research
from .labelling import LABELLING, MEASURED
from .questions import CompareQuestion, ResearchQuestion
from .reading_rows import READING
from .roles import COMPARER, RESEARCHER
from .rules import compare
from .settings import CompareSettings
from .table import LISTING, TABLE
from .verdict import ComparisonVerdict
from .view import build


async def _judge(
    case: Comparison, judges: tuple[Judge, ...], settings: CompareSettings, services: Services
) -> ComparisonVerdict | Failure:
    searcher = None if settings.search is None else services.searcher(settings.search)
    return await compare(case, judges[0], settings.rubric, settings, searcher)


def _first_prompts(verdict: ComparisonVerdict) -> Mapping[str, BlankPrompt]:
    return {
        f"Comparer, {order[0].upper()} first": COMPARER.prompt(
            CompareQuestion(verdict.case, verdict.rubric, order, verdict.facts, verdict.lookups)
        )
        for order in verdict.order.judged
    }


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
    example_questions=lambda rubric: [
        CompareQuestion(Comparison("(the task)", "(the first answer)", "(the second answer)"), rubric, "ab")
    ],
    rubric=RubricRules(calibrated="preference_for_a", ties=True),
    table=TABLE,
    reading=READING,
    command=COMMAND,
    trial=TRIAL,
    calls=ExpectedCalls(reply_tokens=1000, after="searches", times=lambda settings: 1 if settings.one_order else 2),
    labelling=LABELLING,
    measured=MEASURED,
    view=build,
    run_report=imported(f"{__package__}.run_report", "RUN_REPORT"),
    form=FORM,
    listing=LISTING,
    first_prompts=_first_prompts,
    service=imported(f"{__package__}.service", "SERVICE"),
    probe_names=PROBES,
    probes=imported(f"{__package__}.probes_view", "JUDGE_PROBES"),
    ranking=imported(f"{__package__}.leaderboard_view", "RANKING"),
)
