"""One browser for all tests of a file."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from e2e.browser import launched_browser
from playwright.async_api import Browser


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with launched_browser() as running:
        yield running
