"""The lists of verdicts, on the page and over the API: their order, how they are found, and their pages."""

from __future__ import annotations

import re

from server.run_pages import FORM, HTML, JSON, LINES, ran

from adjudge.server.pages.demo import example

HELLO = {"task": "Greet a guest.", "a": "Good evening, and welcome to our house.", "b": "Hey."}
RIVER = {"task": "Name a river.", "a": "The Danube is a long river in Europe.", "b": "No."}


def judged(client, case):
    return client.post("/api/evaluate", json=case).json()["verdict_id"]


def listed(client, address="/verdicts.json"):
    return [each["verdict_id"] for each in client.get(address).json()["verdicts"]]


def test_recent_verdicts_are_listed_the_newest_first_and_found_by_words_in_pages_that_keep_them(alone):
    assert "No verdict yet." in alone.get("/verdicts", headers=HTML).text
    hello, river = judged(alone, HELLO), judged(alone, RIVER)
    talk = alone.post("/judge/dialogue", data={"transcript": example("dialogue")}, headers=FORM).headers["location"]
    talk_id = talk.rpartition("/")[2]
    assert listed(alone) == [talk_id, river, hello]
    openings = [each["opening"] for each in alone.get("/verdicts.json").json()["verdicts"]]
    assert openings[1:] == [RIVER["task"], HELLO["task"]] and openings[0].startswith("USER: Hello, my parcel")
    page = alone.get("/verdicts", headers=HTML).text
    assert re.findall(r'<li class="card"><a href="(/verdicts/\w+)">', page)[0] == talk
    assert "Name a river." in page
    for words, found in {"danube NAME": [river], "overall experience": [talk_id], "danube guest": []}.items():
        assert listed(alone, f"/verdicts.json?q={words}") == found, words
    assert "No verdict has these words." in alone.get("/verdicts?q=danube+guest", headers=HTML).text
    assert '<a href="/verdicts">Recent verdicts</a>' in alone.get("/judge", headers=HTML).text
    ids = [hello, *(judged(alone, {**HELLO, "task": f"Greet guest {n}."}) for n in range(22))]
    first = alone.get("/verdicts.json?q=guest").json()
    assert [each["verdict_id"] for each in first["verdicts"]] == ids[:2:-1]
    assert first["next_address"] in alone.get("/verdicts?q=guest", headers=HTML).text.replace("&amp;", "&")
    rest = alone.get(first["next_address"], headers=JSON).json()
    assert ([each["verdict_id"] for each in rest["verdicts"]], rest["next"]) == (ids[2::-1], None)


def test_the_api_lists_all_verdicts_with_filters_and_pages_and_the_page_those_of_no_run(alone):
    run = ran(alone, LINES)
    single = judged(alone, HELLO)
    assert listed(alone) == [single], "the cases of a run are in its own list"
    seen, page = [], {"next": ""}
    while page["next"] is not None:
        asked = {"limit": 5} | ({"cursor": page["next"]} if page["next"] else {})
        page = alone.get("/api/verdicts", params=asked).json()
        seen += page["verdicts"]
    assert [line["runs"] for line in seen] == [[], *[[run]] * 12]
    assert seen[0]["verdict_id"] == single and len({line["verdict_id"] for line in seen}) == 13
    for wanted, fits in (
        ({"answer": "A"}, lambda line: line["answer"] == "A"),
        ({"decided": False}, lambda line: not line["decided"]),
        ({"run": run}, lambda line: run in line["runs"]),
        ({"protocol": "review"}, lambda line: False),
    ):
        found = alone.get("/api/verdicts", params={"limit": 200} | wanted).json()["verdicts"]
        assert found == [line for line in seen if fits(line)], wanted
