"""A run is one place: its tabs on every page of it, for every role, each with its own address."""

from __future__ import annotations

import re

import pytest
from server.labelled import CASES, say, set_up
from server.run_pages import FORM, HTML, acting_as


def tabs_of(page):
    """By address: the words of a tab, and which one is the current one."""
    nav = re.search(r'(?s)<nav class="tabs" aria-label="This run">(.*?)</nav>', page)
    assert nav, page[:2000]
    found = re.findall(r'<a href="([^"]+)"( aria-current="page")?>(.*?)</a>', nav[1])
    current = [address for address, marked, _ in found if marked]
    return {address: re.sub("<[^>]+>", "", words) for address, _, words in found}, current


@pytest.mark.parametrize("place", ["", "/cases", "/label", "/agreement", "/settings"])
def test_every_page_of_a_run_has_its_tabs_with_its_own_marked(client, fresh, place):
    run = fresh()
    set_up(client, run)
    for number in range(1, CASES + 1):
        say(client, run, number, "1")
    tabs, current = tabs_of(client.get(f"/runs/{run}{place}", headers=HTML).text)
    assert tabs == {
        f"/runs/{run}": "Results",
        f"/runs/{run}/cases": f"Cases {CASES}",
        f"/runs/{run}/label": f"Label {CASES} of {CASES}",
        f"/runs/{run}/agreement": "Agreement",
        f"/runs/{run}/settings": "Settings",
    }
    assert current == [f"/runs/{run}{place}"]


@pytest.mark.parametrize(
    ("page", "tab"),
    [
        ("/cases/1", "/cases"),
        ("/cases/1?sort=case", "/cases"),
        ("/label/1", "/label"),
        ("/label/side-by-side", "/label"),
    ],
)
def test_pages_within_a_tab_mark_it(client, fresh, page, tab):
    run = fresh()
    set_up(client, run, named="somebody")
    assert tabs_of(client.get(f"/runs/{run}{page}", headers=HTML).text)[1] == [f"/runs/{run}{tab}"]


def lit(page):
    """The pages that the menu marks as the current one."""
    menu = re.search(r'(?s)<nav aria-label="Pages">(.*?)</nav>', page)
    return re.findall(r' aria-current="page">(.*?)</a>', menu[1])


@pytest.mark.parametrize(
    "place", ["", "/cases", "/cases/1", "/label", "/label/1", "/label/side-by-side", "/agreement", "/settings"]
)
def test_the_menu_lights_runs_on_every_page_of_a_run(app, client, fresh, place):
    run = fresh()
    set_up(client, run)
    assert lit(client.get(f"/runs/{run}{place}", headers=HTML).text) == ["Runs"]
    if place in ("/label", "/label/1"):
        with acting_as(app, "ann", "annotator"):  # who may open nothing else of it
            assert lit(client.get(f"/runs/{run}{place}", headers=HTML).text) == ["Label"]


def test_tabs_are_what_the_caller_may_open(app, client, fresh):
    run = fresh()
    label = f"/runs/{run}/label"
    assert label in tabs_of(client.get(f"/runs/{run}", headers=HTML).text)[0]
    set_up(client, run)
    with acting_as(app, "ann", "annotator"):
        # Ann does not own the run, and has cases of it to label: results stay closed.
        assert list(tabs_of(client.get(label, headers=HTML).text)[0]) == [label]
        assert list(tabs_of(client.get(f"{label}/1", headers=HTML).text)[0]) == [label]
    with acting_as(app, "vic", "viewer"):
        assert label not in tabs_of(client.get(f"/runs/{run}", headers=HTML).text)[0]
        assert client.get(f"/runs/{run}/settings", headers=HTML).text.count("Delete the run") == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/label/{}", "/runs/{}/label"),
        ("/label/{}.json", "/runs/{}/label.json"),
        ("/label/{}/3?page=2", "/runs/{}/label/3?page=2"),
        ("/label/{}/side-by-side", "/runs/{}/label/side-by-side"),
        ("/runs/{}?outcome=A&q=x", "/runs/{}/cases?outcome=A&q=x"),
        ("/runs/{}?sort=-margin&page=2", "/runs/{}/cases?sort=-margin&page=2"),
    ],
)
def test_old_addresses_lead_to_the_new_ones(client, to_label, old, new):
    run = to_label("compare")
    answer = client.get(old.format(run), headers={} if ".json" in old else HTML)
    assert answer.status_code in (307, 308) and answer.headers["location"] == new.format(run)


def test_a_form_of_an_old_address_arrives_with_its_body(client, fresh):
    run = fresh()
    answer = client.post(f"/label/{run}", data={"cases": "3", "people": "1"}, headers=FORM, follow_redirects=True)
    assert answer.status_code == 200 and answer.url.path == f"/runs/{run}/label"
    assert tabs_of(answer.text)[0][f"/runs/{run}/label"] == "Label 0 of 3"
