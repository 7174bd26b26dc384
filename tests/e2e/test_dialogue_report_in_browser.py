"""A dialogue's HTML report in a real browser: what is marked, where links lead, and that hostile text stays text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from e2e.reports import DESKTOP, PHONE, opened_reports
from playwright.async_api import Browser, Page
from reports.dialogue_samples import Sample, adopted_sample, debated_sample, example_a, hostile_sample, long_sample

from adjudge.reports import render
from adjudge.reports.dialogue.view import build
from adjudge.reports.escaping import clean
from adjudge.reports.highlighting import Highlight

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Made here, while no event loop runs: the samples need one of their own.
SHORT, DEBATED, HOSTILE, LONG = example_a(), debated_sample(), hostile_sample(), long_sample()
SAMPLES = {"short": SHORT, "debated": DEBATED, "adopted": adopted_sample(), "hostile": HOSTILE, "long": LONG}


@pytest_asyncio.fixture(loop_scope="session")
async def open_report(browser: Browser, tmp_path: Path) -> AsyncIterator[object]:
    def rendered(sample: Sample) -> str:
        return render(sample.verdict, "html", rubric=sample.rubric)

    async with opened_reports(browser, tmp_path / "dialogue.html", rendered) as open_it:
        yield open_it


def quotes_of(sample: Sample) -> list[Highlight]:
    report = build(sample.verdict, sample.rubric)
    return [quote for row in report.rows for opinion in row.opinions for quote in opinion.quotes]


async def open_everything(page: Page) -> None:
    await page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")


@pytest.mark.parametrize("name", SAMPLES)
async def test_a_report_asks_for_nothing_and_complains_of_nothing(open_report, name):
    report = await open_report(SAMPLES[name])
    assert report.complaints == []
    assert len(report.requests) == 1
    assert report.requests[0].startswith("file://")


async def test_hostile_text_makes_no_element_and_runs_no_script(open_report):
    report = await open_report(HOSTILE)
    page = report.page
    await page.locator("mark").first.hover()
    assert await page.locator("script, img, iframe, object, embed, form, base, body body").count() == 0
    handlers = await page.evaluate(
        "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on'))"
    )
    assert handlers == []
    assert await page.locator("li.turn").count() == len(HOSTILE.case.turns)
    assert await page.evaluate("[...document.links].every(a => a.getAttribute('href').startsWith('#'))")
    assert report.complaints == []


@pytest.mark.parametrize("name", SAMPLES)
async def test_the_transcript_stands_there_as_it_was_said(open_report, name):
    sample = SAMPLES[name]
    page = (await open_report(sample)).page
    shown = await page.evaluate(
        """() => [...document.querySelectorAll('li.turn')].map(turn => {
            const text = turn.querySelector('.text').cloneNode(true);
            text.querySelectorAll('.ref').forEach(ref => ref.remove());
            const [speaker, line] = ['.who b', '.line'].map(place => turn.querySelector(place).textContent);
            return [speaker, line, text.textContent];
        })"""
    )
    assert shown == [[turn.speaker, f"line {turn.line}", clean(turn.text)] for turn in sample.case.turns]


@pytest.mark.parametrize("name", SAMPLES)
async def test_what_is_marked_is_exactly_the_quote(open_report, name):
    sample = SAMPLES[name]
    page = (await open_report(sample)).page
    quotes = quotes_of(sample)
    assert quotes
    for quote in quotes:
        marked = await page.evaluate(
            "ref => [...document.querySelectorAll('.q-' + ref)].map(e => e.textContent)", quote.ref
        )
        assert "".join(marked) == clean(quote.text)
        told = await page.locator(f"#why-{quote.ref} blockquote").text_content()
        assert told == clean(quote.text)


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
@pytest.mark.parametrize("name", ["short", "debated", "long"])
async def test_a_mark_leads_to_its_criterion_and_the_criterion_back_to_the_mark(open_report, name, width):
    report = await open_report(SAMPLES[name], width)
    for quote in quotes_of(SAMPLES[name]):
        await report.page.click(f".turn a.ref[href='#why-{quote.ref}']")
        assert await report.target() == {
            "id": f"why-{quote.ref}",
            "criterion": f"criterion-{quote.criterion}",
            "open": True,
            "seen": True,
        }
        await report.page.click(f"#why-{quote.ref} a.ref")
        assert (await report.target())["id"] == f"at-{quote.ref}"
        assert (await report.target())["seen"]


async def test_a_click_on_the_marked_words_reaches_the_criterion_too(open_report):
    report = await open_report(DEBATED)
    await report.page.click("mark.both a")
    assert (await report.target())["criterion"] == "criterion-Empathy"


async def test_evidence_in_the_audit_leads_to_its_mark(open_report):
    report = await open_report(DEBATED)
    await report.page.click(".audit a.ref[href='#at-C3']")
    assert (await report.target())["id"] == "at-C3"
    assert (await report.target())["seen"]


async def test_only_the_marks_of_the_chosen_quote_light_up(open_report):
    page = (await open_report(DEBATED)).page
    colours = (
        "[...document.querySelectorAll('.turn mark')].map(e => [getComputedStyle(e).backgroundColor, e.className])"
    )
    before = await page.evaluate(colours)
    await page.evaluate("location.hash = 'at-E6'")
    after = await page.evaluate(colours)
    changed = [name for (old, _), (new, name) in zip(before, after, strict=True) if old != new]
    assert changed == ["evaluator q-E6", "both q-E6 q-C3", "evaluator q-E6"]


async def test_the_two_sides_marks_differ_without_colour(open_report):
    page = (await open_report(DEBATED)).page
    style = "e => getComputedStyle(e).borderBottomStyle"
    looks = [await page.locator(f".turn mark.{tone}").first.evaluate(style) for tone in ("evaluator", "critic", "both")]
    assert looks == ["solid", "dashed", "double"]


async def test_500_turns_scroll_beside_the_criteria_and_a_link_moves_only_the_transcript(open_report):
    page = (await open_report(LONG)).page
    await open_everything(page)
    height = await page.evaluate("document.documentElement.scrollHeight")
    assert height < 6000, "the transcript does not stretch the page"
    await page.evaluate("document.querySelector('#criterion-Empathy').scrollIntoView()")
    before = await page.evaluate("scrollY")
    for ref, last in (("E6", True), ("E1", False), ("C1", True), ("E3", False)):
        await page.evaluate("ref => { location.hash = 'at-' + ref }", ref)
        moved, top, scrolled = await page.evaluate(
            """[scrollY, document.querySelector(':target').getBoundingClientRect().top,
                document.querySelector('.turns').scrollTop]"""
        )
        assert abs(moved - before) <= 16, "the reader stays at the criterion"
        assert 0 < top < 150, "and has the mark at the top of the transcript, the last as well as the first"
        assert (scrolled > 20_000) == last


async def test_criteria_and_transcript_stand_side_by_side_on_a_desktop_and_stacked_on_a_phone(open_report):
    async def boxes(width: int) -> list[dict[str, float]]:
        page = (await open_report(DEBATED, width)).page
        return await page.evaluate(
            "[...document.querySelectorAll('.bench > section')].map(e => e.getBoundingClientRect())"
        )

    criteria, transcript = await boxes(DESKTOP)
    assert criteria["top"] == transcript["top"]
    assert criteria["right"] < transcript["left"]
    criteria, transcript = await boxes(PHONE)
    assert criteria["bottom"] < transcript["top"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SAMPLES)
async def test_nothing_overflows_a_phone_even_with_everything_open(open_report, name, scheme):
    page = (await open_report(SAMPLES[name], PHONE, color_scheme=scheme)).page
    await open_everything(page)
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE
    wide = """[...document.querySelectorAll('body *')].filter(e => e.scrollWidth > e.clientWidth + 1
        && getComputedStyle(e).display !== 'inline').map(e => e.className)"""
    assert await page.evaluate(wide) == []


async def test_dark_is_dark(open_report):
    page = (await open_report(DEBATED, color_scheme="dark")).page
    red = await page.evaluate("Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
    assert red < 60


async def test_on_paper_the_whole_transcript_is_there_and_every_reason_is_open(open_report):
    page = (await open_report(LONG)).page
    await page.emulate_media(media="print")
    cut_off = await page.evaluate(
        "() => { const box = document.querySelector('.turns'); return box.scrollHeight > box.clientHeight + 1 }"
    )
    assert not cut_off
    assert await page.locator("#criterion-TaskSuccess .reasons").evaluate("e => e.getBoundingClientRect().height") > 50


async def test_arabic_runs_from_right_to_left(open_report):
    page = (await open_report(HOSTILE)).page
    (quote,) = [quote for quote in quotes_of(HOSTILE) if quote.criterion == "Understanding"]
    for place in (f"#why-{quote.ref} blockquote", ".turn:nth-child(5) .text"):
        assert await page.locator(place).evaluate("e => getComputedStyle(e).direction") == "rtl"
