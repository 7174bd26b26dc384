"""The pytest plugin, in sessions of its own: real processes, with a scripted provider."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from decimal import Decimal

import pytest
from adapters.sessions import BAD, BROKEN, GOOD, ROOT, RUBRIC, TASK, by_answer, judge_at, run_pytest
from scripted.provider import says

TESTS = f"""
import pytest

def test_good(adjudge):
    verdict = adjudge.grade({TASK!r}, {GOOD!r}, rubric="mine.yaml")
    assert verdict.passed

def test_bad(adjudge):
    verdict = adjudge.grade({TASK!r}, {BAD!r}, rubric="mine.yaml")
    assert verdict.passed

async def test_in_a_loop(adjudge):
    verdict = await adjudge.agrade({TASK!r}, "It is called Oslo.", rubric="mine.yaml")
    assert verdict.passed
    assert adjudge.grade({TASK!r}, "It is called Oslo.", rubric="mine.yaml") == verdict
"""
CLOSED = """
import socket

def refuse(*_, **__):
    raise AssertionError("the network is closed")

socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = socket.create_connection = refuse
"""


@pytest.fixture
def project(tmp_path, provider):
    """A project whose tests ask the scripted provider."""
    provider.script = by_answer
    (tmp_path / "mine.yaml").write_text(RUBRIC)
    (tmp_path / "test_answers.py").write_text(TESTS)
    asyncio = "asyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
    ours = f"adjudge_judge = {judge_at(provider)}\nadjudge_journal = replies.db\n"
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = --strict-markers\n{asyncio}{ours}")
    return tmp_path


def outcomes(ended):
    return dict(re.findall(r"test_\w+\.py::(\w+) (PASSED|FAILED|ERROR)", ended.out))


def summary(ended):
    return re.search(r"^adjudge: .*$", ended.out, re.MULTILINE)[0]


@pytest.mark.slow
async def test_the_example_in_the_docs_gives_the_output_in_the_docs(tmp_path, provider):
    text = (ROOT / "docs" / "toolchain.md").read_text("utf-8").partition("## pytest")[2]
    rubric, code, shown = (
        re.search(rf"^```{kind}\n(.*?)^```", text, re.M | re.S)[1] for kind in ("yaml", "python", "text")
    )
    no = {"quote": "", "reason": "No time is given.", "answer": "no"}
    provider.script = lambda request: says({"days": no})
    (tmp_path / "refunds.yaml").write_text(rubric)
    answer = "def my_assistant(question):\n    return 'We are looking into it, thank you.'\n\n\n"
    (tmp_path / "test_refunds.py").write_text(answer + code)
    ended = await run_pytest(tmp_path, f"--adjudge-judge={judge_at(provider)}", "--adjudge-journal=replies.db")
    found = {re.sub(r"g[0-9a-f]{20}", "ID", line) for line in ended.out.splitlines()}
    assert [line for line in shown.splitlines() if re.sub(r"g[0-9a-f]{20}", "ID", line) not in found] == []


async def test_a_session_shows_why_it_failed_and_is_replayed_with_the_network_closed(project, provider):
    recorded = await run_pytest(project, "-vv")
    found = {"test_good": "PASSED", "test_bad": "FAILED", "test_in_a_loop": "PASSED"}
    assert (recorded.status, outcomes(recorded)) == (1, found)
    shown = "- Names the city (city): no, 0 of 3 points\n    No city is named.\n1 item earned all points"
    assert re.search(r"where False = <GradeVerdict g\w+: fail, [\d.]+>\.passed", recorded.out)
    assert len(recorded.out) < 3000, "no long repr"
    assert summary(recorded).startswith("adjudge: 4 judged, 3 calls, ")
    kept = (project / "replies.db").read_bytes()
    (project / "conftest.py").write_text(CLOSED)
    (project / "test_closed.py").write_text(f"""
import pytest, urllib.request

def test_closed():
    with pytest.raises(AssertionError, match="the network is closed"):
        urllib.request.urlopen({provider.url!r})
""")
    replayed = await run_pytest(project, "-v", "--adjudge-replay")
    assert (replayed.status, outcomes(replayed)) == (1, {**found, "test_closed": "PASSED"})
    for session in (recorded, replayed):
        assert "adjudge grade: Failed with 25.0 of 100" in session.out and shown in session.out
    assert summary(replayed) == "adjudge: 4 replayed, 0 calls, $0"
    assert (project / "replies.db").read_bytes() == kept
    # What was not recorded says which test to record again.
    changed = TESTS.replace(GOOD, "Oslo is the capital of Norway.")
    (project / "test_answers.py").write_text(changed)
    missing = await run_pytest(project, "-v", "--adjudge-replay")
    assert outcomes(missing) == {**found, "test_good": "FAILED", "test_closed": "PASSED"}
    assert "lacks a reply that this test needs" in missing.out
    assert "without --adjudge-replay: pytest test_answers.py::test_good" in missing.out
    (project / "replies.db").unlink()
    none = await run_pytest(project, "-q", "--adjudge-replay")
    assert "no recorded replies; run the tests once without --adjudge-replay" in none.out
    assert not (project / "replies.db").exists()
    assert provider.calls == 3


@pytest.mark.slow
async def test_a_session_recorded_with_xdist_is_replayed_with_the_provider_gone(project, provider):
    recorded = await run_pytest(project, "-v", "-n", "2")
    asked = provider.calls
    await provider.stop()
    replayed = await run_pytest(project, "-v", "--adjudge-replay", "-n", "2")
    assert recorded.status == replayed.status == 1 and asked == provider.calls == 3
    for shown in ("adjudge grade: Failed with 25.0 of 100", "No city is named.", "1 failed, 2 passed"):
        assert shown in recorded.out and shown in replayed.out
    assert summary(replayed) == "adjudge: 4 replayed, 0 calls, $0"


JUDGED = f"""
import pytest

by_ours = pytest.mark.adjudge(judge="embedded")
TALK = "USER\\tIs it open on Sunday?\\nSYSTEM\\tYes, from 10 am to 6 pm.\\n"
PAIR = ("Say hello.", "Hello, how are you?", "No.")

@by_ours
def test_dialogue(adjudge):
    assert adjudge.dialogue(TALK).overall_experience in (20, 40, 60, 80, 100)

@by_ours
async def test_adialogue(adjudge):
    verdict = await adjudge.adialogue(TALK)
    assert verdict == adjudge.dialogue(TALK)

@by_ours
async def test_acompare(adjudge):
    verdict = await adjudge.acompare(*PAIR)
    assert verdict == adjudge.compare(*PAIR) and verdict.provenance.judge.startswith("embedded")
    assert verdict.winner == "nobody"

@pytest.mark.adjudge(judge="openai:gpt-5.1", budget="0.000001")
def test_poor(adjudge):
    adjudge.grade({TASK!r}, {GOOD!r}, rubric="mine.yaml")

@pytest.mark.adjudge(jugde="embedded")
def test_typo(adjudge):
    pass

def test_broken(adjudge):
    adjudge.grade({TASK!r}, {BROKEN!r}, rubric="mine.yaml")
"""


@pytest.mark.slow
async def test_the_marker_names_judge_and_budget_and_a_failed_judgment_is_an_error_with_its_reason(project, provider):
    """Comparisons and dialogues are judged with and without a loop."""
    (project / "test_answers.py").write_text(JUDGED)
    ended = await run_pytest(project, "-v")
    passed, failed = ["test_dialogue", "test_adialogue"], ["test_acompare", "test_poor", "test_broken"]
    expected = dict.fromkeys(passed, "PASSED") | dict.fromkeys(failed, "FAILED") | {"test_typo": "ERROR"}
    assert outcomes(ended) == expected, ended.out
    assert "adjudge compare: " in ended.out and "(over_budget)" in ended.out
    assert "marker adjudge: jugde; allowed: judge, budget, journal" in ended.out
    failure = r"^E .*JudgmentError: no verdict from http\S+ \(rejected\): .*not available"
    assert re.search(failure, ended.out, re.MULTILINE)
    assert "adjudge grade:" not in ended.out and "adjudge/engine.py" not in ended.out
    assert summary(ended) == "adjudge: 5 judged, 0 calls, $0"
    assert provider.calls == 1


@pytest.mark.slow
async def test_each_process_of_xdist_may_spend_an_equal_share_of_the_budget(project, provider):
    (project / "test_answers.py").write_text(f"""
def test_good(adjudge):
    assert adjudge.grade({TASK!r}, {GOOD!r}, rubric="mine.yaml", judge="openai:gpt-5.1").passed
""")
    openai = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{provider.url}/v1"}
    refused = await run_pytest(project, "-v", "--adjudge-budget", "0", **openai)
    cost = Decimal(re.search(r"one more call may cost up to \$([0-9.]+)", refused.out)[1])
    budget = str(2 * cost)
    shared = await run_pytest(project, "-n", "3", "--adjudge-budget", budget, **openai)
    assert (shared.status, provider.calls) == (1, 0)
    assert "(over_budget)" in shared.out
    alone = await run_pytest(project, "-v", "--adjudge-budget", budget, **openai)
    assert (alone.status, provider.calls) == (0, 1), alone.out


@pytest.mark.slow
async def test_options_of_the_command_line_win_and_junit_has_the_reasons(project, provider):
    ended = await run_pytest(
        project, "-q", "--adjudge-judge", "embedded", "--adjudge-journal", "other.db", "--adjudge-budget", "0",
        "--junitxml", "out.xml", "-k", "bad",
    )  # fmt: skip
    assert ended.status == 1
    assert provider.calls == 0
    assert (project / "other.db").exists()
    assert not (project / "replies.db").exists()
    case = ET.parse(project / "out.xml").find(".//testcase")
    assert "Names the city (city): not assessed" in case.find("failure").text
    assert [each.get("value") for each in case.iter("property") if each.get("name") == "adjudge_calls"] == ["0"]
    ended = await run_pytest(project, "-q", "--adjudge-budget", "much", "-k", "bad")
    assert "'much' is not an amount" in ended.out


def test_a_session_that_does_not_judge_loads_nothing_of_adjudge_but_the_plugin(tmp_path):
    (tmp_path / "test_nothing.py").write_text(
        "import sys\n\ndef test_nothing():\n"
        "    print(sorted(name for name in sys.modules if name.startswith(('adjudge', 'pydantic'))))\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:schemathesis", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "['adjudge', 'adjudge.adapters', 'adjudge.adapters.pytest_plugin', 'adjudge.version']" in done.stdout
