"""A case on one screen in a real browser: texts beside a column that scrolls by itself, evidence that leads from one to
the other, keys, and phones."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator

import pytest
from e2e.pages import VERDICTS, every_form, opened, page_width, serious_faults, serving, store_samples
from playwright.async_api import Page, expect
from server.run_pages import BAD, LINES

pytestmark = pytest.mark.asyncio(loop_scope="session")

# By protocol: a verdict, a quote of it in the column, and the quote's mark.
CASES = {
    "compare": ("plain", "A3"),
    "dialogue": ("debated", "C2"),
    "grade": ("graded", "4-2b"),
    "review": ("audited", "2"),
}
BOX = "e => { const { left, top, right, bottom } = e.getBoundingClientRect(); return { left, top, right, bottom } }"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service with verdicts of all protocols."""
    folder = tmp_path_factory.mktemp("case-screen")
    store_samples(folder / "journal.db")
    with serving(folder) as address:
        yield address


@pytest.fixture(scope="module")
def run(site: str) -> str:
    """The address of a run of twelve comparisons and a row that cannot be judged."""
    request = urllib.request.Request(
        f"{site}/api/runs?protocol=compare&name=Numbers&skip_bad=true", (LINES + BAD).encode(),
        {"content-type": "application/x-ndjson", "origin": site},
    )  # fmt: skip
    run_id = json.load(urllib.request.urlopen(request))["run_id"]
    urllib.request.urlopen(f"{site}/api/runs/{run_id}/events").read()  # until its end
    return f"{site}/runs/{run_id}"


async def box(page: Page, selector: str) -> dict[str, float]:
    return await page.locator(selector).first.evaluate(BOX)  # type: ignore[no-any-return]


@pytest.mark.parametrize("protocol", CASES)
async def test_a_column_beside_the_texts_scrolls_alone_leads_to_its_marks_and_is_below_on_a_phone(
    site, browser, protocol
):
    name, ref = CASES[protocol]
    async with opened(browser, site + VERDICTS[name]) as tab:
        await scrolls_by_itself(tab.page)
        await tab.unfold()
        await leads_to_a_mark_which_moves_the_column_and_not_the_texts(tab.page, ref)
        async for width, _ in every_form(tab, [(1100, "light"), (800, "light"), (390, "dark")]):
            assert await page_width(tab) == width
            inside = await tab.page.evaluate(
                "[...document.querySelectorAll('.screen-side, .screen-texts')].map(e => e.scrollWidth - e.clientWidth)"
            )
            assert max(inside) <= 1, width
        texts, column = await box(tab.page, ".screen-texts"), await box(tab.page, ".screen-side")
        assert texts["bottom"] <= column["top"], "below"
        assert tab.complaints == []


async def scrolls_by_itself(page: Page) -> None:
    texts, column = await box(page, ".screen-texts"), await box(page, ".screen-side")
    assert texts["right"] < column["left"] and texts["top"] == column["top"] < 300
    assert column["right"] <= 1440 and column["left"] > 720
    moved = await page.evaluate(
        """() => { const column = document.querySelector(".screen-side"); column.scrollTop = 250;
            return [column.scrollTop, scrollY, column.scrollHeight > column.clientHeight] }"""
    )
    assert moved == [250, 0, True]
    assert await page.locator(".screen-texts mark").count() > 0, "evidence is marked in the texts"
    assert await page.locator(".screen-side mark").count() == 0


async def leads_to_a_mark_which_moves_the_column_and_not_the_texts(page: Page, ref: str) -> None:
    top = await page.evaluate("document.querySelector('.screen').offsetTop")
    await page.click(f".screen-side [href='#at-{ref}']")
    mark = await box(page, f".q-{ref}")
    assert mark["top"] >= 0 and mark["bottom"] <= 900
    assert await page.evaluate("location.hash") == f"#at-{ref}"
    before = await page.evaluate("scrollY")
    await page.click(f".screen-texts .ref[href='#why-{ref}']")
    why = await box(page, f"#why-{ref}")
    assert 0 <= why["top"] < 900
    now = await page.evaluate("scrollY")
    assert before - 16 <= now <= max(before, top) + 16, "the texts stay; at most the banner leaves the window"


# -- keys -------------------------------------------------------------------------------------------------------------


async def test_j_and_k_lead_through_the_cases_that_fit_and_the_question_mark_lists_the_keys(run, browser):
    async with opened(browser, f"{run}/cases/3?q=number&sort=-case") as tab:
        page = tab.page

        async def press(key: str) -> str:
            async with page.expect_navigation():
                await page.keyboard.press(key)
            return page.url.removeprefix(run)

        place = await page.locator(".neighbours .soft").inner_text()
        assert await press("j") == "/cases/2?q=number&sort=-case"
        assert await page.locator(".neighbours .soft").inner_text() != place
        assert await press("k") == "/cases/3?q=number&sort=-case"
        await page.keyboard.press("?")
        dialog = page.get_by_role("dialog", name="Keys")
        await expect(dialog.locator("dt")).to_have_text(["k", "j", "?", "Esc"])
        await expect(dialog.locator("dd")).to_have_text(
            ["Previous case", "Next case", "These keys", "Close, or leave a field"]
        )
        await page.keyboard.press("j")  # the page below is out of reach
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
        await page.click("[data-keys]")
        await dialog.get_by_role("button", name="Close").click()
        assert page.url.endswith("/cases/3?q=number&sort=-case")
        assert tab.complaints == []


async def test_keys_do_nothing_in_a_field_or_with_ctrl_alt_or_meta(run, browser):
    async with opened(browser, f"{run}/cases/3") as tab:
        page = tab.page
        await page.evaluate("window.stays = true")
        for held in ("Control", "Alt", "Meta"):
            await page.keyboard.press(f"{held}+k")
        await page.click("#weights")
        await page.locator("input[type=range]").first.focus()
        for key in ("j", "k", "?"):
            await page.keyboard.press(key)
        await expect(page.locator("dialog")).to_have_count(0)
        assert await page.evaluate("window.stays") and page.url.endswith("/cases/3")


async def test_at_the_end_of_the_list_and_outside_a_run_keys_lead_nowhere(site, run, browser):
    for address in (f"{run}/cases/11?sort=position", site + VERDICTS["plain"]):
        async with opened(browser, address) as tab:
            await tab.page.evaluate("window.stays = true")
            await tab.page.keyboard.press("j" if "cases" not in address else "Shift+J")
            await tab.page.keyboard.press("?")
            await expect(tab.page.locator("dialog")).to_have_count(1 if "cases" in address else 0)
            assert await tab.page.evaluate("window.stays")


async def test_a_case_is_in_its_run_and_other_weights_leave_it_there(run, browser):
    async with opened(browser, f"{run}/cases/9?sort=-case") as tab:
        page = tab.page
        await expect(page.locator(".tabs [aria-current]")).to_contain_text("Cases")
        banner = page.locator(".banner")
        await expect(banner).to_contain_text("Case case-9")
        await expect(banner).to_contain_text("wren against crow")
        await expect(banner).to_contain_text("judge A · people B they differ")
        await page.click("#weights")
        await page.locator("input[type=range]").first.focus()
        await page.keyboard.press("ArrowRight")
        await page.wait_for_url("**weights.*")
        assert "/cases/9?sort=-case&weights." in page.url
        await expect(banner).to_contain_text("Case case-9")
        await page.click(".reset")
        assert page.url == f"{run}/cases/9?sort=-case"


# -- for everybody ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("protocol", CASES)
async def test_no_case_has_a_serious_fault_for_those_who_cannot_see_or_point(site, browser, protocol):
    async with opened(browser, site + VERDICTS[CASES[protocol][0]]) as tab:
        assert await serious_faults(tab) == []


@pytest.mark.slow
@pytest.mark.parametrize("place", ["/cases/9", "/cases/12"])
async def test_no_case_of_a_run_has_a_serious_fault_with_its_keys_open_or_without_a_verdict(run, browser, place):
    async with opened(browser, run + place) as tab:
        assert await serious_faults(tab) == []
        await tab.page.keyboard.press("?")
        assert await serious_faults(tab) == []


async def test_without_a_script_everything_is_beside_the_texts(run, browser):
    async with opened(browser, f"{run}/cases/9", java_script_enabled=False) as tab:
        page = tab.page
        await expect(page.locator("[data-keys]")).to_be_hidden()
        texts, column = await box(page, ".screen-texts"), await box(page, ".screen-side")
        assert texts["right"] < column["left"]
        await page.click(".neighbours a[rel=next]")
        assert page.url == f"{run}/cases/10"
