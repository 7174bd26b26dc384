"""Reports on one case: word for word what they were, whole and safe whatever they show, in every format.

One golden file a protocol and format holds all of its samples (those of gradings are in tests/golden/grade).
`--write-golden` writes the files anew, to be read before they are committed.
"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from reports import dialogue_samples, grade_samples, review_report_samples, verdict_samples
from reports.looking import COLOUR, CONTROLS, CONTROLS_AND_TAB, POLICY, Page, assert_marks_up_nothing, width_of

from adjudge.models.base import to_json
from adjudge.reports import FORMATS, render

GOLDEN = Path(__file__).parents[1] / "golden/reports"
SAMPLES = {
    "compare": verdict_samples.every_sample(),
    "dialogue": dialogue_samples.every_sample(),
    "grade": grade_samples.every_sample(),
    "review": review_report_samples.every_sample(),
}
EVERY = {f"{name} {protocol}": sample for protocol, each in SAMPLES.items() for name, sample in each.items()}
# Long ones, and those that a shorter format shows as well.
LEFT_OUT = {
    "html": ["long", "with a jury", "jury", "example a", "example b", "debated by two judges"],
    "json": ["long", "hostile", "with a jury", "tied", "jury", "blank", "example a", "example b", "adopted", "scripts"],
}


@cache
def rendered(name, form, width=100, colour=False):
    sample = EVERY[name]
    return render(sample.verdict, form, rubric=sample.rubric, colour=colour, width=width)


def for_golden(name, form):
    if form == "json":
        return to_json(EVERY[name].verdict, indent=True).decode()
    made = rendered(name, "text", 60) if form == "narrow" else rendered(name, form)
    made = re.sub(r"<style>.*</style>\n", "", made, flags=re.DOTALL)
    return re.sub(r"(word |x|y|z)\1{49,}", r"\1\1…", made)


@pytest.mark.parametrize("form", [*FORMATS, "narrow", "tags"])
@pytest.mark.parametrize("protocol", ["compare", "dialogue", "review"])
def test_a_report_is_what_it_was(request, protocol, form):
    if form == "tags" and protocol != "review":
        return
    shown = "".join(
        f"===== {name} =====\n{for_golden(f'{name} {protocol}', form)}"
        for name in SAMPLES[protocol]
        if name not in LEFT_OUT.get(form, ())
    )
    golden = GOLDEN / f"{protocol}.{form}"
    if request.config.getoption("--write-golden"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(shown, "utf-8", newline="")
    assert shown.split("\n") == golden.read_bytes().decode().split("\n")


@pytest.mark.parametrize("protocol", SAMPLES)
def test_a_format_is_asked_for_by_name_and_an_unknown_one_refused_with_those_there_are(protocol):
    sample = next(iter(SAMPLES[protocol].values()))
    openings = {"json": "{\n", "tags": "<RESPONSE1_FIXED_TABLE>\n", "markdown": "# ", "html": "<!doctype html>"}
    allowed = [*FORMATS, *(["tags"] if protocol == "review" else [])]
    for form in allowed:
        assert render(sample.verdict, form).startswith(openings.get(form, "")), "without a rubric, too"
    with pytest.raises(ValueError, match=f"format: 'pdf'; one of {', '.join(allowed)}"):
        render(sample.verdict, "pdf")


@pytest.mark.parametrize("name", EVERY)
def test_colour_adds_nothing_but_colour_and_no_line_is_wider_than_the_terminal(name):
    plain, coloured = (rendered(name, "text", colour=colour) for colour in (False, True))
    assert COLOUR.search(coloured) and COLOUR.sub("", coloured) == plain
    assert not CONTROLS_AND_TAB.search(plain)
    for width in (1, 60, 140):
        lines = rendered(name, "text", width).splitlines()
        assert max(map(width_of, lines)) <= max(width, 40)


@pytest.mark.parametrize("name", EVERY)
def test_text_of_others_marks_up_nothing_in_markdown(name):
    text = rendered(name, "markdown")
    assert_marks_up_nothing(text)
    assert all(len({line.replace("\\|", "").count("|") for line in table.splitlines()}) == 1
               for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE))  # fmt: skip


@pytest.mark.parametrize(("protocol", "row"), [("compare", "| 1 | 9 | 6 |"), ("review", "| 3 | **3** no issue |")])
def test_a_rubric_of_a_users_own_cannot_break_the_table(protocol, row):
    sample = next(iter(SAMPLES[protocol].values()))
    named = replace(sample.rubric.criteria[0], name="a | b\n# c <b>")
    rubric = replace(sample.rubric, criteria=(named, *sample.rubric.criteria[1:]))
    assert f"| a \\| b \\# c &lt;b&gt; {row}" in render(sample.verdict, "markdown", rubric=rubric)


@pytest.mark.parametrize("name", EVERY)
def test_a_page_is_whole_with_the_texts_and_their_marks_first_then_the_column_with_the_verdict(name):
    html = rendered(name, "html")
    page = Page(html)
    assert page.opened == [] and len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    banner, texts, column = (html.index(f'class="{each}') for each in ("banner", "screen-texts", "screen-side"))
    below = html.index('<h2 id="behind">')
    assert banner < html.index("<h1>") < texts < column < html.index('class="card summed') < below
    assert html.count('class="screen"') == 1
    marks = [at.start() for at in re.finditer(r'<mark class="[^"]*q-', html)]
    assert all(texts < at < column for at in marks), "evidence is marked in the texts"
    reasons = [at.start() for at in re.finditer(r'<li id="why-(?!F)', html)]
    assert all(column < at < below for at in reasons), "and explained in the column"


@pytest.mark.parametrize("protocol", SAMPLES)
def test_a_page_shows_hostile_text_as_text_loads_nothing_runs_nothing_and_leads_only_to_what_was_looked_up(protocol):
    html = rendered(f"hostile {protocol}", "html")
    page = Page(html)
    assert POLICY in html and "@import" not in html and "url(" not in html
    assert not {"script", "img", "link", "iframe", "form"} & set(page.tags) and page.tags.count("style") == 1
    outside = [link for link in page.links if not link.startswith("#")]
    assert outside == (["https://example.org/a?b=1&c=2"] if protocol == "compare" else [])
    assert ('rel="noopener noreferrer"' in html) == bool(outside)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html and verdict_samples.SCRIPT not in html
    assert "{{ 7*7 }} {% raw %} &amp;amp; &amp;lt;" in html
    assert not CONTROLS.search(html)


def test_what_annotators_wrote_of_a_dialogue_is_nowhere():
    for name, sample in SAMPLES["dialogue"].items():
        shown = [rendered(f"{name} dialogue", form) for form in FORMATS]
        assert not any("SECRET_ACT" in text for text in [*shown, to_json(sample.verdict).decode()])
