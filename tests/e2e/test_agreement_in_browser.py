"""The agreement report in a real browser: it fits any width, light and dark, and asks for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e.reports import Reports
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


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_page_fits_and_complains_of_nothing(browser: Browser, page: str, tmp_path: Path, width, scheme):
    tab = await Reports(browser, tmp_path).open("agreement", page, width, scheme)
    assert await tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.complaints == [] and len(tab.requests) == 1
    assert "serif" in await tab.page.evaluate("getComputedStyle(document.querySelector('h1')).fontFamily")
    small = (
        "[...document.querySelectorAll('.chart text')].filter(text => text.getBoundingClientRect().height < 10).length"
    )
    assert await tab.page.evaluate(small) == 0
    assert await tab.page.locator("svg.chart").count() >= 2
    assert await tab.page.locator("table.matrix td").count() == 9
    await tab.page.close()
