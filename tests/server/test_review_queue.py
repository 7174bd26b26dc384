"""The queue of reviews: its order and filters, what comes next, who may see it, and where each role starts."""

from __future__ import annotations

import re
import time

import pytest
from server.people_samples import PeopleService
from server.run_pages import FORM, HTML, acting_as, lines_of, ran, served
from server.test_decisions import fields_in

BOTH = ("instruction_following", "truthfulness", "style_clarity")


def row(at, annotator, wrong):
    """A review with this many ratings that are off their scale, which are always corrected."""
    rated = {f"response1_{key}": 9 if place < wrong else 3 for place, key in enumerate(BOTH)}
    rated |= {"response2_verbosity": -9} if wrong == 3 else {}
    texts = {"response1": f"The prime after {at} is the number 17.", "response2": f"It is 17, and not {at}."}
    return {"id": f"case{at}", "annotator": annotator, "prompt": f"Name a prime after {at}.", **texts, **rated}


ROWS = [row(11, "ann", 0), row(12, "bob", 1), row(13, "ann", 3), row(14, "bob", 2), row(15, "ann", 1)]


def begin(client, rows, **settings):
    return ran(client, lines_of(*rows), {"origin": str(client.base_url).rstrip("/")}, protocol="review", **settings)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with served(tmp_path_factory.mktemp("queue")) as client:
        client.run = begin(client, ROWS)
        yield client


@pytest.fixture
def client(running):
    running.app.state.adjudge.audit.database.change("delete from adjudge_audit")
    return running


def queue(client, query="", run=None):
    return client.get(f"/runs/{run or client.run}/review.json{query}").json()


def positions(client, query=""):
    return [each["position"] for each in queue(client, query)["reviews"]]


def decide(client, position, query="", decision="accepted", **changes):
    """Send the form of a review as its page has it; where that leads."""
    address = f"/runs/{client.run}/review/{position}{query}"
    page = client.get(address, headers=HTML).text
    action = re.search(r'id="decide"[^>]* action="([^"]*)"', page)[1].replace("&amp;", "&")
    assert action == address
    answer = client.post(action, data={**fields_in(page), "decision": decision, **changes}, headers=FORM)
    return answer.headers.get("location", answer.status_code)


# -- order and filters ------------------------------------------------------------------------------------------------


def test_the_list_says_of_each_review_whose_it_is_what_changes_and_what_was_decided_by_whom(client):
    before = queue(client)
    assert (before["decided"], before["of"], positions(client)) == (0, 5, [0, 1, 2, 3, 4])
    with acting_as(client.app, "eve", "reviewer"):
        decide(client, 1, decision="rejected", reason="Not ours.")
    after = queue(client, "?show=all")
    assert (after["decided"], after["of"]) == (1, 5)
    second = after["reviews"][1]
    assert (second["case"], second["annotator"], second["decision"], second["person"]) == (
        "case12", "bob", "rejected", "eve",
    )  # fmt: skip
    assert second["time"].startswith("20")
    assert (second["corrected"], len(second["changes"])) == (1, 1)
    assert re.fullmatch(r"Response 1, Instruction Following: 9 → [123]", second["changes"][0])
    assert "Response 2, Verbosity: −9 → 0" in after["reviews"][2]["changes"], "a minus sign, not a hyphen"
    page = client.get(f"/runs/{client.run}/review?show=all", headers=HTML).text
    for said in ("1 of 5 decided", "case12", "Rejected", "<bdi>eve</bdi>", "Response 1, Instruction Following: 9 →"):
        assert said in page, said


def test_undecided_decided_changed_most_and_annotator_choose_and_order_the_reviews(client):
    for position in (0, 3):
        decide(client, position)
    assert positions(client) == positions(client, "?show=undecided") == [1, 2, 4]
    assert positions(client, "?show=decided") == [0, 3]
    assert positions(client, "?annotator=ann") == [2, 4]
    assert positions(client, "?annotator=ann&show=all") == [0, 2, 4]
    assert positions(client, "?annotator=nobody") == []
    assert positions(client, "?show=all&sort=changed") == [2, 3, 1, 4, 0]
    assert positions(client, "?sort=changed&annotator=ann") == [2, 4]
    assert [(each["annotator"], each["undecided"], each["reviews"]) for each in queue(client)["annotators"]] == [
        ("ann", 2, 3),
        ("bob", 1, 2),
    ]
    assert client.get(f"/runs/{client.run}/review.json?show=some").status_code == 400


def test_deciding_leads_to_the_next_undecided_of_the_queue_and_filters_stay_in_the_address(client):
    home = f"/runs/{client.run}/review"
    assert client.get(f"{home}/next", headers=HTML).headers["location"] == f"{home}/0"
    assert decide(client, 1) == f"{home}/2?last=1"
    assert decide(client, 4) == f"{home}/0?last=4", "from the beginning after the end"
    assert decide(client, 0, "?annotator=ann") == f"{home}/2?annotator=ann&last=0"
    assert decide(client, 2, "?annotator=ann") == f"{home}?annotator=ann&last=2", "nothing of ann is left"
    assert queue(client, "?annotator=ann")["next"] == ""
    assert client.get(f"{home}/next?annotator=ann", headers=HTML).headers["location"] == f"{home}?annotator=ann"
    page = client.get(f"{home}/2?annotator=ann&last=0", headers=HTML).text
    assert "4 of 5 decided" in page
    assert re.search(rf'role="status" data-decided="r\w+">Accepted: <bdi>case11</bdi>. <a href="{home}/0', page)
    assert decide(client, 3) == f"{home}?last=3"
    assert "All reviews are decided." in client.get(home, headers=HTML).text


def test_equal_reviews_are_decided_once(client):
    """They have one verdict, so the second is never the next to decide."""
    run = begin(client, [row(21, "ann", 1), {**row(21, "ann", 1), "id": "again"}, row(22, "ann", 1)])
    page = client.get(f"/runs/{run}/review/0", headers=HTML).text
    sent = {**fields_in(page), "decision": "accepted"}
    answer = client.post(f"/runs/{run}/review/0", data=sent, headers=FORM)
    assert answer.headers["location"] == f"/runs/{run}/review/2?last=0"
    assert queue(client, run=run)["decided"] == 2


def test_a_refused_decision_stays_in_its_place(client):
    home = f"/runs/{client.run}/review"
    assert decide(client, 2, "?sort=changed", "rejected") == 400
    answer = client.post(f"{home}/2?sort=changed", data={"seen": "7", "decision": "accepted"}, headers=FORM)
    assert (answer.status_code, "somebody decided in the meantime" in answer.text) == (400, True)
    assert f'action="{home}/2?sort=changed"' in answer.text
    assert queue(client)["decided"] == 0


def test_previous_and_next_walk_through_what_is_shown(client):
    def near(position, query):
        page = client.get(f"/runs/{client.run}/review/{position}{query}", headers=HTML).text
        links = (rf'rel="{rel}" data-key="[jk]" href="/runs/{client.run}/review/(\d+)' for rel in ("prev", "next"))
        found = [re.search(link, page) for link in links]
        return tuple(each and int(each[1]) for each in found)

    decide(client, 1)
    assert near(2, "") == (0, 3), "the one between is decided"
    assert near(2, "?show=all") == (1, 3)
    assert near(2, "?annotator=ann") == (0, 4)
    assert near(3, "?show=all&sort=changed") == (2, 1)


def test_a_review_outside_of_the_queue_says_how_far_it_is_and_leads_there(client):
    verdict_id = queue(client)["reviews"][2]["verdict_id"]
    for address in (f"/verdicts/{verdict_id}", f"/runs/{client.run}/cases/2"):
        page = client.get(address, headers=HTML).text
        assert "0 of 5 decided" in page
        assert f'href="/runs/{client.run}/review/2"' in page
        with acting_as(client.app, "vic", "viewer"):
            assert "decided" not in client.get(address, headers=HTML).text


def test_only_reviews_have_a_queue(client):
    pair = {"task": "Name a prime.", "a": "It is 7.", "b": "It is 8."}
    run = ran(client, lines_of(pair))
    assert client.get(f"/runs/{run}/review").status_code == 404
    assert 'id="judge"' in client.get("/", headers=HTML).text, "without accounts one starts with the form"
    for name in ("99", "first", "1x"):
        assert client.get(f"/runs/{client.run}/review/{name}").status_code == 404


@pytest.mark.slow
def test_a_queue_of_two_thousand_reviews_answers_in_half_a_second(client, tmp_path):
    """On an idle core; the limit is on this process's own time, which other processes do not lengthen."""
    run = begin(client, [row(at, f"p{at % 7}", at % 4) for at in range(2000)], name="Many")
    ids = [one for _, one, _ in client.app.state.adjudge.engine.journal.outcomes(run)]
    assert len(set(ids)) == 2000
    log = client.app.state.adjudge.audit.database
    statement = "insert into adjudge_audit (time, person, action, subject, detail) values ('2026', 'eve', ?, ?, '{}')"
    log.changes(*((statement, ("review.accepted", one)) for one in ids[:1000]))
    queue(client, run=run)
    for address in ("?sort=changed", "?show=all&page=40", "?annotator=p3", "/1500?sort=changed", "/next?sort=changed"):
        began = time.process_time()
        answer = client.get(f"/runs/{run}/review{address}", headers=HTML)
        assert answer.status_code in (200, 303)
        assert time.process_time() - began < 0.5, address
    assert queue(client, run=run)["decided"] == 1000


# -- who may, and where they start ------------------------------------------------------------------------------------


def test_each_role_starts_where_its_work_is(tmp_path):
    service = PeopleService(tmp_path)
    for role in ("viewer", "annotator", "reviewer", "admin"):
        service.add(role, role)
    with service.browser("reviewer") as reviewer:

        def starts(name):
            return service.browser(name).get("/", headers=HTML).headers["location"]

        assert [starts(role) for role in ("viewer", "annotator", "reviewer", "admin")] == [
            "/runs", "/label", "/runs", "/runs",
        ]  # fmt: skip
        first = begin(reviewer, ROWS[:1])
        assert starts("reviewer") == f"/runs/{first}/review", "the run with undecided reviews"
        begin(reviewer, ROWS[:2])
        assert starts("reviewer") == "/review", "several have some"
        listed = reviewer.get("/review.json").json()["runs"]
        assert [(each["decided"], each["of"]) for each in listed] == [(0, 2), (0, 1)]
        page = reviewer.get(f"/runs/{first}/review/0", headers=HTML).text
        sent = {**fields_in(page), "decision": "accepted"}
        assert reviewer.post(f"/runs/{first}/review/0", data=sent, headers=reviewer.form).status_code == 303
        # Both runs have this review, so its decision counts in both.
        listed = reviewer.get("/review.json").json()["runs"]
        assert sorted((each["decided"], each["of"]) for each in listed) == [(1, 1), (1, 2)]
        assert starts("admin") == "/runs"
        assert "Judge" in reviewer.get("/judge", headers=HTML).text
        json_form = reviewer.get("/", headers={"accept": "application/json"})
        assert json_form.json()["protocol"] == "compare", "programs keep the form"
