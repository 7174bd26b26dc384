"""A file is looked at before its run is started: what its columns are taken for, what is skipped, and who may."""

from __future__ import annotations

import json
import re

import pytest
from fastapi.testclient import TestClient
from server.run_pages import BAD, FORM, HTML, JSON, LINES, PAIRS, TALK, act, ended, run_of, twin, upload

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.runs import uploads
from adjudge.server.app import create_app

# Two pairs of answers: nobody knows which are meant.
UNCLEAR = "".join(
    json.dumps({"n": n, "question": f"Name {n}.", "output_1": f"It is {n}.", "output_2": "No.", "chosen": f"This: {n}!",
                "rejected": "That.", "note": "x" * 300}) + "\n"
    for n in range(7)
)  # fmt: skip


def look(client, run_id):
    return twin(client, f"/runs/new/{run_id}")


def form_of(found, **changes):
    """What a browser sends from the page, with these changes; `uses` by column."""
    names = [name for name, _ in found["columns"]]
    uses = dict(found["columns"]) | changes.pop("uses", {})
    return found["form"]["values"] | {f"column.{names.index(name)}": used for name, used in uses.items()} | changes


def change(client, found, **changes):
    return client.post(f"/runs/new/{found['run_id']}", data=form_of(found, **changes), headers=JSON)


def cases(app, run_id):
    with app.state.adjudge.runs.find(run_id).directory.cases.open() as lines:
        return [json.loads(line)["input"] for line in lines]


def test_the_first_rows_are_shown_and_what_each_column_is_taken_for(client):
    run_id = run_of(upload(client))
    found = look(client, run_id)
    assert dict(found["columns"]) == {name: name for name in PAIRS[0]}
    assert [row[1] for row in found["found"]["rows"]] == [pair["task"] for pair in PAIRS[:5]]
    assert [(label, figure) for label, figure, _ in found["estimate"]] == [
        ("Cases", "12"), ("Calls", "0"), ("Cost", "none"),
    ]  # fmt: skip
    page = client.get(f"/runs/new/{run_id}", headers=HTML).text
    assert re.search(r'<select id="column-1" name="column.1" class="used">.*?<option value="task" selected>task<', page)
    assert "All rows can be judged; none is skipped." in page and "<script>alert" not in page
    assert 'type="file"' not in page, "the file is not asked for twice"
    act(client, run_id, "delete")


def test_another_choice_of_columns_makes_other_cases_from_the_kept_file(client, app):
    found = look(client, run_of(upload(client)))
    run_id = found["run_id"]
    assert cases(app, run_id)[1]["a"] == PAIRS[1]["a"]
    swapped = change(client, found, uses={"a": "b", "b": "a", "label": ""}).json()
    assert swapped["form"]["error"] == "" and dict(swapped["columns"])["a"] == "b"
    assert (cases(app, run_id)[1]["a"], cases(app, run_id)[1]["b"]) == (PAIRS[1]["b"], PAIRS[1]["a"])
    again = look(client, run_id)
    assert dict(again["columns"])["label"] == "", "what was taken away is not guessed again"
    assert change(client, again, name="kept").json()["found"]["mapping"] == swapped["found"]["mapping"]
    both = change(client, again, uses={"label": "a"})
    assert (both.status_code, both.json()["form"]["place"]) == (400, "columns")
    assert both.json()["form"]["error"] == "answer A is chosen for b and for label; choose one of the two"
    assert client.get(f"/api/runs/{run_id}").status_code == 404, "nothing can be started that is wrong"
    assert change(client, again, press="start").json()["changed"], "what was wrong is looked at first"
    started = change(client, again, press="start")
    assert started.headers["location"] == f"/runs/{run_id}"
    ended(client, run_id)
    act(client, run_id, "delete")


def test_columns_that_are_unclear_are_chosen_and_the_others_still_guessed(client, app):
    answer = upload(client, UNCLEAR, JSON)
    found = answer.json()
    assert (answer.status_code, found["form"]["place"], found["estimate"]) == (400, "columns", [])
    assert found["form"]["error"] == (
        "a and b could be output_1, output_2 or chosen, rejected; choose in the list of columns"
    )
    assert len(found["found"]["rows"]) == 5 and found["found"]["rows"][0][-1] == "x" * 159 + "…"
    assert "no such upload" not in client.get(f"/runs/new/{found['run_id']}", headers=HTML).text
    chosen = change(client, found, uses={"chosen": "a", "rejected": "b"})
    assert (chosen.status_code, dict(chosen.json()["columns"])["question"]) == (200, "task")
    assert [case["a"] for case in cases(app, found["run_id"])] == [f"This: {n}!" for n in range(7)]
    act(client, found["run_id"], "delete")


def test_rows_that_cannot_be_judged_are_counted_by_reason_and_count_as_failed(client):
    label = json.dumps(PAIRS[0] | {"id": "odd", "label": "perhaps"}) + "\n"
    found = look(client, run_of(upload(client, LINES + BAD + label + BAD)))
    (two, empty, first), (one, odd, _) = found["found"]["skipped"]
    assert (two, one, found["found"]["bad"], first) == (2, 1, 3, "line 13")
    assert empty.startswith("task: ") and "'perhaps' is not a winner" in odd
    page = client.get(f"/runs/new/{found['run_id']}", headers=HTML).text
    assert "<b>3 rows cannot be judged</b> and will count as failed" in page and "(first line 13)" in page
    assert change(client, found, press="start").status_code == 303
    assert ended(client, found["run_id"])["progress"]["status"]["failures"] == 3
    act(client, found["run_id"], "delete")


def test_start_shows_what_has_changed_first_and_a_name_is_no_such_change(client):
    found = look(client, run_of(upload(client)))
    shown = change(client, found, press="start", uses={"label": ""})
    assert (shown.status_code, shown.json()["changed"]) == (200, True)
    assert client.get(f"/api/runs/{found['run_id']}").json()["state"] == "stopped", "not started"
    started = change(client, shown.json(), press="start", name="renamed", budget="3")
    assert started.headers["location"] == f"/runs/{found['run_id']}"
    status = ended(client, found["run_id"])["progress"]["status"]
    assert (status["name"], status["budget"]) == ("renamed", "3")
    act(client, found["run_id"], "delete")


def test_the_protocol_can_be_changed_and_texts_without_columns_are_shown(client):
    found = look(client, run_of(upload(client, TALK, protocol="dialogue")))
    assert dict(found["columns"]) == {"dialogue_id": "id", "messages": "turns"}
    wrong = change(client, found, protocol="compare")
    assert (wrong.status_code, wrong.json()["form"]["place"]) == (400, "columns")
    right = change(client, wrong.json(), protocol="dialogue")
    assert right.status_code == 200, right.json()["form"]["error"]
    assert dict(right.json()["columns"])["messages"] == "turns"
    assert change(client, right.json(), press="discard").headers["location"] == "/runs"
    assert client.get(f"/runs/new/{found['run_id']}").status_code == 404
    text = "USER\tWhere is it?\nSYSTEM\tIt comes tomorrow before noon.\nUSER\tThanks!\n"
    sent = {"protocol": "dialogue", "judge": "embedded"}
    answer = client.post("/runs/new", data=sent, files={"file": ("talk.txt", text)}, headers=FORM)
    found = look(client, run_of(answer))
    assert found["columns"] == [] and "Where is it?" in found["found"]["texts"][0][1]
    act(client, found["run_id"], "delete")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("cases", "x", "its name has no ending that shows its format; one of .jsonl, "),
        ("cases.xlsx", "x", "the ending .xlsx is not known; one of .jsonl, "),
        ("cases.xlsx", b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "an Office file (.xlsx, .docx, …), not "),
        ("cases.jsonl", b"\x89PNG\r\n\x1a\n", "a PNG image, not text; UTF-8 text is needed"),
        ("cases.csv", "", "missing; choose a file of cases, or paste some"),
        ("cases.jsonl", LINES, "more than 3 rows"),
        ("cases.txt", "x", "plain text cannot hold comparisons; JSONL, JSON, CSV, TSV, Parquet"),
    ],
)
def test_a_file_that_cannot_be_used_is_asked_for_again_in_the_words_of_the_form(
    client, app, monkeypatch, name, content, said
):
    monkeypatch.setattr(uploads, "MAX_UPLOADED_ROWS", 3)
    kept = sorted((app.state.adjudge.runs.folder / "runs").glob("*"))
    sent = {"protocol": "compare", "judge": "embedded"}
    file = (name, content, "application/octet-stream")
    answer = client.post("/runs/new", data=sent, files={"file": file}, headers=JSON)
    assert answer.status_code == (413 if "rows" in said else 400)
    found = answer.json()
    assert (found["form"]["place"], found["file"], found["form"]["error"][: len(said)]) == ("file", None, said)
    assert "adjudge run" not in found["form"]["error"]
    assert sorted((app.state.adjudge.runs.folder / "runs").glob("*")) == kept


def test_a_judge_without_a_key_and_a_budget_without_a_price_are_said_beside_their_fields(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    judges = ["openai:gpt-4o", "http://127.0.0.1:9/v1#m"]
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db", allowed_judges=tuple(judges))
    with TestClient(app, follow_redirects=False) as client:
        told = upload(client, LINES, JSON, judge=judges[0]).json()["form"]
        assert (told["place"], told["error"][:31]) == ("judge", "is not set up on this service; ")
        answer = upload(client, LINES, JSON, judge=judges[1], budget="3")
        told = answer.json()["form"]
        assert (told["place"], told["error"][:25]) == ("budget", "no price is published for")
        assert change(client, answer.json(), budget="").status_code == 200


def test_uploads_are_found_by_those_who_see_their_runs_and_removed_after_a_day(client, app, as_role, monkeypatch):
    unread = upload(client, '{"x": 1}\n', JSON).json()["run_id"]
    as_role("annotator")
    for method in ("get", "post"):
        assert getattr(client, method)(f"/runs/new/{unread}", headers=FORM).status_code == 403
    as_role("reviewer")
    assert client.get(f"/runs/new/{unread}").status_code == 200
    assert client.get("/runs/new/r" + "0" * 17).status_code == 404
    hosted = app.state.adjudge.runs
    kept = hosted.keep(b"x", ".jsonl", "somebody")
    with pytest.raises(Exception, match="no such upload"):
        hosted.find_kept(kept.run_id, "another")
    monkeypatch.setattr("adjudge.runs.hosting._KEPT_SECONDS", -60.0)
    hosted.keep(b"x", ".jsonl", "somebody")
    assert not kept.directory.path.exists() and client.get(f"/runs/new/{unread}").status_code == 404


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("changes", [{"press": "start"}, {"press": "start", "budget": "nonsense"}])
def test_a_second_click_that_comes_late_harms_no_run_that_is_started(client, app, monkeypatch, changes, known):
    """Two clicks at once both find the upload; the second one gets its turn when the run is under way, or done."""
    run_id = run_of(upload(client))
    found, runs = look(client, run_id), app.state.adjudge.runs
    kept = runs.find_kept(run_id)
    before = kept.look
    assert change(client, found, press="start").status_code in (200, 204, 303)
    monkeypatch.setattr(runs, "find_kept", lambda *_: kept)
    if known:
        monkeypatch.setattr(type(kept), "look", property(lambda _: before))
    assert change(client, found, **changes).status_code in (204, 303, 404)
    ended(client, run_id)
    assert change(client, found, **changes).status_code == 404
    assert len(cases(app, run_id)) == len(PAIRS)
    assert client.get(f"/api/runs/{run_id}").json()["verdicts"] == len(PAIRS)
    act(client, run_id, "delete")
