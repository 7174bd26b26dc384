"""HTML reports in a real browser: what is marked, where links lead, how they fit, and that hostile text stays text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from e2e.pages import opened
from e2e.reports import DESKTOP, PHONE, Tab
from reports import dialogue_samples, grade_samples, review_report_samples, verdict_samples

from adjudge.protocols.compare.verdict import ComparisonVerdict
from adjudge.protocols.compare.view import build as build_comparison
from adjudge.protocols.dialogue.verdict import DialogueVerdict
from adjudge.protocols.dialogue.view import build as build_dialogue
from adjudge.protocols.grade.verdict import GradeVerdict
from adjudge.protocols.grade.view import build as build_grading
from adjudge.protocols.review.view import build as build_review
from adjudge.rendering.escaping import clean
from adjudge.rendering.highlighting import Highlight
from adjudge.reports import render

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Made here, while no event loop runs: the samples need one of their own.
SAMPLES: dict[str, Any] = {
    "plain comparison": verdict_samples.plain_sample(),
    "hostile comparison": verdict_samples.hostile_sample(),
    "tied comparison": verdict_samples.tied_sample(),
    "blank comparison": verdict_samples.blank_sample(),
    "short dialogue": dialogue_samples.example_a(),
    "debated dialogue": dialogue_samples.debated_sample(),
    "adopted dialogue": dialogue_samples.adopted_sample(),
    "hostile dialogue": dialogue_samples.hostile_sample(),
    "long dialogue": dialogue_samples.long_sample(),
    "plain grading": grade_samples.plain_sample(),
    "undecided grading": grade_samples.undecided_sample(),
    "stepped grading": grade_samples.stepped_sample(),
    "hostile grading": grade_samples.hostile_sample(),
    **{f"{name} review": sample for name, sample in review_report_samples.every_sample().items()},
}
PLAIN = SAMPLES["plain comparison"]
SAMPLES["lost comparison"] = replace(PLAIN, verdict=PLAIN.verdict.model_copy(update={"winner": "B"}))
# What only some reports have. Marks: the line below each tone, a reference and the marks that light up with it, words
# that lead somewhere and the part they lead to.
MARKED = {
    "plain comparison": (
        {"favorable": "solid", "unfavorable": "dashed"},
        *("A5", ["favorable q-A5", "favorable q-A5 q-A6"]),
        *("mark:has-text('Put customer_id first') a", "criterion-correctness_reasoning"),
    ),
    "debated dialogue": (
        {"evaluator": "solid", "critic": "dashed", "both": "double"},
        *("E6", ["evaluator q-E6", "both q-E6 q-C3", "evaluator q-E6"]),
        *(".turn mark.both a", "criterion-Empathy"),
    ),
    "audited review": (
        {"quote": "solid", "fact": "dashed", "both": "double"},
        *("F2", ["fact q-F2", "both q-10 q-F2"]),
        *("mark:has-text('everything is free') a", "rating-A-instruction_following"),
    ),
}
LINKED = ["plain comparison", "debated dialogue", "plain grading", "audited review", "long dialogue"]
EVIDENCE = {
    "debated dialogue": (".audit a.ref[href='#at-C3']", "at-C3"),
    "audited review": ("#rating-B-verbosity .bound a.ref", "why-F2"),
    "hostile comparison": ("#why-B1 a.ref", "at-B1"),  # deep in a long answer
}
SIDE_BY_SIDE = {
    "plain comparison": "article.answer",
    "debated dialogue": ".screen > *",
    "audited review": "article.table",
}
PRINTED = {
    "hostile comparison": "#criterion-insight_originality .reasons",
    "long dialogue": "#criterion-TaskSuccess .reasons",
    "hostile review": "#task-system .text",
}
RIGHT_TO_LEFT = {
    "hostile comparison": ["#criterion-clarity_structure blockquote >> nth=1"],
    "hostile dialogue": ["#criterion-Understanding blockquote >> nth=0", ".turn:nth-child(5) .text"],
    "scripts review": ["#task-prompt .text", "article:has(#response-A) .text", "#why-1 blockquote"],
}


def texts_of(name: str) -> list[tuple[str, list[Highlight]]]:
    """Every text that a report shows with its marks: both answers, both responses, each utterance."""
    verdict, rubric = SAMPLES[name].verdict, SAMPLES[name].rubric
    if isinstance(verdict, ComparisonVerdict):
        cut = [answer.pieces for answer in build_comparison(verdict, rubric).answers]
    elif isinstance(verdict, DialogueVerdict):
        cut = [turn.pieces for turn in build_dialogue(verdict, rubric).turns]
    elif isinstance(verdict, GradeVerdict):
        view = build_grading(verdict, rubric)
        cut = [text.pieces for text in (*view.answers, *view.sources)]
    else:
        cut = [response.pieces for response in build_review(verdict, rubric).responses if response.pieces]
    return [
        ("".join(piece.text for piece in pieces), [mark for piece in pieces for mark in piece.begins]) for pieces in cut
    ]


def marks_of(name: str) -> list[Highlight]:
    return [mark for _, marks in texts_of(name) for mark in marks]


# -- every report, in one visit ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
async def test_a_report_is_safe_marks_what_was_quoted_leads_where_it_says_and_fits(browser, tmp_path, name):
    sample, file = SAMPLES[name], tmp_path / "report.html"
    file.write_text(render(sample.verdict, "html", rubric=sample.rubric), "utf-8")
    async with opened(browser, file.as_uri(), DESKTOP) as tab:
        await holds_on_a_desktop(tab, name)
        await tab.page.set_viewport_size({"width": PHONE, "height": 900})
        await breaks_no_word_of_ours(tab)
        await overflows_nowhere_with_everything_open(tab, PHONE)
        if name in SIDE_BY_SIDE:
            first, second = await boxes(tab, SIDE_BY_SIDE[name])
            assert first["bottom"] < second["top"], "stacked on a phone"
        if name in LINKED:
            await leads_from_marks_to_reasons_and_back(tab, name)
        assert tab.complaints == []


async def holds_on_a_desktop(tab: Tab, name: str) -> None:
    await asks_for_nothing_and_runs_nothing(tab, name)
    await shows_texts_as_given_and_marks_what_was_quoted(tab, name)
    await breaks_no_word_of_ours(tab)
    await runs_from_right_to_left(tab, *RIGHT_TO_LEFT.get(name, ()))
    if name in ("plain comparison", "lost comparison"):
        await keeps_the_colour_of_each_answer(tab)
    if name == "audited review":
        await is_taken_in_at_a_glance_and_shows_what_was_entered(tab)
    if name in MARKED:
        await has_marks_that_differ_without_colour_and_light_up_alone_in_light_and_dark(tab, *MARKED[name])
    if name in SIDE_BY_SIDE:
        first, second = await boxes(tab, SIDE_BY_SIDE[name])
        assert first["top"] == second["top"] and first["right"] < second["left"], "side by side on a desktop"
    if name in LINKED:
        await leads_from_marks_to_reasons_and_back(tab, name)
    if name in EVIDENCE:
        link, place = EVIDENCE[name]
        await tab.unfold()
        await tab.page.click(link)
        await is_at(tab, place)
    if name == "long dialogue":
        await has_500_turns_that_scroll_beside_the_criteria(tab)
    if name in PRINTED:
        await is_whole_on_paper(tab, PRINTED[name])
    if name.endswith(" review"):
        await shows_more_when_it_is_open(tab)
    await overflows_nowhere_with_everything_open(tab, DESKTOP)


async def asks_for_nothing_and_runs_nothing(tab: Tab, name: str) -> None:
    unwanted = "script, img, iframe, object, embed, form, base, body style, body body"
    assert await tab.page.locator(unwanted).count() == 0
    names = await tab.page.evaluate("[...document.querySelectorAll('*')].flatMap(each => each.getAttributeNames())")
    assert not [name for name in names if name.startswith("on")]
    assert [address.split(":")[0] for address in tab.requests] == ["file"]
    links = await tab.page.evaluate("[...document.links].map(link => [link.getAttribute('href'), link.rel])")
    outside = [["https://example.org/a?b=1&c=2", "noopener noreferrer"]] if name == "hostile comparison" else []
    assert [link for link in links if not link[0].startswith("#")] == outside


async def shows_texts_as_given_and_marks_what_was_quoted(tab: Tab, name: str) -> None:
    shown = await tab.page.evaluate(
        """() => [...document.querySelectorAll('article .text, .turn .text')].map(shown => {
            const text = shown.cloneNode(true);
            text.querySelectorAll('.ref').forEach(ref => ref.remove());
            return text.textContent;
        })"""
    )
    assert shown == [clean(text) for text, _ in texts_of(name)]
    marked = await tab.page.evaluate(
        """refs => refs.map(ref => [
            [...document.querySelectorAll('.q-' + ref)].map(mark => mark.textContent).join(''),
            document.querySelector(`#why-${ref} blockquote`)?.textContent ?? null])""",
        [mark.ref for mark in marks_of(name)],
    )
    expected = [
        [clean(text[mark.start : mark.end]), None if mark.tone == "fact" else clean(mark.text)]
        for text, marks in texts_of(name)
        for mark in marks
    ]
    assert marked == expected


async def breaks_no_word_of_ours(tab: Tab) -> None:
    lines = await tab.page.evaluate(
        """() => [...document.querySelectorAll('.tally span, .badge, .winner, .score .none, .tag, .points')].map(e => {
            const words = document.createRange();
            words.selectNodeContents(e);
            return [e.textContent, new Set([...words.getClientRects()].map(box => box.top)).size];
        })"""
    )
    assert [words for words, count in lines if count > 1] == []


async def shows_more_when_it_is_open(tab: Tab) -> None:
    await tab.fold()
    before, after = await tab.page.evaluate(
        """() => {
            const ratings = [...document.querySelectorAll('details.rating')];
            const heights = () => ratings.map(e => e.getBoundingClientRect().height);
            const long = ratings.map(e => e.querySelector('.brief > .justification').textContent.length > 80);
            const before = heights();
            ratings.forEach(e => { e.open = true });
            return [before, heights().map((height, at) => long[at] ? Infinity : height)];
        }"""
    )
    assert all(later > earlier for earlier, later in zip(before, after, strict=True))


async def overflows_nowhere_with_everything_open(tab: Tab, width: int) -> None:
    await tab.unfold()
    assert await tab.page.evaluate("document.documentElement.scrollWidth") == width
    # A word too long for its line shows as a box whose content is wider than itself; words for screen readers only are
    # cut off on purpose.
    wide = """[...document.querySelectorAll('body *:not(.unseen, .label)')].filter(
        e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline').map(e => e.className)"""
    assert await tab.page.evaluate(wide) == []


# -- marks and where links lead ---------------------------------------------------------------------------------------


async def has_marks_that_differ_without_colour_and_light_up_alone_in_light_and_dark(
    tab: Tab, tones: dict[str, str], ref: str, lit: list[str], words: str, inside: str
) -> None:
    page = tab.page
    for tone, style in tones.items():
        mark = page.locator(f".text mark.{tone}").first
        assert await mark.evaluate("e => getComputedStyle(e).borderBottomStyle") == style
    colours = (
        "[...document.querySelectorAll('.text mark')].map(e => [getComputedStyle(e).backgroundColor, e.className])"
    )
    before = await page.evaluate(colours)
    await page.evaluate("ref => { location.hash = 'at-' + ref }", ref)
    after = await page.evaluate(colours)
    assert [name for (old, _), (new, name) in zip(before, after, strict=True) if old != new] == lit
    await page.click(words)
    assert (await tab.target())["inside"] == inside
    await page.emulate_media(color_scheme="dark")
    red = await page.evaluate("Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
    assert red < 60
    await page.emulate_media(color_scheme="light")


async def leads_from_marks_to_reasons_and_back(tab: Tab, name: str) -> None:
    """From a folded page: what a link leads to must open."""
    await tab.fold()
    marks = marks_of(name)
    links = [(f".text a.ref[href='#why-{mark.ref}']", f"#why-{mark.ref} a.ref") for mark in marks]
    for mark, (there, back) in zip(marks, await tab.follow(links), strict=True):
        assert there == {"id": f"why-{mark.ref}", "inside": there["inside"], "seen": True, "uncovered": True}
        assert str(there["inside"] or "").endswith(mark.criterion), "in the part of its own criterion"
        assert back == {"id": f"at-{mark.ref}", "inside": None, "seen": True, "uncovered": True}


async def is_at(tab: Tab, place: str) -> None:
    reached = await tab.target()
    assert (reached["id"], reached["seen"]) == (place, True)


async def has_500_turns_that_scroll_beside_the_criteria(tab: Tab) -> None:
    page = tab.page
    await tab.unfold()
    assert await page.evaluate("document.documentElement.scrollHeight") < 6000, "the transcript stretches no page"
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


# -- how it looks -----------------------------------------------------------------------------------------------------


async def boxes(tab: Tab, places: str) -> list[dict[str, float]]:
    return await tab.page.evaluate(  # type: ignore[no-any-return]
        "places => [...document.querySelectorAll(places)].map(e => e.getBoundingClientRect())", places
    )


async def is_whole_on_paper(tab: Tab, folded: str) -> None:
    """Long texts are there to their end, and what was folded is open."""
    page = tab.page
    await tab.fold()
    await page.emulate_media(media="print")
    cut_off = await page.evaluate(
        "[...document.querySelectorAll('.text.long, .turns.long')].map(box => box.scrollHeight > box.clientHeight + 1)"
    )
    assert cut_off
    assert not any(cut_off)
    assert await page.locator(folded).evaluate("e => e.getBoundingClientRect().height") > 50
    await page.emulate_media(media="screen")


async def runs_from_right_to_left(tab: Tab, *places: str) -> None:
    for place in places:
        assert await tab.page.locator(place).evaluate("e => getComputedStyle(e).direction") == "rtl", place


async def is_taken_in_at_a_glance_and_shows_what_was_entered(tab: Tab) -> None:
    page = tab.page
    heights, tops = await page.evaluate(
        """[[...document.querySelectorAll('.table')].map(e => e.getBoundingClientRect().height),
            ['A', 'B'].map(label => [...document.querySelectorAll('.table.' + label + ' .rating')]
                .map(e => Math.round(e.getBoundingClientRect().top)))]"""
    )
    assert max(heights) < 700, "both fit into a window, with the beginning of each justification"
    assert tops[0] == tops[1], "a dimension is on one line in both"
    scale = await page.evaluate(
        "[...document.querySelectorAll('.scale li')].map(e => [e.className, e.getBoundingClientRect().top])"
    )
    assert [name for name, _ in scale] == ["A", "A final", "A", "neither", "B entered", "B", "B"]
    assert len({top for _, top in scale}) == 1
    entered = page.locator(".scale .entered")
    assert await entered.evaluate("e => getComputedStyle(e).outlineStyle") == "dashed"


async def keeps_the_colour_of_each_answer(tab: Tab) -> None:
    """Whoever wins."""
    a, b = await tab.page.evaluate(
        """['A', 'B'].map(label => ['.total.X .bar > span', '.criterion .score.X .bar > span', '.answer.X']
            .map(place => getComputedStyle(document.querySelector(place.replace('X', label))))
            .map((style, at) => at < 2 ? style.backgroundColor : style.borderTopColor))"""
    )
    assert len(set(a)) == len(set(b)) == 1
    assert a[0] != b[0]
    letters = await tab.page.evaluate(
        "['A', 'B'].map(label => getComputedStyle(document.querySelector('.total.' + label + ' .letter')).color)"
    )
    assert letters == [a[0], b[0]]
