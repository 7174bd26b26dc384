"""The pages of runs in a real browser: how they fit, with keys only, without scripts, with hostile texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from e2e.pages import every_form, opened, page_width, serious_faults, serving, tab_to
from playwright.async_api import Browser, expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

NASTY = "<script>alert(1)</script> \u202eback to front"
LINE = "x" * 100_000


def lines(count: int) -> str:
    """Cases of all sorts: hostile ids and texts, a line of 100 kB, labels, systems, a row that cannot be judged."""
    rows = [
        {
            "id": NASTY if n == 3 else f"case-{n}",
            "task": f"Explain the number {n} to a friend. Use at least ten words. {NASTY if n == 4 else ''}",
            "a": LINE
            if n == 5
            else f"The number {n} follows {n - 1}, and it is {'odd' if n % 2 else 'even'}, I think.",
            "b": "No idea." if n % 2 else f"Well, {n}. Numbers are what they are. " * (n % 7 + 1),
            "label": "A" if n % 3 else "B",
            "system_a": NASTY if n % 2 else "wren",
            "system_b": "wren" if n % 2 else NASTY,
        }
        for n in range(count)
    ]
    rows.append({"id": "broken", "task": "", "a": "x", "b": "y"})
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service with two runs that have ended; the cases of the first take two pages."""
    with serving(tmp_path_factory.mktemp("site")) as url:
        for name, count in (("one", 51), ("two", 12)):
            asked = urlencode({"protocol": "compare", "source": "pairs.jsonl", "name": name, "skip_bad": "true"})
            with urlopen(Request(f"{url}/api/runs?{asked}", lines(count).encode())) as answer:
                run_id = json.load(answer)["run_id"]
            with urlopen(f"{url}/api/runs/{run_id}/events") as events:
                assert events.read().rstrip().endswith(b"data: {}")
        yield url


async def test_without_a_script_everything_is_there(site, browser: Browser):
    address = site + (await addresses(site, browser))["run"]
    async with opened(browser, address, java_script_enabled=False) as tab:
        page = tab.page
        await expect(page.locator(".state.finished")).to_be_visible()
        await page.click(".outcome a:has-text('failed')")
        assert page.url.endswith("/cases?outcome=failed")
        await page.click("table.cases tbody a")
        await expect(page.locator("h1")).to_have_text("No verdict")
        await page.goto(f"{address}/cases")
        await page.fill("[name=q]", "number 7 to")
        await page.click("text=Search")
        assert "q=number+7+to" in page.url
        await expect(page.locator("table.cases tbody tr")).to_have_count(1)
        await page.click("table.cases thead a:has-text('A − B')")
        assert "q=number+7+to" in page.url and "sort=lead" in page.url
        await page.click("table.cases tbody a")
        await expect(page.locator(".answer.A")).to_be_visible()
        await page.click(".neighbours a")
        assert "q=number+7+to" in page.url and page.url.endswith("#case-7")


async def test_with_keys_only_a_filter_a_page_and_a_case_are_reached(site, browser: Browser):
    run = (await addresses(site, browser))["run"]
    async with opened(browser, f"{site}/runs") as tab:
        page = tab.page

        async def press(selector: str) -> None:
            await tab_to(page, selector)
            async with page.expect_navigation():
                await page.keyboard.press("Enter")

        await press(f".run h3 a[href='{run}']")
        await page.wait_for_url("**/runs/r*")
        await press(".run-head .tabs a[href$='/cases']")
        await page.wait_for_url("**/cases")
        await press(".pager a[rel=next]")
        await page.wait_for_url("**page=2**")
        await press("table.cases tbody a")
        await page.wait_for_url("**/cases/*")
        await press(".neighbours a[rel=next]")
        await page.wait_for_url("**/cases/*")


async def test_a_lead_goes_from_agreement_to_a_disagreement_and_its_case_and_back_in_four_clicks(
    site, browser: Browser
):
    """Before there were tabs, no card led to its case: it took 12, over Runs, a search for each id, and Label."""
    run = (await addresses(site, browser))["run"]
    async with opened(browser, f"{site}{run}/agreement") as tab:
        page, clicks = tab.page, []

        async def click(selector: str) -> None:
            await page.locator(selector).first.click()
            clicks.append(selector)

        await click(".differing h3 a")
        await page.wait_for_url("**/cases/*?positions=*")
        filters = page.url.partition("?")[2]
        position = page.url.partition("/cases/")[2].partition("?")[0]
        await expect(page.locator(".run-head [aria-current]")).to_contain_text("Cases")
        await click("a[rel=next]")
        await page.wait_for_url("**/cases/*?positions=*")
        assert page.url.partition("?")[2] == filters and f"/cases/{position}?" not in page.url
        await click(f"main a[href*='{run}/cases?positions=']")
        await page.wait_for_url("**/cases?positions=*")
        assert filters in page.url and "#case-" in page.url
        assert await page.locator("table.cases tbody tr").count() == filters.count(",") + 1
        await click(".run-head a:has-text('Agreement')")
        await page.wait_for_url("**/agreement")
        assert len(clicks) == 4 and tab.complaints == []


async def addresses(site: str, browser: Browser) -> dict[str, str]:
    async with opened(browser, f"{site}/runs.json") as tab:
        found = json.loads(await tab.page.locator("body").inner_text())["runs"]
    first, second = (next(line["run_id"] for line in found if line["name"] == name) for name in ("one", "two"))
    return {
        "list": "/runs",
        "run": f"/runs/{first}",
        "cases": f"/runs/{first}/cases",
        "agreement": f"/runs/{first}/agreement",
        "settings": f"/runs/{first}/settings",
        "long case": f"/runs/{first}/cases/5",
        "failed case": f"/runs/{first}/cases/51",
        "compared": f"/runs/compare?a={first}&b={second}",
        "judge": "/runs/over-time?judge=embedded",
        "system": "/runs/over-time?source=wren",
    }


# Ordinary pages are looked at by `make slow`, which also follows all links of the demo.
HOSTILE = ["run", "agreement", "long case", "failed case", "compared"]


async def test_every_page_of_hostile_texts_fits_and_complains_of_nothing(site, browser: Browser):
    found = await addresses(site, browser)
    async with opened(browser, "about:blank") as tab:
        for name in HOSTILE:
            await tab.show(site + found[name])
            async for width, _ in every_form(tab):
                assert await page_width(tab) == width, name
            assert await tab.page.locator("main script, main iframe").count() == 0, name
            assert tab.complaints == [], name


@pytest.mark.slow
async def test_no_page_has_a_serious_fault_for_those_who_cannot_see_or_point(site, browser: Browser):
    for name, address in (await addresses(site, browser)).items():
        async with opened(browser, site + address) as tab:
            assert await serious_faults(tab) == [], name
            async for width, _ in every_form(tab):
                assert await page_width(tab) == width, name
            assert tab.complaints == [], name
