"""The scorer in MLflow itself: an evaluation in a fresh environment, with every kind of outcome."""

import json

import pytest
from adapters.sessions import (
    ANSWERS,
    BAD,
    BROKEN,
    GOOD,
    HOST_RUBRIC,
    TASK,
    UNSURE,
    by_answer,
    fresh_environment,
    judge_at,
    run,
)

pytestmark = pytest.mark.slow
RUN = f"""
import json, sys
import mlflow
from adjudge.adapters.mlflow_scorer import grade

mlflow.set_tracking_uri("sqlite:///mlflow.db")
data = [dict(inputs=dict(question={TASK!r}), outputs=each) for each in {ANSWERS!r}]
found = mlflow.genai.evaluate(data=data, scorers=[grade(judge=sys.argv[1], rubric="mine.yaml", journal="journal.db")])
shown = {{}}
for trace in mlflow.search_traces(return_type="list"):
    answer = json.loads(trace.data.response)
    for each in trace.info.assessments:
        if each.name == "adjudge":
            error = each.error and [each.error.error_code, each.error.error_message]
            shown[answer] = [each.value, each.rationale, each.source.source_type, each.source.source_id, error,
                             each.metadata]
table = found.result_df.set_index("response")["adjudge/error_message"].dropna()
print("RESULT" + json.dumps([shown, found.metrics, dict(table)]))

from mlflow.genai.scorers.scorer_utils import get_scorer_definition_digest as digest
scorers = [grade(), grade(judge="ollama:llama3"), grade(rubric="mine.yaml"), grade()]
print("DIGESTS", [digest(scorers[0]) == digest(other) for other in scorers])
try:
    grade(rubric="none.yaml")
except Exception as error:
    print("REFUSED", error)
"""


async def test_every_kind_of_outcome_is_in_mlflows_own_traces(tmp_path, provider):
    python = await fresh_environment(tmp_path, "mlflow")
    provider.script = by_answer
    (tmp_path / "mine.yaml").write_text(HOST_RUBRIC)
    (tmp_path / "run.py").write_text(RUN)
    ended = await run(
        python, "run.py", judge_at(provider), folder=tmp_path, MLFLOW_DISABLE_TELEMETRY="true", DO_NOT_TRACK="true"
    )
    assert ended.status == 0, ended.out
    shown, metrics, errors = json.loads(ended.out.partition("RESULT")[2].partition("\n")[0])
    assert shown[GOOD][0] is True
    assert shown[BAD][0] is False
    assert "No city is named." in shown[BAD][1]
    assert shown[BAD][2:5] == ["LLM_JUDGE", judge_at(provider), None]
    assert shown[BAD][5]["rubric"].startswith("mine@1#")
    assert "cost_usd" not in shown[BAD][5], "nobody knows this model's price"
    assert shown[BROKEN][0] is None
    assert shown[BROKEN][4][0] == "REJECTED"
    assert "not available" in shown[BROKEN][4][1]
    assert shown[UNSURE][0] is None
    assert shown[UNSURE][4][0] == "UNDECIDED"
    assert shown[UNSURE][4][1].startswith("Undecided")
    assert metrics == {"adjudge/mean": 0.5}
    assert errors.keys() == {BROKEN, UNSURE}
    assert "DIGESTS [True, False, False, True]" in ended.out
    assert "REFUSED none.yaml: " in ended.out
