"""The pages of rubrics without a browser: what is shown, how one is changed, and what is refused with its line."""

import html
import re
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from server.people import acting_as
from server.test_rubrics_api import OURS

from adjudge.protocols.base import names
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.rubrics import parse, shipped
from adjudge.server.app import create_app

HTML = {"accept": "text/html,application/xhtml+xml"}
FORM = {**HTML, "origin": "http://testserver"}
JSON = {**FORM, "accept": "application/json"}
EDIT = "/rubrics/our answers/edit"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    app = create_app(CompareSettings(), journal=tmp_path_factory.mktemp("rubrics") / "j.db")
    with TestClient(app, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(running, tmp_path):
    """A service without rubrics of its own."""
    state = running.app.state.adjudge
    running.app.state.adjudge = replace(state, rubrics=tmp_path)
    state.audit.database.change("delete from adjudge_audit")
    return running


@pytest.fixture
def versions(client):
    """Three versions of one rubric."""
    texts = [OURS.replace('"1"', f'"{at}"').replace("weight: 2", f"weight: {at + 1}") for at in (1, 2, 3)]
    for text in texts:
        assert client.post(EDIT, data={"source": text, "action": "keep"}, headers=FORM).status_code == 303
    return texts


def text_in(page):
    return html.unescape(re.search(r'<textarea id="source"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)[1])


def test_the_list_has_all_rubrics_and_a_twin(client, versions):
    page = client.get("/rubrics", headers=HTML).text
    twin = client.get("/rubrics.json").json()
    assert twin == client.get("/rubrics", headers={"accept": "application/json"}).json()
    assert {each["name"]: each["version"] for each in twin["rubrics"]} == {
        **dict.fromkeys(names(), "1"),
        "our answers": "3",
    }
    assert 'href="/rubrics/our%20answers"' in page
    assert "version 3, the latest of 3" in page


@pytest.mark.parametrize("protocol", names())
def test_a_rubric_is_shown_with_weights_scale_band_and_prompts(client, protocol):
    twin = client.get(f"/rubrics/{protocol}.json").json()
    page = html.unescape(client.get(f"/rubrics/{protocol}", headers=HTML).text)
    assert [each["key"] for each in twin["rubric"]["criteria"]] == list(shipped(protocol).weights)
    assert all(f'style="width:{each["width"]}"' in page for each in twin["rubric"]["criteria"])
    assert max(twin["rubric"]["criteria"], key=lambda each: float(each["weight"]))["width"] == "100.0%"
    assert (twin["rubric"]["scale"], twin["rubric"]["tie_band"]) == {
        "compare": ("1 to 10", "0.5"),
        "dialogue": ("20 to 100 in steps of 20", ""),
        "grade": ("", ""),
        "review": ("", ""),
    }[protocol]
    assert [each["role"] for each in twin["prompts"]] == {
        "compare": ["comparer"],
        "dialogue": ["evaluator", "critic"],
        "grade": ["asker", "lister", "demands"],
        "review": ["rater"],
    }[protocol]
    for prompt in twin["prompts"]:
        assert prompt["system"] in page
        assert prompt["user"] in page
    assert twin["source"] == shipped(protocol).source


def test_a_rubric_that_comes_with_adjudge_is_copied_and_not_changed(client):
    copy = text_in(client.get("/rubrics/review/edit", headers=HTML).text)
    assert (parse(copy, "copy").name, parse(copy, "copy").version) == ("my review", "1")
    refused = client.post("/rubrics/review/edit", data={"source": shipped("review").source}, headers=FORM)
    assert refused.status_code == 400
    assert "review is a rubric that comes with adjudge" in refused.text
    kept = client.post("/rubrics/review/edit", data={"source": copy}, headers=FORM)
    assert (kept.status_code, kept.headers["location"]) == (303, "/rubrics/my%20review")
    assert parse(text_in(client.get("/rubrics/review/edit", headers=HTML).text), "copy").name == "my review 2"


def test_an_edit_proposes_the_next_version_and_keeps_the_ones_before(client, versions):
    proposed = text_in(client.get(EDIT, headers=HTML).text)
    assert proposed == versions[-1].replace('"3"', '"4"')
    assert text_in(client.get(f"{EDIT}?version=1", headers=HTML).text) == versions[0].replace('"1"', '"4"')
    changed = client.post(EDIT, data={"source": versions[0].replace("true?", "so?"), "action": "keep"}, headers=FORM)
    assert changed.status_code == 409
    assert "our answers already has a version 1 with another text" in changed.text
    assert text_in(changed.text) == versions[0].replace("true?", "so?"), "nothing typed is lost"
    assert client.get("/rubrics/our answers.json?version=1").json()["source"] == versions[0]
    assert [(one.action, one.person) for one in client.app.state.adjudge.audit.entries()] == [
        ("rubric.kept", "local")
    ] * 3


def test_two_versions_are_compared_line_by_line(client, versions):
    twin = client.get("/rubrics/our answers.json?version=3&against=1").json()
    told = [(line["kind"], line["text"].strip()) for line in twin["diff"] if line["kind"] != "same"]
    assert told == [
        ("gap", "-1,10 +1,10"),
        ("removed", 'version: "1"'),
        ("added", 'version: "3"'),
        ("removed", "weight: 2"),
        ("added", "weight: 4"),
    ]
    page = client.get("/rubrics/our answers?version=3&against=1", headers=HTML).text
    assert page.count('<tr class="added">') == page.count('<tr class="removed">') == 2
    assert client.get("/rubrics/our answers.json?version=3&against=3").json()["diff"] == []
    assert client.get("/rubrics/our answers?against=9", headers=HTML).status_code == 404
    long = OURS.replace('"1"', '"long"') + "# a line\n" * 4000
    client.post(EDIT, data={"source": long, "action": "keep"}, headers=FORM)
    assert client.get("/rubrics/our answers?against=1", headers=HTML).status_code == 400


@pytest.mark.parametrize(
    ("changed", "line", "said"),
    [
        (("weight: 2", "weight: -2"), 7, "correct.weight: -2 is negative; a number ≥ 0 is allowed"),
        (("protocol: compare", "protocol: duel"), 3, "protocol: 'duel'; one of compare, dialogue, grade, review"),
        (("criteria:", "criteria: ["), 6, "not YAML: "),
        (("key: brief", "key: correct"), 9, "criteria: correct appears twice; each key once"),
        (("weight: 1", "weight: <script>alert(1)</script>\u202e"), 10, "brief.weight: '<script>alert(1)</script>"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_field_and_the_text_stays(client, changed, line, said):
    text = OURS.replace(*changed)
    for action in ("check", "keep"):
        page = client.post(EDIT, data={"source": text, "action": action}, headers=FORM)
        assert page.status_code == 400
        assert text_in(page.text) == text
        assert "<script>alert" not in page.text
        twin = client.post(EDIT, data={"source": text, "action": action}, headers=JSON).json()
        assert twin["line"] == line
        assert twin["error"].startswith(said)
        assert dict(twin["excerpt"])[line] == text.split("\n")[line - 1]
    assert client.get("/rubrics/our answers", headers=HTML).status_code == 404


def test_a_check_shows_what_the_rubric_would_be_and_keeps_nothing(client):
    twin = client.post(EDIT, data={"source": OURS, "action": "check"}, headers=JSON).json()
    assert [(each["key"], each["share"]) for each in twin["rubric"]["criteria"]] == [
        ("correct", "67\u00a0%"),
        ("brief", "33\u00a0%"),
    ]
    assert "Is what it says true?" in twin["prompts"][0]["system"]
    assert client.get("/rubrics.json").json()["rubrics"][len(names()) :] == []
    large = client.post(EDIT, data={"source": OURS + "#" * 200_000, "action": "check"}, headers=FORM)
    assert large.status_code == 413


def test_one_who_is_no_reviewer_may_look_and_not_keep(client, versions):
    with acting_as(client.app, "somebody"):
        assert "/edit" not in client.get("/rubrics", headers=HTML).text
        assert "/edit" not in client.get("/rubrics/our answers", headers=HTML).text
        assert client.get(EDIT, headers=HTML).status_code == 403
        assert client.post(EDIT, data={"source": OURS}, headers=FORM).status_code == 403
        assert client.post("/api/rubrics", content=OURS.replace('"1"', '"9"')).status_code == 403
        assert len(client.get("/api/rubrics/our answers").json()["versions"]) == 3


def test_the_page_of_a_rubric_of_items_shows_and_edits_points_kinds_and_the_pass_mark(client):
    text = text_in(client.get("/rubrics/grade/edit", headers=HTML).text)
    fault = "  - {key: rude, name: Rude, points: -2, required: true, quote: none, ask: 'Is it rude?'}\n"
    changed = text.replace("pass_at: 0.7", "pass_at: 0.65") + fault
    twin = client.post("/rubrics/grade/edit", data={"source": changed, "action": "check"}, headers=JSON).json()
    assert twin["rubric"]["numbers"] == [["pass at", "0.65"]]
    shown = {each["key"]: (each["weight"], each["share"], each["scale"]) for each in twin["rubric"]["criteria"]}
    assert shown["does_the_task"] == ("3", "25\u00a0%", "scale, 1 to 5; required, at least 3")
    assert shown["covers_the_reference"] == ("3", "25\u00a0%", "covers, of the reference")
    assert shown["rude"] == ("−2", "", "ask; required")
    page = client.post("/rubrics/grade/edit", data={"source": changed, "action": "check"}, headers=FORM).text
    assert "Pass at</dt><dd>0.65" in page
    wrong = client.post(
        "/rubrics/grade/edit", data={"source": changed.replace("points: -2", "points: 0")}, headers=JSON
    )
    assert wrong.json()["error"].startswith("rude.points: 0; a number above 0, or below 0 for a fault")
