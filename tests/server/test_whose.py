"""Whose runs, verdicts, drafts and rubrics they are: who sees them, who pays for them, and how many one may have."""

from __future__ import annotations

import asyncio
import time
from decimal import Decimal

import pytest
from scripted.provider import judges, waits
from server.people_samples import PeopleService
from server.run_pages import CASE, HTML, LINES, ONE, at_end, bearer, begin, lines_of, ran, reached, rows, served
from server.test_rubrics_api import OURS

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.runs import hosting
from adjudge.server.pages.demo import example
from adjudge.server.users import TokenStore

HERE = {"origin": "http://localhost"}
TALK = {"transcript": "USER\tWhere is it?\nSYSTEM\tIt comes tomorrow before noon.\nUSER\tThanks!\n"}
REVIEW = {"prompt": "Name a prime.", "response1": "Eleven is a prime.", "response2": "Twelve is a prime."}


@pytest.fixture
def tokens(tmp_path):
    opened = TokenStore(tmp_path / "tokens.db")
    yield opened
    opened.close()


# -- who sees them ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    made = PeopleService(tmp_path_factory.mktemp("whose"))
    made.add("rea", "reviewer")
    made.add("eve", "annotator")
    with made.browser():
        yield made


@pytest.fixture(scope="module")
def things(service):
    """What the token ann has: each with its id."""
    ann, client = service.token("ann"), service.browser()
    run = ran(client, ONE, ann)
    of_run = rows(client, run, ann)[0]["verdict_id"]
    asked = (("evaluate", CASE), ("dialogue", TALK), ("review", REVIEW))
    made = [client.post(f"/api/{path}", json=case, headers=ann) for path, case in asked]
    ids = [answer.headers.get("x-verdict-id") or answer.json()["verdict_id"] for answer in made]
    draft = client.post("/api/review/drafts", json=REVIEW, headers=ann).json()["draft_id"]
    assert client.post("/api/rubrics", content=OURS, headers=ann).status_code == 201
    return {"ann": ann, "run": run, "of_run": of_run, "verdicts": ids, "draft": draft}


def test_another_tokens_things_are_as_unknown_as_those_that_do_not_exist(service, things):
    client, ann, bob = service.browser(), things["ann"], service.token("bob")
    run, draft, (compared, talk, review) = things["run"], things["draft"], things["verdicts"]
    asked = {
        (run, "GET"): "/api/runs/ID /api/runs/ID/rows /api/runs/ID/events /api/runs/ID/export?format=csv "
        "/runs/ID /runs/ID/cases /runs/ID/cases/0 /runs/ID/settings /runs/ID/progress /runs/ID/export?format=csv "
        "/runs/compare?a=ID /runs/ID/agreement /runs/ID/label",
        (run, "POST"): "/api/runs/ID/cancel /api/runs/ID/pause /api/runs/ID/resume",
        **{(one, "GET"): "/api/verdicts/ID /verdicts/ID /verdicts/ID.md" for one in (compared, talk, things["of_run"])},
        (review, "GET"): "/api/verdicts/ID /verdicts/ID /verdicts/ID/calls /api/verdicts/ID/decision",
        (review, "PUT"): "/api/verdicts/ID/decision",
        (draft, "GET"): "/api/review/drafts/ID /judge/review?draft=ID",
        (draft, "PATCH"): "/api/review/drafts/ID",
        (draft, "POST"): "/api/review/drafts/ID/judge /judge/review#load /judge/review#save",
        (draft, "DELETE"): "/api/review/drafts/ID",
        ("our answers", "GET"): "/api/rubrics/ID /api/rubrics/ID/prompt /rubrics/ID",
        (run, "DELETE"): "/api/runs/ID",
    }

    def ask(who, method, path, one):
        headers = who if path.startswith("/api/") else {**who, **HTML, **HERE}
        path, _, action = path.replace("ID", one).partition("#")
        body = {"data": {"draft": one, "action": action, "whole": example("review")}} if action else {}
        body = {"json": {"decision": "accepted"} if method == "PUT" else {}} if method in ("PUT", "PATCH") else body
        return client.request(method, path, headers=headers, **body)

    for (one, method), paths in asked.items():
        nothing = f"{one[0]}{'0' * (len(one) - 1)}"
        for path in paths.split():
            hidden, missing = ask(bob, method, path, one), ask(bob, method, path, nothing)
            assert (hidden.status_code, missing.status_code) == (404, 404), (method, path, hidden.text)
            assert hidden.text.replace(one, nothing) == missing.text, (method, path)
            assert hidden.headers == missing.headers, (method, path)
            assert ask(ann, method, path, one).status_code in (200, 201, 204, 303), (method, path)
    assert client.get("/api/runs", headers=bob).json() == {"runs": [], "next": None}
    assert client.get("/api/verdicts", headers=bob).json() == {"verdicts": [], "next": None}
    assert "our answers" not in client.get("/api/rubrics", headers=bob).text
    # Who asks the same is given the same verdict, and may see it from then on.
    assert client.post("/api/evaluate", json=CASE, headers=bob).json()["verdict_id"] == compared
    assert client.get(f"/api/verdicts/{compared}", headers=bob).status_code == 200
    # A new token of the same name continues where the old one was.
    service.tokens.revoke("ann")
    assert client.get(f"/api/verdicts/{compared}", headers=service.token("ann")).status_code == 200


def test_reviewers_see_all_runs_and_annotators_and_tokens_their_own(service):
    rea = service.browser("rea")
    run = ran(rea, ONE, HERE)
    verdict = rows(rea, run)[0]["verdict_id"]
    single = rea.post("/api/evaluate", json=CASE, headers=HERE).json()["verdict_id"]
    service.add("rob", "reviewer")
    for browser, headers, sees in (
        (rea, {}, True),
        (service.browser("rob"), {}, True),
        (service.browser("eve"), {}, False),
        (service.browser(), service.token("robot"), False),
        (service.browser(), service.token("boss", role="admin"), True),
    ):
        assert (run in browser.get("/api/runs", headers=headers).text) is sees
        assert (verdict in browser.get("/api/verdicts", headers=headers).text) is sees
        seen = [f"/api/runs/{run}", f"/api/verdicts/{verdict}", f"/verdicts/{verdict}"]
        for path in (*seen, *(f"/runs/{run}{tail}" for tail in ("", "/cases", "/settings", "/agreement"))):
            assert browser.get(path, headers=headers).status_code == (200 if sees else 404), path
        # Recent verdicts are those that one asked for oneself.
        recent = browser.get("/verdicts.json", headers=headers).json()["verdicts"]
        assert [each["verdict_id"] for each in recent] == ([single] if browser is rea else [])


def test_the_first_token_closes_an_open_service_for_good(tmp_path, tokens):
    with served(tmp_path, tokens=tokens) as client:

        def status(headers=None):
            return client.post("/api/evaluate", json=CASE, headers=headers).status_code

        assert status() == 200
        ann = bearer(tokens.add("ann"))
        assert (status(), status(ann)) == (401, 200)
        assert client.get("/api/health").json() == {"status": "ok", "version": "0.1.0"}, "strangers learn no more"
        assert client.get("/api/health", headers=ann).json()["judge"] == "embedded"
        TokenStore(tokens.database.path).revoke("ann")
        assert (status(), status(ann)) == (401, 401)
    with served(tmp_path / "reachable", token_required=True) as client:
        assert client.post("/api/evaluate", json=CASE).status_code == 401, "others can reach it, so it is never open"


# -- what the owner may ---------------------------------------------------------------------------------------------


def test_a_token_that_asks_too_often_is_told_how_long_to_wait(tmp_path, tokens, monkeypatch):
    now = time.monotonic()
    monkeypatch.setattr("adjudge.server.callers.monotonic", lambda: now)
    ann, bob = bearer(tokens.add("ann", rate=3)), bearer(tokens.add("bob"))
    with served(tmp_path, tokens=tokens) as client:
        assert [client.get("/api/runs", headers=ann).status_code for _ in range(4)] == [200] * 3 + [429]
        refused = client.post("/api/evaluate", json=CASE, headers=ann)
        assert refused.headers["retry-after"] == "20"
        assert refused.json() == {"error": "rate: too many requests with this token; wait 20 s"}
        assert client.get("/api/runs", headers=bob).status_code == 200
        assert client.get("/api/health", headers=ann).status_code == 200
        now += 20
        assert [client.get("/api/runs", headers=ann).status_code for _ in range(2)] == [200, 429]


async def test_a_tokens_budget_holds_over_restarts_and_is_refused_with_402(tmp_path, provider, tokens, monkeypatch):
    provider.script = lambda request: judges()
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    ann, bob = bearer(tokens.add("ann", budget=Decimal("0.15"))), bearer(tokens.add("bob"))

    def ask(headers, *numbers):
        with served(tmp_path, CompareSettings(judge="openai:gpt-4o"), tokens=tokens) as client:
            cases = [{**CASE, "context": f"Case {number}."} for number in numbers]
            return [client.post("/api/evaluate", json=case, headers=headers) for case in cases]

    answers = await asyncio.to_thread(ask, ann, *range(30))
    good = [answer for answer in answers if answer.status_code == 200]
    assert 0 < len(good) < 30
    assert {answer.status_code for answer in answers} == {200, 402}
    refused = answers[-1].json()
    assert refused["failure"]["reason"] == "over_budget"
    assert "(over_budget): one more call may cost up to $" in refused["error"]
    paid = sum(Decimal(str(answer.json()["cost_usd"])) for answer in good)
    assert 0 < paid <= tokens.named("ann").spent <= Decimal("0.15")
    before = provider.calls
    later = (await asyncio.to_thread(ask, ann, 29))[0]
    assert (later.status_code, provider.calls) == (402, before)
    # What was paid once costs nothing again, and another token is not concerned.
    assert (await asyncio.to_thread(ask, ann, 0))[0].status_code == 200
    assert (await asyncio.to_thread(ask, bob, 29))[0].status_code == 200
    assert tokens.named("bob").spent > 0


async def test_a_run_is_paid_from_its_owners_budget_and_stops_when_that_is_used_up(
    provider, tmp_path, tokens, monkeypatch
):
    provider.script = lambda request: judges()
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    ann = bearer(tokens.add("ann", budget=Decimal("0.15")))
    sentence = "Keep the first version small enough that two people can finish it within a fortnight."
    plans = lines_of(*({"task": f"Plan {n}.", "a": f"{sentence} {n}", "b": sentence} for n in range(30)))

    def work():
        with served(tmp_path, CompareSettings(judge="openai:gpt-4o"), tokens=tokens) as client:
            run = ran(client, plans, ann)
            stopped = at_end(client, run, ann)
            tokens.revoke("ann")
            boss = bearer(tokens.add("boss"))
            assert client.post(f"/api/runs/{run}/resume", headers=boss).status_code == 404
            again = bearer(tokens.add("ann"))  # a new token of the same name, without a limit
            client.post(f"/api/runs/{run}/resume", headers=again)
            return stopped, at_end(client, run, again)

    stopped, finished = await asyncio.to_thread(work)
    assert (stopped["state"], stopped["stopped_by"]) == ("stopped", "budget")
    assert 0 < stopped["verdicts"] < 30 == stopped["verdicts"] + stopped["open"]
    assert Decimal("0.02") < Decimal(stopped["paid_usd"]) < Decimal("0.2")
    assert (finished["state"], finished["verdicts"]) == ("finished", 30)
    assert tokens.named("ann").spent == Decimal(finished["paid_usd"]) - Decimal(stopped["paid_usd"])
    assert provider.calls == 60


@pytest.mark.parametrize("kind", ["token", "person"])
async def test_what_a_revoked_one_has_running_is_stopped_and_an_admin_continues_it(provider, tmp_path, kind):
    answered = []

    def some_then_stuck(request):
        answered.append(request)
        return judges() if len(answered) <= 6 else waits(0.2, judges())

    provider.script = some_then_stuck
    service = PeopleService(tmp_path, settings=CompareSettings(judge=f"{provider.url}/v1#m"))
    service.add("ann", "admin")

    def work():
        with service.browser("ann") as ann:
            if kind == "token":
                owner, headers = ann, service.token("bob")
            else:
                service.add("bob")
                owner, headers = service.browser("bob"), HERE
            run = begin(owner, LINES, headers, concurrency=2).json()["run_id"]
            reached(owner, run, lambda status: status["state"] == "running", headers)
            (service.tokens.revoke if kind == "token" else service.users.remove)("bob")
            assert owner.get(f"/api/runs/{run}", headers=headers).status_code == 401
            stopped = at_end(ann, run, HERE)
            provider.script = lambda request: judges()
            assert ann.post(f"/api/runs/{run}/resume", json={"concurrency": 20}, headers=HERE).status_code == 200
            return stopped, at_end(ann, run, HERE)

    stopped, finished = await asyncio.to_thread(work)
    assert (stopped["state"], stopped["stopped_by"]) == ("stopped", "revoked")
    assert stopped["error"] == "token: bob is revoked or removed; an admin may continue the run"
    assert stopped["verdicts"] + stopped["open"] == 12 and stopped["open"] > 0
    assert (finished["state"], finished["verdicts"]) == ("finished", 12)


def test_a_queued_run_of_a_revoked_token_is_not_begun_and_an_admin_token_sees_it(tmp_path):
    service = PeopleService(tmp_path, auth=False)
    bob, boss = service.token("bob"), service.token("boss", role="admin")
    client = service.browser()  # nothing is executed before the service is entered
    (tmp_path / "service").mkdir()
    run = begin(client, LINES, bob).json()["run_id"]
    service.tokens.revoke("bob")
    with client:
        stopped = at_end(client, run, boss)
        assert (stopped["stopped_by"], stopped["open"]) == ("revoked", 12)
        assert client.post(f"/api/runs/{run}/resume", headers=boss).status_code == 200
        assert at_end(client, run, boss)["state"] == "finished"


def test_one_owner_may_have_only_so_many_runs_waiting(tmp_path, monkeypatch):
    monkeypatch.setattr(hosting, "MAX_OWN_RUNS", 2)
    service = PeopleService(tmp_path, auth=False)
    bob, eve = service.token("bob"), service.token("eve")
    client = service.browser()  # not entered: everything waits
    (tmp_path / "service").mkdir()
    first, _ = begin(client, ONE, bob), begin(client, ONE, bob)
    refused = begin(client, ONE, bob)
    assert refused.status_code == 409
    assert refused.json()["error"] == (
        "runs: bob has 2 that are queued or running; at most 2 are allowed; wait for one to end, or cancel one"
    )
    assert begin(client, ONE, eve).status_code == 201
    where = f"/api/runs/{first.json()['run_id']}"
    assert client.post(f"{where}/resume", headers=bob).status_code == 200, "it waits already"
    assert client.post(f"{where}/cancel", headers=bob).status_code == 200
    assert begin(client, ONE, bob).status_code == 201
    assert client.post(f"{where}/resume", headers=bob).status_code == 409
    assert len(client.get("/api/runs", headers=bob).json()["runs"]) == 3
