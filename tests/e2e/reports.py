"""Reports in a real browser: opened from a file, with all that the tab complained of or asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Dialog, Page

DESKTOP, PHONE = 1280, 390


class OpenReport:
    """A report in a browser tab, with all that the tab complained of or asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dismiss)
        page.on("request", lambda request: self.requests.append(request.url))

    async def _dismiss(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    async def target(self) -> dict[str, object]:
        """Where the last link led."""
        return await self.page.evaluate(  # type: ignore[no-any-return]
            """() => {
                const target = document.querySelector(':target');
                const details = target && target.closest('details.criterion');
                const box = target && target.getBoundingClientRect();
                return {
                    id: target && target.id,
                    criterion: details && details.id,
                    open: details && details.open,
                    seen: box && box.bottom > 0 && box.top < innerHeight,
                };
            }"""
        )


@asynccontextmanager
async def opened_reports(browser: Browser, file: Path, rendered: Callable[[Any], str]) -> AsyncIterator[Any]:
    """Opens samples as pages of a given width; they are closed afterwards."""
    pages: list[Page] = []

    def written(sample: Any) -> str:
        file.write_text(rendered(sample), "utf-8")
        return file.as_uri()

    async def open_it(sample: Any, width: int = DESKTOP, **settings: Any) -> OpenReport:
        page = await browser.new_page(viewport={"width": width, "height": 900}, reduced_motion="reduce", **settings)
        pages.append(page)
        report = OpenReport(page)
        await page.goto(written(sample))
        return report

    yield open_it
    for page in pages:
        await page.close()
