"""One browser a session; with several test processes, one in each."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from e2e.browser import launched_browser
from e2e.reports import Reports
from playwright.async_api import Browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with launched_browser() as running:
        yield running


@pytest.fixture(scope="session")
def reports(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return Reports(browser, tmp_path_factory.mktemp("reports"))
