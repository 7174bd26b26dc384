"""The metric in DeepEval itself: an evaluation in a fresh environment, with every kind of outcome."""

import json

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
RUN = f"""
import json, sys
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, ErrorConfig
from deepeval.test_case import LLMTestCase
from adjudge.adapters.deepeval_metric import GradeMetric

judge, in_parallel = sys.argv[1], sys.argv[2] == "async"
cases = [LLMTestCase(name=str(n), input={TASK!r}, actual_output=each) for n, each in enumerate({ANSWERS!r})]
metric = GradeMetric(judge=judge, rubric="mine.yaml", journal="journal.db", async_mode=in_parallel)
result = evaluate(cases, [metric], async_config=AsyncConfig(run_async=in_parallel),
                  error_config=ErrorConfig(ignore_errors=True))
shown = {{}}
for each in result.test_results:
    data, = each.metrics_data
    shown[each.name] = [data.name, data.success, data.score, data.threshold, data.reason, data.error]
print("RESULT" + json.dumps(shown))
metric = GradeMetric(judge=judge, rubric="mine.yaml", journal="journal.db")
try:
    metric.measure(cases[2])
except Exception as error:
    print("RAISED", type(error).__name__, metric.score, metric.success, metric.error == str(error))
"""


@pytest.mark.parametrize("mode", ["async", "sync"])
async def test_every_kind_of_outcome_is_in_deepevals_own_report(tmp_path_factory, tmp_path, provider, mode):
    python = await fresh_environment(tmp_path_factory.getbasetemp(), "deepeval")
    provider.script = by_answer
    (tmp_path / "mine.yaml").write_text(HOST_RUBRIC)
    (tmp_path / "run.py").write_text(RUN)
    ended = await run(
        python, "run.py", judge_at(provider), mode, folder=tmp_path, DEEPEVAL_TELEMETRY_OPT_OUT="YES", CI="1"
    )
    assert ended.status == 0, ended.out
    found = json.loads(ended.out.partition("RESULT")[2].partition("\n")[0])
    assert found["0"][:4] == ["adjudge", True, 1.0, 0.7]
    assert found["1"][:4] == ["adjudge", False, 0.25, 0.7]
    assert "No city is named." in found["1"][4]
    assert found["2"][:3] == ["adjudge", False, None]
    assert "(rejected): " in found["2"][5]
    # DeepEval knows only success or not: an undecided grade is none, though its score is above the threshold.
    assert found["3"][:4] == ["adjudge", False, 1.0, 0.7]
    assert found["3"][4].startswith("Undecided")
    assert found["3"][5] is None
    assert "RAISED JudgmentFailedError None False True" in ended.out
    report = ended.out.partition("RESULT")[0]
    assert "No city is named." in report
    assert "(rejected)" in "".join(report.split())  # it breaks lines anywhere
