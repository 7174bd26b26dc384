"""What the Evaluator and the Critic of a dialogue are asked."""

from __future__ import annotations

from dataclasses import dataclass

from ...judges.base import Question
from ...rubric import Rubric
from .case import Dialogue
from .verdict import Critique, Evaluation


@dataclass(frozen=True, slots=True)
class EvaluateQuestion(Question[Evaluation]):
    """How well did SYSTEM serve USER, criterion by criterion?"""

    case: Dialogue
    rubric: Rubric


@dataclass(frozen=True, slots=True)
class CriticizeQuestion(Question[Critique]):
    """Where does the transcript contradict this evaluation?"""

    case: Dialogue
    rubric: Rubric
    evaluation: Evaluation
