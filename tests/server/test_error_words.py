"""What errors tell a caller: what is wrong, and nothing of files, keys, addresses and providers; the log has those."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest
from fastapi.testclient import TestClient
from scripted.provider import ScriptedProvider, fails, judges, refuses, says
from scripted.ratings import rating_reply

from adjudge.errors import JournalError
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app

INTERNAL = "org-4711 at 10.0.0.7 has no model m in /srv/models"
CASE = {
    "userTask": "Say hello politely.",
    "responseA": "Good morning to you, and how do you do?",
    "responseB": "Hey you over there, what is it now?",
}
DIALOGUE = {"transcript": "USER\tWhere is it?\nSYSTEM\tIt comes tomorrow before noon.\nUSER\tThanks!\n"}
REVIEW = {"prompt": "Name a prime.", "response1": "Eleven is a prime.", "response2": "Twelve is a prime."}


def posted(settings, folder, path="evaluate", body=CASE, accept="application/json"):
    """The answer of a service with these settings."""
    with TestClient(create_app(settings, journal=folder / "journal.db")) as client:
        return client.post(f"/api/{path}", json=body, headers={"accept": accept})


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
    with caplog.at_level(logging.ERROR):
        answer = posted(CompareSettings(judge="openai:gpt-4o"), tmp_path)
    assert answer.status_code in (502, 503)
    assert "OPENAI_API_KEY" not in answer.text
    assert "OPENAI_API_KEY" in caplog.text


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_what_a_provider_says_stays_in_the_log(tmp_path, provider, caplog, status):
    provider.script = lambda request: fails(status, INTERNAL)
    with caplog.at_level(logging.ERROR):
        answer = await asyncio.to_thread(posted, CompareSettings(judge=f"{provider.url}/v1#m"), tmp_path)
    assert answer.status_code == 502
    body = json.loads(answer.content)
    assert body["failure"]["message"].startswith("the judge did not ")
    for internal in ("org-4711", "10.0.0.7", "/srv/models"):
        assert internal not in answer.text
        assert internal in caplog.text


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
    assert f"{provider.url}/v1#m: the judge did not accept the request; the texts may be too long for it" in said
    assert "org-4711" not in made.text
    assert "org-4711" in caplog.text


async def test_what_a_member_of_a_jury_says_in_a_review_stays_in_the_log_too(tmp_path, provider, caplog):
    provider.script = lambda request: fails(400, INTERNAL)
    async with ScriptedProvider() as good:
        good.script = lambda request: says(rating_reply({}))
        settings = CompareSettings(judge=f"jury:{good.url}/v1#a+{good.url}/v1#b+{provider.url}/v1#m")
        with caplog.at_level(logging.ERROR):
            made = await asyncio.to_thread(posted, settings, tmp_path, "review", REVIEW)
            blocks = await asyncio.to_thread(posted, settings, tmp_path, "review", REVIEW, "text/plain")
    said = [found["message"] for found in made.json()["warnings"] if found["code"] == "jury_member_failed"]
    assert f"{provider.url}/v1#m: the judge did not accept the request; the texts may be too long for it" in said
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
        settings = CompareSettings(judge=f"cascade:{provider.url}/v1#m>{other.url}/v1#a")
        with caplog.at_level(logging.ERROR):
            answer = await asyncio.to_thread(posted, settings, tmp_path, path, body)
    assert answer.status_code in (200, 502)
    assert "it failed: the judge did not accept the request" in answer.text
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
    with caplog.at_level(logging.ERROR):
        answer = await asyncio.to_thread(posted, settings, tmp_path)
    searching.close()
    body = answer.json()
    assert {lookup["error"] for lookup in body["lookups"]} == {"the search failed"}
    assert [found["message"] for found in body["warnings"] if found["code"] == "search_failed"]
    assert "HTTP 403" not in answer.text
    assert "HTTP 403" in caplog.text
