"""What holds for the pages of all protocols: they are whole, safe, and ask for nothing."""

import re

import pytest
from reports import dialogue_samples, grade_samples, review_report_samples, verdict_samples
from reports.looking import CONTROLS, POLICY, Page

from adjudge.reports import render

HOSTILE = {
    "compare": verdict_samples.hostile_sample(),
    "dialogue": dialogue_samples.hostile_sample(),
    "grade": grade_samples.hostile_sample(),
    "review": review_report_samples.hostile_sample(),
}
EVERY = {
    **{f"hostile {name}": sample for name, sample in HOSTILE.items()},
    "plain": verdict_samples.plain_sample(),
    "tied": verdict_samples.tied_sample(),
    "tied, one order": verdict_samples.tied_sample(one_order=True),
    "example A": dialogue_samples.example_a(),
    "example C": dialogue_samples.example_c(),
    "debated": dialogue_samples.debated_sample(),
    "adopted": dialogue_samples.adopted_sample(),
    "long": dialogue_samples.long_sample(),
    "graded": grade_samples.plain_sample(),
    "graded, undecided": grade_samples.undecided_sample(),
    "graded steps": grade_samples.stepped_sample(),
    **{f"review {name}": sample for name, sample in review_report_samples.every_sample().items()},
}


def rendered(sample):
    return render(sample.verdict, "html", rubric=sample.rubric)


@pytest.mark.parametrize("name", EVERY)
def test_a_page_is_whole_and_every_link_inside_it_leads_somewhere(name):
    page = Page(rendered(EVERY[name]))
    assert page.opened == []
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


@pytest.mark.parametrize("name", EVERY)
def test_a_case_is_one_screen_the_texts_with_their_marks_first_then_the_column_with_the_verdict(name):
    html = rendered(EVERY[name])
    banner, texts, column = (html.index(f'class="{each}') for each in ("banner", "screen-texts", "screen-side"))
    below = html.index('<h2 id="behind">')
    assert banner < html.index("<h1>") < texts < column < below
    assert html.count('class="screen"') == 1
    marks = [at.start() for at in re.finditer(r'<mark class="[^"]*q-', html)]
    assert all(texts < at < column for at in marks), "evidence is marked in the texts"
    reasons = [at.start() for at in re.finditer(r'<li id="why-(?!F)', html)]
    assert all(column < at < below for at in reasons), "and explained in the column"
    assert column < html.index('class="card summed') < below


@pytest.mark.parametrize("protocol", HOSTILE)
def test_a_page_loads_nothing_runs_nothing_and_leads_nowhere_else_but_to_what_was_looked_up(protocol):
    html = rendered(HOSTILE[protocol])
    page = Page(html)
    assert POLICY in html
    assert not {"script", "img", "link", "iframe", "form"} & set(page.tags)
    assert page.tags.count("style") == 1
    assert "@import" not in html
    assert "url(" not in html
    outside = [link for link in page.links if not link.startswith("#")]
    assert outside == (["https://example.org/a?b=1&c=2"] if protocol == "compare" else [])
    assert ('rel="noopener noreferrer"' in html) == bool(outside)


@pytest.mark.parametrize("protocol", HOSTILE)
def test_hostile_text_is_shown_as_text(protocol):
    html = rendered(HOSTILE[protocol])
    assert verdict_samples.SCRIPT not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "{{ 7*7 }} {% raw %} &amp;amp; &amp;lt;" in html
    assert not CONTROLS.search(html)
