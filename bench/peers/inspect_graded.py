"""inspect-ai: a task with given answers, graded by its own `model_graded_qa`, which sees both answers."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from peer_cases import CRITERION, completion, wanted

REQUIREMENTS = ("inspect-ai==0.3.285", "openai==3.49.0")
REPLY = completion("Both name outcomes; the submission says the same in fewer words.\n\nGRADE: C")
_TEMPLATE = """
You are comparing a submitted answer with another answer to the same task.

[Task]: {question}
***
[Submission]: {answer}
***
[Other answer]: {other}
***
[Criterion]: {criterion}

Is the submission the better one?

{instructions}
"""


def main() -> None:
    todo = wanted()
    os.environ |= {"LOCAL_API_KEY": "none", "LOCAL_BASE_URL": todo.url}
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import model_graded_qa
    from inspect_ai.solver import solver

    @solver  # type: ignore[untyped-decorator,unused-ignore]
    def given() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("given", state.metadata["given"])
            return state

        return solve

    samples = [
        Sample(input=case["task"], target=CRITERION, metadata={"given": case["a"], "other": case["b"]})
        for case in todo.cases
    ]
    task = Task(MemoryDataset(samples), solver=given(), scorer=model_graded_qa(template=_TEMPLATE))
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(
            task, model="openai-api/local/m", display="none", log_dir=folder,
            max_connections=todo.concurrency, max_samples=todo.concurrency,
        )  # fmt: skip
        assert log.status == "success", log.error
        assert log.results.scores[0].metrics["accuracy"].value == 1, log.results


if __name__ == "__main__":
    main()
