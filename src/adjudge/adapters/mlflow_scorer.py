"""A scorer for MLflow: `grade(…)` returns one for `mlflow.genai.evaluate`.

Its feedback is whether the answer passes, with the reasons as rationale. A failed judgment, or an undecided grade, is
feedback with an error and without a value, so aggregates leave it out.
"""

from __future__ import annotations

from typing import Any

from mlflow.entities import AssessmentError, AssessmentSource, AssessmentSourceType, Feedback
from mlflow.genai.scorers import Scorer, scorer

from ..engine import run_sync


def grade(
    judge: str = "embedded",
    rubric: str | None = None,
    journal: str | None = None,
    name: str = "adjudge",
    task: str | None = None,
    context: str = "context",
) -> Scorer:
    """Return a scorer. Raise RubricError if the rubric is not valid.

    `task` and `context` name the inputs that hold them; by default the task is the only input beside the context, or
    all of them as JSON. `expectations["expected_response"]` is the reference.
    """

    def graded(inputs: dict[str, Any], outputs: Any, expectations: dict[str, Any] | None = None) -> Feedback:
        from .. import api
        from ..models.common import Failure
        from .grading import UNDECIDED, as_text, details, explanation, named

        asked = {key: value for key, value in inputs.items() if key != context}
        only = next(iter(asked.values())) if len(asked) == 1 else asked
        outcome = run_sync(
            lambda: api.grade(
                as_text(only if task is None else named("task", task, inputs)),
                outputs if isinstance(outputs, list) else as_text(outputs),
                reference=(expectations or {}).get("expected_response"),
                context=inputs.get(context),
                judge=judge,
                rubric=rubric,
                journal=journal,
            )
        )
        shown: dict[str, Any] = {
            "name": name,
            "rationale": explanation(outcome),
            "source": AssessmentSource(source_type=AssessmentSourceType.LLM_JUDGE, source_id=judge),
            "metadata": {key: as_text(value) for key, value in details(outcome).items()},
        }
        if isinstance(outcome, Failure):
            return Feedback(error=AssessmentError(outcome.reason.upper(), explanation(outcome)), **shown)
        if outcome.passed is None:
            return Feedback(error=AssessmentError(UNDECIDED.upper(), outcome.why), **shown)
        return Feedback(value=outcome.passed, **shown)

    from .grading import marking

    # MLflow's digest of a scorer contains the description, so another judge or rubric is another scorer.
    return scorer(graded, name=name, description=f"adjudge grade, judge {judge}, rubric {marking(rubric).reference}")
