"""Whose runs and verdicts they are: what a token sees, who pays, and what of a failure is for the log alone."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from decimal import Decimal

import duckdb
import pytest
from fastapi.testclient import TestClient
from scripted.provider import ScriptedProvider, fails, judges, refuses
from server.uploads import LINES, bearer, begin, ended, rows

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.users import TokenStore


def test_a_token_sees_only_its_own_runs_rows_and_verdicts(tmp_path):
    tokens = TokenStore(tmp_path / "tokens.db")
    ann, bob = bearer(tokens.add("ann")), bearer(tokens.add("bob"))
    with TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db", tokens=tokens)) as client:
        run_id = begin(client, headers=ann).json()["run_id"]
        ended(client, run_id, ann)
        verdict_id = client.get(f"/api/runs/{run_id}/rows", headers=ann).json()["rows"][0]["verdict_id"]
        assert [run["run_id"] for run in client.get("/api/runs", headers=ann).json()["runs"]] == [run_id]
        assert client.get("/api/runs", headers=bob).json()["runs"] == []
        for method, path in (
            ("GET", ""),
            ("GET", "/rows"),
            ("GET", "/events"),
            ("GET", "/export?format=csv"),
            ("POST", "/cancel"),
            ("POST", "/resume"),
            ("DELETE", ""),
        ):
            assert client.request(method, f"/api/runs/{run_id}{path}").status_code == 401
            answer = client.request(method, f"/api/runs/{run_id}{path}", headers=bob)
            assert answer.status_code == 404, path
            assert answer.json() == {"error": f"{run_id}: no such run"}
        assert client.get(f"/api/verdicts/{verdict_id}", headers=ann).status_code == 200
        assert client.get(f"/api/verdicts/{verdict_id}", headers=bob).status_code == 404
        assert len(client.get("/api/verdicts", headers=ann).json()["verdicts"]) == 12
        assert client.get("/api/verdicts", headers=bob).json() == {"verdicts": [], "next": None}


async def test_a_run_is_paid_from_its_owners_budget_and_stops_when_that_is_used_up(provider, tmp_path, monkeypatch):
    provider.script = lambda request: judges()
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    tokens = TokenStore(tmp_path / "tokens.db")
    ann = bearer(tokens.add("ann", budget=Decimal("0.2")))
    sentence = "Keep the first version small enough that two people can finish it within a fortnight."
    lines = "".join(json.dumps({"task": f"Plan {n}.", "a": f"{sentence} {n}", "b": sentence}) + "\n" for n in range(60))

    def judged():
        app = create_app(CompareSettings(judge="openai:gpt-4o"), journal=tmp_path / "journal.db", tokens=tokens)
        with TestClient(app) as client:
            run_id = begin(client, lines, ann).json()["run_id"]
            stopped = ended(client, run_id, ann)
            tokens.revoke("ann")
            boss = bearer(tokens.add("boss"))
            assert client.post(f"/api/runs/{run_id}/resume", headers=boss).status_code == 404
            again = bearer(tokens.add("ann"))  # a new token of the same name, without a limit
            client.post(f"/api/runs/{run_id}/resume", headers=again)
            return stopped, ended(client, run_id, again)

    stopped, finished = await asyncio.to_thread(judged)
    assert (stopped["state"], stopped["stopped_by"]) == ("stopped", "budget")
    assert 0 < stopped["verdicts"] < 60
    assert stopped["verdicts"] + stopped["open"] == 60
    assert Decimal("0.1") < Decimal(stopped["paid_usd"]) < Decimal("0.25")
    assert (finished["state"], finished["verdicts"]) == ("finished", 60)
    (known,) = (token for token in tokens.listed() if token.name == "ann")
    assert known.spent == Decimal(finished["paid_usd"]) - Decimal(stopped["paid_usd"])
    assert provider.calls == 120


async def test_what_a_provider_said_of_a_failure_is_for_the_log(provider, tmp_path):
    provider.script = lambda request: fails(400, "account 4711 at secret.example is not allowed this")

    def judged():
        settings = CompareSettings(judge=f"{provider.url}/v1#m")
        with TestClient(create_app(settings, journal=tmp_path / "journal.db")) as client:
            run_id = begin(client).json()["run_id"]
            status = ended(client, run_id)
            exported = [client.get(f"/api/runs/{run_id}/export?format={form}").text for form in ("jsonl", "csv")]
            return status, rows(client, run_id, failed=True), exported

    status, failed, exported = await asyncio.to_thread(judged)
    assert (status["state"], status["failures"], status["reasons"]) == ("finished", 12, {"rejected": 12})
    assert {row["message"] for row in failed} == {
        "the judge did not accept the request; the texts may be too long for it"
    }
    assert "4711" not in json.dumps([status, failed, exported])


@pytest.mark.parametrize("judge", ["jury:{good}#a+{good}#b+{bad}#m", "cascade:{bad}#m>{good}#a"])
@pytest.mark.parametrize("refused", [False, True])
async def test_what_a_provider_said_on_the_way_to_a_verdict_or_a_failure_is_for_the_log_in_every_form(
    provider, tmp_path, judge, refused
):
    provider.script = lambda request: fails(400, "account 4711 at secret.example is not allowed this")
    async with ScriptedProvider() as good:
        good.script = lambda request: refuses() if refused else judges()
        settings = CompareSettings(judge=judge.format(good=f"{good.url}/v1", bad=f"{provider.url}/v1"))

        def judged():
            with TestClient(create_app(settings, journal=tmp_path / "journal.db")) as client:
                run_id = begin(client, LINES.splitlines()[0]).json()["run_id"]
                status = ended(client, run_id)
                told = {
                    form: client.get(f"/api/runs/{run_id}/export?format={form}").content
                    for form in ("jsonl", "csv", "parquet", "markdown", "html")
                }
                told["rows"] = json.dumps(found := rows(client, run_id)).encode()
                for verdict_id in (row["verdict_id"] for row in found if row["verdict_id"]):
                    for form in ("", ".json", ".html", ".md", ".txt", "/calls.json"):
                        told[f"verdict{form}"] = client.get(f"/verdicts/{verdict_id}{form}").content
                return status, told

        status, told = await asyncio.to_thread(judged)
    assert (status["verdicts"], status["failures"]) == ((0, 1) if refused else (1, 0))
    with zipfile.ZipFile(io.BytesIO(told.pop("html"))) as archive:
        told |= {name: archive.read(name) for name in archive.namelist()}
    instead = (b"the judge did not accept the request", b"too few members of the jury gave an opinion")
    assert any(words in said for said in told.values() for words in instead)
    (tmp_path / "out.parquet").write_bytes(told.pop("parquet"))
    told["parquet"] = str(duckdb.sql(f"from '{tmp_path / 'out.parquet'}'").fetchall()).encode()
    assert [name for name, said in told.items() if b"4711" in said or b"secret.example" in said] == []


# -- verdicts ---------------------------------------------------------------------------------------------------------


def test_verdicts_are_listed_the_newest_first_with_filters_and_pages(tmp_path):
    with TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db")) as client:
        finished = begin(client).json()["run_id"]
        ended(client, finished)
        check_verdict_list(client, finished)


def check_verdict_list(client, finished):
    single = client.post(
        "/api/evaluate", json={"userTask": "Say hi.", "responseA": "Hello, my friend.", "responseB": "Hi."}
    ).json()
    page = client.get("/api/verdicts", params={"limit": 5}).json()
    assert page["verdicts"][0]["verdict_id"] == single["verdict_id"]
    assert page["verdicts"][0]["runs"] == []
    assert page["verdicts"][1]["runs"] == [finished]
    seen = page["verdicts"]
    while page["next"]:
        page = client.get("/api/verdicts", params={"limit": 5, "cursor": page["next"]}).json()
        seen += page["verdicts"]
    assert len(seen) == len({line["verdict_id"] for line in seen}) == 13
    for wanted, fits in (
        ({"answer": "A"}, lambda line: line["answer"] == "A"),
        ({"decided": False}, lambda line: not line["decided"]),
        ({"run": finished}, lambda line: finished in line["runs"]),
        ({"protocol": "review"}, lambda line: False),
    ):
        found = client.get("/api/verdicts", params={"limit": 200} | wanted).json()["verdicts"]
        assert found == [line for line in seen if fits(line)], wanted
