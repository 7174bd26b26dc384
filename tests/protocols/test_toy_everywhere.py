"""A protocol that no file of adjudge knows works everywhere: commands, runs, reports, labels, agreement, service."""

import io
import json
import re
import subprocess
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from protocols.toy.protocol import PROTOCOL
from server.run_pages import FORM, HTML, judged

import adjudge
from adjudge.cli.main import main
from adjudge.protocols import registry
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app

SRC = Path(adjudge.__file__).parent
TEXTS = [f"Please hand me number {at}." if at % 3 else f"Hand me number {at}, now." for at in range(24)]
LABELS = ["yes" if at % 3 and at % 8 else "no" for at in range(24)]
FIRST = json.dumps({"text": "Please hand me number one."}) + "\n"
KIND = "application/x-www-form-urlencoded"
ROWS = "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in zip(TEXTS, LABELS, strict=True))


@pytest.fixture(scope="module", autouse=True)
def registered():
    registry.register(PROTOCOL)
    yield
    registry._loaded.pop("toy")


@pytest.fixture(scope="module")
def run(registered, tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    (folder / "rows.jsonl").write_text(ROWS)
    assert main(["run", "toy", str(folder / "rows.jsonl"), "--run", str(folder / "out")]) == 0
    return folder / "out"


@pytest.fixture(scope="module")
def client(registered, tmp_path_factory):
    app = create_app(CompareSettings(), journal=tmp_path_factory.mktemp("service") / "journal.db")
    with TestClient(app, follow_redirects=False) as client:
        yield client


@pytest.fixture(scope="module")
def hosted(client):
    return judged(client, ROWS, protocol="toy", name="manners")


def test_no_file_of_adjudge_names_it():
    found = subprocess.run(["grep", "-rlw", "toy", "--include=*.py", "--include=*.j2", SRC], stdout=subprocess.PIPE)
    assert found.stdout == b""


@pytest.mark.parametrize("form", ["json", "text", "markdown", "html"])
def test_its_command_judges_a_file(tmp_path, capsys, form):
    (tmp_path / "one.json").write_text('{"text": "Please wait."}')
    asked = ["toy", str(tmp_path / "one.json"), "--format", form, "--journal", str(tmp_path / "journal.db")]
    assert main(asked) == 0
    printed = capsys.readouterr().out
    assert "Please wait." in printed
    assert '"polite": "yes"' in printed if form == "json" else "Polite: yes" in printed


def test_its_help_shows_its_settings(capsys):
    with pytest.raises(SystemExit):
        main(["toy", "--help"])
    assert "--judge JUDGE" in capsys.readouterr().out


def test_its_verdict_is_replayed(tmp_path, capsys):
    (tmp_path / "one.json").write_text('{"text": "Wait."}')
    journal = ["--journal", str(tmp_path / "journal.db")]
    assert main(["toy", str(tmp_path / "one.json"), *journal]) == 0
    verdict = re.search(r"\bt[0-9a-f]{20}\b", "".join(capsys.readouterr()))
    assert main(["replay", verdict[0], *journal]) == 0


def test_a_run_is_shown_queried_and_compared(run, capsys):
    assert main(["show", str(run)]) == 0
    shown = capsys.readouterr().out
    assert "yes" in shown and "no" in shown
    assert main(["show", str(run), "--sql", "select polite, count(*) as n from results group by all order by all"]) == 0
    assert re.search(r"no\D+8\D+yes\D+16", capsys.readouterr().out, re.DOTALL)
    assert main(["diff", str(run), str(run)]) == 0
    assert "24 cases" in capsys.readouterr().out


def test_a_run_is_exported_with_a_report(run, tmp_path):
    assert main(["export", str(run), "--format", "html", "--output", str(tmp_path / "report.html")]) == 0
    report = (tmp_path / "report.html").read_text()
    assert "Is it polite?" in report and "Hand me number 3, now." in report
    assert main(["export", str(run), "--format", "csv", "--output", str(tmp_path / "rows.csv")]) == 0
    assert "polite" in (tmp_path / "rows.csv").read_text().splitlines()[0]


def test_agreement_is_measured_with_the_labels_of_the_input(run, capsys):
    agree = sum((label == "yes") == ("Please" in text) for text, label in zip(TEXTS, LABELS, strict=True))
    for form in ("json", "text", "markdown", "html"):
        assert main(["agree", str(run), "--format", form, "--draws", "99"]) == 0
        printed = capsys.readouterr().out
        assert f"{100 * agree / 24:.1f}" in printed or f"{agree / 24:.6f}"[:6] in printed


def test_people_label_it_at_a_terminal(run, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n2\n1\n"))
    assert main(["label", str(run), "--annotator", "ann", "--n", "3"]) == 0
    shown = capsys.readouterr().out
    assert "Is this text polite?" in shown and "it is polite" in shown and "3 of 3 cases labelled by ann" in shown
    kept = [json.loads(line)["value"] for line in (run / "labels" / "ann.jsonl").read_text().splitlines()]
    assert kept == ["yes", "no", "yes"]


def test_its_form_and_api_judge_one_text(client):
    form = client.get("/judge/toy", headers=HTML)
    assert form.status_code == 200 and "Is it polite?" in form.text
    answer = client.post("/judge/toy", data={"text": "Please sit."}, headers=FORM)
    assert answer.status_code == 303, answer.text
    assert "Polite: yes" in client.get(answer.headers["location"], headers=HTML).text
    reply = client.post("/api/toy", json={"text": "Sit."})
    assert reply.status_code == 200 and reply.json()["polite"] == "no"
    assert "/api/toy" in client.get("/openapi.json").json()["paths"]


def test_requests_take_its_settings(client):
    body = client.get("/openapi.json").json()["paths"]["/api/toy"]["post"]["requestBody"]["content"]
    shown = body["application/json"]["schema"]["properties"]["shortest"]
    assert (shown["minimum"], shown["maximum"], shown["default"]) == (1, 9, 1)
    assert shown["description"] == "Fewest words of a polite text."
    sent = {"text": "Please sit down."}
    assert client.post("/api/toy", json={**sent, "shortest": 3}).json()["polite"] == "yes"
    assert client.post("/api/toy", json={**sent, "shortest": 4}).json()["polite"] == "no"
    assert client.post("/api/toy", json={**sent, "gruff": True}).json()["polite"] == "no"
    for given, said in _WRONG.items():
        answer = client.post("/api/toy", json={**sent, **dict([given])})
        assert (answer.status_code, answer.json()["error"]) == (400, said)
    asked = {"protocol": "compare", "format": "jsonl", "shortest": "2"}
    answer = client.post("/api/runs", params=asked, content=FIRST)
    assert answer.json()["error"] == "shortest: is for toy, not for compare"


_WRONG = {
    ("shortest", 10): "shortest: 10; 1 to 9 is allowed",
    ("shortest", "3"): "shortest: '3'; a whole number is allowed",
    ("gruff", 1): "gruff: '1'; true or false is allowed",
    ("temperature", "hot"): "temperature: 'hot'; a number is allowed",
    ("judge", "openai:gpt-5.1"): "judge: 'openai:gpt-5.1' is not allowed by this service; one of embedded",
}


def test_its_form_offers_its_settings(client):
    page = client.get("/judge/toy", headers=HTML).text
    assert "Be gruff" in page and 'type="number" id="shortest" name="shortest" value="1" min="1" max="9"' in page
    for more, polite in (({}, "yes"), ({"shortest": "4"}, "no"), ({"gruff": "1"}, "no")):
        answer = client.post("/judge/toy", data={"text": "Please sit down.", **more}, headers=FORM)
        assert client.get(f"{answer.headers['location']}.json").json()["polite"] == polite
    for given, said in (("10", "10; 1 to 9 is allowed"), ("few", "&#39;few&#39;; a whole number is allowed")):
        answer = client.post("/judge/toy", data={"text": "Please sit.", "shortest": given, "gruff": "1"}, headers=FORM)
        assert answer.status_code == 400
        assert f'<p class="refusal" id="error-shortest">{said}</p>' in answer.text
        assert f'name="shortest" value="{given}"' in answer.text
        assert 'name="gruff" value="1" checked' in answer.text


def test_the_form_of_a_run_offers_its_settings(client):
    assert 'name="shortest" value="1"' in client.get("/runs/new", headers=HTML).text
    asked = {"protocol": "toy", "cases": FIRST, "shortest": "7", "both_orders": "1"}
    answer = client.post("/runs/new", data=asked, headers=FORM)
    assert answer.status_code == 303, answer.text
    run = answer.headers["location"].removeprefix("/runs/new/")
    client.post(f"/runs/{run}/start", headers={**FORM, "content-type": KIND})
    while client.get(f"/api/runs/{run}").json()["state"] != "finished":
        time.sleep(0.05)
    assert [row["polite"] for row in client.get(f"/api/runs/{run}/rows").json()["rows"]] == ["no"]
    answer = client.post("/runs/new", data={**asked, "shortest": "10"}, headers=FORM)
    assert answer.status_code == 400 and 'id="error-shortest">10; 1 to 9 is allowed</p>' in answer.text


def test_its_runs_have_pages(client, hosted):
    page = client.get(f"/runs/{hosted}", headers=HTML).text
    cases = client.get(f"/runs/{hosted}/cases", headers=HTML).text
    assert "Is it polite?" in page and "Hand me number 0, now." in cases
    assert "Polite: no" in client.get(f"/runs/{hosted}/cases/0", headers=HTML).text
    rows = client.get(f"/api/runs/{hosted}/rows").json()["rows"]
    assert [row["polite"] for row in rows[:2]] == ["no", "yes"]


def test_its_cases_are_labelled_on_a_page(client, hosted):
    answer = client.post(f"/runs/{hosted}/label", data={"cases": "3", "people": "1", "named": ""}, headers=FORM)
    assert answer.status_code == 303, answer.text
    page = client.get(f"/runs/{hosted}/label/1", headers=HTML).text
    assert "Is this text polite?" in page and "it is not" in page.lower()
    for number in (1, 2, 3):
        answer = client.post(f"/runs/{hosted}/label/{number}", data={"answer": "2"}, headers=FORM)
        assert answer.headers["location"] == f"/runs/{hosted}/label" + (f"/{number + 1}" if number < 3 else "")
    beside = client.get(f"/runs/{hosted}/label/side-by-side.json").json()
    assert (len(beside["cases"]), beside["differing"]) == (3, 0)
    page = client.get(f"/runs/{hosted}/label/side-by-side", headers=HTML)
    assert page.status_code == 200 and "it is not" in page.text.lower()
    assert client.get(f"/runs/{hosted}/agreement", headers=HTML).status_code in (200, 202)
