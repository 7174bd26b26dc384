"""A case judged again with another judge, and the two verdicts side by side."""

from __future__ import annotations

import asyncio
import html
import re
from decimal import Decimal

import pytest
from fastapi.testclient import TestClient
from scripted.provider import judges
from server.people_samples import HTML
from server.run_pages import FORM

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.pages.demo import example
from adjudge.server.pages.judged_again import _score

JURY = "jury:embedded+embedded"
CASE = {
    "userTask": "Greet a guest.",
    "responseA": "Good evening, and welcome to our house.",
    "responseB": "Hey.",
    "weights.clarity_structure": "4",
    "judge": "embedded",
}


@pytest.fixture
def client(tmp_path):
    app = create_app(CompareSettings(), allowed_judges=(JURY,), journal=tmp_path / "journal.db")
    with TestClient(app, follow_redirects=False) as client:
        yield client


def document(client, verdict_id):
    return client.get(f"/api/verdicts/{verdict_id}").json()


@pytest.mark.parametrize("protocol", ["compare", "dialogue", "grade", "review"])
def test_a_verdict_of_any_protocol_is_judged_again_and_shown_beside_the_first(client, protocol):
    twin = client.get(f"/judge/{protocol}.json?example=1").json()
    sent = {**twin["fields"], "rubric": twin["rubric"]} | (CASE if protocol == "compare" else {})
    first = client.post(f"/judge/{protocol}", data=sent, headers=FORM).headers["location"]
    assert f'<a href="{first}/again">' in client.get(first, headers=HTML).text
    offered = re.findall(r"<option>(.*?)</option>", client.get(f"{first}/again", headers=HTML).text)
    assert JURY in offered
    assert "judged by embedded." in client.get(f"{first}/again", headers=HTML).text, "once, whatever it did"
    assert "embedded" not in offered
    answer = client.post(f"{first}/again", data={"judge": JURY}, headers=FORM)
    assert answer.status_code == 303, answer.text
    assert answer.headers["location"].startswith(f"{first}/beside/")
    one, two = (document(client, name) for name in re.findall(r"[a-z][0-9a-f]{20}", answer.headers["location"]))
    assert JURY in two["provenance"]["judge"]
    assert {**one["provenance"], "judge": ""} == {**two["provenance"], "judge": ""}, (
        "rubric, seed and sample are the same"
    )
    page = client.get(answer.headers["location"], headers=HTML)
    shown = client.get(answer.headers["location"], headers={"accept": "application/json"}).json()
    assert [each["verdict_id"] for each in shown["verdicts"]] == [one["verdict_id"], two["verdict_id"]]
    assert len(shown["scores"]) > 1
    for each in shown["scores"]:
        assert html.escape(each["name"], quote=False) in html.unescape(page.text).replace("&", "&amp;")


async def test_what_differs_between_two_verdicts_is_shown_with_the_change(tmp_path, provider):
    provider.script = lambda request: judges(lambda text: 9 if text.startswith("Hey") else 2)
    other = f"{provider.url}/v1#m"
    app = create_app(CompareSettings(), allowed_judges=(other,), journal=tmp_path / "journal.db")

    def look():
        with TestClient(app, follow_redirects=False) as client:
            first = client.post("/judge/compare", data={**CASE, "both_orders": "1"}, headers=FORM).headers["location"]
            where = client.post(f"{first}/again", data={"judge": other}, headers=FORM).headers["location"]
            shown = client.get(where, headers={"accept": "application/json"}).json()
            return client.get(where, headers=HTML).text, shown, document(client, where.rpartition("/")[2])

    page, shown, second = await asyncio.to_thread(look)
    assert second["evaluation"]["criteria_scores"]["clarity_structure"]["weight"] == 4, "the case keeps its own weights"
    assert "The two verdicts differ" in page
    scores = {each["name"]: each for each in shown["scores"]}
    clarity = next(each for name, each in scores.items() if name.startswith("Clarity") and "B's" in name)
    assert clarity["second"] == "9"
    assert clarity["differs"]
    assert float(clarity["change"].replace("\u2212", "-")) == 9 - float(clarity["first"])
    both = [each for each in shown["scores"] if each["first"] and each["second"]]
    assert shown["given_by_both"] == len(both) < len(shown["scores"]), "what one judge did not assess is no difference"
    assert shown["differing"] == sum(each["differs"] for each in both)


@pytest.mark.parametrize(
    ("first", "second", "change"),
    [
        (Decimal("62.5"), Decimal("62.504"), "+0.004"),
        (Decimal("62.5"), Decimal("62.4999"), "\u22120.0001"),
        (Decimal("0.123456"), Decimal("0.123457"), "less than 0.0001"),
        (1, 1, ""),
        (None, 1, ""),
    ],
)
def test_a_change_that_is_too_small_for_the_figures_is_not_called_zero(first, second, change):
    found = _score("score", first, second)
    assert (found["change"], found["differs"]) == (change, bool(change))


def test_only_judges_of_the_service_and_verdicts_on_one_case_are_taken(client):
    first = client.post("/judge/compare", data=CASE, headers=FORM).headers["location"]
    other = client.post("/judge/compare", data={**CASE, "responseB": "Hi."}, headers=FORM).headers["location"]
    for judge in ("openai:x", "embedded", ""):
        answer = client.post(f"{first}/again", data={"judge": judge}, headers=FORM)
        assert (answer.status_code, "is not another judge of this service" in answer.text) == (400, True), judge
    refused = client.get(f"{first}/beside/{other.rpartition('/')[2]}", headers=HTML)
    assert (refused.status_code, "they judge different cases" in refused.text) == (400, True)
    talk = client.post("/judge/dialogue", data={"transcript": example("dialogue")}, headers=FORM).headers["location"]
    assert client.get(f"{first}/beside/{talk.rpartition('/')[2]}", headers=HTML).status_code == 400
    assert client.get(f"{first}/beside/c{'0' * 20}", headers=HTML).status_code == 404
