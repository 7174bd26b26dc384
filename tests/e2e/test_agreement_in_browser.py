"""The agreement report in a real browser: it fits any width, light and dark, and asks for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e.pages import every_form, opened
from playwright.async_api import Browser
from results.building import Given, write_run
from results.samples import GOOD, HOSTILE, LONG, SHORT

from adjudge.agreement.report import build_report
from adjudge.protocols.compare.case import Comparison
from adjudge.rendering.document import as_html
from adjudge.reports.agreement.view import agreement_document
from adjudge.results.run import open_run

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("agreement")
    rows = [
        Given(
            f"{'long-' * 20}{n}" if n == 1 else f"egg-{n}",
            Comparison(f"{HOSTILE} How do I boil {n} eggs?", (GOOD, LONG)[n % 2] + " Wait." * n, f"{SHORT} {n}"),
            systems=("wren", "rook"),
            extra={"votes": {"ann": "A", "ben": "B" if n % 4 == 0 else "A", "eve": "A"}},
            cells={"winner": "A" if n % 3 else "B", "decided": True, "lead": n % 3 - 0.5},
        )
        for n in range(24)
    ]
    run = open_run(write_run(folder / "run", rows))
    other = [Given(row.name, row.case, cells={"winner": "A", "decided": True}) for row in rows]
    against = open_run(write_run(folder / "other", other))
    report = build_report(run, "votes", other=against, earlier=[run], draws=99)
    return as_html(agreement_document(report, run.rubric))


async def test_the_page_fits_and_complains_of_nothing(browser: Browser, page: str, tmp_path: Path):
    file = tmp_path / "agreement.html"
    file.write_text(page, "utf-8")
    small = (
        "[...document.querySelectorAll('.chart text')].filter(text => text.getBoundingClientRect().height < 10).length"
    )
    async with opened(browser, file.as_uri()) as tab:
        async for form in every_form(tab):
            assert await tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), form
            assert await tab.page.evaluate(small) == 0, form
        assert "serif" in await tab.page.evaluate("getComputedStyle(document.querySelector('h1')).fontFamily")
        assert await tab.page.locator("svg.chart").count() >= 2
        assert await tab.page.locator("table.matrix td").count() == 9
        assert tab.complaints == [] and len(tab.requests) == 1
