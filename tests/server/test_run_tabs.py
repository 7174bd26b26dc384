"""A run is one place: its tabs on every page of it, for every role, each with its own address."""

from __future__ import annotations

import re

from server.labelled import CASES, say, set_up
from server.run_pages import FORM, HTML, acting_as


def tabs_of(page):
    """By address: the words of a tab, and which one is the current one."""
    nav = re.search(r'(?s)<nav class="tabs" aria-label="This run">(.*?)</nav>', page)
    assert nav, page[:2000]
    found = re.findall(r'<a href="([^"]+)"( aria-current="page")?>(.*?)</a>', nav[1])
    current = [address for address, marked, _ in found if marked]
    return {address: re.sub("<[^>]+>", "", words) for address, _, words in found}, current


def lit(page):
    """The pages that the menu marks as the current one."""
    menu = re.search(r'(?s)<nav aria-label="Pages">(.*?)</nav>', page)
    return re.findall(r' aria-current="page">(.*?)</a>', menu[1])


def test_every_page_of_a_run_has_its_tabs_with_its_own_marked_and_lights_runs_in_the_menu(app, client, fresh):
    run = fresh()
    set_up(client, run)
    for place in ("/label", "/label/1"):
        with acting_as(app, "ann", "annotator"):  # who may open nothing else of it
            assert lit(client.get(f"/runs/{run}{place}", headers=HTML).text) == ["Label"]
    for number in range(1, CASES + 1):
        say(client, run, number, "1")
    own = ("", "/cases", "/label", "/agreement", "/settings")
    within = {"/cases/1": "/cases", "/cases/1?sort=case": "/cases", "/label/1": "/label"}
    for place, tab in {**dict(zip(own, own, strict=True)), **within, "/label/side-by-side": "/label"}.items():
        page = client.get(f"/runs/{run}{place}", headers=HTML).text
        tabs, current = tabs_of(page)
        assert tabs == {
            f"/runs/{run}": "Results",
            f"/runs/{run}/cases": f"Cases {CASES}",
            f"/runs/{run}/label": f"Label {CASES} of {CASES}",
            f"/runs/{run}/agreement": "Agreement",
            f"/runs/{run}/settings": "Settings",
        }, place
        assert (current, lit(page)) == ([f"/runs/{run}{tab}"], ["Runs"]), place


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


def test_old_addresses_lead_to_the_new_ones(client, to_label):
    run = to_label("compare")
    for old, new in (
        ("/label/{}", "/runs/{}/label"),
        ("/label/{}.json", "/runs/{}/label.json"),
        ("/label/{}/3?page=2", "/runs/{}/label/3?page=2"),
        ("/label/{}/side-by-side", "/runs/{}/label/side-by-side"),
        ("/runs/{}?outcome=A&q=x", "/runs/{}/cases?outcome=A&q=x"),
        ("/runs/{}?sort=-margin&page=2", "/runs/{}/cases?sort=-margin&page=2"),
    ):
        answer = client.get(old.format(run), headers={} if ".json" in old else HTML)
        assert answer.status_code in (307, 308) and answer.headers["location"] == new.format(run), old


def test_a_form_of_an_old_address_arrives_with_its_body(client, fresh):
    run = fresh()
    answer = client.post(f"/label/{run}", data={"cases": "3", "people": "1"}, headers=FORM, follow_redirects=True)
    assert answer.status_code == 200 and answer.url.path == f"/runs/{run}/label"
    assert tabs_of(answer.text)[0][f"/runs/{run}/label"] == "Label 0 of 3"
