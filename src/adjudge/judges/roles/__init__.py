"""The roles of an LLM judge: for each kind of opinion, the prompt and the parsing side by side."""

from typing import Any

from ...llm.base import Prompt
from ...models import Evaluation
from ...models.cases import Comparison, Dialogue, Review, Turn
from ...models.dialogue import Mark
from ...rubric import Rubric
from ..base import (
    CompareQuestion,
    CriticizeQuestion,
    EvaluateQuestion,
    ExplainQuestion,
    Question,
    RateQuestion,
    ResearchQuestion,
)
from .base import Role
from .comparer import COMPARER, RESEARCHER
from .dialogue import CRITIC, EVALUATOR
from .explaining import EXPLAINER
from .review import RATER

__all__ = ["COMPARER", "CRITIC", "EVALUATOR", "EXPLAINER", "RATER", "RESEARCHER", "ROLES", "Role", "example_prompts"]

ROLES: dict[type[Question[Any]], Role[Any, Any]] = {
    CompareQuestion: COMPARER,
    ResearchQuestion: RESEARCHER,
    EvaluateQuestion: EVALUATOR,
    CriticizeQuestion: CRITIC,
    RateQuestion: RATER,
    ExplainQuestion: EXPLAINER,
}


def example_prompts(rubric: Rubric) -> dict[str, Prompt]:
    """Return the prompts that a model gets with this rubric, by role, for a made-up case, to help write a rubric."""
    questions: list[Question[Any]]
    if rubric.protocol == "compare":
        case = Comparison("(the task)", "(the first answer)", "(the second answer)")
        questions = [CompareQuestion(case, rubric, "ab")]
    elif rubric.protocol == "review":
        questions = [RateQuestion(Review("(the prompt)", "(the first response)", "(the second response)"), rubric)]
    else:
        talk = Dialogue(1, (Turn("USER", "(a question)", 1), Turn("SYSTEM", "(an answer)", 2)))
        marks = {key: Mark(value=rubric.scale.low, reason="(a reason)", quotes=()) for key in rubric.weights}
        evaluation = Evaluation(judge="evaluator", marks=marks)
        questions = [EvaluateQuestion(talk, rubric), CriticizeQuestion(talk, rubric, evaluation)]
    asked = [(ROLES[type(question)], question) for question in questions]
    return {role.file: role.prompt(question).with_code("0" * 16) for role, question in asked}
