"""What the rest of adjudge knows of gradings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...judges.base import ASKED, Asked, Question
from ...llm.base import BlankPrompt
from ...rubric import Rubric
from ..base import ExpectedCalls, Protocol, imported
from . import rubric
from .asker import ASKER
from .case import ContextText, Grading
from .command import COMMAND
from .demands import DEMAND_READER
from .embedded import read_demands, unread
from .form import FORM
from .jury import combine
from .labelling import LABELLING, MEASURED
from .lister import LISTER
from .questions import AskQuestion, ClaimsQuestion, DemandsQuestion
from .reading import READING
from .rules import grade, questions_of
from .settings import GradeSettings
from .table import LISTING, TABLE
from .verdict import GradeVerdict
from .view import build


def _example_questions(rubric: Rubric) -> Iterable[Question[Any]]:
    context = (ContextText(id="1", text="(the source)"),)
    return questions_of(Grading("(the task)", "(the answer)", "(the reference)", context), rubric)


def _first_prompts(verdict: GradeVerdict) -> Mapping[str, BlankPrompt]:
    titles = {AskQuestion: "Asker", ClaimsQuestion: "Lister", DemandsQuestion: "Reader of demands"}
    return {
        titles[type(question)]: ASKED[type(question)].role.prompt(question)
        for question in questions_of(verdict.case, verdict.rubric)
    }


PROTOCOL = Protocol(
    name="grade",
    noun="grading",
    folder=Path(__file__).parent,
    case=Grading,
    verdict=GradeVerdict,
    settings=GradeSettings,
    judge=lambda case, judges, settings, _: grade(case, judges[0], settings.rubric, settings),
    questions=(
        Asked(AskQuestion, ASKER, combine, unread),
        Asked(ClaimsQuestion, LISTER, combine, unread),
        Asked(DemandsQuestion, DEMAND_READER, combine, read_demands),
    ),
    example_questions=_example_questions,
    rubric=rubric.RULES,
    table=TABLE,
    reading=READING,
    command=COMMAND,
    calls=ExpectedCalls(reply_tokens=600),
    labelling=LABELLING,
    measured=MEASURED,
    view=build,
    run_report=imported(f"{__package__}.run_report", "RUN_REPORT"),
    ranking=imported(f"{__package__}.leaderboard_view", "RANKING"),
    form=FORM,
    listing=LISTING,
    first_prompts=_first_prompts,
    service=imported(f"{__package__}.service", "SERVICE"),
)
