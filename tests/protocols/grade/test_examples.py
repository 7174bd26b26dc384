"""The shipped examples: one that the embedded judge decides, one whose replies are in a shipped journal."""

import json
import shutil

import pytest
from protocols.grade.recorded import CASE, FOLDER, JOURNAL, JUDGE, record

from adjudge.cli.main import main


def graded(capsys, *arguments):
    assert main(["grade", *map(str, arguments), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_embedded_judge_decides_the_example_by_checks(tmp_path, capsys):
    rubric = ("--rubric", FOLDER / "example.yaml", "--journal", tmp_path / "journal.db")
    verdict = graded(capsys, FOLDER / "example.json", *rubric)
    assert (verdict["score_exact"], verdict["passed"], verdict["decided"]) == ("1/2", False, True)
    results = {item["key"]: item["result"] for item in verdict["items"]}
    assert results == {
        "valid_json": "yes", "names_the_order": "yes", "says_when": "no", "short": "yes", "promises": "yes",
        "kind": "unassessed",
    }  # fmt: skip


@pytest.fixture
def journal(tmp_path):
    return shutil.copyfile(JOURNAL, tmp_path / "recorded.db")


def test_the_recorded_example_is_answered_from_its_journal_and_replayed(journal, capsys):
    # If this fails after a change of the prompts: PYTHONPATH=tests python -m protocols.grade.recorded
    verdict = graded(capsys, CASE, "--judge", JUDGE, "--journal", journal)  # nobody listens at that address
    claims = next(item["claims"] for item in verdict["items"] if item["kind"] == "claims")
    assert sorted(claim["result"] for claim in claims) == [*2 * ["contradicted"], "not_found", *3 * ["supported"]]
    assert (verdict["score_exact"], verdict["passed"], verdict["warnings"]) == ("13/20", False, [])
    assert main(["replay", verdict["verdict_id"], "--journal", str(journal)]) == 0
    assert "the same, byte for byte" in capsys.readouterr().err


def test_recording_leaves_the_journal_alone(tmp_path):
    record(tmp_path / "recorded.db")
    assert [path.name for path in tmp_path.iterdir()] == ["recorded.db"]
    assert not [*FOLDER.glob("*.claims")], "a lock file left over"
