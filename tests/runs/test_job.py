"""One case: what is stored, what is left open, and an error of ours that stays with its case."""

import orjson
import pytest
from runs.conftest import SENTENCE
from scripted.provider import fails, says

from adjudge.inputs.rows import BadRow, Row
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.runs.directory import write_case
from adjudge.runs.job import Job, engine_for_run
from adjudge.runs.plan import Plan, RunOptions

CASE = write_case(0, Row("line 1", "case-0", Comparison("Plan a tool.", f"Plan. {SENTENCE}", f"{SENTENCE} Draft.")))


@pytest.fixture
async def job(provider, tmp_path):
    plan = Plan.of("r1", CompareSettings(judge=f"{provider.url}/v1#m", one_order=True))
    async with engine_for_run(plan, str(tmp_path / "journal.db"), RunOptions(rate=600_000)) as engine:
        yield Job(plan, engine)


def stored(job):
    return list(job.engine.journal.outcomes("r1"))


async def test_a_verdict_is_in_the_journal_when_the_job_is_done(job):
    outcome = await job.run(CASE)
    assert (outcome.status, outcome.calls, outcome.answer) == ("verdict", 1, orjson.loads(outcome.line)["answer"])
    assert [(position, verdict is None) for position, verdict, _ in stored(job)] == [(0, False)]


async def test_a_failure_that_may_pass_leaves_the_case_open_until_the_final_try(job, provider):
    provider.script = lambda request: fails(401, "bad key")
    first = await job.run(CASE, final=False)
    assert (first.status, first.answer) == ("left", "unauthorized")
    assert "bad key" in first.message
    assert stored(job) == []
    last = await job.run(CASE, final=True)
    assert (last.status, last.answer) == ("failure", "unauthorized")
    assert [failure for _, _, failure in stored(job)] == [last.line]


async def test_a_failure_that_only_repeats_is_final_at_once(job, provider):
    provider.script = lambda request: says("nonsense")
    outcome = await job.run(CASE, final=False)
    assert (outcome.status, outcome.answer, outcome.calls) == ("failure", "malformed", 2)


async def test_a_stopped_job_sends_nothing_and_leaves_the_case_open(job, provider):
    job.stop()
    outcome = await job.run(CASE)
    assert (outcome.status, outcome.answer, provider.calls) == ("left", "stopped", 0)
    assert stored(job) == []


async def test_a_row_that_cannot_be_judged_is_an_invalid_case(job):
    outcome = await job.run(write_case(3, BadRow("line 4", "case-3", "a: empty")))
    assert (outcome.position, outcome.status, outcome.answer) == (3, "failure", "invalid")
    assert orjson.loads(outcome.line)["message"] == "a: empty"


async def test_an_unexpected_error_is_a_failure_of_its_case_that_asks_to_be_reported(job, monkeypatch):
    def breaks(*_):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(type(job.engine), "judge_case", breaks)
    outcome = await job.run(CASE)
    assert (outcome.status, outcome.answer) == ("failure", "crashed")
    said = orjson.loads(outcome.line)["message"]
    assert said.startswith("unexpected error in adjudge; please report it: ZeroDivisionError: division by zero")
