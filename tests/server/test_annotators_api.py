"""Report cards in the service: the figures of `adjudge annotators`, everybody's for reviewers, else one's own."""

from __future__ import annotations

import html
import json
from pathlib import Path
from urllib.parse import quote

import pytest
from server.run_pages import FORM, HTML, acting_as, served

from adjudge import server
from adjudge.agreement.labels.sampling import read_selection
from adjudge.models.base import to_json
from adjudge.protocols.review.annotators import annotator_report
from adjudge.results.run import open_run

NASTY = "<script>alert(1)</script>/x & y"
EXAMPLE = Path(server.__file__).parents[1] / "protocols" / "review" / "reviews.jsonl"
RATED = [json.loads(line) for line in EXAMPLE.read_text("utf-8").splitlines()]


def begin(client, rows, name, protocol="review"):
    content = "".join(json.dumps(row) + "\n" for row in rows)
    settings = {"protocol": protocol, "name": name, "source": "rows.jsonl"}
    run = client.post("/api/runs", params=settings, content=content).json()["run_id"]
    client.get(f"/api/runs/{run}/events")  # until its end
    return run


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("service")) as client:
        yield client


@pytest.fixture(scope="module")
def runs(client):
    """Ratings of the first five reviews of three people, and a second run of a person with a hostile name."""
    assert client.get("/api/annotators").json() == {"annotators": [], "runs": [], "notes": [], "next": None}
    assert "No report cards yet" in client.get("/annotators", headers=HTML).text
    rows = [row for row in RATED if int(row["id"].split("-")[1]) <= 5]
    first = begin(client, rows, "January")
    second = begin(client, [{**row, "annotator": NASTY} for row in rows[:3]], "February")
    begin(client, [{"task": "Say hello.", "a": "Hello to you.", "b": "Hey."}], "No review", "compare")
    return first, second


def test_the_figures_are_those_of_the_command(client, runs):
    folder = client.app.state.adjudge.runs.folder / "runs" / runs[0]
    told = json.loads(to_json(annotator_report([open_run(folder)])))["annotators"]
    for card in told:
        found = client.get(f"/api/annotators/{card['annotator']}", params={"run": runs[0]}).json()
        assert found.pop("runs") == [runs[0]]
        assert found == card


def test_everybody_is_listed_by_name_page_by_page(client, runs):
    names, cursor = [], None
    for _ in range(2):
        asked = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        page = client.get("/api/annotators", params=asked).json()
        names += [each["annotator"] for each in page["annotators"]]
        cursor = page["next"]
    assert (names, cursor) == (sorted([NASTY, "ines", "jonas", "mara"]), None)
    assert page["runs"] == list(runs)
    one = client.get("/api/annotators", params={"run": runs[1]}).json()
    assert ([each["annotator"] for each in one["annotators"]], one["runs"]) == ([NASTY], [runs[1]])


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/api/annotators/nobody", 404, "nobody: no such annotator"),
        ("/api/annotators?run=r00000000000000000", 404, "r00000000000000000: no finished review run has this id"),
        ("/api/annotators?limit=0", 400, "limit: "),
        ("/api/annotators?cursor=x", 400, "cursor: 'x'"),
        ("/annotators/nobody", 404, "/annotators/nobody: not found"),
        ("/annotators?page=0", 400, "page: '0'"),
    ],
)
def test_errors_have_the_one_shape(client, runs, path, status, said):
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.json()["error"].startswith(said)


def test_the_page_lists_everybody_and_leads_to_their_cards(client, runs):
    page = client.get("/annotators", headers=HTML).text
    for name in ("ines", "jonas", "mara"):
        assert f'href="/annotators/{name}"' in page
    assert "<script>alert" not in page
    assert html.escape(NASTY).replace("&#x27;", "'") in page
    assert 'id="card-1"' not in page
    assert f'value="{runs[0]}">January' in page
    card = client.get(f"/annotators/{quote(NASTY)}", headers=HTML)
    assert card.status_code == 200
    assert "<script>alert" not in card.text
    jonas = client.get("/annotators/jonas", headers=HTML, params={"run": runs[0]}).text
    for part in (
        "Corrected, by dimension",
        "Lessons",
        "Over time",
        "Most frequent corrections",
        "Agreement with others",
    ):
        assert part in jonas
    assert "ines" not in jonas
    assert f'href="/annotators?run={runs[0]}"' in jonas


def test_a_page_has_a_twin(client, runs):
    assert client.get("/annotators.json").json() == client.get("/api/annotators").json()
    assert client.get("/annotators/mara.json").json() == client.get("/api/annotators/mara").json()
    accepted = client.get("/annotators/mara", headers={"accept": "application/json"})
    assert accepted.json()["annotator"] == "mara"


def test_without_the_role_of_a_reviewer_one_sees_a_card_of_ones_own_and_no_others(client, runs):
    for role in ("viewer", "annotator"):
        with acting_as(client.app, "mara", role):
            listed = client.get("/api/annotators").json()
            assert [each["annotator"] for each in listed["annotators"]] == ["mara"]
            assert (listed["runs"], listed["notes"]) == ([], [])
            assert client.get("/api/annotators/mara").status_code == 200
            assert client.get("/api/annotators/jonas").status_code == 404
            assert client.get("/annotators/jonas").status_code == 404
            led = client.get("/annotators", headers=HTML)
            assert (led.status_code, led.headers["location"]) == (303, "/annotators/mara")
            page = client.get("/annotators/mara", headers=HTML).text
            assert not [told for told in ("jonas", "January", "February", "script>alert") if told in page]
    with acting_as(client.app, "stranger"):
        assert client.get("/api/annotators").json()["annotators"] == []
        assert "No report cards yet" in client.get("/annotators", headers=HTML).text
    with acting_as(client.app, "rita", "reviewer"):
        assert len(client.get("/api/annotators").json()["annotators"]) == 4


def test_a_run_that_does_not_say_who_rated_has_no_cards_and_says_so(client, runs):
    rows = [{key: value for key, value in row.items() if key != "annotator"} for row in RATED[:2]]
    run = begin(client, rows, "Nameless")
    found = client.get("/api/annotators", params={"run": run}).json()
    assert (found["annotators"], found["notes"]) == ([], ["no column says who rated a case"])
    page = client.get("/annotators", params={"run": run}, headers=HTML).text
    assert "No column says who rated a case." in page
    assert str(client.app.state.adjudge.runs.folder) not in page


def test_a_card_leaves_out_what_its_reader_still_has_to_label_in_whichever_run_it_is(client, runs):
    folder = client.app.state.adjudge.runs.folder / "runs"
    again = begin(client, [row for row in RATED if int(row["id"].split("-")[1]) <= 5], "January again")
    with acting_as(client.app, "mara"):
        whole = client.get("/api/annotators/mara").json()
    setup = {"cases": "2", "people": "1", "named": "mara"}
    assert client.post(f"/runs/{again}/label", data=setup, headers=FORM).status_code == 303
    picks = read_selection(open_run(folder / again)).picks[:2]
    opened = [open_run(folder / run) for run in (*runs, again)]
    left_out = [(opened[-1], [pick.position for pick in picks])]
    cards = json.loads(to_json(annotator_report(opened, left_out=left_out)))["annotators"]
    expected = next(each for each in cards if each["annotator"] == "mara")
    with acting_as(client.app, "mara"):
        card = client.get("/api/annotators/mara").json()
        assert card != whole
        assert card == {**expected, "runs": []}
        for number in (1, 2):
            assert client.post(f"/runs/{again}/label/{number}", data={"answer": "4"}, headers=FORM).status_code == 303
        assert client.get("/api/annotators/mara").json() == whole


def test_a_run_that_one_may_not_see_is_as_unknown_as_one_that_does_not_exist(client, runs):
    with acting_as(client.app, "mara"):
        for path in ("/api/annotators", "/api/annotators/mara", "/annotators.json", "/annotators/mara.json"):
            there, nowhere = (client.get(path, params={"run": run}) for run in (runs[0], "r00000000000000000"))
            assert there.status_code == nowhere.status_code == 404
            assert there.text.replace(runs[0], "r00000000000000000") == nowhere.text
