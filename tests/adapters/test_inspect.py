"""The scorer in Inspect itself: an evaluation in a fresh environment, with every kind of outcome."""

import json
import re
from pathlib import Path

import pytest
from adapters.sessions import (
    ANSWERS,
    HOST_RUBRIC,
    TASK,
    by_answer,
    fresh_environment,
    judge_at,
    run,
)

pytestmark = pytest.mark.slow
# The mock model's outputs have a usage: without one, Inspect counts tokens, with a tokenizer from the network.
TASK_FILE = f"""
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate
from adjudge.adapters.inspect_scorer import grade

ANSWERS = {ANSWERS!r}

def answered(messages, tools, tool_choice, config):
    output = ModelOutput.from_content("mockllm/model", ANSWERS[int(messages[-1].text.split()[0])])
    output.usage = ModelUsage(input_tokens=9, output_tokens=5, total_tokens=14)
    return output

@task
def norway(judge):
    samples = [Sample(id=str(n), input=f"{{n}} " + {TASK!r}, target="Oslo") for n in range(len(ANSWERS))]
    return Task(samples, model=get_model("mockllm/model", custom_outputs=answered), solver=generate(),
                scorer=grade(judge=judge, rubric="mine.yaml", journal="journal.db"))
"""


async def test_every_kind_of_outcome_is_in_inspects_own_log(tmp_path, provider):
    python = await fresh_environment(tmp_path, "inspect")
    provider.script = by_answer
    (tmp_path / "mine.yaml").write_text(HOST_RUBRIC)
    (tmp_path / "norway.py").write_text(TASK_FILE)
    inspect = str(Path(python).with_name("inspect"))
    given = ("--model", "mockllm/model", "-T", f"judge={judge_at(provider)}", "--log-format", "json")
    ended = await run(inspect, "eval", "norway.py", *given, "--display", "plain", folder=tmp_path)
    assert ended.status == 0, ended.out
    assert re.search(r"accuracy:? +0\.5", ended.out), ended.out
    log = json.loads(next((tmp_path / "logs").glob("*.json")).read_text())
    assert log["status"] == "success", log["error"]
    scores = {sample["id"]: sample["scores"]["grade"] for sample in log["samples"]}
    assert (scores["0"]["value"], scores["1"]["value"]) == ("C", "I")
    assert "No city is named." in scores["1"]["explanation"]
    assert scores["1"]["metadata"]["adjudge"]["score"] == 0.25
    assert (scores["2"]["reason"], scores["2"]["metadata"]["adjudge"]["failure"]) == ("grader_failed", "rejected")
    assert str(scores["2"]["value"]).lower() == "nan"
    assert "not available" in scores["2"]["explanation"]
    assert (scores["3"]["reason"], scores["3"]["metadata"]["adjudge"]["outcome"]) == ("undecided", "undecided")
    assert str(scores["3"]["value"]).lower() == "nan"
    assert scores["3"]["explanation"].startswith("Undecided")
    found = log["results"]["scores"][0]
    assert (found["scored_samples"], found["unscored_samples"]) == (2, 2)
    assert found["metrics"]["accuracy"]["value"] == 0.5

    # The same scorer on the log, by its name: the replies are in the journal.
    asked = provider.calls
    given = ("-S", f"judge={judge_at(provider)}", "-S", "rubric=mine.yaml", "-S", "journal=journal.db")
    log_file = str(next((tmp_path / "logs").glob("*.json")))
    command = (inspect, "score", log_file, "--scorer", "adjudge/grade")
    ended = await run(*command, *given, "--action", "append", "--overwrite", folder=tmp_path)
    assert ended.status == 0, ended.out
    assert "accuracy" in ended.out
    assert provider.calls == asked + 1  # a failure is not stored, so only that case is asked again
