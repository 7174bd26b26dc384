"""What `adjudge serve --demo` comes with: runs that decide, labels, decisions and a trend, judged offline by a written
judge, and a note on every page that they are written."""

import time
from collections import Counter

import pytest
from fastapi.testclient import TestClient
from server.run_pages import HTML

from adjudge.protocols.base import names, protocol_of
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app

MAIN, CAREFUL = "March: heron against kestrel", "March again: a more careful judge"
REVIEWS, GRADED = "Ratings by Ines, Jonas and Mara", "A library’s assistant, held against its pages"
DIALOGUES = "A bank’s assistant, to be labelled by you"
NOTE = "were written for it. Its figures are no measurements."


def started(folder):
    return TestClient(create_app(CompareSettings(), journal=folder / "journal.db", demo=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("service")


@pytest.fixture(scope="module")
def client(folder):
    with started(folder) as client:
        while not client.app.state.people.done():
            time.sleep(0.05)
        client.app.state.people.result()
        yield client


@pytest.fixture(scope="module")
def runs(client):
    return {run["name"]: run for run in client.get("/api/runs").json()["runs"]}


def rows(client, run):
    return client.get(f"/api/runs/{run['run_id']}/rows?limit=100").json()["rows"]


def winners(rows):
    """How often each system wins, how many ties there are and how many cases are undecided."""
    return Counter(
        "undecided" if not row["decided"] else row.get(f"system_{row['winner'].lower()}", "tie") for row in rows
    )


def test_sixty_comparisons_are_decided_with_some_ties_and_a_few_undecided(client, runs):
    main = runs[MAIN]
    assert (main["state"], main["cases"], main["failures"]) == ("finished", 60, 0)
    assert winners(rows(client, main)) == {"heron-march": 35, "kestrel-march": 15, "tie": 7, "undecided": 3}
    page = client.get(f"/runs/{main['run_id']}", headers=HTML).text
    assert "heron-march beats kestrel-march" in page
    assert main["judges"] == ["written:demo"]


def test_no_judge_is_asked_and_every_quote_is_in_its_text(client, runs):
    journal = client.app.state.adjudge.engine.journal
    for run in runs.values():
        assert journal.calls_of(run["run_id"]).sent == 0 and run["failures"] == 0
        assert not any(row["invented"] or row["repaired"] for row in rows(client, run)), run["name"]
    assert sum(row["quotes"] for row in rows(client, runs[MAIN])) > 1500


def test_the_agreement_with_three_people_is_worth_reading(client, runs):
    address = f"/runs/{runs[MAIN]['run_id']}/agreement"
    report = client.get(f"{address}.json").json()
    assert report["labels"]["annotators"] == ["lena", "omar", "priya"] and report["labels"]["cases"] == 60
    assert report["counted"] == 57 and 0.75 < report["metrics"]["accuracy"]["value"] < 0.95
    assert report["stand_in"]["answer"] == "can"
    worst = report["slices"]["slices"][0]
    assert (worst["name"], worst["better"]) == ("maths", False)
    assert report["disputed"]["total"] > 5 and 0.5 < report["people_alpha"]["value"] < 0.95
    page = client.get(address, headers=HTML)
    assert page.status_code == 200 and "Too few labels" not in page.text
    assert "picked because the judge was unsure" not in page.text, "all were drawn at random"
    # One of the three has some cases left.
    people = client.get(f"/label/{runs[MAIN]['run_id']}.json").json()["people"]
    assert {each["name"]: each["progress"]["done"] for each in people} == {"lena": 60, "omar": 56, "priya": 60}


def test_some_cases_are_open_to_be_labelled_by_whoever_looks(client, runs):
    shown = client.get(f"/label/{runs[DIALOGUES]['run_id']}.json").json()
    assert shown["mine"] == {"done": 0, "of": 8} and shown["next"]
    assert client.get(f"/label/{runs[DIALOGUES]['run_id']}/{shown['next']}", headers=HTML).status_code == 200


def test_half_of_the_reviews_are_decided(client, runs):
    decided = Counter()
    for row in rows(client, runs[REVIEWS]):
        found = client.get(f"/api/verdicts/{row['verdict_id']}/decision").json()["decision"]
        decided[found and found["decision"]] += 1
    assert decided == {"accepted": 14, "fixed": 5, "rejected": 1, None: 19}


def test_answers_are_graded_with_their_claims(client, runs):
    run, results = runs[GRADED], Counter()
    assert (run["answers"], run["undecided"]) == ({"pass": 9, "fail": 3}, 0)
    for row in rows(client, run):
        verdict = client.get(f"/api/verdicts/{row['verdict_id']}").json()
        results.update(claim["result"] for item in verdict["items"] for claim in item.get("claims") or ())
    assert results.keys() == {"supported", "contradicted", "not_found"}


def test_the_examples_of_a_protocol_are_beside_its_form_with_their_verdicts(client):
    headlines = [each["headline"] for each in client.get("/judge/grade.json").json()["examples"]]
    assert {"Failed with 50.0 of 100", "Failed with 65.0 of 100"} <= set(headlines)


def test_dialogues_are_judged_with_objections(client, runs):
    answers = runs[DIALOGUES]["answers"]
    assert sum(answers.values()) == 10 and len(answers) >= 4
    listed = client.get(f"/runs/{runs[DIALOGUES]['run_id']}/cases.json").json()["cases"]["outcomes"]
    assert [each["said"] for each in listed] == ["All", "100", "80", "60", "20"], "the best first"
    verdicts = (client.get(f"/api/verdicts/{row['verdict_id']}").text for row in rows(client, runs[DIALOGUES]))
    assert sum('"agree":false' in verdict.replace(" ", "") for verdict in verdicts) >= 3


def test_a_system_gets_better_over_five_weeks(client, runs):
    points = over_time(client, "source=heron")
    assert [each["run"]["created"][:10] for each in points] == [
        "2026-03-02", "2026-03-09", "2026-03-16", "2026-03-23", "2026-03-30",
    ]  # fmt: skip
    # Every week has cases of its own, so there is nothing to compare.
    assert {each["before"] for each in points} == {""}
    assert "What changed" not in client.get("/runs/over-time?source=heron", headers=HTML).text
    shares = [each["share"] for each in points]
    assert shares == sorted(shares) and shares[0] < 0.45 < 0.75 < shares[-1]
    judged = over_time(client, "judge=written:demo&protocol=compare")
    assert [bool(each["share"]) for each in judged if "Week" in each["run"]["name"]] == [True] * 5


def over_time(client, query):
    """The points of a trend, once the runs in it are summarised, which is done in the background."""
    until = time.monotonic() + 300
    while len(points := client.get(f"/runs/over-time.json?{query}").json()["points"]) < 5:
        assert time.monotonic() < until
        time.sleep(0.1)
    return points


def test_two_judges_of_the_same_cases_can_be_compared(client, runs):
    query = f"a={runs[MAIN]['run_id']}&b={runs[CAREFUL]['run_id']}"
    changes = client.get(f"/runs/compare.json?{query}").json()["changes"]
    assert 5 <= changes["changed"] <= 15
    assert runs[CAREFUL]["agreement"]["agreeing"] > runs[MAIN]["agreement"]["agreeing"]


def test_every_page_says_that_judge_and_labels_are_written(client, runs, tmp_path):
    ids = {run["run_id"]: run for run in runs.values()}
    row = rows(client, runs[MAIN])[0]
    paths = ["/", *(f"/judge/{name}" for name in names()), "/runs", "/label", "/annotators", "/rubrics", "/audit"]
    paths += [f"/runs/{run_id}" for run_id in ids] + [f"/runs/{run_id}/cases/0" for run_id in ids]
    paths += [f"/label/{run_id}" for run_id in ids] + [f"/verdicts/{row['verdict_id']}", "/runs/over-time"]
    paths += [f"/runs/{runs[MAIN]['run_id']}/agreement", "/rubrics/library_assistant", "/annotators/jonas"]
    paths += [f"/runs/compare?a={runs[MAIN]['run_id']}&b={runs[CAREFUL]['run_id']}"]
    for path in paths:
        page = client.get(path, headers=HTML)
        assert (page.status_code, NOTE in page.text) == (200, True), path
    missing = client.get("/nowhere", headers=HTML)
    assert (missing.status_code, NOTE in missing.text) == (404, True)
    with TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db")) as other:
        assert NOTE not in other.get("/", headers=HTML).text


def test_a_second_start_makes_no_second_ones(client, runs, folder):
    with started(folder) as again:
        assert {run["name"]: run["run_id"] for run in again.get("/api/runs").json()["runs"]} == {
            name: run["run_id"] for name, run in runs.items()
        }
        while not again.app.state.people.done():
            time.sleep(0.05)
        assert len(again.get("/audit.json").json()["entries"]) == len(client.get("/audit.json").json()["entries"])


def test_what_is_shipped_for_it_is_small():
    sizes = [file.stat().st_size for name in names() for file in (protocol_of(name).folder / "demo").glob("*")]
    assert 0 < sum(sizes) < 1_500_000
