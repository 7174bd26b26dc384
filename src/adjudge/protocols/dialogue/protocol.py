"""What the rest of adjudge knows of dialogues."""

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
from . import rubric
from .case import Dialogue, Turn
from .command import COMMAND
from .embedded import criticize, evaluate
from .form import FORM
from .jury import combine_critiques, combine_evaluations
from .labelling import LABELLING
from .listing import LISTING
from .measured import MEASURED
from .questions import CriticizeQuestion, EvaluateQuestion
from .reading import READING
from .roles import CRITIC, EVALUATOR
from .rules import dialogue
from .settings import DialogueSettings
from .table import TABLE
from .verdict import DialogueVerdict, Evaluation, Mark
from .view import build


async def _judge(
    case: Dialogue, judges: tuple[Judge, ...], settings: DialogueSettings, _: Services
) -> DialogueVerdict | Failure:
    evaluator, critic = judges
    return await dialogue(case, evaluator, critic, settings.rubric, settings)


def _example_questions(rubric: Rubric) -> Iterable[Question[Any]]:
    talk = Dialogue(1, (Turn("USER", "(a question)", 1), Turn("SYSTEM", "(an answer)", 2)))
    marks = {key: Mark(value=rubric.scale.low, reason="(a reason)", quotes=()) for key in rubric.weights}
    evaluation = Evaluation(judge="evaluator", marks=marks)
    return [EvaluateQuestion(talk, rubric), CriticizeQuestion(talk, rubric, evaluation)]


def _run_report() -> Any:
    from .run_report import RUN_REPORT

    return RUN_REPORT


def _first_prompts(verdict: DialogueVerdict) -> Mapping[str, BlankPrompt]:
    evaluation = Evaluation(judge=verdict.judges[0], marks=dict(verdict.marks))
    return {
        "Evaluator": EVALUATOR.prompt(EvaluateQuestion(verdict.case, verdict.rubric)),
        "Critic": CRITIC.prompt(CriticizeQuestion(verdict.case, verdict.rubric, evaluation)),
    }


def _service() -> Service:
    from .service import SERVICE

    return SERVICE


PROTOCOL = Protocol(
    name="dialogue",
    noun="dialogue",
    folder=Path(__file__).parent,
    case=Dialogue,
    verdict=DialogueVerdict,
    settings=DialogueSettings,
    judge=_judge,
    questions=(
        Asked(EvaluateQuestion, EVALUATOR, combine_evaluations, evaluate),
        Asked(CriticizeQuestion, CRITIC, combine_critiques, criticize),
    ),
    example_questions=_example_questions,
    rubric=rubric.RULES,
    table=TABLE,
    reading=READING,
    command=COMMAND,
    calls=ExpectedCalls(reply_tokens=800, after="evaluation", judge="critic"),
    labelling=LABELLING,
    measured=MEASURED,
    view=build,
    run_report=_run_report,
    form=FORM,
    listing=LISTING,
    first_prompts=_first_prompts,
    service=_service,
)
