"""The list of recent verdicts: whose they are, their order, how they are found, and its pages."""

from __future__ import annotations

import json
import re

import pytest
from fastapi.testclient import TestClient
from server.people_samples import HTML, PeopleService

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.pages.demo import example

FORM = {**HTML, "origin": "http://testserver"}
HELLO = {"task": "Greet a guest.", "a": "Good evening, and welcome to our house.", "b": "Hey."}
RIVER = {"task": "Name a river.", "a": "The Danube is a long river in Europe.", "b": "No."}


@pytest.fixture
def client(tmp_path):
    with TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db"), follow_redirects=False) as client:
        yield client


def judged(client, case, **more):
    return client.post("/api/evaluate", json=case, **more).json()["verdict_id"]


def listed(client, address="/verdicts.json", **more):
    return [each["verdict_id"] for each in client.get(address, **more).json()["verdicts"]]


def test_recent_verdicts_are_listed_the_newest_first_and_found_by_words(client):
    assert "No verdict yet." in client.get("/verdicts", headers=HTML).text
    hello, river = judged(client, HELLO), judged(client, RIVER)
    talk = client.post("/judge/dialogue", data={"transcript": example("dialogue")}, headers=FORM).headers["location"]
    talk_id = talk.rpartition("/")[2]
    assert listed(client) == [talk_id, river, hello]
    openings = [each["opening"] for each in client.get("/verdicts.json").json()["verdicts"]]
    assert openings[1:] == [RIVER["task"], HELLO["task"]] and openings[0].startswith("USER: Hello, my parcel")
    page = client.get("/verdicts", headers=HTML).text
    assert re.findall(r'<li class="card"><a href="(/verdicts/\w+)">', page)[0] == talk
    assert "Name a river." in page
    for words, found in {"danube NAME": [river], "overall experience": [talk_id], "danube guest": []}.items():
        assert listed(client, f"/verdicts.json?q={words}") == found, words
    assert "No verdict has these words." in client.get("/verdicts?q=danube+guest", headers=HTML).text
    assert '<a href="/verdicts">Recent verdicts</a>' in client.get("/judge", headers=HTML).text


def test_a_long_list_has_pages_that_keep_the_words(client):
    ids = [judged(client, {**HELLO, "task": f"Greet guest {n}."}) for n in range(23)]
    first = client.get("/verdicts.json?q=guest").json()
    assert [each["verdict_id"] for each in first["verdicts"]] == ids[:2:-1]
    assert first["next_address"] in client.get("/verdicts?q=guest", headers=HTML).text.replace("&amp;", "&")
    rest = client.get(first["next_address"], headers={"accept": "application/json"}).json()
    assert ([each["verdict_id"] for each in rest["verdicts"]], rest["next"]) == (ids[2::-1], None)


def test_the_cases_of_a_run_are_in_its_own_list(client):
    asked = {"protocol": "compare", "source": "rows.jsonl"}
    run = client.post("/api/runs", params=asked, content=json.dumps({"id": "1", **RIVER})).json()["run_id"]
    client.get(f"/api/runs/{run}/events")
    hello = judged(client, HELLO)
    assert listed(client) == [hello]


def test_people_and_tokens_see_the_verdicts_they_asked_for(tmp_path):
    service = PeopleService(tmp_path)
    for name in ("ann", "eve"):
        service.add(name)
    token = {"authorization": f"Bearer {service.tokens.add('nightly')}"}
    origin = {"origin": "http://localhost"}
    with service.browser():
        ann, eve = service.browser("ann"), service.browser("eve")
        hers = judged(ann, HELLO, headers=origin)
        nightly = judged(service.browser(), RIVER, headers=token)
        data = {"accept": "application/json"}
        assert listed(ann, headers=data) == [hers]
        assert listed(eve, headers=data) == []
        assert listed(service.browser(), headers=token) == [nightly]
