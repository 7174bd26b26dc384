"""A metric for DeepEval: `GradeMetric` grades a test case's actual output.

DeepEval decides success by score and threshold. Here a rubric decides: `success` is whether the grade is a pass, which
also asks for the rubric's required items. A failed judgment has an `error` and no score.
"""

from __future__ import annotations

from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from ..engine import run_sync


class GradeMetric(BaseMetric):  # type: ignore[misc]
    """Grades `actual_output`: `input` is the task, `expected_output` the reference, `retrieval_context` (else
    `context`) the sources."""

    def __init__(
        self,
        judge: str = "embedded",
        rubric: str | None = None,
        journal: str | None = None,
        name: str = "adjudge",
        async_mode: bool = True,
    ) -> None:
        self.judge, self.rubric, self.journal, self.name = judge, rubric, journal, name
        self.evaluation_model = judge
        self.async_mode = async_mode
        self.include_reason = True
        from .grading import marking

        self.threshold = (marked := marking(rubric)).pass_at
        # `deepeval test run --use-cache` takes an old verdict if this is the same, so a changed rubric must change it.
        self.assessment_questions = [marked.reference]

    @property
    def __name__(self) -> str:
        return self.name

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Grade the test case, and return the score."""
        return run_sync(lambda: self.a_measure(test_case))

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Grade the test case, and return the score. A failed judgment raises, with the reason also in `error`."""
        from .. import api
        from ..models.common import Failure
        from .grading import JudgmentFailedError, as_float, details, explanation

        self.score = self.success = self.reason = self.error = None
        self.score_breakdown = None
        outcome = await api.grade(
            test_case.input,
            test_case.actual_output or "",
            reference=test_case.expected_output,
            context=test_case.retrieval_context or test_case.context,
            judge=self.judge,
            rubric=self.rubric,
            journal=self.journal,
        )
        if isinstance(outcome, Failure):
            self.error, self.success = explanation(outcome), False
            raise JudgmentFailedError(self.error)
        self.score, self.success = float(outcome.score), outcome.passed is True
        self.reason = explanation(outcome)
        self.score_breakdown = {item["key"]: item["earned"] for item in details(outcome)["items"]}
        self.evaluation_cost = as_float(outcome.cost_usd)
        self.input_tokens, self.output_tokens = outcome.usage.input_tokens, outcome.usage.output_tokens
        return self.score

    def is_successful(self) -> bool:
        """Return whether the grade is a pass. Undecided is not."""
        return self.error is None and bool(self.success)
