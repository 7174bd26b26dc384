"""`Idempotency-Key`: one answer to one request, however often it is sent."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from scripted.provider import judges, waits
from server.people_samples import PeopleService
from server.run_pages import CASE, ONE, bearer, served

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.rubrics import shipped
from adjudge.server import idempotency
from adjudge.server.users import TokenStore

RUBRIC = shipped("compare").source.replace("name: compare", "name: mine", 1)
KEY = {"idempotency-key": "order-66"}
DRAFTS = "/api/review/drafts"


def test_the_same_key_and_request_begin_one_run_although_a_form_has_another_boundary(alone):
    sent = {"data": {"protocol": "compare"}, "files": {"file": ("a.jsonl", ONE)}, "headers": KEY}
    first, second = (alone.post("/api/runs", **sent) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201), second.text
    assert first.request.headers["content-type"] != second.request.headers["content-type"]
    assert (first.json(), first.headers["location"]) == (second.json(), second.headers["location"])
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert len(alone.get("/api/runs").json()["runs"]) == 1


def test_a_failed_request_may_be_sent_again_with_its_key_and_another_one_is_a_conflict(client):
    for body, status in (({}, 400), (CASE, 200)):
        assert client.post("/api/evaluate", json=body, headers=KEY).status_code == status
    for path, body in (("/api/evaluate", {**CASE, "seed": 3}), (DRAFTS, CASE)):
        answer = client.post(path, json=body, headers=KEY)
        assert answer.status_code == 409
        assert answer.json()["error"].startswith("Idempotency-Key: was used with another request")
    for key in ("", "two words", "x" * 201):
        answer = client.post("/api/evaluate", json=CASE, headers={"idempotency-key": key})
        assert (answer.status_code, answer.json()["error"][:17]) == (400, "Idempotency-Key: "), key


def test_an_answer_is_forgotten_after_its_time(alone, monkeypatch):
    first = alone.post(DRAFTS, json={}, headers=KEY).json()
    assert alone.post(DRAFTS, json={}, headers=KEY).json() == first
    monkeypatch.setattr(idempotency, "KEPT_SECONDS", -1.0)
    again = alone.post(DRAFTS, json={}, headers=KEY)
    assert again.status_code == 201
    assert again.json()["draft_id"] != first["draft_id"]


def test_keys_are_each_tokens_own_and_a_repetition_counts_towards_its_rate(tmp_path):
    tokens = TokenStore(tmp_path / "tokens.db")
    ann, bob = ({**bearer(tokens.add(name, rate=2)), **KEY} for name in ("ann", "bob"))
    with served(tmp_path, tokens=tokens) as client:
        first = client.post(DRAFTS, json={}, headers=ann)
        assert client.post(DRAFTS, json={}, headers=bob).json() != first.json()
        assert client.post(DRAFTS, json={}, headers=ann).json() == first.json()
        assert client.post(DRAFTS, json={}, headers=ann).status_code == 429
        assert client.post(DRAFTS, json={}, headers={**KEY, **bearer("x")}).status_code == 401


async def test_of_requests_that_come_at_once_one_is_judged(provider, tmp_path):
    provider.script = lambda request: waits(0.2, judges())

    def ask():
        settings = CompareSettings(judge=f"{provider.url}/v1#m", one_order=True)
        with served(tmp_path, settings) as client, ThreadPoolExecutor(4) as threads:
            return list(threads.map(lambda _: client.post("/api/evaluate", json=CASE, headers=KEY), range(4)))

    answers = await asyncio.to_thread(ask)
    assert [answer.status_code for answer in answers] == [200] * 4
    assert sum("idempotent-replayed" in answer.headers for answer in answers) == 3
    assert provider.calls == 1


def test_a_stored_answer_is_given_only_to_one_who_may_still_do_the_thing(tmp_path):
    service = PeopleService(tmp_path)
    service.add("ann", "admin")
    service.add("bob", "reviewer")
    here, runs = {"origin": "http://localhost"}, "/api/runs?protocol=compare&source=a.jsonl"
    with service.browser() as _:
        bob = service.browser("bob")
        run = bob.post(runs, content=ONE, headers={**KEY, **here}).json()["run_id"]
        asked = {
            runs: {"content": ONE},
            f"/api/runs/{run}/cancel": {},
            "/api/evaluate": {"json": CASE},
            "/api/rubrics/validate": {"content": RUBRIC},
        }

        def send(number):
            path, more = list(asked.items())[number]
            return bob.post(path, headers={**here, "idempotency-key": f"key-{number}"}, **more)

        for number in range(4):
            assert send(number).status_code in (200, 201), number
            assert send(number).headers["idempotent-replayed"] == "true"
        service.users.set_role("bob", "annotator")
        for number in range(4):
            answer = send(number)
            assert (answer.status_code, "this needs reviewer" in answer.text) == (403, True), number
        service.users.set_role("bob", "reviewer")
        ann = service.browser("ann")
        while ann.delete(f"/api/runs/{run}", headers=here).status_code == 409:
            time.sleep(0.05)  # it is being stopped
        assert send(1).status_code == 404, "the run is not there any more"
        assert send(2).headers["idempotent-replayed"] == "true"
