"""A file becomes a run in a real browser: looked at, started, followed, paused and resumed, and read to the end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from e2e.pages import every_form, opened, page_width, serious_faults, serving
from playwright.async_api import Browser, Page, expect
from scripted.provider import ScriptedProvider, after, judges

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAIRS = [
    {
        "question": f"Explain the number {n} to a friend.",
        "output_1": f"The number {n} follows {n - 1}. It is {('even', 'odd')[n % 2]}, as its last digit shows.",
        "output_2": "No idea." if n % 2 else f"Well, {n}. Numbers are what they are.",
        "chosen": f"It is {n}.",
        "rejected": "That.",
        "winner": "B" if n % 3 else "A",
    }
    for n in range(12)
]
NASTY = "<script>alert(1)</script> \u202eback to front"
# Browsers show a notice only to a person, so the test's own keeps what it is given.
NOTICES = """window.Notification = class {
  static requestPermission() { return Promise.resolve("granted"); }
  constructor(text) { localStorage.setItem("notice", text); }
}"""


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("site")) as url:
        yield url


async def test_lead_upload_to_live_to_worst_case_to_export_in_eight_clicks(site, browser: Browser, tmp_path):
    rows = [{key: row[key] for key in ("question", "output_1", "output_2", "winner")} for row in PAIRS]
    file = written(tmp_path, [*rows, {**rows[0], "question": ""}])
    clicks = 0

    async def click(page: Page, selector: str) -> None:
        nonlocal clicks
        clicks += 1
        await page.click(selector)

    async with opened(browser, f"{site}/runs") as tab:
        page = tab.page
        await click(page, "main >> text=New run")
        clicks += 1
        await page.set_input_files("#begin-file", file)
        await page.fill("#begin-name", NASTY)
        await click(page, "text=Look at the file")
        await expect(page.locator(".sheet th select.used")).to_have_count(4)
        await expect(page.locator(".skips")).to_contain_text("1 row cannot be judged")
        await expect(page.locator(".amounts .big").first).to_have_text("13")
        await click(page, "[value=start]")
        await expect(page.locator("h2", has_text="Cases by criterion")).to_be_visible()  # without a click
        assert await page.locator("main script, main img, main iframe").count() == 0
        assert "<script>alert(1)</script>" in await page.locator("body").inner_text()
        await click(page, "main a:has-text('Closest first')")
        await click(page, "table.cases tbody a")
        await expect(page.locator("h1").first).to_be_visible()
        await click(page, ".run-head a:has-text('Cases')")
        async with page.expect_download() as download:
            await click(page, "a[download]:has-text('CSV')")
        assert (await download.value).suggested_filename.endswith(".csv")
        assert tab.complaints == []
        assert all(address.startswith((site, "data:")) for address in tab.requests)
    # Nine before, and twelve if the box for unreadable rows had not been ticked, because the file was asked for again.
    assert clicks == 8


@pytest.mark.parametrize("script", [True, False])
async def test_unclear_columns_are_chosen_without_sending_the_file_again(site, browser: Browser, tmp_path, script):
    file = written(tmp_path, PAIRS)
    async with opened(browser, f"{site}/runs/new", java_script_enabled=script) as tab:
        page = tab.page
        await page.set_input_files("#begin-file", file)
        await page.click("text=Look at the file")
        await expect(page.locator("#error-columns")).to_contain_text("a and b could be")
        await expect(page.locator("#error-columns")).to_be_focused() if script else None
        await page.select_option("#column-3", "a")
        if script:  # each change is read at once
            await expect(page.locator("#column-3.used")).to_be_visible()
            async with page.expect_response("**/runs/new/*"):
                await page.select_option("#column-4", "b")
                await page.fill("#begin-name", "columns chosen")  # and what is typed meanwhile is kept
        else:
            await page.select_option("#column-4", "b")
            await page.fill("#begin-name", "columns chosen")
        await page.click("text=Read again") if not script else None
        await expect(page.locator("#estimate")).to_be_visible()
        await expect(page.locator("#column-0")).to_have_value("task")
        await page.focus("#begin-name")
        await page.keyboard.press("End")
        await page.keyboard.type("!")
        await page.hover("[value=start]")
        await page.mouse.down()  # leaves the field, whose change is read
        await asyncio.sleep(0.15)
        await page.mouse.up()
        await page.wait_for_url("**/runs/r*")
        await expect(page.locator("body")).to_contain_text("columns chosen!")
        # The page shows the end of the run by itself; without a script it loads again.
        await expect(page.locator(".outcome")).to_be_visible()
        # Chromium reports the answer with the error, which is a 400.
        assert [said for said in tab.complaints if "400 (Bad Request)" not in said] == []


@pytest.mark.slow
async def test_the_page_for_a_new_run_fits_and_has_no_serious_fault(site, browser: Browser, tmp_path):
    file = written(tmp_path, [*PAIRS, {"question": ""}])
    async with opened(browser, f"{site}/runs/new") as tab:
        assert await serious_faults(tab) == []
        await tab.page.set_input_files("#begin-file", file)
        await tab.page.click("text=Look at the file")
        for chosen in ((), (("#column-1", "a"), ("#column-2", "b"))):
            for selector, value in chosen:
                await tab.page.select_option(selector, value)
                await expect(tab.page.locator(f"{selector}.used")).to_be_visible()
            assert await serious_faults(tab) == []
            async for width, _ in every_form(tab):
                assert await page_width(tab) == width


# -- live -------------------------------------------------------------------------------------------------------------


async def until(fact: Callable[[], Any]) -> None:
    for _ in range(6000):
        if fact():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never came")


@pytest.mark.slow
async def test_a_live_run_shows_what_is_judged_and_is_paused_and_resumed(browser: Browser, tmp_path):
    replies = {n: asyncio.Event() for n in range(12)}

    def script(request):
        (number,) = (n for n in replies if f"the number {n} to".encode() in request.body)
        return after(replies[number], judges())

    def let(numbers: Iterator[int] | range) -> None:
        for number in numbers:
            replies[number].set()

    made = []
    async with ScriptedProvider(script) as provider:
        judge = f"{provider.url}/v1#m"
        with serving(tmp_path, made.append, allowed_judges=(judge,)) as url:
            rows = [{"task": row["question"], "a": row["output_1"], "b": row["output_2"]} for row in PAIRS[:12]]
            asked = {"protocol": "compare", "source": "pairs.jsonl", "name": "live", "judge": judge}
            asked |= {"one_order": "true", "concurrency": "2"}
            body = "".join(json.dumps(row) + "\n" for row in rows).encode()
            sent = Request(f"{url}/api/runs?{urlencode(asked)}", body)
            run_id = json.loads(await asyncio.to_thread(lambda: urlopen(sent).read()))["run_id"]
            async with opened(browser, f"{url}/runs", permissions=["notifications"]) as tab:
                page = tab.page
                await page.add_init_script(NOTICES)
                await page.goto(f"{url}/runs/{run_id}")
                await expect(page).to_have_title("0 % · live · adjudge")
                let(range(3))
                await expect(page).to_have_title("25 % · live · adjudge")
                await expect(page.locator(".latest li")).to_have_count(3)
                await expect(page.locator("#progress .legend")).to_contain_text("9 waiting")
                await expect(page.locator("#progress .said")).not_to_contain_text("left")
                assert await page_width(tab) == 1440
                assert await serious_faults(tab) == []
                await page.click("text=Notify me when done")
                await expect(page.locator(".notify")).to_have_text("You will be notified")
                await page.click("text=Pause")
                await expect(page.locator("#progress .state")).to_have_text("pausing")
                await until(made[0].state.adjudge.runs._halts[run_id].asked.is_set)
                let(range(3, 7))  # four cases are in flight
                await expect(page.locator("#progress .state")).to_have_text("paused")
                await expect(page.locator("#progress .said")).to_contain_text("7 of 12 cases")
                assert provider.calls == 7 and "%" not in await page.title()
                await page.click("text=Resume")
                await expect(page.locator("#progress .state")).to_have_text("running")
                await page.click(".latest a >> nth=0")
                await page.wait_for_url("**/cases/*")
                await page.go_back()
                let(range(7, 12))
                await expect(page.locator("main a:has-text('All 12 cases')")).to_be_visible()
                notice = await page.evaluate("localStorage.getItem('notice')")
                assert notice == "live: finished, 12 of 12 cases"
                assert tab.complaints == []
