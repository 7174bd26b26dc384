"""Runs and those who began them: who sees them, what a revoked token or a removed person has running, and how many."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from scripted.provider import judges, waits
from server.people_samples import PeopleService

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.runs import hosting

LINES = "".join(
    json.dumps({"id": f"case-{n}", "task": f"Plan {n}.", "a": f"Begin with step {n}, then rest.", "b": "No."}) + "\n"
    for n in range(40)
)
HERE = {"origin": "http://localhost"}


def begin(client, headers):
    asked = {"protocol": "compare", "source": "pairs.jsonl", "concurrency": 2}
    return client.post("/api/runs", params=asked, content=LINES, headers=headers)


def until(client, run_id, headers, *states):
    for _ in range(2400):
        status = client.get(f"/api/runs/{run_id}", headers=headers).json()
        if status.get("state") in states:
            return status
        time.sleep(0.05)
    raise AssertionError(status)


@pytest.mark.parametrize("kind", ["token", "person"])
async def test_what_a_revoked_one_has_running_is_stopped_and_an_admin_continues_it(provider, tmp_path, kind):
    answered = []

    def some_then_stuck(request):
        answered.append(request)
        return judges() if len(answered) <= 10 else waits(0.5, judges())

    provider.script = some_then_stuck
    service = PeopleService(tmp_path, more={"settings": CompareSettings(judge=f"{provider.url}/v1#m")})
    service.add("ann", "admin")

    def judged():
        with service.browser("ann") as ann:
            if kind == "token":
                owner, headers = ann, {"authorization": f"Bearer {service.tokens.add('bob')}"}
            else:
                service.add("bob")
                owner, headers = service.browser("bob"), HERE
            run_id = begin(owner, headers).json()["run_id"]
            until(owner, run_id, headers, "running")
            (service.tokens.revoke if kind == "token" else service.users.remove)("bob")
            assert owner.get(f"/api/runs/{run_id}", headers=headers).status_code == 401
            stopped = until(ann, run_id, HERE, "stopped", "finished")
            provider.script = lambda request: judges()
            assert ann.post(f"/api/runs/{run_id}/resume", json={"concurrency": 20}, headers=HERE).status_code == 200
            return stopped, until(ann, run_id, HERE, "stopped", "finished")

    stopped, finished = await asyncio.to_thread(judged)
    assert (stopped["state"], stopped["stopped_by"]) == ("stopped", "revoked")
    assert stopped["error"] == "token: bob is revoked or removed; an admin may continue the run"
    assert stopped["verdicts"] + stopped["open"] == 40
    assert stopped["open"] > 0
    assert (finished["state"], finished["verdicts"]) == ("finished", 40)


def test_a_queued_run_of_a_revoked_token_is_not_begun_and_an_admin_token_sees_it(tmp_path):
    service = PeopleService(tmp_path, auth=False)
    bob, boss = (
        {"authorization": f"Bearer {service.tokens.add(name, role=role)}"}
        for name, role in (("bob", "reviewer"), ("boss", "admin"))
    )
    # Nothing is executed before the service is entered.
    client = service.browser()
    (tmp_path / "service").mkdir()
    run_id = begin(client, bob).json()["run_id"]
    service.tokens.revoke("bob")
    with client:
        stopped = until(client, run_id, boss, "stopped", "finished")
        assert (stopped["stopped_by"], stopped["open"]) == ("revoked", 40)
        assert client.post(f"/api/runs/{run_id}/resume", headers=boss).status_code == 200
        assert until(client, run_id, boss, "stopped", "finished")["state"] == "finished"


def test_reviewers_see_all_runs_and_annotators_and_tokens_their_own(tmp_path):
    service = PeopleService(tmp_path)
    for name, role in (("ann", "annotator"), ("rob", "reviewer"), ("rea", "reviewer")):
        service.add(name, role)
    token = {"authorization": f"Bearer {service.tokens.add('robot')}"}
    with service.browser("rob") as rob:
        run_id = begin(rob, HERE).json()["run_id"]
        until(rob, run_id, HERE, "finished")
        verdict_id = rob.get(f"/api/runs/{run_id}/rows").json()["rows"][0]["verdict_id"]
        for browser, headers, sees in (
            (rob, {}, True),
            (service.browser("rea"), {}, True),
            (service.browser("ann"), {}, False),
            (service.browser(), token, False),
        ):
            assert len(browser.get("/api/runs", headers=headers).json()["runs"]) == sees
            assert browser.get(f"/api/runs/{run_id}", headers=headers).status_code == (200 if sees else 404)
            assert browser.get(f"/api/verdicts/{verdict_id}", headers=headers).status_code == (200 if sees else 404)
            assert bool(browser.get("/api/verdicts", headers=headers).json()["verdicts"]) is sees


def test_one_owner_may_have_only_so_many_runs_waiting(tmp_path, monkeypatch):
    monkeypatch.setattr(hosting, "MAX_OWN_RUNS", 2)
    service = PeopleService(tmp_path, auth=False)
    bob, eve = ({"authorization": f"Bearer {service.tokens.add(name)}"} for name in ("bob", "eve"))
    client = service.browser()  # not entered: everything waits
    (tmp_path / "service").mkdir()
    first, _ = begin(client, bob), begin(client, bob)
    refused = begin(client, bob)
    assert refused.status_code == 409
    assert refused.json()["error"] == (
        "runs: bob has 2 that are queued or running; at most 2 are allowed; wait for one to end, or cancel one"
    )
    assert begin(client, eve).status_code == 201
    where = f"/api/runs/{first.json()['run_id']}"
    assert client.post(f"{where}/resume", headers=bob).status_code == 200, "it waits already"
    assert client.post(f"{where}/cancel", headers=bob).status_code == 200
    assert begin(client, bob).status_code == 201
    assert client.post(f"{where}/resume", headers=bob).status_code == 409
    assert len(client.get("/api/runs", headers=bob).json()["runs"]) == 3
