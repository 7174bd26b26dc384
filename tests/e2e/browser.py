"""A real browser for tests: found on the machine, never downloaded.

Playwright's async interface only: the other runs tests inside greenlets, which break `ast.parse` for later tests.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, async_playwright, expect

# The headless shell first: it starts a page in a quarter of the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# A test browser talks to what the test opens and to nothing else.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

# What a page comes to is waited for, however busy the machine is.
WAIT = 120_000  # milliseconds; only what never happens takes as long
expect.set_options(timeout=WAIT)


def find_browser() -> str:
    """The path of a Chromium; without one the test is skipped, or fails where CI promised one."""
    wanted = os.environ.get("ADJUDGE_BROWSER")
    for name in (wanted,) if wanted else NAMES:
        if path := shutil.which(name):
            return path
    place = f"ADJUDGE_BROWSER={wanted}" if wanted else f"none of {', '.join(NAMES)} is on the PATH"
    reason = f"no browser: {place}; install chromium or set ADJUDGE_BROWSER"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@asynccontextmanager
async def launched_browser() -> AsyncIterator[Browser]:
    """A running browser that is gone afterwards."""
    path = find_browser()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            await browser.close()
