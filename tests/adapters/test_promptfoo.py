"""The assertion in promptfoo itself: an evaluation of its own command, with every kind of outcome.

It is installed beside the test, which takes minutes and 2 GB, unless `$ADJUDGE_PROMPTFOO` names its command. What a
newer one wrote is in tests/inputs/files/promptfoo_judged.json.
"""

import json
import os
import shutil
import sys

import pytest
from adapters.sessions import ANSWERS, BAD, BROKEN, GOOD, HOST_RUBRIC, TASK, UNSURE, by_answer, judge_at, run

VERSION = "0.121.20"  # the last one that runs on Node 20
QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_PYTHON": sys.executable,
}
PROMPTS = [{"raw": "{{answer}}", "label": "plain"}, {"raw": "Hello. {{answer}}", "label": "friendly"}]


async def promptfoo(folder):
    """The command, installed in a folder if it is not named."""
    if named := os.environ.get("ADJUDGE_PROMPTFOO"):
        return named
    if shutil.which("npm") is None:
        pytest.skip("promptfoo needs Node.js")
    options = ("--no-audit", "--no-fund", "--ignore-scripts")
    ended = await run("npm", "install", *options, f"promptfoo@{VERSION}", folder=folder)
    if ended.status:
        pytest.skip(f"promptfoo cannot be installed here: {ended.out.strip().splitlines()[-1]}")
    return str(folder / "node_modules/.bin/promptfoo")


def shown_by(folder):
    """The outcome of our assertion in promptfoo's results, by label of the prompt and answer."""
    results = json.loads((folder / "out.json").read_text())["results"]["results"]
    return {
        (each["prompt"]["label"], each["vars"]["answer"]): each["gradingResult"]["componentResults"][0]
        for each in results
    }


@pytest.mark.slow
async def test_every_kind_of_outcome_is_in_promptfoos_own_report(tmp_path, provider):
    command = await promptfoo(tmp_path)
    provider.script = by_answer
    (tmp_path / "mine.yaml").write_text(HOST_RUBRIC)
    (tmp_path / "judge.py").write_text("from adjudge.adapters.promptfoo import get_assert\n")
    files = {"rubric": str(tmp_path / "mine.yaml"), "journal": str(tmp_path / "journal.db")}
    config = {"judge": judge_at(provider), "task": "question", **files}
    check = {"type": "python", "value": "file://judge.py:get_assert", "config": config}
    tests = [{"vars": {"question": TASK, "answer": each}, "assert": [check]} for each in ANSWERS]
    suite = {"prompts": PROMPTS, "providers": ["echo"], "tests": tests}
    (tmp_path / "promptfooconfig.json").write_text(json.dumps(suite))
    ended = await run(
        command, "eval", "-c", "promptfooconfig.json", "-o", "out.json", "--no-cache", "-j", "1",
        folder=tmp_path, PROMPTFOO_CONFIG_DIR=str(tmp_path / "config"), **QUIET,
    )  # fmt: skip
    assert (tmp_path / "out.json").is_file(), ended.out
    by = {answer: found for (label, answer), found in shown_by(tmp_path).items() if label == "plain"}
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
    assert "2 passed" in ended.out
    # Its results are the cases of a run, in which the two prompts of one model are two systems.
    asked = ("run", "grade", "out.json", "--run", "out", "--rubric", "mine.yaml", "--judge", judge_at(provider))
    ended = await run(sys.executable, "-m", "adjudge", *asked, "--journal", "journal.db", folder=tmp_path)
    assert ended.status == 1, ended.out  # the judge fails on one answer, in both prompts
    assert "2 failures" in ended.out
    board = await run(sys.executable, "-m", "adjudge", "leaderboard", "out", folder=tmp_path)
    assert "[echo] plain" in board.out and "[echo] friendly" in board.out
