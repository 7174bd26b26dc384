"""The HTML report in a real browser: what is marked, where links lead, and that hostile text stays text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from e2e.reports import DESKTOP, PHONE, opened_reports
from playwright.async_api import Browser
from reports.verdict_samples import Sample, hostile_sample, plain_sample, tied_sample

from adjudge.reports import render
from adjudge.reports.compare.view import build
from adjudge.reports.escaping import clean
from adjudge.reports.highlighting import Highlight

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Made here, while no event loop runs: the samples need one of their own.
PLAIN, HOSTILE, TIED = plain_sample(), hostile_sample(), tied_sample()
SAMPLES = {"plain": PLAIN, "hostile": HOSTILE, "tied": TIED}


@pytest_asyncio.fixture(loop_scope="session")
async def open_report(browser: Browser, tmp_path: Path) -> AsyncIterator[object]:
    def rendered(sample: Sample) -> str:
        return render(sample.verdict, "html", rubric=sample.rubric)

    async with opened_reports(browser, tmp_path / "report.html", rendered) as open_it:
        yield open_it


def quotes_of(sample: Sample) -> list[Highlight]:
    report = build(sample.verdict, sample.rubric)
    return [quote for row in report.rows for side in row.sides for quote in side.quotes]


@pytest.mark.parametrize("name", SAMPLES)
async def test_a_report_asks_for_nothing_and_complains_of_nothing(open_report, name):
    report = await open_report(SAMPLES[name])
    assert report.complaints == []
    assert [url for url in report.requests if not url.startswith("file://")] == []
    assert len(report.requests) == 1


async def test_hostile_text_makes_no_element_and_runs_no_script(open_report):
    report = await open_report(HOSTILE)
    page = report.page
    await page.locator("mark").first.hover()
    assert await page.locator("script, img, iframe, object, embed, form, base, body body").count() == 0
    handlers = await page.evaluate(
        "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on'))"
    )
    assert handlers == []
    assert await page.locator("article.answer").count() == 2
    assert report.complaints == []


async def test_a_report_links_only_to_itself_and_to_web_pages(open_report):
    page = (await open_report(HOSTILE)).page
    links = await page.evaluate("[...document.links].map(a => [a.protocol, a.getAttribute('href'), a.rel])")
    outside = [link for link in links if not link[1].startswith("#")]
    assert outside == [["https:", "https://example.org/a?b=1&c=2", "noopener noreferrer"]]


@pytest.mark.parametrize("name", SAMPLES)
async def test_every_answer_stands_in_the_report_as_it_was_written(open_report, name):
    sample = SAMPLES[name]
    page = (await open_report(sample)).page
    for label in ("A", "B"):
        shown = await page.evaluate(
            """label => {
                const text = document.querySelector(`article.${label} .text`).cloneNode(true);
                text.querySelectorAll('.ref').forEach(ref => ref.remove());
                return text.textContent;
            }""",
            label,
        )
        assert shown == clean(sample.case.answer(label))


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
async def test_a_click_on_a_number_opens_its_criterion_and_the_way_back_leads_to_the_mark(open_report, width):
    sample = PLAIN
    report = await open_report(sample, width)
    for quote in quotes_of(sample):
        await report.page.click(f".text a.ref[href='#why-{quote.ref}']")
        assert await report.target() == {
            "id": f"why-{quote.ref}",
            "criterion": f"criterion-{quote.criterion}",
            "open": True,
            "seen": True,
        }
        await report.page.click(f"#why-{quote.ref} a.ref")
        assert (await report.target())["id"] == f"at-{quote.ref}"
        assert (await report.target())["seen"]


async def test_a_click_on_a_highlight_reaches_the_criterion_it_was_quoted_for(open_report):
    sample = PLAIN
    report = await open_report(sample)
    (quote,) = [quote for quote in quotes_of(sample) if quote.text.startswith("Put customer_id first")]
    await report.page.click(f"mark.q-{quote.ref} a")
    assert (await report.target())["criterion"] == "criterion-correctness_reasoning"
    assert (await report.target())["open"] is True


async def test_a_mark_deep_in_a_long_answer_is_scrolled_to(open_report):
    sample = HOSTILE
    report = await open_report(sample)
    await report.page.click("#why-B1 a.ref")
    assert (await report.target())["id"] == "at-B1"
    assert (await report.target())["seen"]


async def test_only_the_marks_of_the_chosen_quote_light_up(open_report):
    sample = PLAIN
    page = (await open_report(sample)).page
    (quote,) = [quote for quote in quotes_of(sample) if quote.text.startswith('If "Heap Fetches"')]
    before = await page.evaluate(
        "[...document.querySelectorAll('.answer mark')].map(e => getComputedStyle(e).backgroundColor)"
    )
    await page.evaluate("ref => { location.hash = 'at-' + ref }", quote.ref)
    after = await page.evaluate(
        """ref => [...document.querySelectorAll('.answer mark')].map(
            e => [getComputedStyle(e).backgroundColor, e.classList.contains('q-' + ref)])""",
        quote.ref,
    )
    changed = [own for old, (new, own) in zip(before, after, strict=True) if old != new]
    assert changed == [True, True], "it overlaps another quote, so it is marked in two pieces"


async def test_favourable_and_unfavourable_marks_differ_without_colour(open_report):
    page = (await open_report(PLAIN)).page
    style = "e => getComputedStyle(e).borderBottomStyle"
    assert await page.locator(".answer mark.favorable").first.evaluate(style) == "solid"
    assert await page.locator(".answer mark.unfavorable").first.evaluate(style) == "dashed"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SAMPLES)
async def test_nothing_overflows_a_phone_even_with_everything_open(open_report, name, scheme):
    page = (await open_report(SAMPLES[name], PHONE, color_scheme=scheme)).page
    await page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE
    # A word too long for its line shows as a box whose content is wider than itself.
    wide = """[...document.querySelectorAll('body *')].filter(e => e.scrollWidth > e.clientWidth + 1
        && getComputedStyle(e).display !== 'inline' && !e.matches('.label')).map(e => e.className)"""
    assert await page.evaluate(wide) == []


async def test_answers_stand_side_by_side_on_a_desktop_and_stacked_on_a_phone(open_report):
    async def tops(width: int) -> list[float]:
        page = (await open_report(PLAIN, width)).page
        return await page.evaluate("[...document.querySelectorAll('article')].map(e => e.getBoundingClientRect().top)")

    a, b = await tops(DESKTOP)
    assert a == b
    a, b = await tops(PHONE)
    assert a < b


async def test_dark_is_dark(open_report):
    page = (await open_report(PLAIN, color_scheme="dark")).page
    red = await page.evaluate("Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
    assert red < 60


async def test_arabic_runs_from_right_to_left(open_report):
    page = (await open_report(HOSTILE)).page
    (quote,) = [quote for quote in quotes_of(HOSTILE) if quote.note == "RTL"]
    told = page.locator(f"#why-{quote.ref} blockquote")
    assert await told.evaluate("e => getComputedStyle(e).direction") == "rtl"
