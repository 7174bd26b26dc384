"""A run's report in a real browser: it fits any width, its list filters and sorts, and works without a script."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from agreement.annotators.planted_raters import write_planted_run
from e2e.pages import every_form
from e2e.pages import opened as visited
from playwright.async_api import Browser
from results.building import write_run
from results.samples import comparisons

from adjudge.protocols.review.annotators import annotator_report
from adjudge.protocols.review.annotators_view import annotators_html
from adjudge.reports.run.export import write_html
from adjudge.results.database import opened
from adjudge.results.run import open_run

pytestmark = pytest.mark.asyncio(loop_scope="session")
SHOWN = "[...document.querySelectorAll('table.cases tbody tr:not([hidden]) th a')].map(link => link.textContent)"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    rows = comparisons()
    rows[2] = replace(rows[2], cells={"decided": True})  # A, where the label says B
    with opened(open_run(write_run(folder / "run", rows))) as database:
        return write_html(database, folder / "report.html").index


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Report cards of annotators; one of them has a hostile name."""
    folder = tmp_path_factory.mktemp("cards")
    page = folder / "cards.html"
    page.write_text(annotators_html(annotator_report([open_run(write_planted_run(folder, items=3))])), "utf-8")
    return page


async def test_report_cards_fit_load_nothing_and_links_lead_to_a_person(browser: Browser, cards: Path):
    async with visited(browser, cards.as_uri()) as tab:
        async for form in every_form(tab):
            assert await tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), form
        await tab.page.click("table.people a >> text=max")
        assert await tab.page.evaluate("document.querySelector(':target').textContent") == "max"
        assert (tab.complaints, tab.requests) == ([], [cards.as_uri()])


async def test_the_report_and_a_case_fit_and_the_list_is_filtered_and_sorted(browser: Browser, report: Path):
    async with visited(browser, report.as_uri()) as tab:
        page = tab.page
        for shown in ("the report", "a case"):
            async for form in every_form(tab):
                assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (shown, form)
            assert "serif" in await page.evaluate("getComputedStyle(document.querySelector('h1')).fontFamily"), shown
            await page.click("table.cases tbody a") if shown == "the report" else await page.goto(report.as_uri())
        await page.set_viewport_size({"width": 1280, "height": 900})
        await page.fill(".tools input", "3 people")
        assert await page.evaluate(SHOWN) == ["egg-2"]
        assert await page.text_content(".tools output") == "1 of 10 shown"
        await page.fill(".tools input", "egg-")
        await page.select_option(".tools select", "undecided")
        await page.click("table.cases thead th:nth-child(3) button")
        assert (await page.evaluate(SHOWN))[:2] == ["egg-1", "egg-5"]  # the lowest of A − B first
        await page.fill(".tools input", "")
        await page.select_option(".tools select", "disagrees")
        assert await page.evaluate(SHOWN) == ["egg-2"]
        assert tab.complaints == []


async def test_without_a_script_the_list_is_whole_and_has_no_tools(browser: Browser, report: Path):
    async with visited(browser, report.as_uri(), java_script_enabled=False) as tab:
        assert await tab.page.locator("table.cases tbody tr").count() == 10
        assert not await tab.page.locator(".tools").is_visible()
        await tab.page.click("text=Failures (2)")
        assert tab.page.url.endswith("#failures")
