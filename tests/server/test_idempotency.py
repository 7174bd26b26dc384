"""`Idempotency-Key`: one answer to one request, however often it is sent."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient
from scripted.provider import judges, waits
from server.people_samples import PeopleService

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.rubrics import shipped
from adjudge.server import idempotency
from adjudge.server.app import create_app
from adjudge.server.users import TokenStore

CASE = {"userTask": "Say hello politely.", "responseA": "Good morning to you!", "responseB": "Hey you over there."}
LINES = '{"id": "1", "task": "Say hello.", "a": "Hello, how are you today?", "b": "Hey."}\n'
RUBRIC = shipped("compare").source.replace("name: compare", "name: mine", 1)
KEY = {"idempotency-key": "order-66"}


@pytest.fixture
def client(tmp_path):
    with TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db")) as client:
        yield client


def test_the_same_key_and_request_begin_one_run_although_a_form_has_another_boundary(client):
    first, second = (
        client.post("/api/runs", data={"protocol": "compare"}, files={"file": ("a.jsonl", LINES)}, headers=KEY)
        for _ in range(2)
    )
    assert (first.status_code, second.status_code) == (201, 201), second.text
    assert first.request.headers["content-type"] != second.request.headers["content-type"]
    assert first.json() == second.json()
    assert first.headers["location"] == second.headers["location"]
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert len(client.get("/api/runs").json()["runs"]) == 1


def test_another_body_or_path_under_the_same_key_is_a_conflict(client):
    assert client.post("/api/evaluate", json=CASE, headers=KEY).status_code == 200
    for path, body in (("/api/evaluate", {**CASE, "seed": 3}), ("/api/review/drafts", CASE)):
        answer = client.post(path, json=body, headers=KEY)
        assert answer.status_code == 409
        assert answer.json()["error"].startswith("Idempotency-Key: was used with another request")


def test_a_request_that_failed_may_be_sent_again_with_its_key(client):
    assert client.post("/api/evaluate", json={}, headers=KEY).status_code == 400
    assert client.post("/api/evaluate", json=CASE, headers=KEY).status_code == 200


@pytest.mark.parametrize("key", ["", "two words", "x" * 201])
def test_a_key_that_cannot_be_used_is_refused(client, key):
    answer = client.post("/api/evaluate", json=CASE, headers={"idempotency-key": key})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("Idempotency-Key: ")


def test_an_answer_is_forgotten_after_its_time(client, monkeypatch):
    first = client.post("/api/review/drafts", json={}, headers=KEY).json()
    assert client.post("/api/review/drafts", json={}, headers=KEY).json() == first
    monkeypatch.setattr(idempotency, "KEPT_SECONDS", -1.0)
    again = client.post("/api/review/drafts", json={}, headers=KEY)
    assert again.status_code == 201
    assert again.json()["draft_id"] != first["draft_id"]


def test_keys_are_each_tokens_own_and_a_repetition_counts_towards_its_rate(tmp_path):
    tokens = TokenStore(tmp_path / "tokens.db")
    ann, bob = ({"authorization": f"Bearer {tokens.add(name, rate=2)}", **KEY} for name in ("ann", "bob"))
    with TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db", tokens=tokens)) as client:
        first = client.post("/api/review/drafts", json={}, headers=ann)
        assert client.post("/api/review/drafts", json={}, headers=bob).json() != first.json()
        assert client.post("/api/review/drafts", json={}, headers=ann).json() == first.json()
        assert client.post("/api/review/drafts", json={}, headers=ann).status_code == 429
        assert (
            client.post("/api/review/drafts", json={}, headers={**KEY, "authorization": "Bearer x"}).status_code == 401
        )


async def test_of_requests_that_come_at_once_one_is_judged(provider, tmp_path):
    provider.script = lambda request: waits(0.2, judges())
    settings = CompareSettings(judge=f"{provider.url}/v1#m", one_order=True)

    def ask():
        with TestClient(create_app(settings, journal=tmp_path / "journal.db")) as client:

            def post(seed):
                return client.post(
                    "/api/evaluate", json={**CASE, "responseA": "Good morning to you, my friend!"}, headers=KEY
                )

            with ThreadPoolExecutor(4) as threads:
                return list(threads.map(post, range(4)))

    answers = await asyncio.to_thread(ask)
    assert [answer.status_code for answer in answers] == [200] * 4
    assert sum("idempotent-replayed" in answer.headers for answer in answers) == 3
    assert provider.calls == 1


def test_a_stored_answer_is_given_only_to_one_who_may_still_do_the_thing(tmp_path):
    service = PeopleService(tmp_path)
    service.add("ann", "admin")
    service.add("bob", "reviewer")
    with service.browser() as _:
        bob, sent = service.browser("bob"), {**KEY, "origin": "http://localhost"}
        run = bob.post("/api/runs?protocol=compare&source=a.jsonl", content=LINES, headers=sent).json()["run_id"]
        asked = {
            "/api/runs?protocol=compare&source=a.jsonl": {"content": LINES},
            f"/api/runs/{run}/cancel": {},
            "/api/evaluate": {"json": CASE},
            "/api/rubrics/validate": {"content": RUBRIC},
        }

        def send(number, path, more):
            return bob.post(path, headers={**sent, "idempotency-key": f"key-{number}"}, **more)

        for number, (path, more) in enumerate(asked.items()):
            assert send(number, path, more).status_code in (200, 201), path
            assert send(number, path, more).headers["idempotent-replayed"] == "true"
        service.users.set_role("bob", "annotator")
        for number, (path, more) in enumerate(asked.items()):
            answer = send(number, path, more)
            assert (answer.status_code, "this needs reviewer" in answer.text) == (403, True), path
        service.users.set_role("bob", "reviewer")
        ann = service.browser("ann")
        while ann.delete(f"/api/runs/{run}", headers={"origin": "http://localhost"}).status_code == 409:
            time.sleep(0.05)  # it is being stopped
        assert send(1, f"/api/runs/{run}/cancel", {}).status_code == 404, "the run is not there any more"
        assert send(2, "/api/evaluate", asked["/api/evaluate"]).headers["idempotent-replayed"] == "true"
