"""Reviews decided and rubrics changed in a real browser: with keys only, without scripts, with hostile texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx2
import pytest
from e2e.pages import VERDICTS, every_form, opened, page_width, serious_faults, serving, store_samples, tab_to
from playwright.async_api import expect
from server.test_rubrics_api import OURS

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG = OURS.replace("our answers", "long").replace("true?", f"true? <script>alert(1)</script> {'x' * 100_000}")
WRONG = OURS.replace("weight: 2", "weight: -2")
BACKGROUND = "e => getComputedStyle(e).backgroundColor"
ADDRESSES = {
    "decided review": VERDICTS["hostile review"],
    "rubrics": "/rubrics",
    "shipped rubric": "/rubrics/review",
    "two versions": "/rubrics/our%20answers?version=2&against=1",
    "hostile rubric": "/rubrics/long",
    "editor": "/rubrics/our%20answers/edit?view=yaml",
    "fields": "/rubrics/grade/edit",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    store_samples(folder / "journal.db")
    with serving(folder) as url:
        for text in (OURS, OURS.replace('"1"', '"2"').replace("weight: 2", "weight: 3"), LONG):
            assert httpx2.post(f"{url}/api/rubrics", content=text, timeout=120).status_code == 201
        decision = {"decision": "rejected", "reason": f"<script>alert(1)</script> \u202e {'y' * 4000}"}
        assert httpx2.put(f"{url}/api{ADDRESSES['decided review']}/decision", json=decision).status_code == 200
        yield url


# -- every page -------------------------------------------------------------------------------------------------------


async def test_hostile_pages_and_two_versions_fit_and_run_nothing(site, browser):
    """What is ordinary is looked at by `make slow`, which also follows all links of the demo."""
    async with opened(browser, "about:blank") as tab:
        for name in ("decided review", "two versions", "hostile rubric"):
            await tab.show(site + ADDRESSES[name])
            async for width, _ in every_form(tab):
                assert await page_width(tab) == width, name
            assert await tab.page.locator("main script").count() == 0, name
            assert tab.complaints == [], name


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ADDRESSES, "wrong text", "wrong decision"])
async def test_a_page_has_no_serious_fault_for_those_who_cannot_see_or_point(site, browser, name):
    starts = {"wrong text": ADDRESSES["editor"], "wrong decision": VERDICTS["audited"]}
    async with opened(browser, site + {**ADDRESSES, **starts}[name]) as tab:
        page = tab.page
        if name == "wrong text":
            await page.fill("#source", WRONG)
            await page.locator("button:visible", has_text="Check it").last.click()
            await expect(page.locator("#wrong")).to_be_focused()
        elif name == "wrong decision":
            await page.locator("[name=likert]:checked").focus()
            await page.keyboard.press("6")
            await page.click("[value=fixed]")
            await expect(page.locator(".decide .summary")).to_be_focused()
        assert await serious_faults(tab) == []
        async for width, _ in every_form(tab):
            assert await page_width(tab) == width, name
        assert name.startswith("wrong") or tab.complaints == []


# -- a review ---------------------------------------------------------------------------------------------------------


async def test_a_review_is_decided_with_keys_only(site, browser):
    async with opened(browser, site + VERDICTS["audited"]) as tab:
        page, press = tab.page, tab.page.keyboard.press
        await press("?")
        await expect(page.locator("dialog.keys")).to_be_visible()
        await press("a")
        await press("Escape")
        await expect(page.locator("dialog.keys")).to_have_count(0)
        await expect(page.locator(".decide .state b")).to_have_text("Not decided yet")  # no key works behind the help
        await page.locator("#rating-A-localization > summary").focus()
        for key, row in (("ArrowDown", "A-instruction_following"), ("ArrowUp", "A-localization")):
            await press(key)
            assert await page.evaluate("document.activeElement.parentElement.id") == f"rating-{row}"
            await expect(page.locator(".table .rating[open]")).to_have_count(1)
        await expect(page.locator(".decide [value=fixed]")).to_be_hidden()
        await page.locator("[name=likert]:checked").focus()
        await press("1")
        await expect(page.locator(".decide .edits")).to_have_text("1 change")
        await expect(page.locator(".decide [value=accepted]")).to_be_hidden()
        await press("r")
        await page.keyboard.type("7 out of 10 jokes? j, k!")
        assert await page.locator("[name=likert]:checked").get_attribute("value") == "1", "not while typing"
        await press("Control+Enter")
        await page.wait_for_url("**#decision")
        decided = page.locator("#decision")
        await expect(decided).to_contain_text("Fixed and accepted by local")
        await expect(decided).to_contain_text("7 out of 10 jokes? j, k!")
        await expect(decided).to_contain_text("Likert: 2 → 1")
        assert await page.locator("h1").inner_text() == "Response 1 is much better"
        assert "Likert: 1\n" in (await page.locator("#block-3").text_content() or "")
        # The way back: the verdict itself was never changed.
        await tab_to(page, "a[href$='?judged']")
        await press("Enter")
        await expect(page.locator("h1")).to_have_text("Response 1 is better")
        await page.wait_for_load_state()  # with it the script that knows the keys
        await press("Control+Enter")
        await expect(page.locator("#decision > .by b")).to_have_text("Accepted")


async def test_without_a_script_a_review_is_fixed_and_rejected_and_nothing_is_lost(site, browser):
    async with opened(browser, site + VERDICTS["audited"], java_script_enabled=False) as tab:
        page = tab.page
        row = page.locator("#rating-A-truthfulness")
        await row.locator("summary").first.click()
        await row.get_by_label("2 minor issue").check()
        await page.click("[value=fixed]")
        await expect(page.locator("[id='error-response1.truthfulness.justification']")).to_have_text(
            "written for a 3; say why it is 2"
        )
        await expect(row.get_by_label("2 minor issue")).to_be_checked()
        await row.get_by_label("Justification").fill("It gives a date that the task does not.")
        await page.click("[value=fixed]")
        await expect(page.locator("#decision")).to_contain_text("Response 1, Truthfulness: 3 → 2")
        await page.click("summary:has-text('RESPONSE1_FIXED_TABLE')")
        await expect(page.locator("#block-1")).to_contain_text("It gives a date that the task does not.")
        await expect(page.locator("#block-1")).to_have_css("user-select", "all")
        await page.click("[value=rejected]")
        await expect(page.locator(".decide .summary")).to_contain_text("say why it is rejected")
        await page.fill("#reason", "<b>Not</b> our task.")
        await page.click("[value=rejected]")
        await expect(page.locator("#decision")).to_contain_text("<b>Not</b> our task.")
        await page.click("summary:has-text('Earlier decisions')")
        await expect(page.locator(".history")).to_contain_text("Response 1, Truthfulness: 3 → 2")


async def test_each_block_is_one_click_to_copy_or_marked_where_a_browser_may_not(site, browser):
    address = site + VERDICTS["audited"]
    httpx2.put(f"{site}/api{VERDICTS['audited']}/decision", json={"decision": "rejected", "reason": "Not ours."})
    async with opened(browser, address, permissions=["clipboard-read", "clipboard-write"]) as tab:
        page = tab.page
        await expect(page.locator("h2#blocks")).to_have_text("What was rejected")
        assert await page.locator(".copy").count() == 0
        httpx2.put(f"{site}/api{VERDICTS['audited']}/decision", json={"decision": "accepted"})
        await page.reload()
        await page.get_by_label("Copy SBQ").click()
        assert (await page.evaluate("navigator.clipboard.readText()")).startswith("<SBQ>\n")
        await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        await page.get_by_label("Copy CHANGELOG").click()
        await expect(page.get_by_label("Copy CHANGELOG")).to_have_text("Selected: press Ctrl+C")
        assert (await page.evaluate("String(getSelection())")).strip().startswith("<CHANGELOG>")


# -- verdicts with keys, and without scripts --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "place", "mark"),
    [
        ("plain", "#criterion-correctness_reasoning > summary", "A3"),
        ("debated", "#criterion-Empathy > summary", "C2"),
        ("audited", "#rating-A-instruction_following > summary", "2"),
    ],
)
async def test_tabbing_to_a_criterion_lights_its_quotes_and_to_a_quote_its_criterion(site, browser, name, place, mark):
    async with opened(browser, site + VERDICTS[name]) as tab:
        page = tab.page
        quote, other = page.locator(f".q-{mark}").first, page.locator(place.partition(" ")[0])
        unlit = await quote.evaluate(BACKGROUND)
        await tab_to(page, place)
        assert await quote.evaluate(BACKGROUND) != unlit
        await page.evaluate("document.activeElement.blur()")
        unlit = await other.evaluate(BACKGROUND)
        await tab_to(page, f".text [href='#why-{mark}']")
        assert await other.evaluate(BACKGROUND) != unlit
        await page.keyboard.press("Enter")
        assert await page.evaluate("location.hash") == f"#why-{mark}"
        assert tab.complaints == []


@pytest.mark.parametrize(
    ("name", "summary", "said"),
    [
        ("debated", "#criterion-TaskSuccess > summary", "#criterion-TaskSuccess .reason.evaluator"),
        ("audited", "#rating-B-verbosity > summary", "#rating-B-verbosity .bound"),
    ],
)
async def test_without_a_script_reasons_unfold_and_marks_lead_to_them(site, browser, name, summary, said):
    async with opened(browser, site + VERDICTS[name], java_script_enabled=False) as tab:
        page = tab.page
        await expect(page.locator(said).first).to_be_hidden()
        await page.click(summary)
        await expect(page.locator(said).first).to_be_visible()
        mark = page.locator(".text a.ref").first
        address = await mark.get_attribute("href")
        await mark.click()
        assert page.url.endswith(address or "#")
        await expect(page.locator(f"{address}:target")).to_be_visible()
        await page.click("summary:has-text('Download')")
        await expect(page.locator(".forms a").first).to_be_visible()


# -- rubrics ----------------------------------------------------------------------------------------------------------


async def test_a_rubric_is_copied_changed_and_judged_with(site, browser):
    async with opened(browser, f"{site}/rubrics/compare") as tab:
        page = tab.page
        await page.click("text=Copy and change")
        await page.click("text=YAML")
        text = await page.input_value("#source")
        await page.fill("#source", text.replace("weight: 2.0", "weight: minus two"))
        await page.click("text=Keep this version")
        await expect(page.locator("#wrong")).to_contain_text("'minus two' is not a number")
        await expect(page.locator("#wrong .here")).to_contain_text("weight: minus two")
        marked = "e => e.value.slice(e.selectionStart, e.selectionEnd)"
        assert "minus two" in await page.locator("#source").evaluate(marked)
        await page.fill("#source", text.replace("weight: 2.0", "weight: 4.0") + "\n# one more\n")
        many = len((await page.input_value("#source")).split("\n"))
        assert (await page.locator(".lines").inner_text()).split()[-1] == str(many)
        await page.click("text=Keep this version")
        await page.wait_for_url("**/rubrics/my%20compare")
        await page.click("text=Judge with it")
        await expect(page.locator("output[for=weight-correctness_reasoning] b")).to_have_text("4")
        assert [said for said in tab.complaints if "400" not in said] == []


@pytest.mark.parametrize("scripts", [False, pytest.param(True, marks=pytest.mark.slow)])
async def test_a_rubric_of_items_is_edited_as_fields_with_and_without_scripts(site, browser, scripts):
    async with opened(browser, f"{site}/rubrics/grade/edit", java_script_enabled=scripts) as tab:
        page = tab.page
        await page.select_option("#new_kind", label="Check by code")
        await page.click("text=Add to the items")
        await page.fill("[id='entry.5.key']", "short")
        await page.fill("[id='entry.5.check']", "max_words: many")
        await page.click("#entry-5 >> text=Up")
        await expect(page.locator("#entry-4 legend")).to_have_text("5. Short")
        await page.click("#entry-0 >> text=Remove")
        await page.fill("#name", f"fields {scripts}")
        await page.press("#name", "Enter")
        wrong = page.locator("[id='error-entry.3.check']")
        await expect(wrong).to_contain_text("short.check.max_words: 'many' is not a number")
        await expect(page.locator("[id='entry.3.check']")).to_have_attribute("aria-invalid", "true")
        await page.click("text=YAML")
        await expect(page.locator("#source")).to_have_value(re.compile("- key: short\n    points: 1\n    check:"))
        await page.click(".tabs >> text=Fields")
        await page.fill("[id='entry.3.check']", "max_words: 90")
        await page.click("text=Keep this version")
        await page.wait_for_url(f"**/rubrics/fields%20{scripts}")
        keys = ["covers_the_reference", "rests_on_the_sources", "meets_the_demands", "short", "clear"]
        await expect(page.locator(".weights code")).to_have_text(keys)
        assert [said for said in tab.complaints if "400" not in said] == []


async def test_the_sliders_follow_the_rubric_and_a_draft_remembers_both(site, browser):
    async with opened(browser, site) as tab:
        page = tab.page
        await page.fill("#userTask", "A task that is not lost")
        await page.select_option("#rubric", label="our answers, version 2")
        await expect(page.locator(".slider label")).to_have_text(["Correct", "Brief"])
        assert await page.input_value("#userTask") == "A task that is not lost"
        await page.click(".how summary")
        await page.fill("#weight-brief", "2")
        await page.reload()
        await expect(page.locator(".slider label")).to_have_text(["Correct", "Brief"])
        assert await page.input_value("#weight-brief") == "2"
        await page.goto(site)
        await page.wait_for_url("**?rubric=*")
        assert await page.input_value("#userTask") == "A task that is not lost"
        assert await page.input_value("#weight-brief") == "2"
        assert tab.complaints == []
    async with opened(browser, site, java_script_enabled=False) as tab:
        await tab.page.fill("#userTask", "A task that is not lost")
        await tab.page.select_option("#rubric", label="our answers, version 2")
        await tab.page.click("text=Use this rubric")
        await expect(tab.page.locator(".slider label")).to_have_text(["Correct", "Brief"])
        await expect(tab.page.locator("#userTask")).to_have_value("A task that is not lost")
