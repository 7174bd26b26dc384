"""Reports in a real browser: opened from a file, with all that the tab complained of or asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, Dialog, Page

DESKTOP, PHONE = 1280, 390


class Tab:
    """A browser tab of a given width and colour scheme; `show` opens a report in it anew."""

    def __init__(self, page: Page, scheme: Literal["light", "dark"] | None = None) -> None:
        self.page, self._scheme = page, scheme
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dismiss)
        page.on("request", lambda request: self.requests.append(request.url))

    async def _dismiss(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    async def show(self, address: str) -> None:
        await self.page.goto("about:blank")
        await self.page.emulate_media(media="screen", color_scheme=self._scheme)
        self.complaints.clear()
        self.requests.clear()
        await self.page.goto(address)

    async def unfold(self) -> None:
        """Open everything that can be opened."""
        await self.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")

    async def follow(self, link: str) -> None:
        """Follow a link without a pointer, wherever it stands."""
        await self.page.evaluate("link => document.querySelector(link).click()", link)

    async def target(self) -> dict[str, object]:
        """Where the last link led: whether it can be seen, and the folded part it stands in, which must have opened."""
        return await self.page.evaluate(  # type: ignore[no-any-return]
            """() => {
                const target = document.querySelector(':target');
                const details = target && target.closest('details');
                const box = target && target.getBoundingClientRect();
                return {
                    id: target && target.id,
                    inside: details && details.id,
                    seen: box && box.bottom > 0 && box.top < innerHeight && (!details || details.open),
                };
            }"""
        )


class Reports:
    """The reports of a session: each is written once, and all of one width and colour scheme share a tab."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser, self._folder = browser, folder
        self._tabs: dict[tuple[int, str], Tab] = {}

    async def open(self, name: str, html: str, width: int = DESKTOP, scheme: Literal["light", "dark"] = "light") -> Tab:
        file = self._folder / f"{name}.html"
        if not file.exists():
            file.write_text(html, "utf-8")
        if (width, scheme) not in self._tabs:
            size = {"width": width, "height": 900}
            page = await self._browser.new_page(viewport=size, reduced_motion="reduce", color_scheme=scheme)  # type: ignore[arg-type]
            self._tabs[width, scheme] = Tab(page, scheme)
        tab = self._tabs[width, scheme]
        await tab.show(file.as_uri())
        return tab
