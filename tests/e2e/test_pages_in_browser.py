"""The service's pages in a real browser: how they look and fit, with keys only, without scripts, with hostile texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal

import pytest
from e2e.pages import (
    IDS,
    SAMPLES,
    VERDICTS,
    every_form,
    opened,
    page_width,
    serious_faults,
    serving,
    store_samples,
    tab_to,
)
from playwright.async_api import expect

from adjudge.protocols.compare.deciding import reweighted
from adjudge.reports import view_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINE = "x" * 100_000
PAGES = {
    "form of a comparison": "/judge/compare?example=1",
    "form of a dialogue": "/judge/dialogue?example=1",
    "form of a grading": "/judge/grade?example=1",
    "form of a review": "/judge/review?example=1",
    "empty form": "/",
    "error": "/nowhere",
    "recent verdicts": "/verdicts",
    "judge again": f"/verdicts/{IDS['plain']}/again",
    "calls": f"/verdicts/{IDS['plain']}/calls",
    **VERDICTS,
}
# Pages of an ordinary kind are looked at by `make slow`, which also follows all links of the demo.
QUICK = [name for name in VERDICTS if name not in ("plain", "debated", "graded", "audited")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    store_samples(folder / "journal.db")
    with serving(folder) as url:
        yield url


# -- every page -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in PAGES if name not in QUICK)]
)
async def test_a_page_fits_asks_nobody_else_and_shows_hostile_texts_as_text(site, browser, name):
    wide = """[...document.querySelectorAll('main *:not(.unseen, .label, textarea, pre)')].filter(
        e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline'
    ).map(e => e.className)"""
    async with opened(browser, site + PAGES[name]) as tab:
        if name.startswith("hostile"):
            assert "<script>alert(1)</script>" in await tab.page.locator("main").inner_text()
            assert await tab.page.locator("main script, main img, main iframe").count() == 0
        if name == "hostile comparison":  # the column stays while long texts scroll
            await tab.page.evaluate("scrollTo({ top: 500, behavior: 'instant' })")
            column = await tab.page.locator(".screen-side").bounding_box()
            assert column and 0 <= column["y"] < 20 and column["y"] + column["height"] <= 900
        async for width, scheme in every_form(tab):
            assert await page_width(tab) == width, scheme
            assert await tab.page.evaluate(wide) == [], (width, scheme)
        assert [said for said in tab.complaints if name != "error" or "404" not in said] == []
        assert all(address.startswith((site, "data:")) for address in tab.requests)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
async def test_a_page_has_no_serious_fault_for_those_who_cannot_see_or_point(site, browser, name):
    async with opened(browser, site + PAGES[name]) as tab:
        assert await serious_faults(tab) == []


async def test_a_line_of_100_kb_and_marks_that_turn_the_direction_are_judged_and_shown(site, browser):
    async with opened(browser, f"{site}/judge/compare") as tab:
        page = tab.page
        await page.fill("#userTask", "Say <script>alert(1)</script> \u202ebackwards")
        await page.fill("#responseA", LINE)
        await page.fill("#responseB", "\u202e<b>short</b> and to the point, as was asked for")
        await page.click(".start")
        await page.wait_for_url("**/verdicts/*")
        async for width, scheme in every_form(tab):
            assert await page_width(tab) == width, scheme
        assert LINE in await page.locator(".answer.A .text").inner_text()
        assert await page.locator(".answer.B .text b").count() == 0
        assert tab.complaints == []


# -- the form ---------------------------------------------------------------------------------------------------------


async def test_with_keys_only_an_example_is_loaded_and_judged(site, browser):
    async with opened(browser, site) as tab:
        page = tab.page

        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.className") == "skip"
        await page.keyboard.press("Enter")
        await tab_to(page, "a[href='/judge/compare?example=1']")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**example=1")
        await tab_to(page, ".how summary")
        await page.keyboard.press("Enter")
        await tab_to(page, "#weight-clarity_structure")
        await page.keyboard.press("ArrowRight")
        assert await page.locator("output[for=weight-clarity_structure]").inner_text() == "1.5 · 18\u00a0%"
        # What the Enter key means anywhere in the form.
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/verdicts/*")
        assert await page.locator("h1").inner_text() == "Response A wins"


async def test_answer_fields_and_judge_are_in_the_first_screen(site, browser):
    bottoms = """[...document.querySelectorAll('.start, .paper .field:not(:has(small), .rest *) textarea')].map(
        each => each.getBoundingClientRect().bottom
    )"""
    async with opened(browser, "about:blank") as tab:
        for protocol in ("compare", "dialogue", "grade", "review"):
            await tab.page.goto(f"{site}/judge/{protocol}", wait_until="domcontentloaded")
            found = await tab.page.evaluate(bottoms)
            assert len(found) > 1, protocol
            assert max(found) <= 900, protocol


async def test_a_visitor_comes_to_a_verdict_with_30_keys_beside_the_text(site, browser):
    """Tab to each field, and Ctrl+Enter from the last; Ctrl+Enter before that names what is missing.

    Without that it takes 20 keys. Before Ctrl+Enter it took 32, with Tab to the button.
    """
    async with opened(browser, site) as tab:
        page, texts = tab.page, ("Say hello to a guest.", "Good evening, and welcome. Please sit.", "Hi.")
        pressed = 0
        for name, text in zip(("userTask", "responseA", "responseB"), texts, strict=True):
            while not await page.evaluate("name => document.activeElement.id === name", name):
                await page.keyboard.press("Tab")
                pressed += 1
            await page.keyboard.type(text)
            if name == "responseA":
                await page.keyboard.press("Control+Enter")
                await expect(page.locator("#error-responseB")).to_have_text("Enter response B")
                assert await page.input_value("#responseA") == text
                pressed += 1
        await page.keyboard.press("Control+Enter")
        await page.wait_for_url("**/verdicts/*")
        assert await page.locator("h1").inner_text()
        assert pressed + 1 <= 30, pressed + 1
        assert [said for said in tab.complaints if "400" not in said] == []


async def test_without_a_script_everything_is_there(site, browser):
    async with opened(browser, f"{site}/judge/compare?example=1", java_script_enabled=False) as tab:
        page = tab.page
        await expect(page.locator("label[for=file]")).to_be_hidden()
        await page.fill("#responseA", " ")
        await page.click(".start")
        await expect(page.locator("#error-responseA")).to_have_text("Enter response A")
        await page.fill(
            "#responseA", "Wear sunglasses, keep one block of sleep, stop caffeine early and cool the room."
        )
        await page.click(".start")
        assert "/verdicts/" in page.url
        await page.click("#weights")
        await page.fill("#now-clarity_structure", "5")
        await page.click("text=Recompute")
        assert "weights.clarity_structure=5" in page.url
        await expect(page.locator(".reset")).to_be_visible()


async def test_a_draft_survives_a_reload_and_is_gone_once_it_is_judged(site, browser):
    async with opened(browser, site) as tab:
        page = tab.page
        for name in ("userTask", "responseA", "responseB"):
            await page.fill(f"#{name}", f"what stands in {name} of a draft")
        await page.click(".how summary")
        await page.fill("#weight-clarity_structure", "3")
        await page.uncheck("[name=both_orders]")
        await page.reload()
        assert await page.input_value("#responseB") == "what stands in responseB of a draft"
        assert await page.input_value("#weight-clarity_structure") == "3"
        assert not await page.is_checked("[name=both_orders]")
        await page.goto(f"{site}/judge/dialogue")
        assert await page.input_value("#transcript") == "", "each form has its own"
        await page.goto(site)
        await page.click(".start")
        await page.wait_for_url("**/verdicts/*")
        await page.goto(site)
        assert await page.input_value("#userTask") == ""


async def test_an_error_comes_without_a_new_page_keeps_everything_and_takes_the_focus(site, browser):
    async with opened(browser, site) as tab:
        page = tab.page
        await page.evaluate("window.same = true")
        await page.fill("#userTask", "A task")
        await page.click(".start")
        await page.wait_for_selector("#error-responseA")
        assert await page.evaluate("window.same") is True
        assert await page.input_value("#userTask") == "A task"
        assert await page.evaluate("document.activeElement.matches('.refusal.summary')")
        assert await page.get_attribute("#responseA", "aria-invalid") == "true"
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        assert await page.evaluate("location.hash") == "#responseA"


async def test_a_file_that_is_opened_or_dropped_fills_the_form(site, browser, tmp_path):
    case = {"userTask": "From a file", "responseA": "one answer", "responseB": "another answer"}
    (tmp_path / "case.json").write_text(json.dumps(case))
    async with opened(browser, site) as tab:
        page = tab.page
        await page.set_input_files("#file", tmp_path / "case.json")
        await expect(page.locator("#responseB")).to_have_value("another answer")
        drop = """([selector, name, text]) => {
            const carried = new DataTransfer();
            carried.items.add(new File([text], name));
            document.querySelector(selector).dispatchEvent(
                new DragEvent('drop', { dataTransfer: carried, bubbles: true, cancelable: true }));
        }"""
        await page.evaluate(drop, ["#responseA", "answer.txt", "only this box"])
        await expect(page.locator("#responseA")).to_have_value("only this box")
        await page.evaluate(drop, ["form", "case.json", json.dumps({**case, "userTask": "Dropped"})])
        await expect(page.locator("#userTask")).to_have_value("Dropped")
        await expect(page.locator("#responseA")).to_have_value("one answer")


async def test_a_review_is_kept_as_a_draft_under_an_address(site, browser):
    async with opened(browser, f"{site}/judge/review") as tab:
        await tab.page.fill("#prompt", "Name three primes.")
        await tab.page.click("text=Save draft")
        await tab.page.wait_for_url("**?draft=*")
        address = tab.page.url
    async with opened(browser, address) as tab:
        assert await tab.page.input_value("#prompt") == "Name three primes."
        assert "Still needed" in await tab.page.locator(".saved").inner_text()


# -- a comparison -----------------------------------------------------------------------------------------------------


async def test_moving_a_weight_brings_the_winner_totals_and_address_of_the_server(site, browser):
    verdict = SAMPLES["tied"][0].verdict
    first, *others = verdict.criteria
    async with opened(browser, site + PAGES["tied"]) as tab:
        page = tab.page
        assert await page.locator("h1").inner_text() == "It is a tie"
        for key in others:
            await page.evaluate(
                """id => { const slider = document.getElementById(id); slider.value = 0;
                    slider.dispatchEvent(new Event('input', { bubbles: true })); }""",
                f"now-{key}",
            )
        await page.click("#weights")
        await page.focus(f"#now-{first}")
        await page.keyboard.press("ArrowRight")
        weight = await page.input_value(f"#now-{first}")
        now = view_of(reweighted(verdict, dict.fromkeys(others, Decimal(0)) | {first: Decimal(weight)}))
        assert now.headline != "It is a tie"
        await expect(page.locator("h1")).to_have_text(now.headline)
        for answer in now.answers:
            await expect(page.locator(f".total.{answer.label} .weighted")).to_have_text(
                f"weighted total {answer.total}"
            )
            await expect(page.locator(f"#answer-{answer.label} .points")).to_have_text(answer.score)
        await expect(page.locator(f"#criterion-{others[0]} .weight")).to_have_text("Weight 0")
        await expect(page.locator(".reset")).to_be_visible()
        await page.wait_for_url(f"**weights.{first}={weight}*")
        assert await page.evaluate("document.activeElement.id") == f"now-{first}", "the focus stays"
        live = await page.locator(".screen-side .summed").first.inner_text()
        await page.reload()
        assert await page.locator(".screen-side .summed").first.inner_text() == live, "the address shows the same"
        address = page.url
        await page.fill(f"#now-{first}", "0")
        await expect(page.locator("#refused")).to_have_text("weights: all are zero; at least one must be above 0")
        assert (page.url, await page.locator(".screen-side .summed").first.inner_text()) == (address, live), (
            "a refusal changes nothing else"
        )
        await page.click(".reset")
        assert await page.locator("h1").inner_text() == "It is a tie"


async def test_a_criterion_lights_its_quotes_a_quote_its_criterion_and_prompts_open_in_place(site, browser):
    background = "e => getComputedStyle(e).backgroundColor"
    async with opened(browser, site + PAGES["plain"]) as tab:
        page = tab.page
        mark, other = page.locator(".q-A3").first, page.locator(".q-A1").first
        plain = await mark.evaluate(background)
        unlit = await other.evaluate(background)
        await page.focus("#criterion-correctness_reasoning > summary")
        assert await mark.evaluate(background) != plain
        assert await other.evaluate(background) == unlit
        await page.hover("footer")
        await page.evaluate("document.activeElement.blur()")
        row = page.locator("#criterion-correctness_reasoning")
        dark = await row.evaluate(background)
        await mark.hover()
        assert await row.evaluate(background) != dark
        await page.click("summary:has-text('Prompts and raw replies')")
        await page.wait_for_selector(".later pre")
        assert SAMPLES["plain"][0].case.a in await page.locator(".later:has(pre)").inner_text()


# -- a review ---------------------------------------------------------------------------------------------------------


async def test_all_blocks_are_one_click_to_copy(site, browser):
    async with opened(browser, site + PAGES["audited"], permissions=["clipboard-read", "clipboard-write"]) as tab:
        page = tab.page
        await page.click(".blocks > .actions .copy")
        await expect(page.locator(".blocks > .actions .copy")).to_have_text("Copied")
        copied = await page.evaluate("navigator.clipboard.readText()")
        async with page.expect_request("**/*.txt"):
            served = await page.evaluate("fetch(location.pathname + '.txt').then(answer => answer.text())")
        assert copied == served
