"""A review's HTML report in a real browser: what is marked, where links lead, and that hostile text stays text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from e2e.reports import DESKTOP, PHONE, opened_reports
from playwright.async_api import Browser
from reports.review_report_samples import Sample, every_sample

from adjudge.reports import render
from adjudge.reports.escaping import clean
from adjudge.reports.highlighting import Highlight
from adjudge.reports.review.view import build

pytestmark = pytest.mark.asyncio(loop_scope="session")

SAMPLES = every_sample()
AUDITED, HOSTILE, SCRIPTS = SAMPLES["audited"], SAMPLES["hostile"], SAMPLES["scripts"]
MARKED = ["audited", "hostile", "scripts"]


@pytest_asyncio.fixture(loop_scope="session")
async def open_report(browser: Browser, tmp_path: Path) -> AsyncIterator[object]:
    def rendered(sample: Sample) -> str:
        return render(sample.verdict, "html", rubric=sample.rubric)

    async with opened_reports(browser, tmp_path / "review.html", rendered) as open_it:
        yield open_it


def marks_of(sample: Sample) -> list[tuple[str, Highlight]]:
    """All marks, each with the label of the response it stands in."""
    view = build(sample.verdict, sample.rubric)
    return [(each.label, mark) for each in view.responses for piece in each.pieces for mark in piece.begins]


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
    unwanted = "script, img, iframe, object, embed, form, base, body style, body body"
    assert await page.locator(unwanted).count() == 0
    handlers = await page.evaluate(
        "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on'))"
    )
    assert handlers == []
    assert await page.evaluate("[...document.links].every(a => a.getAttribute('href').startsWith('#'))")
    assert report.complaints == []


@pytest.mark.parametrize("name", SAMPLES)
async def test_both_responses_stand_there_as_they_were_given(open_report, name):
    sample = SAMPLES[name]
    page = (await open_report(sample)).page
    shown = await page.evaluate(
        """() => ['A', 'B'].map(label => {
            const text = document.querySelector('#response-' + label).parentElement.querySelector('.text');
            const copy = text && text.cloneNode(true);
            copy && copy.querySelectorAll('.ref').forEach(ref => ref.remove());
            return copy ? copy.textContent : '';
        })"""
    )
    assert shown == [clean(sample.case.a), clean(sample.case.b)]


@pytest.mark.parametrize("name", MARKED)
async def test_what_is_marked_is_exactly_what_was_quoted_or_found(open_report, name):
    sample = SAMPLES[name]
    page = (await open_report(sample)).page
    marks = marks_of(sample)
    assert marks
    for label, mark in marks:
        marked = await page.evaluate(
            "ref => [...document.querySelectorAll('.q-' + ref)].map(e => e.textContent)", mark.ref
        )
        stretch = sample.case.answer(label)[mark.start : mark.end]
        assert "".join(marked) == clean(stretch)
        inside = f"article:has(#response-{label}) .q-{mark.ref}"
        assert await page.locator(inside).count() == len(marked)
        if mark.tone == "quote":
            assert await page.locator(f"#why-{mark.ref} blockquote").text_content() == clean(mark.text)


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
async def test_a_mark_leads_to_its_reason_and_the_reason_back_to_the_mark(open_report, width):
    report = await open_report(AUDITED, width)
    for _, mark in marks_of(AUDITED):
        reason = f"why-{mark.ref}"
        await report.page.click(f".text a.ref[href='#{reason}']")
        assert (await report.target())["id"] == reason
        assert (await report.target())["seen"]
        await report.page.click(f"#{reason} a.ref")
        assert (await report.target())["id"] == f"at-{mark.ref}"
        assert (await report.target())["seen"]


async def test_a_quote_is_explained_in_its_own_dimension(open_report):
    page = (await open_report(AUDITED)).page
    for label, mark in marks_of(AUDITED):
        if mark.tone == "quote":
            assert await page.locator(f"#rating-{label}-{mark.criterion} #why-{mark.ref}").count() == 1


async def test_a_bound_rating_leads_to_its_fact(open_report):
    report = await open_report(AUDITED)
    await report.page.click("#rating-B-verbosity summary")
    await report.page.click("#rating-B-verbosity .bound a.ref")
    assert (await report.target())["id"] == "why-F2"
    assert (await report.target())["seen"]


async def test_only_the_marks_of_the_chosen_quote_light_up(open_report):
    page = (await open_report(AUDITED)).page
    colours = (
        "[...document.querySelectorAll('.text mark')].map(e => [getComputedStyle(e).backgroundColor, e.className])"
    )
    before = await page.evaluate(colours)
    await page.evaluate("location.hash = 'at-F2'")
    after = await page.evaluate(colours)
    changed = [name for (old, _), (new, name) in zip(before, after, strict=True) if old != new]
    assert changed == ["fact q-F2", "both q-10 q-F2"]


async def test_marks_of_quotes_and_of_facts_differ_without_colour(open_report):
    page = (await open_report(AUDITED)).page
    style = "e => getComputedStyle(e).borderBottomStyle"
    looks = [await page.locator(f".text mark.{tone}").first.evaluate(style) for tone in ("quote", "fact", "both")]
    assert looks == ["solid", "dashed", "double"]


async def test_the_tables_stand_side_by_side_row_by_row_on_a_desktop_and_stacked_on_a_phone(open_report):
    async def tops(width: int) -> list[list[float]]:
        page = (await open_report(AUDITED, width)).page
        return await page.evaluate(
            """['A', 'B'].map(label => [...document.querySelectorAll('.table.' + label + ' .rating')]
                .map(e => Math.round(e.getBoundingClientRect().top)))"""
        )

    first, second = await tops(DESKTOP)
    assert first == second
    first, second = await tops(PHONE)
    assert max(first) < min(second)


async def test_the_scale_shows_the_final_value_and_the_one_that_was_entered(open_report):
    page = (await open_report(AUDITED)).page
    boxes = await page.evaluate(
        "[...document.querySelectorAll('.scale li')].map(e => [e.className, e.getBoundingClientRect().top])"
    )
    assert [name for name, _ in boxes] == ["A", "A final", "A", "neither", "B entered", "B", "B"]
    assert len({top for _, top in boxes}) == 1
    entered = page.locator(".scale .entered")
    assert await entered.evaluate("e => getComputedStyle(e).outlineStyle") == "dashed"


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SAMPLES)
async def test_nothing_overflows_even_with_everything_open(open_report, name, scheme, width):
    page = (await open_report(SAMPLES[name], width, color_scheme=scheme)).page
    await page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    assert await page.evaluate("document.documentElement.scrollWidth") == width
    # Words for screen readers only are cut off on purpose.
    wide = """[...document.querySelectorAll('body *:not(.unseen)')].filter(e => e.scrollWidth > e.clientWidth + 1
        && getComputedStyle(e).display !== 'inline').map(e => e.className)"""
    assert await page.evaluate(wide) == []


async def test_dark_is_dark(open_report):
    page = (await open_report(AUDITED, color_scheme="dark")).page
    red = await page.evaluate("Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
    assert red < 60


async def test_on_paper_the_whole_response_is_there_and_the_task_is_open(open_report):
    page = (await open_report(HOSTILE)).page
    await page.emulate_media(media="print")
    cut_off = await page.evaluate(
        "[...document.querySelectorAll('.text.long')].map(box => box.scrollHeight > box.clientHeight + 1)"
    )
    assert cut_off == [False]
    assert await page.locator("#task-system .text").evaluate("e => e.getBoundingClientRect().height") > 50


async def test_arabic_runs_from_right_to_left_and_chinese_does_not(open_report):
    page = (await open_report(SCRIPTS)).page
    direction = "e => getComputedStyle(e).direction"
    for place in ("#task-prompt .text", "article:has(#response-A) .text", "#why-1 blockquote"):
        assert await page.locator(place).evaluate(direction) == "rtl"
    assert await page.locator("article:has(#response-B) .text").evaluate(direction) == "ltr"
