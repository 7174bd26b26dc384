"""What errors tell a caller: what is wrong, and nothing of files, keys, addresses and providers; the log has those."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import zipfile

import duckdb
import pytest
from fastapi.testclient import TestClient
from scripted.provider import ScriptedProvider, fails, judges, refuses, says
from scripted.ratings import rating_reply
from server.run_pages import CASE, ONE, PAIRS, at_end, lines_of, ran, rows, served

from adjudge.errors import JournalError
from adjudge.protocols.compare.settings import CompareSettings

HIDDEN = ("org-4711", "10.0.0.7", "/srv/models")
INTERNAL = "org-4711 at 10.0.0.7 has no model m in /srv/models"
REJECTED = "the judge did not accept the request"
BODIES = {
    "evaluate": CASE,
    "dialogue": {"transcript": "USER\tWhere is it?\nSYSTEM\tIt comes tomorrow before noon.\nUSER\tThanks!\n"},
    "review": {"prompt": "Name a prime.", "response1": "Eleven is a prime.", "response2": "Twelve is a prime."},
}
JURY, CASCADE = "jury:{good}#a+{good}#b+{bad}#m", "cascade:{bad}#m>{good}#a"
JUDGED, RATED = judges(), says(rating_reply({}))


def told_nothing(said, log):
    return not any(word in said for word in HIDDEN) and all(word in log for word in HIDDEN)


def test_an_unexpected_error_tells_nothing(tmp_path):
    with TestClient(served(tmp_path).app, raise_server_exceptions=False) as client:
        # A verdict that is a number: nobody expects that.
        row = "insert into verdicts (id, inputs, verdict) values ('c0123456789abcdef0123', x'00', 7)"
        client.app.state.adjudge.engine.journal._reader.execute(row)
        answer = client.get("/api/verdicts/c0123456789abcdef0123")
    assert answer.status_code == 500
    assert answer.json() == {
        "error": "/api/verdicts/c0123456789abcdef0123: unexpected error in adjudge; the service's log has the details"
    }
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_a_journal_that_breaks_is_said_without_its_place(alone, tmp_path, caplog):
    journal = alone.app.state.adjudge.engine.journal
    journal._reader.execute("drop table verdicts")
    with pytest.raises(JournalError, match=r"journal\.db"):
        journal.get_verdict("c0123456789abcdef0123")
    with caplog.at_level(logging.ERROR):
        answers = [alone.get("/api/verdicts/c0123456789abcdef0123"), alone.post("/api/evaluate", json=CASE)]
    for answer in answers:
        assert answer.status_code == 503
        assert answer.json() == {"error": "the journal cannot be used at the moment; the service's log has the details"}
    assert str(tmp_path) in caplog.text


def test_a_missing_key_is_said_without_its_name_and_leaves_no_run(tmp_path, monkeypatch, caplog):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with caplog.at_level(logging.ERROR), served(tmp_path, CompareSettings(judge="openai:gpt-4o")) as client:
        answer = client.post("/api/evaluate", json=CASE)
        assert answer.status_code in (502, 503)
        assert "OPENAI_API_KEY" not in answer.text and "OPENAI_API_KEY" in caplog.text
        run = client.post("/api/runs", params={"protocol": "compare", "source": "pairs.jsonl"}, content=ONE)
        assert (run.status_code, client.get("/api/runs").json()) == (503, {"runs": [], "next": None})
        assert list((tmp_path / "service" / "runs").iterdir()) == []


@pytest.mark.parametrize(
    ("judge", "status", "path", "then", "said"),
    [
        *(("{bad}#m", status, "evaluate", None, '"message": "the judge did not ') for status in (400, 401, 403, 404)),
        (JURY, 400, "evaluate", JUDGED, f"/v1#m: {REJECTED}; the texts may be too long for it"),
        (JURY, 400, "review", RATED, f"/v1#m: {REJECTED}; the texts may be too long for it"),
        (CASCADE, 400, "evaluate", JUDGED, f"it failed: {REJECTED}"),
        (CASCADE, 400, "review", RATED, f"it failed: {REJECTED}"),
        *((CASCADE, 400, path, refuses(), f"it failed: {REJECTED}") for path in BODIES),
    ],
)
async def test_what_a_provider_says_when_it_fails_stays_in_the_log(
    tmp_path, provider, caplog, judge, status, path, then, said
):
    provider.script = lambda request: fails(status, INTERNAL)
    async with ScriptedProvider() as good:
        good.script = lambda request: then
        settings = CompareSettings(judge=judge.format(good=f"{good.url}/v1", bad=f"{provider.url}/v1"))

        def ask():
            with served(tmp_path, settings) as client:
                made = client.post(f"/api/{path}", json=BODIES[path])
                text = client.post(f"/api/{path}", json=BODIES[path], headers={"accept": "text/plain"})
                if path == "evaluate" and made.status_code == 200:
                    assert client.get(f"/api/verdicts/{made.json()['verdict_id']}").content == made.content
                return made, text.text

        with caplog.at_level(logging.ERROR):
            made, text = await asyncio.to_thread(ask)
    assert (made.status_code, said in made.text) == (200 if then in (JUDGED, RATED) else 502, True), made.text
    assert told_nothing(made.text + text, caplog.text)


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
        with served(tmp_path, settings) as client:
            return client.post("/api/evaluate", json=CASE)

    with caplog.at_level(logging.ERROR):
        answer = await asyncio.to_thread(ask)
    searching.close()
    body = answer.json()
    assert {lookup["error"] for lookup in body["lookups"]} == {"the search failed"}
    assert [found["message"] for found in body["warnings"] if found["code"] == "search_failed"]
    assert "HTTP 403" not in answer.text and "HTTP 403" in caplog.text


async def test_what_a_provider_says_about_the_cases_of_a_run_is_in_none_of_its_forms(provider, tmp_path):
    provider.script = lambda request: fails(400, INTERNAL)

    def forms_of(client, run):
        found = rows(client, run)
        told = {"rows": json.dumps(found).encode(), "case": client.get(f"/runs/{run}/cases/1").content}
        for form in ("jsonl", "csv", "parquet", "markdown", "html"):
            told[form] = client.get(f"/api/runs/{run}/export?format={form}").content
        for verdict_id in (row["verdict_id"] for row in found if row["verdict_id"]):
            for form in ("", ".json", ".html", ".md", ".txt", "/calls.json"):
                told[f"verdict{form}"] = client.get(f"/verdicts/{verdict_id}{form}").content
        return told

    async with ScriptedProvider() as good:
        good.script = lambda request: refuses() if b"number 1 to" in request.body else JUDGED
        named = [judge.format(good=f"{good.url}/v1", bad=f"{provider.url}/v1") for judge in ("{bad}#m", JURY, CASCADE)]

        def all_runs():
            with served(tmp_path, allowed_judges=tuple(named)) as client:
                runs = [ran(client, lines_of(*PAIRS[:2]), judge=judge) for judge in named]
                return [(at_end(client, run), forms_of(client, run)) for run in runs]

        runs = await asyncio.to_thread(all_runs)
    counts = [(status["verdicts"], status["failures"], status["reasons"]) for status, _ in runs]
    assert counts == [(0, 2, {"rejected": 2}), (1, 1, {"no_quorum": 1}), (1, 1, {"refused": 1})]
    for _, told in runs:
        with zipfile.ZipFile(io.BytesIO(told.pop("html"))) as archive:
            told |= {name: archive.read(name) for name in archive.namelist()}
        (tmp_path / "out.parquet").write_bytes(told.pop("parquet"))
        told["parquet"] = str(duckdb.sql(f"from '{tmp_path / 'out.parquet'}'").fetchall()).encode()
        instead = (REJECTED.encode(), b"too few members of the jury gave an opinion")
        assert any(words in said for said in told.values() for words in instead)
        assert [name for name, said in told.items() if any(word.encode() in said for word in HIDDEN)] == []
