"""`/api/rubrics`: built-in ones and one's own, by version."""

from __future__ import annotations

import pytest
import yaml
from server.run_pages import ONE, ran, rows

from adjudge.protocols.base import names

OURS = """\
name: our answers
version: "1"
protocol: compare
scale: {min: 1, max: 5}
criteria:
  - key: correct
    weight: 2
    guidance: Is what it says true?
  - key: brief
    weight: 1
    guidance: Is there nothing to leave out?
"""
MINE = "/api/rubrics/our answers"


def test_the_built_in_rubrics_are_listed_and_shown_with_their_prompts(alone):
    listed = alone.get("/api/rubrics").json()["rubrics"]
    assert [(each["name"], each["built_in"]) for each in listed] == [(name, True) for name in names()]
    assert len(alone.get("/api/rubrics/dialogue").json()["criteria"]) == 6
    roles = [each["role"] for each in alone.get("/api/rubrics/dialogue/prompt").json()["prompts"]]
    assert roles == ["evaluator", "critic"]


def test_versions_are_kept_and_never_changed_and_a_run_is_judged_by_the_one_it_names(alone):
    assert alone.post("/api/rubrics", content=OURS).status_code == 201
    assert alone.post("/api/rubrics", content=OURS).status_code == 201, "the same again changes nothing"
    second = OURS.replace('"1"', '"2"').replace("true?", "true and proven?")
    assert alone.post("/api/rubrics", content=second).json()["versions"] == ["1", "2"]
    assert alone.post("/api/rubrics", content=OURS.replace("weight: 2", "weight: 3")).status_code == 409
    assert alone.get(MINE).json()["source"] == second
    assert alone.get(MINE, params={"version": "1"}).json()["source"] == OURS
    assert alone.get(MINE, params={"version": "3"}).status_code == 404
    prompt = alone.get(f"{MINE}/prompt").json()["prompts"][0]
    assert "true and proven?" in prompt["system"] and "(the first answer)" in prompt["user"]
    run = ran(alone, ONE, rubric="our answers@1")
    assert alone.get(f"/api/runs/{run}").json()["rubric"] == "our answers@1"
    assert "correct_a" in rows(alone, run)[0]


def test_what_is_wrong_is_said_with_its_line_and_nothing_is_kept_by_a_check(alone):
    wrong = alone.post("/api/rubrics/validate", content=OURS.replace("weight: 2", "weight: -2"))
    assert (wrong.status_code, wrong.json()["error"][:8]) == (400, "body:7: ")
    assert alone.post("/api/rubrics/validate", content=OURS).json()["criteria"][0]["key"] == "correct"
    assert alone.get(MINE).status_code == 404
    for name in ("../../etc", "compare", "mine.json"):
        refused = alone.post("/api/rubrics", content=OURS.replace("our answers", name))
        assert (refused.status_code, refused.json()["error"][:6]) == (400, "name: "), name
    refused = alone.post("/api/rubrics", content=OURS.replace('"1"', r'"1\0"'))
    assert refused.json()["error"] == "body:2: version: '1\\x00'; one line without control characters is allowed"
    assert alone.post("/api/rubrics", content=OURS + "#" * 200_000).status_code == 413


def test_a_version_that_cannot_be_written_leaves_nothing_behind(alone, monkeypatch):
    alone.post("/api/rubrics", content=OURS)

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("adjudge.server.rubrics.os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            alone.post("/api/rubrics", content=OURS.replace('"1"', '"2"'))
    assert alone.get(MINE).json()["versions"] == ["1"]
    assert alone.post("/api/rubrics", content=OURS.replace('"1"', '"2"')).json()["versions"] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 199_000, "body:1: not YAML: more than 20 levels of nesting"),
        ("a: " + "{a: " * 40, "body:1: not YAML: more than 20 levels of nesting"),
        ("".join(f"a{n}: &a{n} x\n" for n in range(12_000)), "body:101: not YAML: more than 100 anchors and aliases"),
        ("a: &a x\nb: [" + "*a," * 40_000 + "]", "body:2: not YAML: more than 100 anchors and aliases"),
        ("".join(f"a{n}: x\n" for n in range(19_000)), "body:10000: not YAML: more than 20,000 values"),
    ],
    ids=range(5),
)
def test_yaml_is_read_only_as_far_as_a_rubric_may_go(client, monkeypatch, text, said):
    tokens = []
    scanned = yaml.scanner.Scanner.fetch_more_tokens
    monkeypatch.setattr(yaml.scanner.Scanner, "fetch_more_tokens", lambda self: tokens.append(1) or scanned(self))
    answer = client.post("/api/rubrics/validate", content=text)
    assert (answer.status_code, answer.json()["error"].partition(";")[0]) == (400, said)
    assert len(tokens) < 70_000
