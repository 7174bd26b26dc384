"""One browser a session; with several test processes, one in each."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from e2e.browser import launched_browser
from playwright.async_api import Browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with launched_browser() as running:
        yield running
