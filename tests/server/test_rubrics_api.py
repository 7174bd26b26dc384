"""`/api/rubrics`: built-in ones and one's own, by version."""

from __future__ import annotations

import time

import pytest
import yaml
from fastapi.testclient import TestClient

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.users import TokenStore

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


@pytest.fixture
def client(tmp_path):
    with TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db")) as client:
        yield client


def test_the_built_in_rubrics_are_listed_and_shown_with_their_prompts(client):
    listed = client.get("/api/rubrics").json()["rubrics"]
    assert [(each["name"], each["built_in"]) for each in listed] == [
        ("compare", True),
        ("dialogue", True),
        ("grade", True),
        ("review", True),
    ]
    shown = client.get("/api/rubrics/dialogue").json()
    assert len(shown["criteria"]) == 6
    roles = [each["role"] for each in client.get("/api/rubrics/dialogue/prompt").json()["prompts"]]
    assert roles == ["evaluator", "critic"]


def test_versions_are_kept_and_never_changed(client):
    assert client.post("/api/rubrics", content=OURS).status_code == 201
    assert client.post("/api/rubrics", content=OURS).status_code == 201, "the same again changes nothing"
    second = OURS.replace('"1"', '"2"').replace("true?", "true and proven?")
    assert client.post("/api/rubrics", content=second).json()["versions"] == ["1", "2"]
    changed = client.post("/api/rubrics", content=OURS.replace("weight: 2", "weight: 3"))
    assert changed.status_code == 409
    assert client.get("/api/rubrics/our answers").json()["source"] == second
    assert client.get("/api/rubrics/our answers", params={"version": "1"}).json()["source"] == OURS
    assert client.get("/api/rubrics/our answers", params={"version": "3"}).status_code == 404
    prompt = client.get("/api/rubrics/our answers/prompt").json()["prompts"][0]
    assert "true and proven?" in prompt["system"]
    assert "(the first answer)" in prompt["user"]


def test_what_is_wrong_is_said_with_its_line_and_nothing_is_kept_by_a_check(client):
    wrong = client.post("/api/rubrics/validate", content=OURS.replace("weight: 2", "weight: -2"))
    assert wrong.status_code == 400
    assert wrong.json()["error"].startswith("body:7: ")
    assert client.post("/api/rubrics/validate", content=OURS).json()["criteria"][0]["key"] == "correct"
    assert client.get("/api/rubrics/our answers").status_code == 404
    for name in ("../../etc", "compare", "mine.json"):
        refused = client.post("/api/rubrics", content=OURS.replace("our answers", name))
        assert refused.status_code == 400
        assert refused.json()["error"].startswith("name: ")
    refused = client.post("/api/rubrics", content=OURS.replace('"1"', r'"1\0"'))
    assert refused.json()["error"] == "body:2: version: '1\\x00'; one line without control characters is allowed"
    assert client.post("/api/rubrics", content=OURS + "#" * 200_000).status_code == 413


def test_a_version_that_cannot_be_written_leaves_nothing_behind(client, monkeypatch):
    client.post("/api/rubrics", content=OURS)

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("adjudge.server.rubrics.os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            client.post("/api/rubrics", content=OURS.replace('"1"', '"2"'))
    assert client.get("/api/rubrics/our answers").json()["versions"] == ["1"]
    assert client.post("/api/rubrics", content=OURS.replace('"1"', '"2"')).json()["versions"] == ["1", "2"]


def test_a_run_is_judged_by_the_rubric_it_names(client):
    client.post("/api/rubrics", content=OURS)
    client.post("/api/rubrics", content=OURS.replace('"1"', '"2"'))
    lines = '{"task": "Say hello.", "a": "Hello, how are you today?", "b": "Hey."}\n'
    settings = {"protocol": "compare", "rubric": "our answers@1", "format": "jsonl"}
    run = client.post("/api/runs", params=settings, content=lines).json()
    assert run.get("rubric") == "our answers@1", run
    for _ in range(2400):
        if client.get(f"/api/runs/{run['run_id']}").json()["state"] == "finished":
            break
        time.sleep(0.05)
    assert "correct_a" in client.get(f"/api/runs/{run['run_id']}/rows").json()["rows"][0]


def test_a_token_has_rubrics_of_its_own(tmp_path):
    tokens = TokenStore(tmp_path / "tokens.db")
    ann, bob = ({"authorization": f"Bearer {tokens.add(name)}"} for name in ("ann", "bob"))
    with TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db", tokens=tokens)) as client:
        assert client.post("/api/rubrics", content=OURS, headers=ann).status_code == 201
        assert len(client.get("/api/rubrics", headers=ann).json()["rubrics"]) == 5
        assert len(client.get("/api/rubrics", headers=bob).json()["rubrics"]) == 4
        assert client.get("/api/rubrics/our answers", headers=bob).status_code == 404


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 199_000, "body:1: not YAML: more than 20 levels of nesting"),
        ("a: " + "{a: " * 40, "body:1: not YAML: more than 20 levels of nesting"),
        ("".join(f"a{n}: &a{n} x\n" for n in range(12_000)), "body:101: not YAML: more than 100 anchors and aliases"),
        ("a: &a x\nb: [" + "*a," * 40_000 + "]", "body:2: not YAML: more than 100 anchors and aliases"),
        ("".join(f"a{n}: x\n" for n in range(19_000)), "body:10000: not YAML: more than 20,000 values"),
    ],
)
def test_yaml_is_read_only_as_far_as_a_rubric_may_go(client, monkeypatch, text, said):
    tokens = []
    scanned = yaml.scanner.Scanner.fetch_more_tokens
    monkeypatch.setattr(yaml.scanner.Scanner, "fetch_more_tokens", lambda self: tokens.append(1) or scanned(self))
    answer = client.post("/api/rubrics/validate", content=text)
    assert (answer.status_code, answer.json()["error"].partition(";")[0]) == (400, said)
    assert len(tokens) < 70_000
