"""The pages of a run without a browser: what it shows, its cases, who may, two runs and many over time."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from scripted.provider import after, judges
from server.run_pages import BAD, HTML, LINES, NASTY, TALK, act, ended, judged, reached, run_of, twin, upload

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.pages import run_cases, run_changes


def test_a_run_shows_pictures_and_its_cases_have_a_page_with_the_beginning_of_their_task(client, compared):
    page = client.get(f"/runs/{compared}", headers=HTML).text
    titles = re.findall(r'<h2 id="picture-\d+">([^<]+)', page)
    assert {"Wins of A and of B", "Margins", "Cases by criterion", "Cost and time"} <= set(titles)
    assert '<table class="cases">' not in page
    page = client.get(f"/runs/{compared}/cases", headers=HTML).text
    assert "Explain the number 3 to a friend." in page
    assert "<script>alert" not in page
    assert f'href="/runs/{compared}/cases/3"' in page


def test_a_runs_page_and_its_status_say_first_how_the_judge_behaved(client, compared):
    page = client.get(f"/runs/{compared}", headers=HTML).text.replace("\N{NO-BREAK SPACE}", " ")
    conduct = client.get(f"/api/runs/{compared}").json()["conduct"]
    assert conduct["level"] == "too_few" and conduct["observed"]["orders"]["of"] == 12
    assert f"<p>{conduct['sentence']}</p>" in page
    assert page.index('<section class="conduct too_few"') < page.index('<section class="hero')


def test_filters_and_their_counts_fit_and_combine(client, compared):
    every = client.get(f"/api/runs/{compared}/rows").json()["rows"]

    def fitting(**query):
        found = twin(client, f"/runs/{compared}", **query)["cases"]
        assert found["found"] == len(found["lines"])
        return [line["position"] for line in found["lines"]]

    def expected(fits):
        return [row["position"] for row in every if fits(row)]

    for choice in twin(client, f"/runs/{compared}")["cases"]["outcomes"]:
        outcome = re.search(r"outcome=(\w+)", choice["link"])
        assert len(fitting(**({"outcome": outcome[1]} if outcome else {}))) == choice["cases"]
    assert fitting(outcome="failed") == [12]
    decided = expected(lambda row: row["decided"] and row["winner"] == "A")
    assert fitting(outcome="A") == decided
    assert fitting(outcome="A", differs="true") == [at for at in decided if not every[at]["agrees"]]
    differing = expected(lambda row: row["decided"] and row["agrees"] is False)
    assert fitting(differs="true") == differing, "typed by hand, it lists what its chip counts"
    assert any(row["agrees"] is False and not row["decided"] for row in every)
    chips = {each["key"]: each for each in twin(client, f"/runs/{compared}")["cases"]["more"]}
    assert chips["differs"]["cases"] == len(differing) and chips["differs"]["link"].endswith("/cases?differs=true")
    assert fitting(order_flipped="true") == expected(lambda row: row["order_consistent"] is False)
    assert fitting(q="NUMBER 7 TO") == [7]
    assert fitting(q="", outcome="") == list(range(13)), "an empty field of a form asks for nothing"


@pytest.mark.parametrize("words", ["' or 1=1 --", "A' or 'a'='a", "1; drop table results", "%", "\x00", "🙂" * 200])
def test_no_word_of_a_request_is_ever_part_of_a_question(client, compared, words):
    assert twin(client, f"/runs/{compared}", q=words)["cases"]["found"] == 0
    assert client.get(f"/runs/{compared}/cases", params={"outcome": words[:20]}).status_code == 200
    assert client.get(f"/runs/{compared}/cases", params={"sort": words[:40]}).status_code == 400
    assert twin(client, f"/runs/{compared}")["cases"]["found"] == 13


def test_the_order_and_the_page_are_in_the_address(client, compared, monkeypatch):
    monkeypatch.setattr(run_cases, "_AT_A_TIME", 5)
    rows = [row for row in client.get(f"/api/runs/{compared}/rows").json()["rows"] if row["difference"] is not None]
    largest = [row["position"] for row in sorted(rows, key=lambda row: (-row["difference"], row["position"]))]
    seen, address = [], f"/runs/{compared}/cases?sort=-difference"
    while address:
        found = client.get(address, headers={"accept": "application/json"}).json()["cases"]
        seen += [line["position"] for line in found["lines"]]
        address = found["after"]
    assert seen == [*largest, 12], "what has no number comes last"
    assert (found["number"], found["pages"], found["before"]) == (
        3, 3, f"/runs/{compared}/cases?sort=-difference&page=2",
    )  # fmt: skip
    refused = client.get(f"/runs/{compared}/cases?sort=color", headers=HTML)
    assert refused.status_code == 400 and "one of position, case, outcome" in refused.text


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "html", "markdown"])
def test_every_export_is_a_link_that_keeps_the_filters(client, compared, form):
    links = [link for _, link in twin(client, f"/runs/{compared}", q="number 7 to")["exports"]]
    (link,) = (link for link in links if f"format={form}" in link)
    answer = client.get(link)
    named = "numbers script alert(1) script back & {{ 7 7 }}"
    assert answer.status_code == 200 and quote(named) in answer.headers["content-disposition"]
    if form in ("csv", "jsonl"):
        assert answer.text.count("case-7") >= 1 and "case-6" not in answer.text


# -- a case -----------------------------------------------------------------------------------------------------------


def test_a_case_is_its_verdict_with_its_neighbours_among_those_that_fit(client, compared):
    verdict_id = client.get(f"/api/runs/{compared}/rows").json()["rows"][7]["verdict_id"]
    page = client.get(f"/runs/{compared}/cases/7?q=number+7", headers=HTML).text
    assert "case 1 of 1" in page and 'rel="next"' not in page
    page = client.get(f"/runs/{compared}/cases/7?sort=-case", headers=HTML).text
    assert f'<a rel="prev" data-key="k" href="/runs/{compared}/cases/8?sort=-case">' in page
    assert f'<a rel="next" data-key="j" href="/runs/{compared}/cases/6?sort=-case">' in page
    assert f'href="/runs/{compared}/cases?sort=-case#case-7"' in page
    alone = client.get(f"/verdicts/{verdict_id}", headers=HTML).text
    people = re.compile(r'(?s)<section class="card" aria-labelledby="people">.*?</section>')
    on_screen = re.compile(r'(?s)<div class="screen">.*<h2 id="weights">')
    assert on_screen.search(people.sub("", page))[0].split() == on_screen.search(alone)[0].split()
    assert client.get(f"/runs/{compared}/cases/7.json").json() == client.get(f"/verdicts/{verdict_id}.json").json()
    hostile = client.get(f"/runs/{compared}/cases/4", headers=HTML)
    assert hostile.status_code == 200 and "<script>alert" not in hostile.text


@pytest.mark.parametrize(
    ("position", "said"),
    [
        (7, "judge <b>A</b> · people <b>A</b>"),
        (9, "judge <b>A</b> · people <b>B</b> they differ"),
        (6, "judge <b>undecided</b> · people <b>B</b>"),
    ],
)
def test_the_banner_of_a_case_says_its_id_its_systems_and_what_judge_and_people_say(client, compared, position, said):
    page = client.get(f"/runs/{compared}/cases/{position}", headers=HTML).text
    banner = page[page.index('<header class="banner') : page.index("</header>", page.index('<header class="banner'))]
    systems = "wren against crow" if position % 2 else "crow against wren"
    assert f'Case <b dir="auto">case-{position}</b>' in banner and systems in banner
    assert re.sub(r' dir="auto"|</?span[^>]*>', "", banner).count(f"{said}</p>") == 1
    column = page[page.index('<div class="screen-side"') :]
    assert f'<bdi>Label in the file</bdi>: <b dir="auto">{said.split("people <b>")[1][0]}</b>' in column


def test_other_weights_leave_a_case_in_its_run_and_its_list(client, compared):
    page = client.get(f"/runs/{compared}/cases/7?sort=-case&weights.correctness_reasoning=5", headers=HTML).text
    assert f'action="/runs/{compared}/cases/7"' in page
    assert '<input type="hidden" name="sort" value="-case">' in page
    assert f'<a class="reset" href="/runs/{compared}/cases/7?sort=-case">' in page
    assert '<details class="card folding" aria-labelledby="weights" open>' in page
    assert f'href="/runs/{compared}/cases/8?sort=-case"' in page
    plain = client.get(f"/runs/{compared}/cases/7", headers=HTML).text
    assert '<details class="card folding" aria-labelledby="weights">' in plain


def test_a_case_without_a_verdict_says_why(client, compared):
    page = client.get(f"/runs/{compared}/cases/12", headers=HTML).text
    assert "No verdict" in page and "at least one character that is not white space is needed" in page
    told = client.get(f"/runs/{compared}/cases/12.json").json()
    assert (told["case"], told["place"]) == ("broken", "line 13")
    for name in ("13", "-1", "x", "99999999999", "12.md"):
        assert client.get(f"/runs/{compared}/cases/{name}").status_code == 404


# -- while it runs ----------------------------------------------------------------------------------------------------


async def test_a_run_that_goes_on_is_followed_paused_cancelled_and_resumed(provider, tmp_path):
    # The calls of one case are answered, the others wait for the event; a row that cannot be judged needs none.
    held = asyncio.Event()
    provider.script = lambda request: judges() if b"the number 0 to" in request.body else after(held, judges())

    def followed(release):
        settings = CompareSettings(judge=f"{provider.url}/v1#m", one_order=True)
        app = create_app(settings, journal=tmp_path / "journal.db")
        with TestClient(app, follow_redirects=False) as client:
            run_id = run_of(upload(client, LINES + BAD, judge=settings.judge, skip_bad="true"))
            act(client, run_id, "start")
            reached(client, run_id, lambda status: (status["verdicts"], status["failures"]) == (1, 1))
            page = client.get(f"/runs/{run_id}", headers=HTML).text
            assert '<noscript><meta http-equiv="refresh"' in page, "without a script the page loads again"
            assert "<title>15 % · pairs.jsonl" in page
            piece = client.get(f"/runs/{run_id}/progress", headers=HTML)
            assert 'hx-trigger="every 2s"' in piece.text and "<html" not in piece.text
            assert "hx-refresh" not in piece.headers
            assert piece.text.lstrip().startswith("<title>15 % · pairs.jsonl · adjudge</title>")
            live = twin(client, f"/runs/{run_id}")["progress"]
            assert [words.split(" ", 1)[1] for _, _, words in live["bar"]][-2:] == ["failed", "waiting"]
            assert sum(share for _, share, _ in live["bar"]) == pytest.approx(1)
            assert live["left"] == "", "two cases say nothing about the rest"
            assert {each["words"] for each in live["latest"]} > {"failed"}
            for each in live["latest"]:
                link = f"/runs/{run_id}/cases/{each['position']}"
                assert link in piece.text and client.get(link, headers=HTML).status_code == 200
            act(client, run_id, "pause")
            pausing = twin(client, f"/runs/{run_id}")["progress"]
            assert (pausing["state"], pausing["words"]) == ("running", "pausing")
            assert [action for action, _, _ in pausing["acts"]] == ["resume", "cancel"]
            act(client, run_id, "cancel")
            stopped = twin(client, f"/runs/{run_id}")["progress"]
            assert (stopped["state"], stopped["status"]["stopped_by"]) == ("stopped", "cancelled")
            piece = client.get(f"/runs/{run_id}/progress", headers=HTML)
            assert piece.headers["hx-refresh"] == "true" and "every 2s" not in piece.text
            assert "Resume" in piece.text and "11 cases are open" in piece.text
            release()
            reached(client, run_id, lambda _: run_id not in app.state.adjudge.runs._tasks)
            act(client, run_id, "resume")
            assert ended(client, run_id)["progress"]["status"]["verdicts"] == 12
            told = [entry.action for entry in app.state.adjudge.audit.entries(run_id)]
            assert told == [f"run.{done}" for done in ("uploaded", "started", "paused", "cancelled", "resumed")]

    loop = asyncio.get_running_loop()
    await asyncio.to_thread(followed, lambda: loop.call_soon_threadsafe(held.set))


# -- who --------------------------------------------------------------------------------------------------------------


# -- two runs, and many -----------------------------------------------------------------------------------------------


def test_two_runs_are_compared_by_what_changed_with_links_to_both_verdicts(client, compared, again):
    chosen = twin(client, "/runs/compare", a=compared)
    assert chosen["changes"] is None and {compared, again} <= {line["run_id"] for line in chosen["runs"]}
    changes = twin(client, "/runs/compare", a=compared, b=again)["changes"]
    assert changes["lead"][0] == "12 cases in both runs, 12 with a verdict in both."
    assert changes["changed"] == len(changes["cases"]) > 0
    first = changes["cases"][0]
    for link in first["links"]:
        assert client.get(link, headers=HTML).status_code == 200
    titles = [section["title"] for section in changes["sections"]]
    assert "Is the difference real?" in titles and "Not compared" in titles
    page = client.get("/runs/compare", params={"a": compared, "b": again}, headers=HTML).text
    assert "Where verdicts went" in page and "<script>alert" not in page
    assert client.get("/runs/compare", params={"a": compared, "b": compared}).status_code == 400
    assert client.get("/runs/compare", params={"a": compared, "b": "r" + "0" * 17}).status_code == 404


def test_runs_of_another_protocol_cannot_be_compared(client, compared):
    talk = judged(client, TALK, protocol="dialogue", name="talk")
    assert talk not in [line["run_id"] for line in twin(client, "/runs/compare", a=compared)["runs"]]
    answer = client.get("/runs/compare", params={"a": compared, "b": talk})
    assert answer.status_code == 400 and "both runs must have the same protocol" in answer.json()["error"]
    assert "Overall experience" in client.get(f"/runs/{talk}", headers=HTML).text


def test_runs_of_more_cases_than_are_looked_at_say_so(client, compared, again, monkeypatch):
    for looked_at, said in ((200, False), (13, False), (12, True)):  # one run has 13 cases
        monkeypatch.setattr(run_changes, "SAMPLE", looked_at)
        page = client.get("/runs/over-time?source=wren", headers=HTML).text
        assert (f"as far as {looked_at} cases of each show" in page) is said
        assert twin(client, "/runs/over-time", source="wren")["points"][1]["since"], "they have cases in common"


def test_a_judge_and_a_system_are_followed_over_their_runs(client, compared, again):
    talk = judged(client, TALK, protocol="dialogue", name="talk")
    latest = twin(client, "/runs/over-time", judge="embedded")
    assert (latest["protocols"], latest["protocol"]) == (["compare", "dialogue"], "dialogue")
    assert talk in [point["run"]["run_id"] for point in latest["points"]]
    page = client.get("/runs/over-time?judge=embedded", headers=HTML).text
    assert f'measured on its <a href="/runs/{talk}/agreement">Agreement</a> page only' in page
    found = twin(client, "/runs/over-time", judge="embedded", protocol="compare")
    assert {point["run"]["protocol"] for point in found["points"]} == {"compare"}
    assert found["judges"] == ["embedded"] and found["systems"] == ["crow", "wren"]
    points = {point["run"]["run_id"]: point for point in found["points"]}
    summary = client.get(f"/api/runs/{compared}").json()["agreement"]
    decided = summary["labelled"] - summary["undecided"]
    assert points[compared]["share"] == pytest.approx(summary["agreeing"] / decided)
    assert points[compared]["low"] < points[compared]["share"] < points[compared]["high"]
    assert points[again]["before"] == f"/runs/compare?a={compared}&b={again}"
    assert points[again]["since"] == points[compared]["run"]["name"]
    system = twin(client, "/runs/over-time", source="wren")["points"]
    assert [point["run"]["run_id"] for point in system] == [compared, again], "the oldest first"
    assert 0 <= system[0]["low"] <= system[0]["share"] <= system[0]["high"] <= 1
    assert client.get("/runs/over-time?judge=a&source=b").status_code == 400
    answer = client.get("/runs/over-time?judge=embedded&protocol=debate")
    assert (
        answer.status_code == 400
        and "there is none called 'debate'; one of compare, dialogue" in answer.json()["error"]
    )
    other = client.get("/runs/over-time?judge=embedded&protocol=review", headers=HTML).text
    assert "No finished review run is of this judge." in other and "protocol=compare" in other
    empty = client.get("/runs/over-time", params={"source": NASTY}, headers=HTML).text
    assert "No finished run is of this system" in empty and "<script>alert" not in empty
