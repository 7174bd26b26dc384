"""The forms that judge, without a browser: what comes of them, and what is refused beside its field."""

import asyncio
import html
import json
import re
from urllib.parse import quote

import pytest
from scripted.provider import refuses
from server.run_pages import FORM, HTML, JSON, served
from server.test_rubrics_api import OURS

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.rubrics import parse, shipped
from adjudge.server.pages.demo import example

PROTOCOLS = ("compare", "dialogue", "grade", "review")
COMPARISON = {**json.loads(example("compare")), "both_orders": "1"}
JURY = "jury:embedded+embedded"
NASTY = "\n<script>alert(1)</script> </textarea>\u202e right to left \x07 & &amp; {{ 7*7 }}"


def entered(page, name):
    """What stands in a box of a form; a parser drops the first line end after the tag."""
    found = re.search(rf'<textarea id="{name}"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    return html.unescape(found[1])


@pytest.mark.parametrize("path", ["/", *(f"/judge/{protocol}" for protocol in PROTOCOLS)])
def test_a_page_has_a_twin_by_name_and_by_what_is_accepted(client, path):
    page = client.get(path, headers=HTML)
    assert page.headers["content-type"].startswith("text/html")
    named = f"{path}.json" if path != "/" else "/judge/compare.json"
    twin = client.get(named, headers=HTML).json()
    assert client.get(path, headers={"accept": "application/json"}).json() == twin
    assert all(f'id="{field}"' in page.text for field in twin["fields"])
    assert [slider["key"] for slider in twin["sliders"]] == (
        list(shipped("compare").weights) if twin["protocol"] == "compare" else []
    )


def test_the_weights_are_sliders_with_their_share(client):
    sliders = client.get("/judge/compare.json").json()["sliders"]
    assert [(each["value"], each["share"]) for each in sliders[:3]] == [
        ("1", "13\u00a0%"), ("2", "25\u00a0%"), ("1.5", "19\u00a0%"),
    ]  # fmt: skip
    assert {(each["high"], each["step"]) for each in sliders} == {("5", "0.5")}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_example_is_loaded_judged_and_leads_to_its_verdict(examples, client, protocol):
    twin = client.get(f"/judge/{protocol}.json?example=1").json()
    answer = client.post(
        f"/judge/{protocol}", data={**twin["fields"], "rubric": twin["rubric"], "both_orders": "1"}, headers=FORM
    )
    assert answer.status_code == 303
    # It was judged before, as in the demo.
    assert answer.headers["location"] == f"/verdicts/{examples[protocol]}"
    assert client.get(answer.headers["location"], headers=HTML).status_code == 200


def test_a_script_is_told_where_to_go_instead_of_being_redirected(client, examples):
    answer = client.post("/judge/compare", data=COMPARISON, headers={**FORM, "hx-request": "true"})
    assert (answer.status_code, answer.headers["hx-redirect"]) == (204, f"/verdicts/{examples['compare']}")


@pytest.mark.parametrize(
    ("protocol", "changes", "field", "said"),
    [
        ("compare", {"responseA": " "}, "responseA", "Enter response A"),
        ("compare", {"userTask": ""}, "userTask", "Enter a task"),
        ("compare", {"weights.clarity_structure": "-1"}, "weights", "clarity_structure: -1 is negative; a number ≥"),
        ("compare", {"judge": "openai:x"}, "judge", "'openai:x' is not allowed by this service"),
        ("dialogue", {"transcript": "USER\tHello"}, "transcript", "no SYSTEM line"),
        ("dialogue", {"transcript": ""}, "transcript", "Enter a conversation"),
        ("review", {"response2": ""}, "response2", "Enter response 2"),
        ("review", {"response1_original_ratings": "nonsense"}, "response1_original_ratings", "nonsense"),
        ("compare", {"weights.clarity_structure": "1e999999"}, "weights", "1E+999999 is out of range"),
        ("compare", {"action": "load", "whole": "{"}, "whole", "not JSON"),
        ("compare", {"action": "load", "whole": '{"task": 5}'}, "userTask", "expected text, found"),
        ("compare", {"action": "load", "whole": '{"weights": [1]}'}, "weights", "expected an object, found"),
        ("compare", {"action": "load", "whole": '{"weights": {"color": 1}}'}, "weights", "unknown criterion"),
    ],
)
def test_an_error_stands_beside_its_field_and_nothing_typed_is_lost(client, protocol, changes, field, said):
    twin = client.get(f"/judge/{protocol}.json?example=1").json()
    fields = twin["fields"]
    sent = {**fields, "whole": "", **changes}
    page = client.post(f"/judge/{protocol}", data=sent, headers=FORM)
    assert page.status_code == 400
    told = client.post(f"/judge/{protocol}", data=sent, headers=JSON).json()
    assert list(told["errors"]) == [field]
    assert said in told["errors"][field]
    assert not told["errors"][field].startswith(f"{field}: "), "its name stands above it"
    assert html.escape(said, quote=False) in page.text.replace("&#39;", "'")
    for name in (*fields, "whole"):
        assert entered(page.text, name) == sent[name].replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("compare", ["Enter a task", "Enter response A", "Enter response B"]),
        ("dialogue", ["Enter a conversation"]),
        ("grade", ["Enter a task", "Enter an answer"]),
        ("review", ["Enter a prompt", "Enter response 1", "Enter response 2"]),
    ],
)
def test_all_missing_fields_are_named_at_once_in_ordinary_words(client, protocol, said):
    page = client.post(f"/judge/{protocol}", data={"action": "judge"}, headers=FORM)
    assert page.status_code == 400
    assert re.findall(r'<p class="refusal" id="error-\w+">(.*?)</p>', page.text) == said, "beside each field"
    assert re.findall(r'<a href="#\w+">(Enter .*?)</a>', page.text) == said, "and above the form, as links"


def test_settings_and_weights_fold_away_unless_one_is_wrong(client):
    folded = '<details class="rest"{}>\n        <summary>Settings and weights'
    assert folded.format("") in client.get("/judge/compare", headers=HTML).text
    wrong = client.post("/judge/compare", data={**COMPARISON, "weights.clarity_structure": "-1"}, headers=FORM)
    assert folded.format(" open") in wrong.text


def test_what_was_typed_comes_back_to_the_character_and_stays_text(client):
    page = client.post("/judge/compare", data={**COMPARISON, "userTask": NASTY, "responseA": ""}, headers=FORM)
    assert entered(page.text, "userTask") == NASTY
    assert "<script>alert" not in page.text


def test_the_checkbox_and_the_judge_stay_as_they_were_set_and_one_order_is_judged_if_the_box_is_empty(client):
    sent = {name: value for name, value in COMPARISON.items() if name != "both_orders"}
    told = client.post("/judge/compare", data={**sent, "userTask": "", "judge": JURY}, headers=JSON).json()
    assert (told["both_orders"], told["judge"]) == (False, JURY)
    where = client.post("/judge/compare", data=sent, headers=FORM).headers["location"]
    assert client.get(f"{where}.json").json()["evaluation"]["order_consistent"] is None


async def test_a_judgment_that_fails_is_said_on_the_form(tmp_path, provider):
    provider.script = lambda request: refuses("I would rather not.")

    def ask():
        with served(tmp_path, CompareSettings(judge=f"{provider.url}/v1#m")) as client:
            return client.post("/judge/compare", data=COMPARISON, headers=FORM)

    page = await asyncio.to_thread(ask)
    assert page.status_code == 502
    assert "(refused): I would rather not." in page.text
    assert entered(page.text, "responseA") == COMPARISON["responseA"]


@pytest.mark.parametrize(
    ("protocol", "whole", "field", "begins"),
    [
        ("compare", example("compare"), "responseB", "Sleeping during the day"),
        ("compare", '{"task": "T", "a": "one", "b": "two", "weights": {"clarity_structure": 3}}', "responseB", "two"),
        ("dialogue", example("dialogue"), "transcript", "USER\tHello"),
        ("review", example("review"), "response1_original_ratings", "| Dimension"),
        ("review", '{"prompt": "P", "response1": "x", "likert": 3}', "original_likert_and_justification", "{"),
    ],
)
def test_a_whole_case_fills_the_form(client, protocol, whole, field, begins):
    page = client.post(f"/judge/{protocol}", data={"action": "load", "whole": whole}, headers=FORM)
    assert page.status_code == 200
    assert entered(page.text, field).startswith(begins)
    if "weights" in whole:
        assert re.search(r'name="weights.clarity_structure"[^>]*value="3"', page.text)


def test_a_draft_of_a_review_is_kept_and_continued(client):
    first = client.post("/judge/review", data={"action": "save", "prompt": "Why?", "response1": "So."}, headers=FORM)
    assert first.status_code == 303
    page = client.get(first.headers["location"], headers=HTML).text
    assert "Still needed: response2 (Response 2)." in page
    assert entered(page, "prompt") == "Why?"
    draft = first.headers["location"].partition("draft=")[2]
    sent = {"action": "save", "draft": draft, "prompt": "Why not?", "response2": "Hm."}
    second = client.post("/judge/review", data=sent, headers=FORM)
    assert second.headers["location"] == first.headers["location"]
    slots = client.get(f"/api/review/drafts/{draft}").json()["slots"]
    assert slots == {"prompt": "Why not?", "response2": "Hm."}, "what was emptied is gone"


def test_what_is_no_form_is_refused(client):
    assert client.post("/judge/compare", json=COMPARISON, headers=FORM).status_code == 400
    kind = {"content-type": "application/x-www-form-urlencoded"}
    for body in (b"userTask=%ff", "userTask=é".encode("latin-1"), b"&".join(b"a%d=1" % at for at in range(300))):
        answer = client.post("/judge/compare", content=body, headers={**FORM, **kind})
        assert answer.status_code == 400
        assert "not a form" in answer.text


def test_a_kept_rubric_brings_its_own_sliders_and_is_judged_by(tmp_path):
    with served(tmp_path) as client:
        client.post("/api/rubrics", content=OURS)
        client.post("/api/rubrics", content=OURS.replace("compare", "dialogue").replace("our answers", "our talks"))
        twin = client.get("/judge/compare.json").json()
        assert list(twin["rubrics"].values()) == ["compare, version 1", "our answers, version 1"]
        ours = list(twin["rubrics"])[1]
        sent = {**COMPARISON, "userTask": NASTY, "rubric": ours, "weights.clarity_structure": "3"}
        chosen = client.post("/judge/compare", data={**sent, "action": "rubric"}, headers=FORM)
        assert chosen.status_code == 200
        assert chosen.headers["hx-replace-url"] == f"/judge/compare?rubric={quote(ours)}"
        assert entered(chosen.text, "userTask") == NASTY, "nothing typed is lost"
        assert re.findall(r'name="weights\.(\w+)"', chosen.text) == ["correct", "brief"]
        assert 'href="/rubrics/our%20answers"' in chosen.text
        judged = client.post("/judge/compare", data={**COMPARISON, "rubric": ours, "weights.brief": "0"}, headers=FORM)
        assert client.get(f"{judged.headers['location']}.json").json()["provenance"]["rubric"] == ours
        # Somebody keeps a newer version while the form is open: nothing else is judged by than what was seen.
        client.post("/api/rubrics", content=OURS.replace('"1"', '"2"'))
        late = client.post("/judge/compare", data={**COMPARISON, "rubric": ours}, headers=FORM)
        assert late.status_code == 400
        assert "is not stored, or has a newer version; one of compare@1, our answers@2" in late.text
        assert client.get("/judge/compare", params={"rubric": ours}, headers=HTML).status_code == 400


def test_a_rubric_of_ones_own_can_be_chosen_and_left(tmp_path):
    source = shipped("compare").source.replace("name: compare", "name: ours").replace("weight: 2.0", "weight: 12.25")
    with served(tmp_path, CompareSettings(rubric=parse(source, "ours"))) as client:
        own = client.get("/judge/compare.json").json()
        assert own["rubric"].startswith("ours@")
        assert (own["sliders"][1]["high"], own["sliders"][1]["step"]) == ("24.5", "0.25")
        other = client.get("/judge/compare.json", params={"rubric": list(own["rubrics"])[1]}).json()
        assert other["rubric"] == shipped("compare").reference
        sent = {**COMPARISON, "rubric": other["rubric"]}
        verdict = client.post("/judge/compare", data=sent, headers=JSON)
        shown = client.get(verdict.headers["location"], headers=JSON).json()
        assert shown["provenance"]["rubric"] == other["rubric"]
