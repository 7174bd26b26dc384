"""A tab of a real browser, with all that it complained of or asked for."""

from __future__ import annotations

from playwright.async_api import Dialog, Page

DESKTOP, PHONE = 1280, 390
_TARGET = """() => {
    const target = document.querySelector(':target');
    const details = target && target.closest('details');
    const box = target && target.getBoundingClientRect();
    return {
        id: target && target.id,
        inside: details && details.id,
        seen: box && box.bottom > 0 && box.top < innerHeight && (!details || details.open),
    };
}"""
_FOLLOW = f"""pairs => pairs.map(pair => pair.map(place => {{
    const link = document.querySelector(place);
    link.scrollIntoView({{ block: 'center' }});
    const box = link.getClientRects()[0];
    const uncovered = link.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
    link.click();
    return {{ ...({_TARGET})(), uncovered }};
}}))"""


class Tab:
    """A browser tab; `show` opens another page in it, as if nothing had been before."""

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

    async def show(self, address: str) -> None:
        await self.page.goto("about:blank")
        self.complaints.clear()
        self.requests.clear()
        await self.page.goto(address)

    async def unfold(self) -> None:
        """Open everything that can be opened."""
        await self.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")

    async def fold(self) -> None:
        """Close everything that can be closed."""
        await self.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = false })")

    async def target(self) -> dict[str, object]:
        """Where the last link led: whether it can be seen, and the folded part it is in, which must have opened."""
        return await self.page.evaluate(_TARGET)  # type: ignore[no-any-return]

    async def follow(self, links: list[tuple[str, str]]) -> list[list[dict[str, object]]]:
        """Follow pairs of links; where each of them led, and whether a pointer would have reached it."""
        return await self.page.evaluate(_FOLLOW, links)  # type: ignore[no-any-return]
