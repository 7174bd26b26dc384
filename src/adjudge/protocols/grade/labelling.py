"""How people label gradings: does the answer pass?"""

from __future__ import annotations

from ..labelling import LabelRules, ShownCase
from .case import Grading


def _show(case: Grading) -> ShownCase:
    return ShownCase((("Task", case.task), ("Answer", "\n\n".join(case.answer_texts))))


LABELLING = LabelRules(
    question="Does this answer pass?",
    show=_show,
    choices=(("1", "pass", "it is good enough"), ("2", "fail", "it is not")),
)
