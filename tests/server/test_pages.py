"""The pages without a browser: verdicts in every form, and errors a person can read."""

import asyncio
import gc
import html
import json
import re
import time
from decimal import Decimal

import httpx2
import pytest
from fastapi.testclient import TestClient
from reports import verdict_samples
from server.run_pages import HTML, served
from stored import store_verdict

from adjudge.engine import open_engine
from adjudge.models.base import to_json
from adjudge.protocols.compare.deciding import reweighted
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.dialogue.reading import one_dialogue
from adjudge.reports import render, view_of
from adjudge.server.app import create_app
from adjudge.server.pages.demo import example

PROTOCOLS = ("compare", "dialogue", "grade", "review")
COMPARISON = {**json.loads(example("compare")), "both_orders": "1"}
PLAIN = verdict_samples.plain_sample().verdict
NASTY = "\n<script>alert(1)</script> </textarea>\u202e right to left \x07 & &amp; {{ 7*7 }}"


@pytest.fixture(scope="module")
def client(journal, examples):

    async def store():
        async with open_engine(journal) as engine:
            await store_verdict(engine, PLAIN.case, CompareSettings(), PLAIN)

    asyncio.run(store())
    app = create_app(CompareSettings(), allowed_judges=("jury:embedded+embedded",), journal=journal)
    with TestClient(app, follow_redirects=False) as client:
        yield client


# -- verdicts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_verdict_is_a_page_and_every_other_form(client, examples, protocol):
    address = f"/verdicts/{examples[protocol]}"
    page = client.get(address, headers=HTML)
    assert page.status_code == 200
    api = client.get(f"/api{address}")
    assert client.get(f"{address}.json").content == api.content
    assert client.get(address, headers={"accept": "application/json"}).content == api.content
    assert client.get(f"{address}.html").text.startswith("<!doctype html>")
    assert client.get(f"{address}.md").headers["content-type"].startswith("text/markdown")
    assert client.get(f"{address}.txt").text.strip()
    assert client.get(f"{address}.pdf").status_code == 404


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_page_shows_what_the_file_shows(client, examples, protocol):
    address = f"/verdicts/{examples[protocol]}"
    in_file = re.search(r"<main>(.*)</main>", client.get(f"{address}.html").text, re.DOTALL)[1]
    page = client.get(f"{address}?texts=raw", headers=HTML).text
    client.cookies.clear()
    sections = re.findall(r"<section.*?</section>", in_file, re.DOTALL)
    shown = [section for section in sections if 'id="behind"' not in section]
    assert len(shown) >= 3
    for section in shown:
        if protocol == "review":  # in which the fields of a decision stand
            assert all(said.strip() in page for said in re.findall(r">([^<>]+)<", section)), "the same template"
        else:
            assert section in page, "the same template"


def test_other_weights_show_the_verdict_they_give(client):
    address = f"/verdicts/{PLAIN.verdict_id}"
    given = {"clarity_structure": Decimal("4.5"), "correctness_reasoning": Decimal(0)}
    weights = {key: criterion.weight for key, criterion in PLAIN.criteria.items()} | given
    made = reweighted(PLAIN, weights)
    page = client.get(address, params={f"weights.{key}": str(value) for key, value in given.items()}, headers=HTML)
    view = view_of(made)
    for sentence in (view.headline, view.decision, view.order, view.answers[0].sum, view.answers[1].division):
        assert html.escape(sentence) in page.text
    other = "weights=clarity_structure=4.5,correctness_reasoning=0"
    assert client.get(f"{address}.json?{other}").content == to_json(made)
    assert client.get(f"{address}.md?{other}").text == render(made, "markdown")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("weights.clarity_structure=x", "weights.clarity_structure: 'x' is not a number"),
        ("weights.nothing=1", "weights.nothing: unknown criterion"),
        ("&".join(f"weights.{key}=0" for key in PLAIN.criteria), "weights: all are zero"),
    ],
)
def test_weights_that_cannot_be_are_refused_beside_the_verdict_as_it_was(client, query, said):
    page = client.get(f"/verdicts/{PLAIN.verdict_id}?{query}", headers=HTML)
    assert page.status_code == 400
    assert said in html.unescape(page.text)
    assert "Response A wins" in page.text
    answer = client.get(f"/verdicts/{PLAIN.verdict_id}.json?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(said)


def test_nobody_waits_while_a_long_dialogue_is_read_or_its_page_is_made(tmp_path):
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db")
    lines = "".join(f"USER\tWhere is my parcel {n}?\nSYSTEM\tIt comes tomorrow, number {n}.\n" for n in range(4_900))

    async def watched(request):
        """An answer, and the most processor time that the loop's own thread takes at a time until it is there."""
        longest, asked = 0.0, asyncio.create_task(request)
        while not asked.done():
            before = time.thread_time()
            await asyncio.sleep(0.002)
            longest = max(longest, time.thread_time() - before)
        return await asked, longest

    async def judged_and_shown():
        transport, headers = httpx2.ASGITransport(app), {**HTML, "origin": "http://localhost"}
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://localhost", timeout=300) as client,
        ):
            made, judging = await watched(client.post("/judge/dialogue", data={"transcript": lines}, headers=headers))
            page, showing = await watched(client.get(made.headers["location"], headers=HTML))
            assert page.text.count("Where is my parcel") >= 4_900
        return judging, showing

    before = time.thread_time()
    one_dialogue(lines)
    reading = time.thread_time() - before
    gc.disable()  # walking over all that the other tests have left takes as long as what is measured
    try:
        judging, showing = asyncio.run(judged_and_shown())
    finally:
        gc.enable()
    assert judging < reading / 2
    assert showing < 0.2


def test_a_review_has_its_five_blocks_to_copy(client, examples):
    address = f"/verdicts/{examples['review']}"
    page = client.get(address, headers=HTML).text
    blocks = [html.unescape(each) for each in re.findall(r'<pre id="block-\d"[^>]*>(.*?)</pre>', page, re.DOTALL)]
    assert len(blocks) == 5
    assert "\n\n".join(blocks) + "\n" == client.get(f"{address}.txt").text


def test_prompts_and_replies_are_a_page_of_their_own(client, examples):
    page = client.get(f"/verdicts/{PLAIN.verdict_id}/calls", headers=HTML)
    assert page.status_code == 200
    told = client.get(f"/verdicts/{PLAIN.verdict_id}/calls.json").json()
    assert [prompt["title"] for prompt in told["prompts"]] == ["Comparer, A first", "Comparer, B first"]
    assert PLAIN.case.a in told["prompts"][0]["user"]
    assert len(told["replies"]) == len(PLAIN.calls)
    empty = client.get(f"/verdicts/{examples['compare']}/calls", headers=HTML).text
    assert "No model was called" in empty
    assert client.get(f"/verdicts/{PLAIN.verdict_id}/other", headers=HTML).status_code == 404


# -- errors and strangers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    ["/nowhere", "/judge/nothing", "/verdicts/c0123456789abcdef01234", "/verdicts/<script>", "/verdicts/x/calls"],
)
def test_a_person_gets_a_page_and_a_program_the_one_shape(client, path):
    page = client.get(path, headers=HTML)
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert "<script>" not in page.text
    assert list(client.get(path).json()) == ["error"]


def test_hostile_answers_are_text_on_a_page(tmp_path):
    sample = verdict_samples.hostile_sample()

    async def store():
        async with open_engine(tmp_path / "journal.db") as engine:
            settings = CompareSettings(rubric=sample.rubric)
            await store_verdict(engine, sample.case, settings, sample.verdict)

    asyncio.run(store())
    with served(tmp_path) as client:
        page = client.get(f"/verdicts/{sample.verdict.verdict_id}", headers=HTML).text
    assert verdict_samples.SCRIPT not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert render(sample.verdict, "html", rubric=sample.rubric)


# -- texts ------------------------------------------------------------------------------------------------------------


def test_texts_are_rendered_or_raw_as_the_reader_chose(client):
    """The choice is in the address once, then in a cookie; a stored file shows the texts as they are."""
    answer = "A **bold** claim.\n\n- one\n- two"
    sent = {"userTask": "Compare.", "responseA": answer, "responseB": "Nothing bold."}
    found = client.post("/api/evaluate", json=sent).json()["verdict_id"]
    address = f"/verdicts/{found}"
    rendered = client.get(address, headers=HTML).text
    assert "<strong><mark" in rendered and "Raw texts" in rendered
    chosen = client.get(f"{address}?texts=raw", headers=HTML)
    assert "<strong><mark" not in chosen.text and "Rendered texts" in chosen.text
    assert "texts=raw" in chosen.headers["set-cookie"] and "HttpOnly" in chosen.headers["set-cookie"]
    assert "<strong><mark" not in client.get(address, headers=HTML).text
    assert "<strong><mark" in client.get(f"{address}?texts=rendered", headers=HTML).text
    assert "set-cookie" not in client.get(f"{address}?texts=%0d%0ax", headers=HTML).headers
    assert "<strong><mark" not in client.get(f"{address}.html").text
    client.cookies.clear()
