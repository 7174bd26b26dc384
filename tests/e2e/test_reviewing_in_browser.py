"""A queue of reviews decided in a real browser: from the sign-in with keys only, with drafts, and without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from e2e.pages import every_form, opened, page_width, serious_faults, serving, sign_in, tab_to
from playwright.async_api import expect
from server.people_samples import PASSWORD, QUICK

import adjudge.protocols.review
from adjudge.server.database import open_database
from adjudge.server.users import TokenStore, UserStore

pytestmark = pytest.mark.asyncio(loop_scope="session")
REVIEWS = Path(adjudge.protocols.review.__file__).with_name("reviews.jsonl")
CHECKED = "[...document.querySelectorAll('.fix input:checked')].map(each => `${each.name}=${each.value}`)"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The shipped reviews of three annotators, 39 in all, and eve, who reviews them."""
    folder = tmp_path_factory.mktemp("reviewing")
    users = UserStore(open_database(folder / "service.db"), hasher=QUICK)
    users.add("eve", PASSWORD, "reviewer")
    tokens = TokenStore(users.database)
    allowed = {"authorization": f"Bearer {tokens.add('maker', role='admin')}"}
    with serving(folder, tokens=tokens, auth=True) as url:
        asked = {"protocol": "review", "format": "jsonl", "name": "Three annotators"}
        sent = httpx2.post(f"{url}/api/runs", params=asked, content=REVIEWS.read_bytes(), headers=allowed, timeout=120)
        run = sent.json()["run_id"]
        httpx2.get(f"{url}/api/runs/{run}/events", headers=allowed, timeout=600)  # until its end
        yield url, run


async def test_with_keys_only_a_reviewer_takes_ten_decisions_from_the_sign_in(site, browser):
    """Before there was a queue it took 24: over Runs and the run's list, and two for each decision."""
    url, run = site
    async with opened(browser, url) as tab:
        page, pressed = tab.page, 0

        async def press(key):
            nonlocal pressed
            pressed += 1
            await page.keyboard.press(key)

        await sign_in(page, "eve")
        pressed += 2  # Tab and Enter; name and password are typed however long the way is
        await page.wait_for_url(f"**/runs/{run}/review")
        await expect(page.get_by_text("0 of 39 decided").first).to_be_visible()
        await expect(page.locator(".queue-head .next")).to_be_focused()
        await press("Enter")
        for decided in range(10):
            await page.wait_for_url(f"**/runs/{run}/review/{decided}*")
            await page.wait_for_load_state()
            await expect(page.locator(".decide .state")).to_contain_text("Not decided yet")
            # Reviews with the same texts and ratings have one verdict, and so one decision: there may be more.
            counted = re.search(r"(\d+) of 39 decided", await page.locator(".decide .state").inner_text())
            assert counted
            assert int(counted[1]) >= decided
            await press("a")
        await page.wait_for_url("**?last=9")
        assert pressed == 13
        # The last one is on the way back.
        await expect(page.get_by_role("status").first).to_contain_text("Accepted: ines-10. Change it")
        await tab_to(page, ".saved a")
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**/runs/{run}/review/9")
        await expect(page.locator("#decision")).to_contain_text("Accepted by eve")
        await page.keyboard.press("x")
        await page.keyboard.type("Not our task, j k a 1.")
        await page.keyboard.press("Control+Enter")
        await expect(page.locator(".saved")).to_contain_text("Rejected: ines-10")
        assert tab.complaints == []


async def test_digits_set_the_rating_that_has_the_focus_and_never_another(site, browser):
    url, run = site
    async with opened(browser, f"{url}/runs/{run}/review/13") as tab:
        page, press = tab.page, tab.page.keyboard.press
        await sign_in(page, "eve")
        await page.wait_for_url("**/review/13")
        before = await page.evaluate(CHECKED)
        for digit in "1234567":
            await press(digit)
        assert await page.evaluate(CHECKED) == before, "nothing has the focus"
        # The ratings that the judge changed, one after the other.
        await press("c")
        changed = await page.evaluate("document.activeElement.closest('.rating').id")
        await expect(page.locator(f"#{changed} > summary .badge")).to_have_text("Replaced")
        name = await page.locator(f"#{changed} input").first.get_attribute("name")
        old = next(each for each in before if each.startswith(f"{name}="))
        await press("3")
        expected = [f"{name}=3" if each == old else each for each in before]
        assert old != f"{name}=3"
        assert await page.evaluate(CHECKED) == expected
        for digit in ("7", "9", "0"):
            await press(digit)
        assert await page.evaluate(CHECKED) == expected, "its scale has none of these"
        await press("ArrowDown")
        assert await page.evaluate("document.activeElement.closest('.rating').id") != changed
        await expect(page.locator(f"#{changed}")).to_have_attribute("open", "")
        # A scale with negative values is counted from its first.
        row = page.locator("#rating-A-verbosity")
        await row.locator("summary").focus()
        await press("1")
        await expect(row.get_by_role("radio", checked=True)).to_have_value("-2")
        await row.get_by_label("Justification").focus()
        await page.keyboard.type("12345")
        await expect(row.get_by_role("radio", checked=True)).to_have_value("-2")
        await page.locator("[name=likert]:checked").focus()
        await press("6")
        await expect(page.locator("[name=likert]:checked")).to_have_value("6")
        assert tab.complaints == []


async def test_a_draft_survives_a_reload_until_it_is_decided_or_undone(site, browser):
    url, run = site
    async with opened(browser, f"{url}/runs/{run}/review/14?annotator=jonas") as tab:
        page = tab.page
        await sign_in(page, "eve")
        await page.wait_for_url("**/review/14?annotator=jonas")
        row = page.locator("#rating-A-truthfulness")
        await row.locator("summary").focus()
        await page.keyboard.press("2")
        await row.get_by_label("Justification").fill("It gives a date that the task does not.")
        await page.fill("#reason", "Checked by hand.")
        await expect(page.locator(".edits")).to_have_text("2 changes")
        await page.reload()
        await expect(page.locator(".edits")).to_have_text("2 changes")
        await expect(row.get_by_role("radio", checked=True)).to_have_value("2")
        await expect(row.get_by_label("Justification")).to_have_value("It gives a date that the task does not.")
        await expect(page.locator("#reason")).to_have_value("Checked by hand.")
        await page.get_by_role("button", name="Undo changes").click()
        await expect(page.locator(".edits")).to_have_text("")
        await page.reload()
        await expect(row.locator("input:checked")).to_have_value("3")
        await expect(page.locator("#reason")).to_have_value("")
        # One that is decided is forgotten, and its filters lead on.
        await page.fill("#reason", "Seen.")
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url("**/review/15?annotator=jonas&last=14")
        assert await page.evaluate("Object.keys(localStorage).filter(each => each.startsWith('adjudge review'))") == []
        assert tab.complaints == []


async def test_without_a_script_a_queue_is_decided_with_plain_buttons(site, browser):
    url, run = site
    async with opened(browser, f"{url}/runs/{run}/review?annotator=mara", java_script_enabled=False) as tab:
        page = tab.page
        await sign_in(page, "eve")
        await page.click("text=Review next")
        await page.wait_for_url("**/review/26?annotator=mara")
        await page.click("[value=accepted]")
        await page.wait_for_url("**?annotator=mara&last=26")
        await page.click(".decide .state a")
        await page.select_option("[name=annotator]", "ines")
        await page.click("button:text('Show')")
        await expect(page.locator(".queue tbody tr th").first).to_contain_text("ines")


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/review", "/runs/{}/review?show=all", "/runs/{}/review/20?sort=changed"])
async def test_the_pages_of_the_queue_fit_and_have_no_serious_fault(site, browser, path):
    url, run = site
    async with opened(browser, url + path.format(run)) as tab:
        await sign_in(tab.page, "eve")
        await tab.page.wait_for_url(url + path.format(run))
        async for width, _ in every_form(tab):
            assert await page_width(tab) == width
        assert await serious_faults(tab) == []
        assert tab.complaints == []
