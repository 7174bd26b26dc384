"""How an LLM is asked for each kind of opinion: prompt and parsing side by side."""

from ...llm.base import Prompt
from ...models import Evaluation
from ...models.cases import Comparison, Dialogue, Review, Turn
from ...models.dialogue import Mark
from ...rubric import Rubric
from ..base import CompareQuestion, CriticizeQuestion, EvaluateQuestion, RateQuestion
from .base import Reading, Role
from .comparer import COMPARER, RESEARCHER
from .dialogue import CRITIC, EVALUATOR
from .explainer import EXPLAINER
from .rater import RATER

__all__ = ["COMPARER", "CRITIC", "EVALUATOR", "EXPLAINER", "RATER", "RESEARCHER", "Reading", "Role", "example_prompts"]

_CODE = "0" * 16


def example_prompts(rubric: Rubric) -> dict[str, Prompt]:
    """What a model reads with this rubric, role by role, around a made-up case; for whoever writes a rubric."""
    if rubric.protocol == "compare":
        case = Comparison("(the task)", "(the first answer)", "(the second answer)")
        blank = {"comparer": COMPARER.prompt(CompareQuestion(case, rubric, "ab"))}
    elif rubric.protocol == "review":
        review = Review("(the prompt)", "(the first response)", "(the second response)")
        blank = {"rater": RATER.prompt(RateQuestion(review, rubric))}
    else:
        talk = Dialogue(1, (Turn("USER", "(a question)", 1), Turn("SYSTEM", "(an answer)", 2)))
        marks = {key: Mark(value=rubric.scale.low, reason="(a reason)", quotes=()) for key in rubric.weights}
        blank = {
            "evaluator": EVALUATOR.prompt(EvaluateQuestion(talk, rubric)),
            "critic": CRITIC.prompt(CriticizeQuestion(talk, rubric, Evaluation(judge="evaluator", marks=marks))),
        }
    return {role: prompt.with_code(_CODE) for role, prompt in blank.items()}
