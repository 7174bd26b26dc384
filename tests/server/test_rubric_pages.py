"""The pages of rubrics without a browser: what is shown, how one is changed, and what is refused with its line."""

import html
import re
from dataclasses import replace

import pytest
from server.forms import fields_in
from server.run_pages import FORM, HTML, JSON, served
from server.test_rubrics_api import OURS

from adjudge.protocols.base import names, protocol_of
from adjudge.protocols.rubrics import parse, shipped, starter

EDIT = "/rubrics/our answers/edit"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with served(tmp_path_factory.mktemp("rubrics")) as client:
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
        ("gap", "-1,10 +1,10"), ("removed", 'version: "1"'), ("added", 'version: "3"'),
        ("removed", "weight: 2"), ("added", "weight: 4"),
    ]  # fmt: skip
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


def test_the_page_of_a_rubric_of_items_shows_and_edits_points_kinds_and_the_pass_mark(client):
    text = text_in(client.get("/rubrics/grade/edit", headers=HTML).text)
    fault = "  - {key: rude, name: Rude, points: -2, required: true, quote: none, ask: 'Is it rude?'}\n"
    changed = text.replace("pass_at: 0.7", "pass_at: 0.65") + fault
    twin = client.post("/rubrics/grade/edit", data={"source": changed, "action": "check"}, headers=JSON).json()
    assert twin["rubric"]["numbers"] == [["pass at", "0.65"]]
    shown = {each["key"]: (each["weight"], each["share"], each["scale"]) for each in twin["rubric"]["criteria"]}
    assert shown["does_the_task"] == ("3", "25\u00a0%", "Levels, 1 to 5; required, at least 3")
    assert shown["covers_the_reference"] == ("3", "25\u00a0%", "Points of the reference")
    assert shown["rude"] == ("−2", "", "Yes or no; required")
    page = client.post("/rubrics/grade/edit", data={"source": changed, "action": "check"}, headers=FORM).text
    assert "Pass at</dt><dd>0.65" in page
    nameless = changed.replace("name: Rude, ", "").replace("key: rude", "key: is_rude")
    form = client.post("/rubrics/grade/edit", data={"source": nameless, "action": "fields"}, headers=FORM).text
    assert re.findall(r"<legend>\d\. ([^<]+)", form)[::5] == ["Does what the task asks", "Is rude"]
    wrong = client.post(
        "/rubrics/grade/edit", data={"source": changed.replace("points: -2", "points: 0")}, headers=JSON
    )
    assert wrong.json()["error"].startswith("rude.points: 0; a number above 0, or below 0 for a fault")


# -- as fields --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", names())
def test_both_views_write_the_same_text_and_an_unchanged_form_changes_nothing(client, protocol):
    address = f"/rubrics/{protocol}/edit"
    for text in (text_in(client.get(address, headers=HTML).text), starter(protocol)):
        form = client.post(address, data={"source": text, "action": "fields"}, headers=FORM).text
        sent = fields_in(form)
        assert sent["view"] == "fields"
        rubric = parse(text, "text")
        assert [sent[f"entry.{at}.key"] for at in range(len(rubric.criteria))] == list(rubric.weights)
        for action in ("check", "yaml", "kind"):
            assert text_in(client.post(address, data={**sent, "action": action}, headers=FORM).text) == text


def edited(client, text, action="kind", status=200, **changes):
    """The text after a form was sent with these changes."""
    shown = client.post(EDIT, data={"source": text, "action": "fields"}, headers=FORM).text
    sent = {**fields_in(shown), "action": action, **{name.replace("__", "."): value for name, value in changes.items()}}
    page = client.post(EDIT, data=sent, headers=FORM)
    assert page.status_code == status
    return page.text


WRAPPED = """\
name: ours
version: "1"
protocol: grade
items:
  - key: polite
    points: 2
    ask: |
      Is the answer polite to the visitor, from its first words on to
      the last, and does it keep calm where the visitor does not?

      Count as rude:
      - words that blame
      - no greeting
"""


def test_a_field_shows_paragraphs_without_the_breaks_that_keep_lines_short(client):
    form = client.post(EDIT, data={"source": WRAPPED, "action": "fields"}, headers=FORM).text
    shown = fields_in(form)["entry.0.ask"]
    first, _, rest = shown.partition("\n")
    assert first.endswith("from its first words on to the last, and does it keep calm where the visitor does not?")
    assert rest == "\nCount as rude:\n- words that blame\n- no greeting\n"
    assert text_in(edited(client, WRAPPED)) == WRAPPED, "what is left alone stays wrapped"
    kept = text_in(edited(client, WRAPPED, entry__0__ask=shown.replace("greeting", "greeting at all")))
    (item,) = parse(kept, "text").criteria
    assert (
        item.guidance.split()
        == parse(WRAPPED, "text").criteria[0].guidance.replace("greeting", "greeting at all").split()
    )
    assert f"      {first}\n" in kept


COMMENTED = """\
# ours
name: our answers  # and nobody else's
version: "1"
protocol: grade
items:  # what counts
  # first of all
  - key: polite # always
    points: 2
    # asked of people
    ask: Is it polite?

  # then
  - {key: short, points: 1, check: {max_words: 50}}
  - key: solves
    points: 3
    ask: How far?
    scale:
      1: not   # at all
      2: fully
# the end
"""


SHORT = "- {key: short, points: 1, check: {max_words: 50}}"
FIRST, SECOND, THIRD = (COMMENTED.index(words) for words in ("  # first", "\n  # then", "  - key: solves"))


@pytest.mark.parametrize(
    ("changes", "was", "becomes"),
    [
        ({"name": "theirs"}, "name: our answers  #", "name: theirs  #"),
        ({"version": "2"}, 'version: "1"', "version: '2'"),
        ({"pass_at": "0.5"}, 'version: "1"\n', 'version: "1"\npass_at: 0.5\n'),
        ({"entry__0__key": "kind"}, "key: polite #", "key: kind #"),
        ({"entry__0__ask": "Is it?\nReally: yes?"}, "ask: Is it polite?", "ask: |-\n      Is it?\n      Really: yes?"),
        ({"entry__0__required": "true"}, "points: 2\n", "points: 2\n    required: true\n"),
        ({"action": "down.0"}, COMMENTED[FIRST:THIRD], COMMENTED[SECOND:THIRD] + COMMENTED[FIRST:SECOND]),
        ({"action": "remove.1"}, f"\n  # then\n  {SHORT}\n", ""),
        ({"entry__1__points": "4"}, SHORT, "- key: short\n    points: 4\n    check: {max_words: 50}"),
        ({"entry__2__scale": "0: not\n1: fully: all # of it"}, "1: not   # at all\n      2: fully",
         "0: not\n      1: 'fully: all # of it'"),
        ({"entry__1__check": 'contains: ["a, b", c]\nmatches: [0-9]+'}, SHORT,
         "- key: short\n    points: 1\n    check:\n      contains: [\"a, b\", c]\n      matches: '[0-9]+'"),
        ({"entry__2__kind": "ask"}, "\n    scale:\n      1: not   # at all\n      2: fully", ""),
        ({"entry__0__kind": "covers"}, "points: 2\n    # asked of people\n    ask: Is it polite?\n",
         "points: 2\n    covers: reference\n    # asked of people\n"),
    ],
    ids=range(13),
)  # fmt: skip
def test_a_changed_field_is_written_into_the_text_and_the_rest_stays(client, changes, was, becomes):
    text = text_in(edited(client, COMMENTED, **changes))
    assert text == COMMENTED.replace(was, becomes)
    if changes.get("entry__1__check") is None:
        parse(text, "text")


@pytest.mark.parametrize("protocol", names())
def test_an_item_is_added_filled_in_moved_and_kept_without_a_script(client, protocol):
    kinds = [kind.name for kind in protocol_of(protocol).rubric.kinds]
    scale = "1: no\n2: yes" if protocol == "grade" else "min: 1\nmax: 3"
    filled = {
        "weight": "0",
        "points": "1",
        "guidance": "Is it?",
        "ask": "Is it?",
        "scale": scale,
        "check": "max_words: 9",
    }
    where, count = f"/rubrics/{protocol}/edit", len(shipped(protocol).criteria)
    for kind in kinds:
        page = client.get(where, headers=HTML).text
        page = client.post(where, data={**fields_in(page), "action": "add", "new_kind": kind}, headers=FORM).text
        sent = fields_in(page)
        sent |= {f"entry.{count}.{name}": value for name, value in filled.items() if f"entry.{count}.{name}" in sent}
        sent |= {f"entry.{count}.key": "new_one", "name": f"with {kind}", "action": f"up.{count}"}
        page = client.post(where, data=sent, headers=FORM).text
        kept = client.post(where, data={**fields_in(page), "action": "keep"}, headers=FORM)
        assert kept.status_code == 303, kept.text
        rubric = parse(client.get(f"/rubrics/with {kind}.json").json()["source"], "kept")
        *first, last = shipped(protocol).weights
        assert list(rubric.weights) == [*first, "new_one", last]


@pytest.mark.parametrize(
    ("changes", "beside", "said"),
    [
        ({"entry__0__points": "many"}, "entry.0.points", "polite.points: 'many' is not a number"),
        ({"entry__0__points": ""}, "entry.0.points", "polite.points: '' is not a number"),
        ({"entry__0__key": "1st"}, "entry.0.key", "key: '1st'; a letter, then"),
        ({"entry__2__scale": "1: one"}, "entry.2.scale", "solves.scale: 1 level; 2 to 11 are allowed"),
        ({"entry__2__scale": "1: one\n2:"}, "entry.2.scale", "solves.scale.2: expected text, found nothing"),
        ({"entry__2__at_least": "2"}, "entry.2.at_least", "solves.at_least: the item is not required"),
        ({"entry__1__check": "max_wrds: 1"}, "entry.1.check", "max_wrds: unknown field of short.check"),
        ({"entry__1__key": "polite"}, "", "items: polite appears twice"),
        ({"pass_at": "7"}, "pass_at", "pass_at: 7; a number from 0 to 1 is allowed"),
        ({"name": "a/b"}, "", "name: 'a/b'; 1 to 64 letters"),
        ({"name": ""}, "name", "name: expected text, found nothing"),
    ],
)
def test_an_error_is_beside_its_field_and_nothing_typed_is_lost(client, changes, beside, said):
    page = edited(client, COMMENTED, "keep", 400, **changes)
    shown = html.unescape(page)
    assert said in shown
    assert re.findall(r'<p class="refusal" id="error-([^"]+)"', page) == [beside] * bool(beside)
    assert page.count('aria-invalid="true"') == bool(beside)
    assert re.findall(r'<a href="#([^"]+)">Go to the field</a>', page) == [beside] * bool(beside)
    sent = fields_in(page)
    assert all(sent[name.replace("__", ".")] == value for name, value in changes.items())
    in_yaml = client.post(EDIT, data={"source": text_in(page), "action": "keep"}, headers=FORM)
    assert said in html.unescape(in_yaml.text)
    assert ("Line " in in_yaml.text) == (changes != {"name": "a/b"})


def test_a_text_that_is_no_form_is_shown_as_yaml_with_the_reason(client):
    for text in (
        "name: [",
        "{name: a, protocol: compare, criteria: []}",
        "protocol: duel\ncriteria: []",
        "protocol: compare",
        "protocol: compare\ncriteria: 3",
        "protocol: compare\ncriteria: [3]",
        "protocol: compare\ncriteria: [{key: [a]}]",
        "protocol: compare\ncriteria:\n  - &one {key: a}\n  - *one\n",
        "protocol: compare\ncriteria: [{weigth: 1}]",
        "- a",
        "",
    ):
        page = client.post(EDIT, data={"source": text, "action": "fields"}, headers=FORM)
        assert (page.status_code, text_in(page.text)) == (200, text)
        assert "This text cannot be shown as fields. Line " in page.text and 'class="lines"' in page.text, text
        sent = client.post(EDIT, data={"source": text, "view": "fields", "action": "up.0"}, headers=FORM)
        assert sent.status_code == 400 or "This text cannot be shown as fields" in sent.text, "sent by a program"


@pytest.mark.parametrize(
    "listed",
    [
        "criteria: [{key: a, weight: 1, guidance: x}, {key: b, weight: 2, guidance: y}]\nname: n\nversion: '1'\n",
        "name: n\nversion: '1'\ncriteria:\n- key: a\n  weight: 1\n  guidance: x\n-\n  {key: b, weight: 2, guidance: y}",
        "name: n\ncriteria:\n- {key: a, weight: 1, guidance: x}\n- {key: b, weight: 2,\n guidance: y}\nversion: '1'",
    ],
)
def test_a_list_written_in_another_way_is_edited_too(client, listed):
    text = f"protocol: compare\nscale: {{min: 1, max: 5}}\n{listed}"
    swapped = parse(text_in(edited(client, text, "up.1")), "text")
    assert list(swapped.weights) == ["b", "a"]
    changed = parse(text_in(edited(client, text, entry__1__weight="3", scale="min: 1\nmax: 7")), "text")
    assert [int(weight) for weight in changed.weights.values()] == [1, 3]
    assert changed.scale.high == 7
    emptied = text_in(edited(client, text_in(edited(client, text, "remove.0")), "remove.0"))
    assert "entry.0.key" in fields_in(edited(client, emptied, "add"))
