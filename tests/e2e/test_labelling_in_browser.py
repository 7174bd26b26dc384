"""Labelling, report cards and agreement in a real browser: with keys, without scripts, at every size, in the dark."""

from __future__ import annotations

import json
import re
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from e2e.pages import every_form, opened, page_width, serious_faults, serving
from playwright.async_api import expect
from server.labelled import ANSWERS, ITEMS, PAIRS, REVIEWS
from server.people_samples import PASSWORD, QUICK

from adjudge.server.database import open_database
from adjudge.server.users import TokenStore, UserStore

pytestmark = pytest.mark.asyncio(loop_scope="session")

CASES = 4
HOSTILE = [
    {
        "id": f"{n}",
        "task": f"Say {n} <script>alert(1)</script> \u202ebackwards",
        "a": "x" * 100_000 if n == 1 else f"<b>{n}</b> it is, and no other number at all",
        "b": f"The number {n}, as it was asked for.\n" * n,
    }
    for n in range(1, CASES + 1)
]


def _send(address: str, content: str | dict[str, Any]) -> str:
    """Post a body or a form; where that leads."""
    body = content if isinstance(content, str) else urllib.parse.urlencode(content)
    kind = "application/x-ndjson" if isinstance(content, str) else "application/x-www-form-urlencoded"
    parts = urllib.parse.urlsplit(address)
    headers = {"content-type": kind, "origin": f"{parts.scheme}://{parts.netloc}"}
    with urllib.request.urlopen(urllib.request.Request(address, body.encode(), headers)) as answer:
        return str(answer.read().decode())


def _run(url: str, rows: list[dict[str, Any]], **settings: str) -> str:
    """Judge rows to the end; the run."""
    body = "".join(json.dumps(row) + "\n" for row in rows)
    run = json.loads(_send(f"{url}/api/runs?{urllib.parse.urlencode(settings)}&source=rows.jsonl", body))["run_id"]
    urllib.request.urlopen(f"{url}/api/runs/{run}/events").read()  # until its end
    return str(run)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, str, str]]:
    """A service with a run that is not set up for labelling, and three that are: one of hostile texts with a label, and
    reviews and gradings of which criteria are rated."""
    with serving(tmp_path_factory.mktemp("labelling")) as url:
        _run(url, PAIRS[1:5], protocol="compare", name="Week 1")
        run = _run(url, HOSTILE, protocol="compare", name="Numbers")
        _send(f"{url}/runs/{run}/label", {"cases": CASES, "people": 1, "named": ""})
        _send(f"{url}/runs/{run}/label/1", {"answer": "1", "flag": "1", "note": "<i>so long</i>"})
        reviews = _run(url, REVIEWS, protocol="review")
        _send(f"{url}/api/rubrics", ITEMS)
        graded = _run(url, ANSWERS, protocol="grade", rubric="stops")
        for each in (reviews, graded):
            _send(f"{url}/runs/{each}/label", {"cases": 3, "people": 1, "named": "", "criteria": "1"})
        yield url, run, reviews, graded


def addresses(site: tuple[str, str, str, str]) -> list[str]:
    url, run, reviews, graded = site
    pages = ("", "/1", "/2", "/side-by-side")
    return [url + "/label", *(f"{url}/runs/{run}/label{page}" for page in pages)] + [
        f"{url}/runs/{each}/label/1" for each in (reviews, graded)
    ]


async def test_every_page_fits_shows_hostile_texts_as_text_and_asks_nobody_else(site, browser):
    async with opened(browser, site[0] + "/label") as tab:
        for address in addresses(site):
            await tab.show(address)
            async for width, _ in every_form(tab):
                assert await page_width(tab) == width, address
            assert await tab.page.locator("main script, main .text b, main i, main img").count() == 0, address
            assert tab.complaints == [], address
            assert all(asked.startswith((site[0], "data:")) for asked in tab.requests), address


@pytest.mark.slow
async def test_no_page_has_a_serious_fault_for_those_who_cannot_see_or_point(site, browser):
    url, run, *_ = site
    async with opened(browser, url + "/label") as tab:
        for address in (*addresses(site), f"{url}/runs/{run}/agreement"):
            await tab.show(address)
            assert await serious_faults(tab) == [], address


async def test_an_annotator_who_is_signed_in_takes_two_clicks_to_the_first_case_and_one_key_for_each(browser, tmp_path):
    """Three clicks when everybody began at Judge."""
    users = UserStore(open_database(tmp_path / "service.db"), hasher=QUICK)
    users.add("ann", PASSWORD, "annotator")
    tokens = TokenStore(users.database)
    with serving(tmp_path, tokens=tokens, auth=True) as url:
        allowed = {"authorization": f"Bearer {tokens.add('lead', role='admin')}", "origin": url}
        with httpx2.Client(base_url=url, headers=allowed, timeout=120) as lead:
            rows = "".join(json.dumps(row) + "\n" for row in PAIRS[:3])
            run = lead.post("/api/runs?protocol=compare&source=rows.jsonl", content=rows).json()["run_id"]
            lead.get(f"/api/runs/{run}/events")  # until its end
            setup = lead.post(f"/runs/{run}/label", data={"cases": 3, "people": 1, "named": "ann"})
            assert setup.status_code == 303, setup.text
        async with opened(browser, url) as tab:
            page = tab.page
            await page.fill("#name", "ann")
            await page.fill("#password", PASSWORD)
            await page.click("button:has-text('Sign in')")
            await page.wait_for_url("**/label")
            await page.click("main .to-label a")
            await page.click("main >> text=Begin with case 1")
            for number in (1, 2, 3):
                await page.wait_for_url(f"**/runs/{run}/label/{number}")
                await page.keyboard.press("1")
            await expect(page.locator("main")).to_contain_text("Nothing is left for you to label.")
            assert tab.complaints == []


async def test_with_keys_only_a_run_is_set_up_labelled_and_measured(site, browser):
    async with opened(browser, site[0] + "/label") as tab:
        page = tab.page

        async def press(key: str) -> None:
            async with page.expect_navigation():
                await page.keyboard.press(key)

        await page.focus("a:has-text('Week 1')")
        await press("Enter")
        await page.focus("#cases")
        await page.keyboard.press("ControlOrMeta+A")
        await page.keyboard.type("3")
        await press("Enter")
        await page.focus("text=Begin with case 1")
        await press("Enter")
        await page.keyboard.press("?")
        await expect(page.locator("dialog.keys dt")).to_have_text(["1", "t", "2", "s", "f", "n", "h", "?", "Esc"])
        await expect(page.locator("dialog.keys dd").first).to_have_text("Answer 1 is better")
        await page.keyboard.press("s")  # the page below is out of reach
        await page.keyboard.press("Escape")
        await expect(page.locator("dialog")).to_have_count(0)
        await page.keyboard.press("h")
        await expect(page.locator(".help")).to_be_visible()
        await page.keyboard.press("h")
        await expect(page.locator(".help")).to_be_hidden()
        await page.keyboard.press("f")
        await expect(page.locator(".kept")).to_have_text("Saved")
        await page.keyboard.press("n")
        await page.keyboard.type("1 or 2?")  # keys are text where text is typed
        await page.keyboard.press("Escape")
        await press("1")
        assert page.url.endswith("/2")
        await press("u")
        assert page.url.endswith("/1")
        assert await page.input_value("textarea") == "1 or 2?"
        assert await page.is_checked("[name=flag]")
        assert await page.locator("[aria-pressed=true]").inner_text() == "1\nAnswer 1 is better"
        await press("t")
        await press("2")
        await press("s")
        await expect(page.locator("main")).to_contain_text("Nothing is left for you to label.")
        await expect(page.locator(".own")).to_contain_text("1 or 2?")
        await page.focus("text=How far the judge agrees")
        await press("Enter")
        await expect(page.locator("h2", has_text="Agreement").first).to_be_visible()
        assert tab.complaints == []


async def test_criteria_are_kept_as_they_are_chosen_and_the_answer_needs_them_all(site, browser):
    url, _, run, _ = site
    async with opened(browser, f"{url}/runs/{run}/label/2") as tab:
        page = tab.page
        await page.get_by_role("radio", name="2").first.focus()
        await page.keyboard.press("Space")
        await expect(page.locator(".kept")).to_have_text("Saved")
        async with page.expect_navigation():
            await page.keyboard.press("6")
        await expect(page.get_by_role("alert")).to_contain_text("missing; rate it, or skip it")
        await page.goto(f"{url}/runs/{run}/label/2")
        assert await page.locator("[name^=criterion]:checked").count() == 1
        await page.evaluate("document.querySelectorAll('[name^=criterion][value=s]').forEach(each => each.click())")
        async with page.expect_navigation():
            await page.keyboard.press("6")
        assert page.url.endswith(f"/runs/{run}/label/3")
        await page.goto(f"{url}/runs/{run}/label/2")
        assert await page.locator("[name^=criterion][value=s]:checked").count() == 14


@pytest.mark.parametrize("scripts", [False, pytest.param(True, marks=pytest.mark.slow)])
async def test_a_grading_passes_or_fails_once_each_item_is_answered_on_a_phone(site, browser, scripts):
    *_, run = site
    number = 1 + scripts
    address = f"{site[0]}/runs/{run}/label/{number}"
    async with opened(browser, address, 390, "dark", java_script_enabled=scripts) as tab:
        page = tab.page
        await expect(page.locator("main")).to_contain_text("Is this answer good enough?")
        groups = page.locator(".criteria-rated fieldset")
        await expect(groups).to_have_count(4)
        for at, chosen in enumerate(("yes", "no", "2", "50 %")):
            await groups.nth(at).locator("label", has_text=re.compile(f"^{chosen}$")).click()
        assert await page_width(tab) == 390
        async with page.expect_navigation():
            await page.click("button:has-text('Fail')")
        assert re.search(rf"/runs/{run}/label/\d+$", page.url) and page.url != address, "the next open case"
        await page.goto(address)
        assert await page.locator("[name^=criterion]:checked").count() == 4
        await expect(page.locator("[aria-pressed=true]")).to_contain_text("Fail")
        assert tab.complaints == []


async def test_without_a_script_a_case_is_labelled_flagged_and_noted_with_plain_buttons(site, browser):
    url, run, *_ = site
    async with opened(browser, f"{url}/runs/{run}/label/next", 390, "dark", java_script_enabled=False) as tab:
        page = tab.page
        number = int(page.url.rpartition("/")[2])
        await page.check("[name=flag]")
        await page.click("summary:has-text('Note')")
        await page.fill("textarea", "no script was needed")
        await page.click("text=Save flag and note")
        assert page.url.endswith(f"/{number}")
        await page.click("button:has-text('Answer 2 is better')")
        assert page.url.endswith(f"/{number + 1}")
        await page.click("text=Previous")
        assert await page.locator("[aria-pressed=true]").count() == 1
        assert await page.input_value("textarea") == "no script was needed"
        await page.goto(f"{url}/runs/{run}/agreement")
        await expect(page.locator("h1")).to_have_text("Label first, then look")
