"""What the page of a case says about people's labels, and to whom: the blind rules of the labelling pages hold."""

from __future__ import annotations

import json
import re

import pytest
from reports.verdict_samples import plain_sample
from server.labelled import CASES, folder_of, orders, say, set_up
from server.run_pages import HTML, acting_as

from adjudge.server.pages.case_labels import CaseAbout


def said(page):
    """What the banner says of judge and people, and what the column lists, by person."""
    banner = re.search(r'(?s)<p class="sides-said">(.*?)</p>', page)
    listed = re.findall(r'<li><bdi>(.*?)</bdi>: <b dir="auto">(.*?)</b>(.*?)</li>', page)
    strip = re.compile(r"<[^>]+>")
    return strip.sub("", banner[1]) if banner else "", {
        who: (label, strip.sub("", more)) for who, label, more in listed
    }


def answer_as(app, client, run, person, number, better, **more):
    """Label a case with a winner in the case's own terms, whichever order this person sees."""
    with acting_as(app, person):
        order = orders(app, run, person)[number][0]
        key = {"A": "1", "B": "2", "tie": "t"}[better]
        say(client, run, number, {"1": "2", "2": "1"}.get(key, key) if order == "ba" else key, **more)


@pytest.fixture
def labelled(app, client, fresh):
    """A run whose first case ann and bob have labelled differently; zoe has yet to label it, and rita reviews."""
    run = fresh()
    with acting_as(app, "rita", "reviewer"):
        set_up(client, run, people=3, named="ann, bob, zoe")
    answer_as(app, client, run, "ann", 1, "A", note="<i>clear</i>", flag="1")
    answer_as(app, client, run, "bob", 1, "tie")
    return run, orders(app, run, "ann")[1][1]


def seen_by(app, client, labelled, person, role):
    run, position = labelled
    with acting_as(app, person, role):
        return client.get(f"/runs/{run}/cases/{position}", headers=HTML)


def differs_as_it_should(banner, people):
    judge = re.match(rf"judge (A|B|tie|undecided) · people {people}", banner)[1]
    return banner.endswith("they differ") == (judge not in ("undecided", people))


@pytest.mark.parametrize(("same", "other", "differ"), [(9, 1, False), (1, 9, True), (1, 1, False), (0, 0, False)])
def test_a_verdict_differs_from_people_as_agreement_counts(same, other, differ):
    verdict = plain_sample().verdict
    assert verdict.decided
    winner = verdict.answer
    labels = (winner,) * same + ({"A": "B", "B": "A"}[winner],) * other
    assert CaseAbout("c", (), values=labels).judged(verdict).differ is differ


def test_who_may_review_labels_sees_all_of_a_case_beside_the_verdict(app, client, labelled):
    page = seen_by(app, client, labelled, "rita", "reviewer").text
    banner, listed = said(page)
    assert re.fullmatch(r"judge (A|B|tie|undecided) · people A, tie", banner), "people are not of one opinion"
    assert listed == {
        "ann": ("A", " flagged&lt;i&gt;clear&lt;/i&gt;"),
        "bob": ("tie", ""),
        "Label in the file": ("B", ""),
    }


def test_who_has_yet_to_label_a_case_sees_no_label_of_it(app, client, labelled):
    """A reviewer among those who label sees the verdict, as on all pages, but nobody's label, not even the file's."""
    answer = seen_by(app, client, labelled, "zoe", "reviewer")
    assert answer.status_code == 200
    assert said(answer.text) == ("", {})
    assert seen_by(app, client, labelled, "zoe", "annotator").status_code == 404, "an annotator sees no verdict at all"


def test_an_annotator_sees_her_own_label_of_her_own_run_and_nobody_elses(app, client, labelled):
    run, _ = labelled
    file = folder_of(app, run) / "service.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"owner": "ann"}))
    assert seen_by(app, client, labelled, "ann", "annotator").status_code == 409, "cases wait for her label"
    for number in range(2, CASES + 1):
        answer_as(app, client, run, "ann", number, "B")
    banner, listed = said(seen_by(app, client, labelled, "ann", "annotator").text)
    assert differs_as_it_should(banner, "A")
    assert listed.keys() == {"ann", "Label in the file"}


@pytest.mark.parametrize(("protocol", "key"), [("dialogue", "4"), ("review", "6")])
def test_a_number_that_people_gave_is_beside_the_judges(app, client, fresh, protocol, key):
    run = fresh(protocol)
    set_up(client, run, cases=3)
    number = 1
    say(client, run, number, key)
    order, position = orders(app, run, "local")[number]
    banner, listed = said(client.get(f"/runs/{run}/cases/{position}", headers=HTML).text)
    value = {"dialogue": "80", "review": "6" if order == "ab" else "2"}[protocol]
    assert listed["local"] == (value, "")
    assert re.match(rf"judge \d+ · people {value}", banner)


def test_labels_that_cannot_be_read_keep_nobody_from_the_case(app, client, labelled):
    run, _ = labelled
    (app.state.adjudge.runs.find(run).directory.path / "labels" / "ann.jsonl").write_text("no label\n{}\n")
    banner, listed = said(seen_by(app, client, labelled, "rita", "reviewer").text)
    assert listed == {"Label in the file": ("B", "")} and differs_as_it_should(banner, "B")
