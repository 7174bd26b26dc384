"""The pages that begin a run and list them: a file is read, checked and estimated before anything is asked."""

from __future__ import annotations

import asyncio
import html
import shutil
import time
from decimal import Decimal

import pytest
from fastapi.testclient import TestClient
from server.run_pages import BAD, FORM, HTML, LINES, NASTY, TALK, act, ended, run_of, twin, upload

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.pages import runs


def test_a_file_is_read_and_estimated_and_nothing_is_judged_before_somebody_starts_it(client, app):
    run_id = run_of(upload(client, name="first", budget="2.50"))
    waiting = twin(client, f"/runs/{run_id}")
    assert (waiting["progress"]["state"], waiting["progress"]["done"]) == ("ready", 0)
    assert [(word, number) for word, number, _ in waiting["progress"]["estimate"]] == [
        ("Cases", "12"), ("Calls", "0"), ("Cost", "none"),
    ]  # fmt: skip
    assert client.get(f"/runs/{run_id}", headers=HTML).headers["location"] == f"/runs/new/{run_id}"
    page = client.get(f"/runs/new/{run_id}", headers=HTML).text
    assert 'name="press" value="start"' in page and "It may cost at most $2.50" in page
    assert act(client, run_id, "start").headers["location"] == f"/runs/{run_id}"
    assert client.get(f"/runs/new/{run_id}", headers=HTML).status_code == 404, "the run has its own copy of the cases"
    assert ended(client, run_id)["progress"]["done"] == 12
    assert act(client, run_id, "delete").headers["location"] == "/runs"
    assert client.get(f"/runs/{run_id}", headers=HTML).status_code == 404
    told = [(entry.person, entry.action) for entry in app.state.adjudge.audit.entries(run_id)]
    assert told == [("local", f"run.{done}") for done in ("uploaded", "started", "deleted")]


def test_cases_can_be_pasted_into_a_form_without_a_file(client):
    sent = {"protocol": "dialogue", "cases": TALK.replace("\n", "\r\n")}
    run_id = run_of(client.post("/runs/new", data=sent, headers=FORM))
    assert twin(client, f"/runs/{run_id}")["progress"]["status"]["cases"] == 1
    act(client, run_id, "delete")


def test_both_orders_are_judged_if_the_box_is_ticked_and_other_protocols_have_none(client):
    assert twin(client, "/runs/new")["form"]["both_orders"]
    sent = {"protocol": "compare", "cases": LINES.splitlines()[0], "name": "one order"}
    run_id = run_of(client.post("/runs/new", data=sent, headers=FORM))
    act(client, run_id, "start")
    ended(client, run_id)
    assert client.get(f"/api/runs/{run_id}/rows").json()["rows"][0]["order_consistent"] is None
    refused = client.post("/runs/new", data={**sent, "budget": "x"}, headers={**FORM, "accept": "application/json"})
    assert not refused.json()["form"]["both_orders"], "as it was left"
    act(client, run_id, "delete")
    run_of(client.post("/runs/new", data={"protocol": "dialogue", "cases": TALK, "both_orders": "1"}, headers=FORM))


async def test_an_estimate_counts_calls_and_dollars(provider, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "k")

    def asked():
        app = create_app(CompareSettings(judge="openai:gpt-4o"), journal=tmp_path / "journal.db")
        with TestClient(app, follow_redirects=False) as client:
            return twin(client, f"/runs/{run_of(upload(client, judge='openai:gpt-4o'))}")["progress"]["estimate"]

    (_, cases, _), (_, calls, _), (_, cost, note) = await asyncio.to_thread(asked)
    assert (cases, calls) == ("12", "24"), "both orders of each"
    assert cost.startswith("about $0.") and note.endswith("tokens")
    assert provider.calls == 0


@pytest.mark.parametrize(
    ("fields", "content", "place", "said"),
    [
        ({"judge": "openai:gpt-5.1"}, LINES, "judge", "'openai:gpt-5.1' is not allowed by this service"),
        ({"rubric": "dialogue@1"}, LINES, "rubric", "dialogue@1 is for dialogue"),
        ({"budget": "-3"}, LINES, "budget", "input should be greater than 0"),
        ({}, "", "file", "missing; choose a file of cases, or paste some"),
        ({}, "nonsense", "file", "pairs.jsonl, line 1: no row can be read"),
        ({}, '[{"task": "x"}]', "file", "a JSON array, but one object per line is expected; rename the file to .json"),
        ({}, '{"x": 1}\n', "columns", "no column for task, answer A and answer B; choose in the list of columns"),
        ({"protocol": "grade"}, LINES, "columns", "no column for answer; choose in the list of columns"),
        ({}, BAD, "columns", "1 of 1 rows cannot be judged"),
        ({"protocol": "nothing"}, LINES, "protocol", "input should be"),
    ],
)
def test_what_is_wrong_is_shown_once_beside_its_field_and_what_was_entered_stays(client, fields, content, place, said):
    before = len(twin(client, "/runs")["runs"])
    answer = upload(client, content, name=NASTY, **fields)
    assert answer.status_code == 400
    told = upload(client, content, {**FORM, "accept": "application/json"}, name=NASTY, **fields).json()["form"]
    assert (told["place"], told["values"]["name"]) == (place, NASTY)
    assert said in told["error"] and "--" not in told["error"]
    page = html.unescape(answer.text)
    assert page.count(told["error"]) == 1 and f'id="error-{place}"' in page
    assert f'value="{html.escape(NASTY)}"' in answer.text.replace("&#34;", "&quot;")
    assert "<script>alert" not in answer.text
    assert len(twin(client, "/runs")["runs"]) == before, "no run is left behind"


# -- the list ---------------------------------------------------------------------------------------------------------


def test_the_list_says_of_each_run_what_it_found_and_goes_on_over_pages(client, compared, again, monkeypatch):
    for _ in range(2400):  # a finding is told a moment after the end
        lines = {line["run_id"]: line for line in twin(client, "/runs")["runs"]}
        if lines[compared]["finding"] == (found := twin(client, f"/runs/{compared}")["view"]["finding"]["title"]):
            break
        time.sleep(0.05)
    line = lines[compared]
    assert (line["finding"], line["state"], line["cases"]) == (found, "finished", 13)
    assert sum(share for _, share, _ in line["parts"]) == pytest.approx(1)
    page = client.get("/runs", headers=HTML).text
    assert "<script>alert" not in page and "numbers &lt;script&gt;alert(1)&lt;/script&gt;" in page
    monkeypatch.setattr(runs, "_AT_A_TIME", 1)
    newest = twin(client, "/runs")
    older = twin(client, "/runs", before=newest["older"])
    assert [newest["runs"][0]["run_id"], older["runs"][0]["run_id"]] == sorted((compared, again), reverse=True)
    assert twin(client, "/runs.json") == newest


def test_a_run_that_this_version_cannot_read_spoils_no_list(client, app, compared):
    folder = app.state.adjudge.runs.folder / "runs" / "rffffffffffffffff0"
    folder.mkdir()
    (folder / "run.json").write_text('{"format": 99}')
    for path in ("/runs", "/runs/compare", "/runs/over-time", "/api/runs"):
        assert client.get(path).status_code == 200, path
    assert compared in [line["run_id"] for line in twin(client, "/runs")["runs"]]
    for path in (f"/runs/{folder.name}", f"/api/runs/{folder.name}", f"/api/runs/{folder.name}/rows"):
        answer = client.get(path)
        assert answer.status_code == 503
        assert answer.json()["error"] == "something is not set up on this service; the service's log has the details"
    shutil.rmtree(folder)


def test_a_folder_that_cannot_be_written_is_said_without_its_place(tmp_path):
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db")
    (tmp_path / "service").mkdir()
    (tmp_path / "service" / "runs").touch()
    with TestClient(app, follow_redirects=False) as client:
        answer = upload(client)
        assert answer.status_code == 503
        assert "something is not set up on this service" in answer.text
        assert str(tmp_path) not in answer.text


def test_a_budget_that_is_used_up_is_said_with_a_way_on(client, app):
    run = app.state.adjudge.runs.find(run_of(upload(client, budget="1")))
    run.drop_upload()
    run.record(why="budget", error=None)
    page = client.get(f"/runs/{run.run_id}", headers=HTML).text
    assert "the budget does not allow one more call" in page and 'name="budget"' in page
    act(client, run.run_id, "resume", budget="3")
    assert Decimal(ended(client, run.run_id)["progress"]["status"]["budget"]) == 3
