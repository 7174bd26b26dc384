"""The assertion in promptfoo itself: an evaluation of its own command, with every kind of outcome."""

import json
import os
import shutil
import sys

import pytest
from adapters.sessions import ANSWERS, BAD, BROKEN, GOOD, HOST_RUBRIC, TASK, UNSURE, by_answer, judge_at, run

pytestmark = pytest.mark.slow
VERSION = "0.121.20"
QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_PYTHON": sys.executable,
}


async def promptfoo(folder):
    """The command, installed beside the test, unless `$ADJUDGE_PROMPTFOO` names its folder."""
    if ready := os.environ.get("ADJUDGE_PROMPTFOO"):
        return f"{ready}/node_modules/.bin/promptfoo"
    if shutil.which("npm") is None:
        pytest.skip("promptfoo needs Node.js")
    options = ("--no-audit", "--no-fund", "--ignore-scripts")
    ended = await run("npm", "install", *options, f"promptfoo@{VERSION}", folder=folder)
    if ended.status:
        pytest.skip(f"promptfoo cannot be installed here: {ended.out.strip().splitlines()[-1]}")
    return str(folder / "node_modules/.bin/promptfoo")


async def test_every_kind_of_outcome_is_in_promptfoos_own_report(tmp_path, provider):
    command = await promptfoo(tmp_path)
    provider.script = by_answer
    (tmp_path / "mine.yaml").write_text(HOST_RUBRIC)
    (tmp_path / "judge.py").write_text("from adjudge.adapters.promptfoo import get_assert\n")
    files = {"rubric": str(tmp_path / "mine.yaml"), "journal": str(tmp_path / "journal.db")}
    config = {"judge": judge_at(provider), "task": "question", **files}
    check = {"type": "python", "value": "file://judge.py", "config": config}
    tests = [{"vars": {"question": TASK, "answer": each}, "assert": [check]} for each in ANSWERS]
    suite = {"prompts": ["{{answer}}"], "providers": ["echo"], "tests": tests}
    (tmp_path / "promptfooconfig.json").write_text(json.dumps(suite))
    ended = await run(
        command, "eval", "-c", "promptfooconfig.json", "-o", "out.json", "--no-cache", "-j", "1",
        folder=tmp_path, PROMPTFOO_CONFIG_DIR=str(tmp_path / "config"), **QUIET,
    )  # fmt: skip
    assert (tmp_path / "out.json").is_file(), ended.out
    results = json.loads((tmp_path / "out.json").read_text())["results"]["results"]
    by = {each["vars"]["answer"]: each["gradingResult"]["componentResults"][0] for each in results}
    assert (by[GOOD]["pass"], by[GOOD]["score"]) == (True, 1)
    assert (by[BAD]["pass"], by[BAD]["score"], by[BAD]["namedScores"]) == (
        False,
        0.25,
        {"city": 0, "short": 1, "rude": 1},
    )
    assert "No city is named." in by[BAD]["reason"]
    assert by[BAD]["tokensUsed"]["total"] > 0
    assert [each["pass"] for each in by[BAD]["componentResults"]] == [False, True, True]
    assert by[BROKEN]["pass"] is False
    assert "(rejected): " in by[BROKEN]["reason"]
    # promptfoo knows only pass and fail: an undecided grade does not pass, and its reason says what is open.
    assert (by[UNSURE]["pass"], by[UNSURE]["score"], by[UNSURE]["namedScores"]) == (False, 1, {"city": 1, "short": 1})
    assert by[UNSURE]["reason"].startswith("Undecided")
    assert by[UNSURE]["metadata"]["adjudge"]["outcome"] == "undecided"
    assert ended.status == 100  # promptfoo's own: some tests failed
    assert "1 passed" in ended.out
