"""`/api/runs`: a file in, a run in the background, its rows and exports out."""

from __future__ import annotations

import io
import json
import time
import zipfile
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from server.run_pages import LINES, ONE, PAIRS, TALK, at_end, begin, ran, rows

from adjudge.cli.main import main
from adjudge.runs import uploads

MULTIPART = {"content-type": "multipart/form-data; boundary=x"}


@pytest.fixture(scope="module")
def finished(client):
    return ran(client, name="numbers")


def listed(client):
    """The ids of all runs, page by page."""
    seen, page = [], {"next": ""}
    while page["next"] is not None:
        page = client.get("/api/runs", params={"limit": 2} | ({"cursor": page["next"]} if page["next"] else {})).json()
        seen += [run["run_id"] for run in page["runs"]]
    return seen


def sent(client, name, content, **fields):
    """The answer to a form with a file."""
    return client.post("/api/runs", data={"protocol": "compare"} | fields, files={"file": (name, content)})


# -- begin and look ---------------------------------------------------------------------------------------------------


def test_an_uploaded_file_is_judged_in_the_background_with_events_and_the_counts_add_up(client, app, capsys):
    answer = begin(client, name="numbers", seed=3)
    assert answer.status_code == 201, answer.text
    begun = answer.json()
    where = f"/api/runs/{begun['run_id']}"
    assert answer.headers["location"] == where
    assert (begun["name"], begun["source"], begun["rubric"]) == ("numbers", "pairs.jsonl", "compare@1")
    with client.stream("GET", f"{where}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [event.split("\n") for event in "".join(answer.iter_text()).strip().split("\n\n")]
    assert [lines[0] for lines in events[-2:]] == ["event: progress", "event: end"]
    last = json.loads(events[-2][1].removeprefix("data: "))
    assert (last["state"], last["verdicts"]) == ("finished", 12)
    status = client.get(where).json()
    assert (status["cases"], status["verdicts"], status["failures"], status["open"]) == (12, 12, 0, 0)
    assert sum(status["answers"].values()) + status["undecided"] == 12 == status["agreement"]["labelled"]
    folder = app.state.adjudge.runs.find(begun["run_id"]).directory.path
    assert main(["export", str(folder), "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 13, "the command line reads the same run"


def test_a_form_does_the_same_and_its_file_may_be_csv_binary_or_a_log_of_another_tool(client, tmp_path):
    table = "task,a,b\nSay hello.,Good morning to you!,Hey.\nSay goodbye.,Farewell then.,Goodbye to you all!\n"
    begun = sent(client, "C:\\my\\Fälle 🙂.csv", table, one_order="true", budget="5").json()
    assert (begun["source"], Decimal(begun["budget"])) == ("Fälle 🙂.csv", 5)
    assert at_end(client, begun["run_id"])["verdicts"] == 2
    path = tmp_path / "pairs.parquet"
    duckdb.sql(f"copy (select 'Say hello.' as task, 'Hello\r\n' || i as a, 'Hi' as b from range(5) r(i)) to '{path}'")
    assert sent(client, path.name, path.read_bytes()).json()["cases"] == 5
    raw = (Path(__file__).parents[1] / "inputs/files/inspect.eval").read_bytes()
    answer = sent(client, "x.eval", raw, protocol="grade")
    assert (answer.status_code, answer.json()["cases"]) == (201, 4)
    for content, protocol, said in (
        (raw[:-900], "grade", "x.eval: not an .eval log, or a broken one"),
        (raw, "compare", "x.eval: the answers of one system, mockllm/model"),
    ):
        answer = sent(client, "x.eval", content, protocol=protocol)
        assert answer.status_code == 400
        assert answer.json()["error"].startswith(said) and "--" not in answer.json()["error"]


def _part(name, content):
    return b'--x\r\ncontent-disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), content)


@pytest.mark.parametrize(
    ("settings", "content", "said"),
    [
        ({"protocol": "guess"}, LINES, "protocol: "),
        ({"colour": "red"}, LINES, "colour: unknown field; one of budget, rate, concurrency, protocol"),
        ({"judge": "openai:gpt-5.1"}, LINES, "judge: 'openai:gpt-5.1' is not allowed by this service"),
        ({"languages": "en"}, LINES, "languages: is for review, not for compare"),
        ({"rubric": "dialogue"}, LINES, "rubric: dialogue is for dialogue"),
        ({"temperature": "9"}, LINES, "temperature: 9"),
        ({"map": "task"}, LINES, "map: task; field=column"),
        ({"map": "task=x, task=y"}, LINES, "map: task appears twice"),
        ({"source": ["a", "b"]}, LINES, "source: appears twice"),
        ({}, "", "file: empty"),
        ({}, '{"task": "t", "a": "x"}\n', "pairs.jsonl: "),
        ({}, LINES + '{"task": ""}\n', "file: 1 of 13 rows cannot be judged: pairs.jsonl, line 13"),
        (None, b"--x\r\n" + b"a: b\r\n" * 10_000, "body: not a form: invalid multipart data"),
        (None, _part("a", b"1") * 60, "body: not a form: too many fields. Maximum number of fields is 50; "),
        (None, b"--x\r\n" * 2_000_000, "body: not a form: "),
        (None, b"nothing", "body: not a form: invalid multipart data; multipart/form-data with one file is needed"),
        (None, b"--x--\r\n", "file: missing; a form needs a file in the field `file`"),
        (None, _part("file", b"1") + _part("file", b"2"), "file: appears twice"),
        (
            None,
            _part('file"; filename="a', b"1") + _part('file"; filename="b', b"2"),
            "body: not a form: too many files",
        ),
    ],
    ids=range(19),
)
def test_what_is_wrong_is_named_and_leaves_no_run(client, settings, content, said):
    before = listed(client)
    if settings is None:  # a form, which is refused before it costs much
        whole = content if b"x--" in content else content + b"--x--\r\n"
        answer = client.post("/api/runs", content=whole, headers=MULTIPART)
    else:
        answer = begin(client, content, **settings)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(said), answer.json()
    assert settings is None or "--" not in answer.json()["error"]
    assert listed(client) == before


def test_runs_are_listed_page_by_page_the_newest_first(client):
    before = listed(client)
    ids = [begin(client, ONE, name=f"run {n}").json()["run_id"] for n in range(3)]
    assert listed(client) == [*ids[::-1], *before]
    refused = client.get("/api/runs", params={"cursor": "bm9uc2Vuc2U"})
    assert (refused.status_code, refused.json()["error"][:8]) == (400, "cursor: ")


def test_an_upload_has_a_limit_of_rows_and_columns_and_the_error_names_the_command(client, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_UPLOADED_ROWS", 3)
    table = "task,a,b\n" + 'Say hello.,Hello to you.,"Hey\nthere."\n' * 4
    for source, content in (("x.jsonl", ONE * 4), ("x.csv", table)):
        refused = begin(client, content, source=source)
        said = "file: more than 3 rows; for more, run `adjudge run compare FILE` where the file is"
        assert (refused.status_code, refused.json()["error"]) == (413, said)
    assert begin(client, ONE * 3).status_code == 201
    wide = "task,a,b," + ",".join(f"c{n}" for n in range(200_000)) + "\n1,2,3" + ",x" * 200_000 + "\n"
    refused = begin(client, wide, source="x.csv")
    assert refused.status_code == 413
    assert refused.json()["error"] == "x.csv, line 1: 200,003 columns; at most 1,000 are allowed"


# -- results ----------------------------------------------------------------------------------------------------------


def test_rows_are_filtered_searched_and_come_page_by_page(client, finished):
    every = rows(client, finished)
    assert [row["position"] for row in every] == list(range(12))
    for wanted, fits in (
        ({"winner": "A"}, lambda row: row["winner"] == "A"),
        ({"winner": "tie"}, lambda row: row["winner"] == "tie"),
        ({"undecided": True}, lambda row: not row["decided"]),
        ({"differs": True}, lambda row: row["decided"] and not row["agrees"]),
        ({"differs": False, "winner": "A"}, lambda row: row["agrees"] and row["winner"] == "A"),
        ({"order_flipped": True}, lambda row: row["order_consistent"] is False),
        ({"failed": True}, lambda row: False),
        ({"outcome": "A"}, lambda row: row["winner"] == "A" and row["decided"]),
        ({"outcome": "undecided"}, lambda row: not row["decided"]),
        ({"outcome": "failed"}, lambda row: False),
        ({"positions": "3,7,99"}, lambda row: row["position"] in (3, 7)),
        ({"q": "NUMBER 7 TO"}, lambda row: row["case"] == "case-7"),
        ({"q": "' or 1=1 --"}, lambda row: False),
    ):
        assert rows(client, finished, **wanted) == [row for row in every if fits(row)], wanted
    first = client.get(f"/api/runs/{finished}/rows", params={"limit": 10}).json()
    rest = client.get(f"/api/runs/{finished}/rows", params={"limit": 10, "cursor": first["next"]}).json()
    assert (first["rows"] + rest["rows"], rest["next"]) == (every, None)
    for positions in ("x", "1,,2", "1;2", "٣", "1,", "9999999999"):
        refused = client.get(f"/api/runs/{finished}/rows", params={"positions": positions})
        assert refused.status_code in (400, 422), positions
    answer = client.get(f"/api/runs/{ran(client, TALK, protocol='dialogue')}/rows", params={"winner": "A"})
    assert answer.status_code == 400
    assert answer.json()["error"] == "winner: a dialogue has none; one of outcome, failed, differs, positions, q"


def test_every_export_holds_the_chosen_rows(client, finished):
    def export(form, **wanted):
        answer = client.get(f"/api/runs/{finished}/export", params={"format": form} | wanted)
        assert answer.status_code == 200, answer.text
        assert "numbers." in answer.headers["content-disposition"], "the name of the run"
        return answer.content

    lines = [json.loads(line) for line in export("jsonl").splitlines()]
    assert [line["case"] for line in lines] == [pair["id"] for pair in PAIRS]
    assert lines[0]["verdict"]["verdict_id"] == lines[0]["verdict_id"]
    assert export("csv", q="number 3 ").decode().count("case-") == 1
    assert export("parquet")[:4] == b"PAR1"
    assert b"12" in export("markdown")
    pages = zipfile.ZipFile(io.BytesIO(export("html"))).namelist()
    assert "report.html" in pages and len(pages) > 12


def test_a_finished_run_can_be_resumed_and_deleted(client):
    finished = ran(client, ONE, name="soon gone")
    resumed = client.post(f"/api/runs/{finished}/resume", json={"budget": "1.50", "retry_failed": True})
    assert resumed.status_code == 200, resumed.text
    status = at_end(client, finished)
    assert (status["state"], status["verdicts"], status["budget"]) == ("finished", 1, "1.50")
    wrong = client.post(f"/api/runs/{finished}/resume", json={"budgte": 1})
    assert wrong.json()["error"].startswith("budgte: unknown field; one of budget, rate")
    for _ in range(2400):  # its end is told a moment before its lock is free
        if (answer := client.delete(f"/api/runs/{finished}")).status_code != 409:
            break
        time.sleep(0.05)
    assert answer.status_code == 204
    assert client.get(f"/api/runs/{finished}").status_code == 404
    log = client.app.state.adjudge.audit.entries(finished)
    assert sorted(entry.action for entry in log) == ["run.deleted", "run.resumed", "run.started"]
