"""What the rest of adjudge knows of dialogues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...judges.base import Asked, Question
from ...llm.base import BlankPrompt
from ...rubric import Rubric
from ..base import ExpectedCalls, Protocol, imported
from . import rubric
from .case import Dialogue, Turn
from .command import COMMAND
from .embedded import criticize, evaluate
from .form import FORM
from .jury import combine_critiques, combine_evaluations
from .labelling import LABELLING, MEASURED
from .questions import CriticizeQuestion, EvaluateQuestion
from .reading import READING
from .roles import CRITIC, EVALUATOR
from .rules import dialogue
from .settings import DialogueSettings
from .table import LISTING, TABLE
from .verdict import DialogueVerdict, Evaluation, Mark
from .view import build


def _example_questions(rubric: Rubric) -> Iterable[Question[Any]]:
    talk = Dialogue(1, (Turn("USER", "(a question)", 1), Turn("SYSTEM", "(an answer)", 2)))
    marks = {key: Mark(value=rubric.scale.low, reason="(a reason)", quotes=()) for key in rubric.weights}
    evaluation = Evaluation(judge="evaluator", marks=marks)
    return [EvaluateQuestion(talk, rubric), CriticizeQuestion(talk, rubric, evaluation)]


def _first_prompts(verdict: DialogueVerdict) -> Mapping[str, BlankPrompt]:
    evaluation = Evaluation(judge=verdict.judges[0], marks=dict(verdict.marks))
    return {
        "Evaluator": EVALUATOR.prompt(EvaluateQuestion(verdict.case, verdict.rubric)),
        "Critic": CRITIC.prompt(CriticizeQuestion(verdict.case, verdict.rubric, evaluation)),
    }


PROTOCOL = Protocol(
    name="dialogue",
    noun="dialogue",
    folder=Path(__file__).parent,
    case=Dialogue,
    verdict=DialogueVerdict,
    settings=DialogueSettings,
    judge=lambda case, judges, settings, _: dialogue(case, judges[0], judges[1], settings.rubric, settings),
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
    run_report=imported(f"{__package__}.run_report", "RUN_REPORT"),
    form=FORM,
    listing=LISTING,
    first_prompts=_first_prompts,
    service=imported(f"{__package__}.service", "SERVICE"),
)
