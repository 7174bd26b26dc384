"""The metric in DeepEval itself: an evaluation in a fresh environment, with every kind of outcome."""

import json
import re
from pathlib import Path

import pytest
from adapters.sessions import (
    ANSWERS,
    BAD,
    BROKEN,
    GOOD,
    HOST_RUBRIC,
    RUBRIC,
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


TESTS = f"""
import pytest
from deepeval import assert_test
from deepeval.test_case import LLMTestCase
from adjudge.adapters.deepeval_metric import GradeMetric

@pytest.mark.parametrize("answer", {(GOOD, BAD, BROKEN)!r}, ids=["good", "bad", "broken"])
def test_capital(answer):
    assert_test(LLMTestCase(input={TASK!r}, actual_output=answer), [GradeMetric(judge="JUDGE", rubric="mine.yaml")])
"""


async def test_deepevals_test_run_shows_each_outcome_and_its_cache_knows_the_rubric(
    tmp_path_factory, tmp_path, provider
):
    python = await fresh_environment(tmp_path_factory.getbasetemp(), "deepeval")
    provider.script = by_answer
    (tmp_path / "test_norway.py").write_text(TESTS.replace("JUDGE", judge_at(provider)))
    command = (str(Path(python).with_name("deepeval")), "test", "run", "test_norway.py", "--use-cache")

    async def tested(rubric):
        (tmp_path / "mine.yaml").write_text(rubric)
        ended = await run(*command, folder=tmp_path, DEEPEVAL_TELEMETRY_OPT_OUT="YES", CI="1", COLUMNS="140")
        assert ended.status == 1, ended.out
        return ended.out.rpartition("Test Results")[0].rpartition("Test Results")[2], provider.calls

    shown, asked = await tested(RUBRIC)
    assert re.findall("PASSED|FAILED|ERRORED", shown) == ["PASSED", "FAILED", "ERRORED"]
    assert "No city is named." in shown
    assert "#scripted" in shown
    _, again = await tested(RUBRIC)
    assert again == asked + 1, "DeepEval has the verdicts, and no failure"
    shown, _ = await tested(RUBRIC.replace("max_words: 12", "max_words: 2"))
    assert "0.75 (threshold" in shown, shown
