"""A scorer for Inspect (inspect_ai): `adjudge/grade` grades what a model answered.

Correct is a pass, incorrect a fail. A failed judgment and an undecided grade are unscored, so metrics leave them out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState


@scorer(metrics=[accuracy(), stderr()])  # type: ignore[untyped-decorator]
def grade(
    judge: str = "embedded",
    rubric: str | None = None,
    journal: str | None = None,
    context: str = "context",
    reference: bool = True,
) -> Scorer:
    """Grade the model's answer. `context` names the sample's metadata that hold the sources.

    With tool calls in the conversation, all its messages are graded as steps. The target is the reference, unless
    `reference` is false.
    """
    file = None if rubric is None else str(Path(rubric).resolve())  # the task may change the folder

    async def score(state: TaskState, target: Target) -> Score:
        from .. import api
        from ..models.common import Failure
        from .grading import UNDECIDED, details, explanation

        answer = state.output.completion
        outcome = await api.grade(
            state.input_text,
            _messages(state) or answer,
            reference=(target.text if reference else "") or None,
            context=state.metadata.get(context),
            judge=judge,
            rubric=file,
            journal=journal,
        )
        shown: dict[str, Any] = {
            "answer": answer,
            "explanation": explanation(outcome),
            "metadata": {"adjudge": details(outcome)},
        }
        if isinstance(outcome, Failure):
            return Score.unscored(reason="grader_failed", **shown)
        if outcome.passed is None:
            return Score.unscored(reason=UNDECIDED, **shown)
        return Score(value=CORRECT if outcome.passed else INCORRECT, **shown)

    return score


def _messages(state: TaskState) -> list[dict[str, Any]]:
    """Return the messages after the task if tools were used; else nothing, because the answer says it all."""
    since = [message for message in state.messages if message.role in ("assistant", "tool")]
    used = any(message.role == "tool" for message in since)
    return [message.model_dump(mode="json", exclude_none=True) for message in since] if used else []
