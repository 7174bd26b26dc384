"""The service among strangers: tokens, budgets, rates, what belongs to whom, foreign pages, and what errors tell."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from decimal import Decimal

import pytest
from fastapi.testclient import TestClient
from scripted.provider import ScriptedProvider, fails, judges, refuses, says
from scripted.ratings import rating_reply

from adjudge import drafts
from adjudge.engine import CompareSettings
from adjudge.errors import JournalError
from adjudge.server.app import create_app
from adjudge.server.tokens import TokenStore

CASE = {
    "userTask": "Say hello politely.",
    "responseA": "Good morning to you, and how do you do?",
    "responseB": "Hey you over there, what is it now?",
}
DIALOGUE = {"transcript": "USER\tWhere is it?\nSYSTEM\tIt comes tomorrow before noon.\nUSER\tThanks!\n"}
REVIEW = {"prompt": "Name a prime.", "response1": "Eleven is a prime.", "response2": "Twelve is a prime."}
RUN_CALLS = [
    *(("GET", ""), ("DELETE", ""), ("GET", "/events"), ("GET", "/rows"), ("GET", "/export?format=csv")),
    *(("POST", "/cancel"), ("POST", "/resume")),
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


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_every_call_needs_a_token_once_there_is_one(client, tokens, method, path, body):
    secret = tokens.add("ann")
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


def test_every_route_of_the_api_is_among_these_calls(client):
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


def test_the_description_names_the_scheme_and_who_needs_it(client):
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
    TokenStore(tokens.path).revoke("ann")
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
    assert "more than is left of the budget" in refused["error"]
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


# -- pages of other sites ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "localhost.evil.example", "localhost@evil.example", "", "[::1", "a b", "/"],
)
@pytest.mark.parametrize("path", ["/api/evaluate", "/api/health", "/docs", "/openapi.json", "/"])
def test_a_name_that_is_not_the_services_is_refused(client, host, path):
    answer = client.request("POST" if "evaluate" in path else "GET", path, json=CASE, headers={"host": host})
    assert answer.status_code == 421
    assert answer.json()["error"].startswith(f"host: {host!r} is not a name of this service; adjudge serve --allow-h")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]:8000", "[::1]", "ours.example"])
def test_the_services_own_names_are_taken(tmp_path, host):
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db", hosts=["Ours.example"])
    with TestClient(app) as client:
        for origin in (f"http://{host}", f"https://{host}"):
            headers = {"host": host, "origin": origin}
            assert client.post("/api/evaluate", json=CASE, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "http://[::1", "http://testserver:81", "testserver", "http://testserver/", "é",
     "http://testserver.evil.example", "file://", "http://x" * 500],
)  # fmt: skip
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "OPTIONS"])
def test_an_origin_is_refused_whatever_it_holds_unless_it_is_ours(client, method, origin):
    answer = client.request(method, "/api/evaluate", headers={"origin": origin.encode()})
    assert answer.status_code == 403
    assert answer.json()["error"].startswith("origin: ")


@pytest.mark.parametrize("headers", [{"x": "y" * 17_000}, {f"x-{number}": "y" * 100 for number in range(200)}])
def test_headers_that_are_too_large_are_refused(client, headers):
    answer = client.get("/api/health", headers=headers)
    assert answer.status_code == 431
    assert answer.json()["error"].startswith("headers: more than 16,384 bytes")
    assert client.get("/api/health", params={"x": "y" * 17_000}).status_code == 431


# -- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/docs", "/", "/api/health", "/openapi.json", "/nowhere", "/static/docs.js"])
def test_every_answer_has_the_headers_that_browsers_go_by(client, path):
    headers = client.get(path, follow_redirects=False).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self';" in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert (headers.get("cache-control") == "no-store") is path.startswith("/api/")


def test_refusals_have_them_too(client):
    for headers in ({"host": "evil.example"}, {"origin": "null"}):
        assert "frame-ancestors 'none'" in client.get("/docs", headers=headers).headers["content-security-policy"]


def test_an_unexpected_error_tells_nothing_and_has_them_too(tmp_path):
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db")
    with TestClient(app, raise_server_exceptions=False) as client:
        # A verdict that is a number: nobody expects that.
        row = "insert into verdicts (id, inputs, verdict) values ('c0123456789abcdef0123', x'00', 7)"
        app.state.adjudge.engine.journal._reader.execute(row)
        answer = client.get("/api/verdicts/c0123456789abcdef0123")
    assert answer.status_code == 500
    assert answer.json() == {
        "error": "/api/verdicts/c0123456789abcdef0123: unexpected error in adjudge; the service's log has the details"
    }
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_a_journal_that_breaks_is_said_without_its_place(tmp_path, caplog):
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db")
    with TestClient(app) as client:
        journal = app.state.adjudge.engine.journal
        journal._reader.execute("drop table verdicts")
        with pytest.raises(JournalError, match=r"journal\.db"):
            journal.get_verdict("c0123456789abcdef0123")
        with caplog.at_level(logging.ERROR):
            answers = [client.get("/api/verdicts/c0123456789abcdef0123"), client.post("/api/evaluate", json=CASE)]
    for answer in answers:
        assert answer.status_code == 503
        assert answer.json() == {"error": "the journal cannot be used at the moment; the service's log has the details"}
    assert str(tmp_path) in caplog.text


def test_a_missing_key_is_said_without_its_name(tmp_path, monkeypatch, caplog):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    app = create_app(CompareSettings(judge="openai:gpt-4o"), journal=tmp_path / "journal.db")
    with TestClient(app) as client, caplog.at_level(logging.ERROR):
        answer = client.post("/api/evaluate", json=CASE)
    assert answer.status_code in (502, 503)
    assert "OPENAI_API_KEY" not in answer.text
    assert "OPENAI_API_KEY" in caplog.text


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_what_a_provider_says_stays_in_the_log(tmp_path, provider, caplog, status):
    provider.script = lambda request: fails(status, "org-4711 at 10.0.0.7 has no model m in /srv/models")
    app = create_app(CompareSettings(judge=f"{provider.url}/v1#m"), journal=tmp_path / "journal.db")

    def ask():
        with TestClient(app) as client:
            return client.post("/api/evaluate", json=CASE)

    with caplog.at_level(logging.ERROR):
        answer = await asyncio.to_thread(ask)
    assert answer.status_code == 502
    body = json.loads(answer.content)
    assert body["failure"]["message"].startswith("the judge did not ")
    for internal in ("org-4711", "10.0.0.7", "/srv/models"):
        assert internal not in answer.text
        assert internal in caplog.text


INTERNAL = "org-4711 at 10.0.0.7 has no model m in /srv/models"


async def test_what_a_member_of_a_jury_says_when_it_fails_stays_in_the_log(tmp_path, provider, caplog):
    provider.script = lambda request: fails(400, INTERNAL)
    async with ScriptedProvider() as good:
        judge = f"jury:{good.url}/v1#a+{good.url}/v1#b+{provider.url}/v1#m"

        def ask():
            app = create_app(CompareSettings(judge=judge), journal=tmp_path / "journal.db")
            with TestClient(app) as client:
                made = client.post("/api/evaluate", json=CASE)
                return made, client.get(f"/api/verdicts/{made.json()['verdict_id']}")

        with caplog.at_level(logging.ERROR):
            made, stored = await asyncio.to_thread(ask)
    assert stored.content == made.content
    said = [found["message"] for found in made.json()["warnings"] if found["code"] == "jury_member_failed"]
    assert f"{provider.url}/v1#m: the judge did not take the request; the texts may be too long for it" in said
    assert "org-4711" not in made.text
    assert "org-4711" in caplog.text


async def test_what_a_member_of_a_jury_says_in_a_review_stays_in_the_log_too(tmp_path, provider, caplog):
    provider.script = lambda request: fails(400, INTERNAL)
    async with ScriptedProvider() as good:
        good.script = lambda request: says(rating_reply({}))
        judge = f"jury:{good.url}/v1#a+{good.url}/v1#b+{provider.url}/v1#m"

        def ask(accept):
            app = create_app(CompareSettings(judge=judge), journal=tmp_path / "journal.db")
            with TestClient(app) as client:
                return client.post("/api/review", json=REVIEW, headers={"accept": accept})

        with caplog.at_level(logging.ERROR):
            made = await asyncio.to_thread(ask, "application/json")
            blocks = await asyncio.to_thread(ask, "text/plain")
    said = [found["message"] for found in made.json()["warnings"] if found["code"] == "jury_member_failed"]
    assert f"{provider.url}/v1#m: the judge did not take the request; the texts may be too long for it" in said
    assert "</SBQ>" in blocks.text
    assert "org-4711" not in made.text + blocks.text
    assert "org-4711" in caplog.text


@pytest.mark.parametrize(
    ("path", "body", "then"),
    [
        ("evaluate", CASE, judges()),
        ("review", REVIEW, says(rating_reply({}))),
        ("evaluate", CASE, refuses()),
        ("review", REVIEW, refuses()),
        ("dialogue", DIALOGUE, refuses()),
    ],
)
async def test_what_a_stage_of_a_cascade_says_when_it_fails_stays_in_the_log(
    tmp_path, provider, caplog, path, body, then
):
    provider.script = lambda request: fails(400, INTERNAL)
    async with ScriptedProvider() as other:
        other.script = lambda request: then
        judge = f"cascade:{provider.url}/v1#m>{other.url}/v1#a"

        def ask():
            with TestClient(create_app(CompareSettings(judge=judge), journal=tmp_path / "journal.db")) as client:
                return client.post(f"/api/{path}", json=body)

        with caplog.at_level(logging.ERROR):
            answer = await asyncio.to_thread(ask)
    assert answer.status_code in (200, 502)
    assert "it failed: the judge did not take the request" in answer.text
    assert "org-4711" not in answer.text
    assert "org-4711" in caplog.text


async def test_what_a_search_service_says_when_it_fails_stays_in_the_log(tmp_path, provider, caplog):
    async def refuse(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 403 Forbidden\r\ncontent-length: {len(INTERNAL)}\r\n\r\n{INTERNAL}".encode())
        writer.close()

    provider.script = lambda request: (
        says({"queries": ["how to greet"]}) if "queries" in request.schema["properties"] else judges()
    )
    searching = await asyncio.start_server(refuse, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{searching.sockets[0].getsockname()[1]}"
    settings = CompareSettings(judge=f"{provider.url}/v1#m", search=f"searxng:{address}")

    def ask():
        with TestClient(create_app(settings, journal=tmp_path / "journal.db")) as client:
            return client.post("/api/evaluate", json=CASE)

    with caplog.at_level(logging.ERROR):
        answer = await asyncio.to_thread(ask)
    searching.close()
    body = answer.json()
    assert {lookup["error"] for lookup in body["lookups"]} == {"the search failed"}
    assert [found["message"] for found in body["warnings"] if found["code"] == "search_failed"]
    assert "HTTP 403" not in answer.text
    assert "HTTP 403" in caplog.text
