"""Events through OpenTelemetry's own SDK, in a fresh environment: every kind of outcome."""

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
import adjudge
from opentelemetry import trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import ConsoleLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from adjudge.adapters.opentelemetry import emit

provider = LoggerProvider()
provider.add_log_record_processor(SimpleLogRecordProcessor(
    ConsoleLogRecordExporter(formatter=lambda record: "EVENT" + json.dumps(json.loads(record.to_json())) + "\\n")))
set_logger_provider(provider)
trace.set_tracer_provider(TracerProvider())
with trace.get_tracer("chat").start_as_current_span("chat") as span:
    print("SPAN", format(span.get_span_context().span_id, "#018x"))
    for answer in {ANSWERS!r}:
        outcome = adjudge.grade_sync({TASK!r}, answer, judge=sys.argv[1], rubric="mine.yaml", journal="journal.db")
        if sys.argv[2] == "on":
            emit(outcome, response_id="r1")
    if sys.argv[2] == "on":
        emit(adjudge.compare_sync("Where is it?", "Up to 14 days.", "Be patient.", judge="embedded"))
"""


async def test_outcomes_of_every_kind_are_events_of_the_current_span(tmp_path, provider):
    python = await fresh_environment(tmp_path, "opentelemetry", "opentelemetry-sdk")
    provider.script = by_answer
    (tmp_path / "mine.yaml").write_text(HOST_RUBRIC)
    (tmp_path / "run.py").write_text(RUN)
    ended = await run(python, "run.py", judge_at(provider), "on", folder=tmp_path)
    assert ended.status == 0, ended.out
    events = [json.loads(line[5:]) for line in ended.out.splitlines() if line.startswith("EVENT")]
    assert {event["event_name"] for event in events} == {"gen_ai.evaluation.result"}
    assert all(f"SPAN {event['span_id']}" in ended.out for event in events)
    passed, failed, broken, unsure, compared = (event["attributes"] for event in events)
    assert (passed["gen_ai.evaluation.score.value"], passed["gen_ai.evaluation.score.label"]) == (1.0, "pass")
    assert (failed["gen_ai.evaluation.score.value"], failed["gen_ai.evaluation.score.label"]) == (0.25, "fail")
    assert failed["gen_ai.evaluation.name"] == "adjudge.grade"
    assert "No city is named." in failed["gen_ai.evaluation.explanation"]
    assert broken.keys() == {
        "gen_ai.evaluation.name", "gen_ai.evaluation.explanation", "error.type", "gen_ai.response.id"
    }  # fmt: skip
    assert broken["error.type"] == "rejected"
    assert (unsure["gen_ai.evaluation.score.value"], unsure["gen_ai.evaluation.score.label"]) == (1.0, "undecided")
    assert unsure["gen_ai.evaluation.explanation"].startswith("Undecided")
    assert "error.type" not in unsure
    # The winner of an undecided comparison is only a guess.
    assert compared["gen_ai.evaluation.name"] == "adjudge.compare"
    assert compared["gen_ai.evaluation.score.label"] == "undecided"
    ended = await run(python, "run.py", judge_at(provider), "off", folder=tmp_path)
    assert "EVENT" not in ended.out
