"""The service's pages in a real browser: each is opened once and looked at in every width and colour scheme."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

from axe_playwright_python.async_playwright import Axe
from e2e.browser import WAIT
from e2e.reports import Tab
from fastapi import FastAPI
from playwright.async_api import Browser, Page, expect
from reports import dialogue_samples, grade_samples, review_report_samples, verdict_samples
from server.people_samples import PASSWORD
from stored import store_verdict

from adjudge.engine import open_engine
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.dialogue.settings import DialogueSettings
from adjudge.protocols.grade.settings import GradeSettings
from adjudge.protocols.review.settings import ReviewSettings
from adjudge.server.app import create_app
from adjudge.server.guard import server_for

# Colours go by the scheme alone, and sizes by the width: each is seen once.
FORMS = [(1440, "light"), (390, "dark")]
_CHECKED = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
# Verdicts as judges other than the embedded one give them, by name; an id is a letter and twenty digits.
SAMPLES: dict[str, tuple[Any, Any]] = {
    "plain": (verdict_samples.plain_sample(), CompareSettings),
    "tied": (verdict_samples.tied_sample(), CompareSettings),
    "one order": (verdict_samples.tied_sample(one_order=True), CompareSettings),
    "jury": (verdict_samples.jury_sample(), CompareSettings),
    "identical": (verdict_samples.identical_sample(), CompareSettings),
    "hostile comparison": (verdict_samples.hostile_sample(), CompareSettings),
    "debated": (dialogue_samples.debated_sample(), DialogueSettings),
    "hostile dialogue": (dialogue_samples.hostile_sample(), DialogueSettings),
    "graded": (grade_samples.plain_sample(), GradeSettings),
    "graded, undecided": (grade_samples.undecided_sample(), GradeSettings),
    "hostile grading": (grade_samples.hostile_sample(), GradeSettings),
    "audited": (review_report_samples.every_sample()["audited"], ReviewSettings),
    "hostile review": (review_report_samples.hostile_sample(), ReviewSettings),
}
IDS = {name: f"{settings.protocol[0]}{at:020d}" for at, (name, (_, settings)) in enumerate(SAMPLES.items())}
VERDICTS = {name: f"/verdicts/{IDS[name]}" for name in SAMPLES}


def store_samples(journal: Path) -> None:
    """Keep every sample in a journal, where a service finds it."""

    async def store() -> None:
        async with open_engine(journal) as engine:
            for name, (sample, settings) in SAMPLES.items():
                verdict = sample.verdict.model_copy(update={"verdict_id": IDS[name]})
                await store_verdict(engine, verdict.case, settings(rubric=sample.rubric), verdict)

    # In a thread: the session's own loop runs here.
    storing = threading.Thread(target=lambda: asyncio.run(store()))
    storing.start()
    storing.join()


@contextmanager
def serving(folder: Path, made: Callable[[FastAPI], None] = lambda _: None, **options: Any) -> Iterator[str]:
    """The service on a port of its own, in a thread: what pages show does not depend on the process."""
    app = create_app(CompareSettings(), journal=folder / "journal.db", data=folder / "service", **options)
    made(app)
    addresses: Queue[str] = Queue()
    server = server_for(app, "127.0.0.1", 0, ready=addresses.put, on_exit=app.state.adjudge.runs.closing.set)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield addresses.get(timeout=180).rstrip("/")
    finally:
        server.should_exit = True
        thread.join()


# Tabs that were given back, by what their contexts allow: a new context takes longer than a page.
_FREE: dict[str, list[Tab]] = {}


@asynccontextmanager
async def opened(
    browser: Browser, address: str, width: int = 1440, scheme: str = "light", **context: Any
) -> AsyncIterator[Tab]:
    """A tab without cookies or anything stored; one in which nothing went wrong is used again."""
    free = _FREE.setdefault(repr(context), [])
    if free:
        tab = free.pop()
        await tab.page.goto("about:blank")
        await tab.page.context.clear_cookies()
        session = await tab.page.context.new_cdp_session(tab.page)
        await session.send("Storage.clearDataForOrigin", {"origin": address, "storageTypes": "local_storage"})
        await session.detach()
    else:
        made = await browser.new_context(reduced_motion="reduce", **context)
        made.set_default_timeout(WAIT)
        tab = Tab(await made.new_page())
    try:
        await tab.page.set_viewport_size({"width": width, "height": 900})
        await tab.page.emulate_media(media="screen", color_scheme=scheme)  # type: ignore[arg-type]
        tab.complaints.clear()
        tab.requests.clear()
        await tab.page.goto(address)
        yield tab
    except BaseException:
        await tab.page.context.close()
        raise
    free.append(tab)


async def every_form(tab: Tab, forms: Sequence[tuple[int, str]] = FORMS) -> AsyncIterator[tuple[int, str]]:
    """Unfold the page and show it on a light desktop and on a dark phone; which of these it is."""
    await tab.unfold()
    for width, scheme in forms:
        await tab.page.set_viewport_size({"width": width, "height": 900})
        await tab.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        yield width, scheme


async def page_width(tab: Tab) -> int:
    return await tab.page.evaluate("document.documentElement.scrollWidth")  # type: ignore[no-any-return]


async def serious_faults(tab: Tab) -> list[tuple[object, ...]]:
    """What axe finds that would stop those who cannot see or point: on which form, the rule, and the places."""
    return [
        (form, fault["id"], [node["target"] for node in fault["nodes"]][:3])
        async for form in every_form(tab)
        for fault in (await Axe().run(tab.page, options=_CHECKED)).response["violations"]
        if fault["impact"] in ("serious", "critical")
    ]


async def sign_in(page: Page, name: str) -> None:
    """Type name and password, once the page has put the cursor where the name belongs."""
    await expect(page.locator("#name")).to_be_focused()
    await page.keyboard.type(name)
    await page.keyboard.press("Tab")
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press("Enter")


async def tab_to(page: Page, selector: str) -> None:
    """Press the Tab key until something has the focus."""
    for _ in range(120):
        await page.keyboard.press("Tab")
        if await page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached with the Tab key")
