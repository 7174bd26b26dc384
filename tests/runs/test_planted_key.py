"""A key that a server repeats in its errors is found nowhere: not in files, reports, messages, logs or processes; and
the secret of a run's journal only there."""

import asyncio
import base64
import io
import json
import logging
import re
import time
import zipfile
from functools import partial
from pathlib import Path
from urllib.parse import quote

import duckdb
import pytest
from aiohttp import web
from fastapi.testclient import TestClient
from runs.conftest import judge_of, pairs
from scripted.provider import fails, judges, redirects_to
from stored import everything_in

from adjudge.journal import open_journal
from adjudge.llm.batch.base import BatchSettings
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app

KEY = "zq9_Planted/Key+4711"  # of no known shape, so that only knowing it helps
FORMS = (KEY.encode(), quote(KEY, "").encode(), b"zq9_Planted")
ECHO = f"Incorrect API key provided: {KEY}. You sent Authorization: Bearer {KEY}"


def gateway_error():
    async def behave(request, raw):
        return web.json_response({"error": {"message": ECHO}}, status=200)

    return behave


def page_with_the_key_at_the_cut():
    async def behave(request, raw):
        return web.Response(text=f"<html>{'x' * 285}{KEY}</html>", status=500)

    return behave


def repeated_in_the_reply():
    return judges(change=lambda reply: reply | {"rationale": f"Answer 1 and Answer 2 were read with {KEY}."})


ECHOES = {
    "case-0": lambda: fails(401, ECHO),
    "case-1": lambda: fails(500, ECHO),
    "case-2": gateway_error,
    "case-3": lambda: redirects_to(f"http://elsewhere.invalid/?key={quote(KEY, '')}"),
    "case-4": page_with_the_key_at_the_cut,
    "case-5": repeated_in_the_reply,
}


def echoing(request):
    """Each case has its own way to repeat the key that came with the request."""
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    SEEN.extend(map(read_of_a_process, Path("/proc").glob("[0-9]*/cmdline")))
    number = re.search(r"Plan tool (\d)", request.turns[0])
    return ECHOES[f"case-{number[1]}" if number else "case-0"]()


SEEN = []


def read_of_a_process(path):
    try:
        return path.read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


def holds_key(content):
    return [form for form in FORMS if form in content]


def files_with_key(folder):
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    journals = [path for path in files if path.read_bytes()[:15] == b"SQLite format 3"]
    return [path for path in files if holds_key(path.read_bytes() + (everything_in(path) if path in journals else b""))]


@pytest.fixture
def echo(provider, command, monkeypatch):
    monkeypatch.setattr("adjudge.llm.retry._backoff", lambda *_: 0.0)
    provider.script = echoing
    command.environment["ADJUDGE_API_KEY"] = KEY
    return judge_of(provider)


@pytest.mark.slow
async def test_a_run_its_process_its_exports_and_its_messages_hold_no_key_and_not_the_secret_of_its_journal(
    provider, echo, command, files, tmp_path, caplog
):
    caplog.set_level(logging.DEBUG)
    SEEN.clear()
    process = await command.start_run(len(ECHOES), "--judge", echo, "--one-order")
    out, err = await process.communicate()
    assert process.returncode == 1, err
    assert any(b"--judge" in line for line in SEEN)
    assert holds_key(b"".join(SEEN) + out + err) == []
    files.check_complete(len(ECHOES))
    failed = {line["case"]: line["message"] for line in files.failures}
    assert failed.keys() == ECHOES.keys() - {"case-5"}
    assert all("***" in message for case, message in failed.items() if case != "case-4"), failed
    assert b"were read with ***." in (files.path / "verdicts.jsonl").read_bytes()
    said = [await command("run", "--resume", "out", "--retry-failed", "--json-progress")]
    for name in ("out.csv", "out.jsonl", "out.parquet", "out.md", "site.html"):
        said.append(await command("export", "out", "-o", name))
        assert said[-1].code == 0, said[-1].err
    shows = (("show", "out"), ("show", "out", "--columns", "*"), ("show", "out", "--case", "case-0"))
    said += [await command(*show) for show in shows]
    said.append(await command("doctor", "--judge", echo))
    assert "failed   http://127.0.0.1" in said[-1].out
    said.append(await command("replay", files.verdicts[0]["verdict_id"], "--journal", "out/journal.db"))
    assert said[-1].code == 0, said[-1].err
    said += [await command(*words) for words in (("doctor", "--journal", "out/journal.db"), ("run", "--help"))]
    case = ("compare", "--task", "Plan tool 1.", "--a", "One plan.", "--b", "Another plan.", "--judge", echo)
    said.append(await command(*case))
    assert (said[-1].code, "***" in said[-1].err) == (1, True), said[-1].err
    rows = duckdb.sql(f"select * from '{tmp_path / 'out.parquet'}'").fetchall()
    heard = "".join(each.out + each.err for each in said) + str(rows) + caplog.text
    assert holds_key(heard.encode()) == []
    assert files_with_key(tmp_path) == []
    journal = open_journal(files.path / "journal.db")
    secret = journal.secret
    journal.close()
    others = [path for path in tmp_path.rglob("*") if path.is_file() and not path.name.startswith("journal.db")]
    contents = [heard.encode(), *(request.body for request in provider.requests), *map(Path.read_bytes, others)]
    for form in (secret, secret.hex().encode(), base64.b64encode(secret), repr(secret).encode()):
        assert len(others) > 5 and not any(form in content for content in contents)


@pytest.mark.parametrize("judge", ["openai:gpt-4o", "anthropic:claude-sonnet-4-5"])
async def test_a_batch_whose_results_repeat_the_key_leaves_none(provider, command, files, tmp_path, monkeypatch, judge):
    monkeypatch.setattr("adjudge.runs.job.BatchSettings", partial(BatchSettings, idle=0.05))
    for name, path in (("OPENAI", "/v1"), ("ANTHROPIC", "")):
        command.environment |= {f"{name}_BASE_URL": provider.url + path, f"{name}_API_KEY": KEY}
    provider.script = lambda request: ECHOES["case-0" if "tool 0" in request.turns[0] else "case-5"]()
    options = ("--judge", judge, "--one-order", "--batch", "--poll", "0.05")
    done = await command.run(2, *options, exits=1)
    assert [line["case"] for line in files.failures] == ["case-0"], done.err
    assert b"were read with ***." in (files.path / "verdicts.jsonl").read_bytes()
    assert holds_key((done.out + done.err).encode()) == []
    assert files_with_key(tmp_path) == []


async def test_the_verdict_from_a_reply_that_repeated_the_key_is_replayed_byte_for_byte(echo, command, tmp_path):
    one = pairs(6)[5]
    (tmp_path / "case.json").write_text(json.dumps({name: one[name] for name in ("task", "a", "b")}))
    made = await command("compare", "case.json", "--judge", echo, "--one-order", "--format", "json")
    assert made.code == 0, made.err
    assert "were read with ***." in made.out
    del command.environment["ADJUDGE_API_KEY"]
    again = await command("replay", json.loads(made.out)["verdict_id"])
    assert (again.code, again.err) == (0, "adjudge: the same, byte for byte\n")


async def test_labels_of_a_run_and_what_is_made_of_them_hold_no_key(echo, command, files, tmp_path):
    said = [await command.run(pairs(6)[5:], "--judge", echo, "--one-order")]
    said.append(await command("label", "out", "--annotator", "ann", stdin=b"1\n"))
    assert [path.name for path in (files.path / "labels").glob("ann*")] == ["ann.jsonl"], said[-1].err
    said += [await command("agree", "out", "-o", name) for name in ("agreement.html", "agreement.json")]
    said.append(await command("label", "out", "--list"))
    assert holds_key("".join(each.out + each.err for each in said).encode()) == []
    assert files_with_key(tmp_path) == []


async def test_the_service_tells_strangers_no_key(echo, tmp_path, monkeypatch):
    monkeypatch.setenv("ADJUDGE_API_KEY", KEY)

    def ask():
        with TestClient(create_app(CompareSettings(judge=echo), journal=tmp_path / "j.db")) as client:
            for case in range(3):
                body = {"userTask": f"Plan tool {case}.", "responseA": "One plan.", "responseB": "Another plan."}
                answer = client.post("/api/evaluate", json=body)
                assert (answer.status_code, holds_key(answer.content)) == (502, [])

    await asyncio.to_thread(ask)
    assert files_with_key(tmp_path) == []


async def test_the_pages_and_runs_of_the_service_hold_no_key(provider, tmp_path, monkeypatch, caplog):
    """One member of the jury repeats the key in its error, another one in its reply."""
    monkeypatch.setenv("ADJUDGE_API_KEY", KEY)
    monkeypatch.setattr("adjudge.llm.retry._backoff", lambda *_: 0.0)
    caplog.set_level(logging.DEBUG)
    provider.script = lambda request: fails(401, ECHO) if request.json["model"] == "bad" else repeated_in_the_reply()
    judge = "jury:" + "+".join(f"{provider.url}/v1#{model}" for model in ("a", "b", "bad"))

    def ask():
        app = create_app(CompareSettings(judge=judge), journal=tmp_path / "j.db")
        with TestClient(app) as client:
            body = {"userTask": "Plan a tool.", "responseA": "One plan.", "responseB": "Another plan."}
            made = client.post("/api/evaluate", json=body)
            assert made.status_code == 200
            found = [made, client.post("/judge/compare", data=body, headers={"origin": "http://testserver"})]
            run = client.post("/api/runs?protocol=compare&source=a.jsonl", content=json.dumps(body)).json()["run_id"]
            while client.get(f"/api/runs/{run}").json()["state"] not in ("finished", "stopped"):
                time.sleep(0.05)
            verdict = f"/verdicts/{made.json()['verdict_id']}"
            places = [f"{verdict}{form}" for form in ("", ".json", ".html", ".md", ".txt", "/calls", "/calls.json")]
            places += [f"/api/runs/{run}{more}" for more in ("", "/rows", "/events")]
            places += [f"/api/runs/{run}/export?format={form}" for form in ("jsonl", "csv", "markdown")]
            # Every page and list, whichever there will be, of the run, the verdict and a rubric.
            for route in app.routes:
                if "GET" in (getattr(route, "methods", None) or ()):
                    named = {re.sub(r"\{.*?\}", name, route.path) for name in (run, verdict[10:], "compare")}
                    places += [f"{path}{form}" for path in sorted(named) for form in ("", ".json")]
            found += [client.get(place) for place in places]
            archive = client.get(f"/api/runs/{run}/export?format=html").content
            with zipfile.ZipFile(io.BytesIO(archive)) as pages:
                return [each.content for each in found] + [pages.read(name) for name in pages.namelist()]

    told = await asyncio.to_thread(ask)
    assert any(b"***" in content for content in told)
    assert holds_key(b"".join(told) + caplog.text.encode()) == []
    assert files_with_key(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "instead"),
    [
        (("--judge", "http://ann:{key}@127.0.0.1:1/v1#m"), "ADJUDGE_API_KEY"),
        (("--judge", "jury:embedded+http://{key}@127.0.0.1:1/v1#m"), "ADJUDGE_API_KEY"),
        (("--search", "searxng:http://ann:{key}@127.0.0.1:1"), "SEARXNG_AUTH"),
        (("--journal", "postgresql://ann:{key}@127.0.0.1:1/d"), "PGPASSWORD"),
        (("--judge", "openai:gpt-4o"), "OPENAI_API_KEY"),
        (("--search", "brave"), "BRAVE_API_KEY"),
    ],
)
async def test_a_password_in_an_address_is_refused_with_the_variable_to_use(command, tmp_path, options, instead):
    for name in ("OPENAI_BASE_URL", "BRAVE_BASE_URL"):
        command.environment[name] = f"http://ann:{KEY}@127.0.0.1:1/v1"
    given = [option.format(key=KEY) for option in options]
    said = [await command.run(1, *given, exits=2)]
    said.append(await command("compare", "--task", "t", "--a", "a", "--b", "b", *given))
    assert [(each.code, instead in each.err) for each in said] == [(2, True)] * 2, said
    said.append(await command("judges"))
    if "--search" not in given:
        said.append(await command("doctor", *given))
    assert holds_key("".join(each.out + each.err for each in said).encode()) == []
    assert files_with_key(tmp_path) == []
