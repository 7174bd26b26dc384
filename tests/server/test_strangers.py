"""The service among strangers: tokens, their budgets and rates, and what belongs to whom."""

from __future__ import annotations

import asyncio
import time
from decimal import Decimal

import pytest
from fastapi.testclient import TestClient
from scripted.provider import judges

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.review import drafts
from adjudge.server.app import create_app
from adjudge.server.users import TokenStore

CASE = {
    "userTask": "Say hello politely.",
    "responseA": "Good morning to you, and how do you do?",
    "responseB": "Hey you over there, what is it now?",
}
DIALOGUE = {"transcript": "USER\tWhere is it?\nSYSTEM\tIt comes tomorrow before noon.\nUSER\tThanks!\n"}
REVIEW = {"prompt": "Name a prime.", "response1": "Eleven is a prime.", "response2": "Twelve is a prime."}
RUN_CALLS = [
    *(("GET", ""), ("DELETE", ""), ("GET", "/events"), ("GET", "/rows"), ("GET", "/export?format=csv")),
    *(("POST", "/cancel"), ("POST", "/pause"), ("POST", "/resume")),
]
CALLS = [
    ("POST", "/api/evaluate", CASE),
    ("POST", "/api/dialogue", DIALOGUE),
    ("POST", "/api/review", REVIEW),
    ("POST", "/api/review/drafts", {}),
    ("GET", "/api/review/drafts/0123456789abcdef", None),
    ("PATCH", "/api/review/drafts/0123456789abcdef", {}),
    ("DELETE", "/api/review/drafts/0123456789abcdef", None),
    ("POST", "/api/review/drafts/0123456789abcdef/judge", {}),
    ("POST", "/api/grade", {}),
    ("GET", "/api/verdicts", None),
    ("GET", "/api/verdicts/c0123456789abcdef01234", None),
    ("GET", "/api/verdicts/c0123456789abcdef01234/decision", None),
    ("PUT", "/api/verdicts/c0123456789abcdef01234/decision", {"decision": "accepted"}),
    ("POST", "/api/runs", {}),
    ("GET", "/api/runs", None),
    *((method, f"/api/runs/r0123456789abcdef01{path}", None) for method, path in RUN_CALLS),
    ("GET", "/api/rubrics", None),
    ("POST", "/api/rubrics", {}),
    ("POST", "/api/rubrics/validate", {}),
    ("GET", "/api/rubrics/ours", None),
    ("GET", "/api/rubrics/ours/prompt", None),
    ("GET", "/api/annotators", None),
    ("GET", "/api/annotators/ours", None),
]


@pytest.fixture
def tokens(tmp_path):
    opened = TokenStore(tmp_path / "tokens.db")
    yield opened
    opened.close()


@pytest.fixture
def client(tmp_path, tokens):
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db", tokens=tokens)
    with TestClient(app) as client:
        yield client


def bearer(secret):
    return {"authorization": f"Bearer {secret}"}


# -- tokens -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """A service with one token, and its secret."""
    folder = tmp_path_factory.mktemp("closed")
    tokens = TokenStore(folder / "tokens.db")
    with TestClient(create_app(CompareSettings(), journal=folder / "journal.db", tokens=tokens)) as client:
        yield client, tokens.add("ann")


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_every_call_needs_a_token_once_there_is_one(closed, method, path, body):
    client, secret = closed
    for headers in (
        {},
        bearer("adj_wrong"),
        bearer(""),
        {"authorization": secret},
        {"authorization": f"Basic {secret}"},
        bearer(secret[:-1]),
    ):
        answer = client.request(method, path, json=body, headers=headers)
        assert answer.status_code == 401, headers
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.json() == {"error": "authorization: a valid token is needed, as in `Authorization: Bearer TOKEN`"}
    assert client.request(method, path, json=body, headers=bearer(secret)).status_code in (200, 201, 400, 404)


def test_every_route_of_the_api_is_among_these_calls(closed):
    client, _ = closed
    paths = client.get("/openapi.json").json()["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    tried = {
        (method, path.replace("0123456789abcdef/", "{draft_id}/").replace("/0123456789abcdef", "/{draft_id}"))
        for method, path, _ in CALLS
    }
    for example, name in (
        ("c0123456789abcdef01234", "verdict_id"),
        ("r0123456789abcdef01", "run_id"),
        ("ours", "name"),
    ):
        tried = {(method, path.partition("?")[0].replace(example, f"{{{name}}}")) for method, path in tried}
    assert described - tried == {("GET", "/api/health")}


def test_the_description_names_the_scheme_and_who_needs_it(closed):
    client, _ = closed
    spec = client.get("/openapi.json").json()
    assert spec["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    for path, methods in spec["paths"].items():
        for operation in methods.values():
            assert operation.get("security", []) == ([] if path == "/api/health" else [{"token": []}])


def test_without_any_token_the_service_is_open_and_the_first_one_closes_it(client, tokens):
    assert client.post("/api/evaluate", json=CASE).status_code == 200
    secret = tokens.add("ann")
    assert client.post("/api/evaluate", json=CASE).status_code == 401
    assert client.post("/api/evaluate", json=CASE, headers=bearer(secret)).status_code == 200


def test_a_revoked_token_is_refused_from_then_on_and_the_service_does_not_open_again(client, tokens):
    secret = tokens.add("ann")
    assert client.post("/api/evaluate", json=CASE, headers=bearer(secret)).status_code == 200
    TokenStore(tokens.database.path).revoke("ann")
    assert client.post("/api/evaluate", json=CASE, headers=bearer(secret)).status_code == 401
    assert client.post("/api/evaluate", json=CASE).status_code == 401


def test_a_service_that_others_can_reach_is_never_open(tmp_path, tokens):
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db", tokens=tokens, token_required=True)
    with TestClient(app) as client:
        assert client.post("/api/evaluate", json=CASE).status_code == 401


def test_health_is_open_and_tells_strangers_no_more_than_that(client, tokens):
    secret = tokens.add("ann")
    assert client.get("/api/health").json() == {"status": "ok", "version": "0.1.0"}
    assert client.get("/api/health", headers=bearer(secret)).json()["judge"] == "embedded"


# -- what belongs to whom ---------------------------------------------------------------------------------------------


def test_another_tokens_verdict_is_as_unknown_as_one_that_does_not_exist(client, tokens):
    ann, bob = bearer(tokens.add("ann")), bearer(tokens.add("bob"))
    ids = [
        client.post("/api/evaluate", json=CASE, headers=ann).json()["verdict_id"],
        client.post("/api/dialogue", json=DIALOGUE, headers=ann).headers["x-verdict-id"],
        client.post("/api/review", json=REVIEW, headers=ann).headers["x-verdict-id"],
    ]
    for verdict_id in ids:
        where = f"/api/verdicts/{verdict_id}"
        unknown = f"/api/verdicts/{verdict_id[0]}{'0' * 20}"
        assert client.get(where, headers=ann).status_code == 200
        hidden, missing = client.get(where, headers=bob), client.get(unknown, headers=bob)
        assert hidden.status_code == missing.status_code == 404
        assert hidden.text.replace(verdict_id, "ID") == missing.text.replace(unknown.rpartition("/")[2], "ID")
        assert hidden.headers == missing.headers
    # Who asks the same is given the same verdict, and may see it from then on.
    assert client.post("/api/evaluate", json=CASE, headers=bob).json()["verdict_id"] == ids[0]
    assert client.get(f"/api/verdicts/{ids[0]}", headers=bob).status_code == 200


def test_a_new_token_of_the_same_name_continues_where_the_old_one_was(client, tokens):
    made = client.post("/api/evaluate", json=CASE, headers=bearer(tokens.add("ann"))).json()["verdict_id"]
    tokens.revoke("ann")
    assert client.get(f"/api/verdicts/{made}", headers=bearer(tokens.add("ann"))).status_code == 200


def test_another_tokens_draft_cannot_be_seen_changed_judged_or_deleted(client, tokens):
    ann, bob = bearer(tokens.add("ann")), bearer(tokens.add("bob"))
    draft = client.post("/api/review/drafts", json=REVIEW, headers=ann).json()
    where = f"/api/review/drafts/{draft['draft_id']}"
    for answer in (
        client.get(where, headers=bob),
        client.patch(where, json={"prompt": "Another?"}, headers=bob),
        client.post(f"{where}/judge", headers=bob),
        client.delete(where, headers=bob),
    ):
        assert answer.status_code == 404
        assert answer.json() == {"error": f"{draft['draft_id']}: no such draft in this journal"}
    assert client.get(where, headers=ann).json() == draft


# -- drafts -----------------------------------------------------------------------------------------------------------


def test_a_draft_can_be_deleted(client):
    where = f"/api/review/drafts/{client.post('/api/review/drafts', json=REVIEW).json()['draft_id']}"
    verdict = client.post(f"{where}/judge").headers["x-verdict-id"]
    answer = client.delete(where)
    assert (answer.status_code, answer.content) == (204, b"")
    assert client.get(where).status_code == client.delete(where).status_code == 404
    assert client.get(f"/api/verdicts/{verdict}").status_code == 200


def test_a_token_may_keep_only_so_many_drafts(client, tokens, monkeypatch):
    monkeypatch.setattr(drafts, "MAX_DRAFTS", 2)
    ann, bob = bearer(tokens.add("ann")), bearer(tokens.add("bob"))
    kept = [client.post("/api/review/drafts", json={}, headers=ann).json()["draft_id"] for _ in range(2)]
    refused = client.post("/api/review/drafts", json={}, headers=ann)
    assert refused.status_code == 413
    assert refused.json() == {"error": "drafts: 2 are kept; at most 2 are allowed; delete one you no longer need"}
    assert client.post("/api/review/drafts", json={}, headers=bob).status_code == 201
    # What is there can be added to, and one that goes makes room.
    assert client.patch(f"/api/review/drafts/{kept[0]}", json=REVIEW, headers=ann).status_code == 200
    assert client.delete(f"/api/review/drafts/{kept[0]}", headers=ann).status_code == 204
    assert client.post("/api/review/drafts", json={}, headers=ann).status_code == 201


def test_many_drafts_at_once_do_not_pass_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(drafts, "MAX_DRAFTS", 3)
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db")

    async def begin_many():
        import httpx2

        transport = httpx2.ASGITransport(app)
        async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=transport) as client:
            asked = (client.post("http://localhost/api/review/drafts", json={}) for _ in range(12))
            return [answer.status_code for answer in await asyncio.gather(*asked)]

    assert sorted(asyncio.run(begin_many())) == [201] * 3 + [413] * 9


def test_a_token_may_keep_only_so_many_bytes_replaced_ones_included(client, tokens, monkeypatch):
    monkeypatch.setattr(drafts, "MAX_DRAFT_BYTES", 3_000)
    ann = bearer(tokens.add("ann"))
    first, second = (client.post("/api/review/drafts", json={}, headers=ann).json()["draft_id"] for _ in range(2))
    text = {"prompt": "word " * 250}
    assert client.patch(f"/api/review/drafts/{first}", json=text, headers=ann).status_code == 200
    assert client.patch(f"/api/review/drafts/{first}", json=text, headers=ann).status_code == 200
    for draft_id in (first, second):
        refused = client.patch(f"/api/review/drafts/{draft_id}", json=text, headers=ann)
        assert refused.status_code == 413
        assert "bytes in all; at most 3,000 are allowed" in refused.json()["error"]


def test_a_draft_may_have_only_so_many_pieces(client, monkeypatch):
    monkeypatch.setattr(drafts, "MAX_DRAFT_PIECES", 3)
    where = f"/api/review/drafts/{client.post('/api/review/drafts').json()['draft_id']}"
    assert [client.patch(where, json={"prompt": "x"}).status_code for _ in range(3)] == [200, 200, 413]


def test_a_draft_nobody_touches_for_a_month_is_gone(client, tokens, monkeypatch):
    ann = bearer(tokens.add("ann"))
    old, touched = (client.post("/api/review/drafts", json=REVIEW, headers=ann).json()["draft_id"] for _ in range(2))
    journal = client.app.state.adjudge.engine.journal
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 20 * 86_400)
    assert client.patch(f"/api/review/drafts/{touched}", json={"prompt": "x"}, headers=ann).status_code == 200
    monkeypatch.setattr(time, "time", lambda: now + 31 * 86_400)
    assert client.get(f"/api/review/drafts/{old}", headers=ann).status_code == 404
    assert client.get(f"/api/review/drafts/{touched}", headers=ann).status_code == 200
    assert journal.get_draft(old) != []
    client.post("/api/review/drafts", json={}, headers=bearer(tokens.add("bob")))
    assert journal.get_draft(old) == []
    assert journal.draft_owner(old) is None
    assert journal.get_draft(touched) != []


# -- budget and rate --------------------------------------------------------------------------------------------------


def test_a_token_that_asks_too_often_is_told_how_long_to_wait(client, tokens, monkeypatch):
    now = time.monotonic()
    monkeypatch.setattr("adjudge.server.callers.monotonic", lambda: now)
    ann, bob = bearer(tokens.add("ann", rate=3)), bearer(tokens.add("bob"))
    assert [client.post("/api/evaluate", json=CASE, headers=ann).status_code for _ in range(4)] == [200] * 3 + [429]
    refused = client.post("/api/evaluate", json=CASE, headers=ann)
    assert refused.headers["retry-after"] == "20"
    assert refused.json() == {"error": "rate: too many requests with this token; wait 20 s"}
    assert client.post("/api/evaluate", json=CASE, headers=bob).status_code == 200
    assert client.get("/api/health", headers=ann).status_code == 200
    now += 20
    assert [client.post("/api/evaluate", json=CASE, headers=ann).status_code for _ in range(2)] == [200, 429]


async def test_a_tokens_budget_holds_over_restarts_and_is_refused_with_402(tmp_path, provider, tokens, monkeypatch):
    provider.script = lambda request: judges()
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    ann, bob = bearer(tokens.add("ann", budget=Decimal("0.2"))), bearer(tokens.add("bob"))

    def ask(headers, numbers):
        app = create_app(CompareSettings(judge="openai:gpt-4o"), journal=tmp_path / "journal.db", tokens=tokens)
        with TestClient(app) as client:
            return [
                client.post("/api/evaluate", json={**CASE, "context": f"Case {number}."}, headers=headers)
                for number in numbers
            ]

    answers = await asyncio.to_thread(ask, ann, range(60))
    good = [answer for answer in answers if answer.status_code == 200]
    assert 0 < len(good) < 60
    assert {answer.status_code for answer in answers} == {200, 402}
    refused = answers[-1].json()
    assert refused["failure"]["reason"] == "over_budget"
    assert "(over_budget): one more call may cost up to $" in refused["error"]
    (known,) = (token for token in tokens.listed() if token.name == "ann")
    paid = sum(Decimal(str(answer.json()["cost_usd"])) for answer in good)
    assert 0 < paid <= known.spent <= Decimal("0.2")
    before = provider.calls
    later = (await asyncio.to_thread(ask, ann, [59]))[0]
    assert (later.status_code, provider.calls) == (402, before)
    # What was paid once costs nothing again, and another token is not concerned.
    assert (await asyncio.to_thread(ask, ann, [0]))[0].status_code == 200
    assert (await asyncio.to_thread(ask, bob, [59]))[0].status_code == 200
    (other,) = (token for token in tokens.listed() if token.name == "bob")
    assert other.spent > 0
