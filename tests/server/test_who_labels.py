"""Who labels a run is picked from a list of those who may, and a number of people that cannot be is refused at once."""

from __future__ import annotations

import json
import re

import pytest
from server.people_samples import HTML, PeopleService

PAIR = {"id": "1", "task": "Say hello.", "a": "Hello, how are you today?", "b": "Hey."}


@pytest.fixture
def service(tmp_path):
    made = PeopleService(tmp_path)
    made.add("lea", "reviewer")
    made.add("vera", "viewer")
    with made.browser():
        yield made


def begun(lead):
    asked, origin = {"protocol": "compare", "source": "rows.jsonl"}, {"origin": "http://localhost"}
    run = lead.post("/api/runs", params=asked, content=json.dumps(PAIR), headers=origin).json()["run_id"]
    lead.get(f"/api/runs/{run}/events")  # until its end
    return run


def boxes(page):
    return {name: bool(ticked) for name, ticked in re.findall(r'name="who\.([\w-]+)" value="1"( checked)?', page)}


def test_people_are_ticked_in_a_list_of_those_who_may_label(service):
    lead = service.browser("lea")
    run = begun(lead)
    service.add("ann", "annotator")
    page = lead.get(f"/runs/{run}/label", headers=HTML).text
    assert boxes(page) == {"ann": False, "lea": False}, "a viewer may not label"
    assert "2 people may label here." in page
    sent = {"cases": "1", "people": "2", "who.ann": "1", "who.lea": "1"}
    assert lead.submit(f"/runs/{run}/label", sent).status_code == 303
    assert boxes(lead.get(f"/runs/{run}/label", headers=HTML).text) == {"ann": True, "lea": True}
    assert lead.submit(f"/runs/{run}/label", {"cases": "1", "people": "1", "who.ann": "1"}).status_code == 303
    service.users.remove("ann")
    assert boxes(lead.get(f"/runs/{run}/label", headers=HTML).text) == {"ann": True, "lea": False}, "still named"


def test_two_people_per_case_with_one_possible_person_is_said_at_once(service):
    lead = service.browser("lea")
    run = begun(lead)
    assert "1 person may label here." in lead.get(f"/runs/{run}/label", headers=HTML).text
    refused = lead.submit(f"/runs/{run}/label", {"cases": "1", "people": "2"})
    assert refused.status_code == 400
    assert 'id="error-people">2 people per case, but only lea may label here; add people first<' in refused.text
    ticked = lead.submit(f"/runs/{run}/label", {"cases": "1", "people": "2", "who.lea": "1"})
    assert 'id="error-people">2 people per case, but only 1 is named<' in ticked.text
    assert boxes(ticked.text) == {"lea": True}, "what was ticked stays"
