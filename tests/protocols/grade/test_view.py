"""What reports on a grading show: the same facts in text, Markdown and HTML, exactly, and hostile text as text.

`--write-golden` writes the files anew, to be read before they are committed.
"""

import re
from pathlib import Path

import pytest
from reports import grade_samples
from reports.looking import CONTROLS, Page
from reports.verdict_samples import SCRIPT

from adjudge.protocols.grade.view import build
from adjudge.reports import render

GOLDEN = Path(__file__).parents[2] / "golden/grade"
SAMPLES = {
    "plain": grade_samples.plain_sample(), "undecided": grade_samples.undecided_sample(),
    "stepped": grade_samples.stepped_sample(), "hostile": grade_samples.hostile_sample(),
}  # fmt: skip


def rendered(name, form):
    made = render(SAMPLES[name].verdict, form, rubric=SAMPLES[name].rubric)
    return re.sub(r"<style>.*</style>\n", "", made, flags=re.DOTALL) if form == "html" else made


@pytest.mark.parametrize("name", SAMPLES)
def test_a_report_is_what_it_was(request, name):
    for form in ("text", "markdown", "html"):
        golden = GOLDEN / f"{name}.{form}"
        if request.config.getoption("--write-golden"):
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(rendered(name, form), "utf-8")
        assert rendered(name, form) == golden.read_text("utf-8")


def words_of(name, form):
    made = rendered(name, form)
    if form == "html":
        made = Page(made).text
    if form == "markdown":
        made = re.sub(r"\\(.)", r"\1", made).replace("&#58;", ":")
    return re.sub(r"[\s*]+", " ", made)


FACTS = {
    "plain": [
        "Passed with 83.3 of 100", "Passed: the score is 83.3, 70 is needed, and every required item is met.",
        "Most points were lost on “Rests on sources” (2).", "1 of 3 supported", "contradicted", "not found",
        "It was founded around 1040.", "source guide", "fault not found", "required at least 3: met",
        "at most 2 sentences", "It has 17 words", "2 + 1 + 1 + 3 + 2 + 1 = 10 of 12 points ≈ 83.3333 of 100",
        "a quote is not in the answer",
    ],
    "undecided": [
        "Undecided: 0.0 to 88.9 of 100", "whether it passes depends on that", "required at least 3: unknown",
        "Nobody assessed Rude (−3 points); Clear (1 point); Rests on sources (3 points); Demands (2 points).",
        "Not applicable, so not counted: Covers (No reference was given).", "openai:b: no", "not assessed",
    ],
    "stepped": ["step 2", '"city": "Bergen"', "fault found"],
}  # fmt: skip


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_every_format_holds_the_same_facts(form):
    for name, facts in FACTS.items():
        shown = words_of(name, form)
        assert [fact for fact in facts if fact not in shown] == []


def test_a_claim_and_its_source_have_the_same_number_and_lead_to_each_other():
    page = rendered("plain", "html")
    style = render(SAMPLES["plain"].verdict, "html")
    for ref, words in (("4-2a", "it was founded in 1624"), ("4-2b", "It was founded around 1040.")):
        assert re.search(
            rf'<mark class="[^"]*q-{ref}[^"]*"><a tabindex="-1" href="#why-{ref}">{re.escape(words)}', page
        )
        assert f'<a class="ref unfavorable" dir="ltr" href="#why-{ref}"' in page
        assert f'id="why-{ref}"' in page and f'href="#at-{ref}"' in page
    assert page.count(">4.2</a>") == 4  # in the answer, in the source, and twice in the table
    pair = ':is(.q-4-2a, .text [href="#why-4-2a"], .q-4-2b, .text [href="#why-4-2b"]):is(:hover, :focus-visible)'
    assert pair in style


def test_steps_are_labelled_and_their_quotes_are_marked_in_them():
    texts = build(SAMPLES["stepped"].verdict, SAMPLES["stepped"].rubric).answers
    assert [(text.title, [piece.text for piece in text.pieces if piece.inside]) for text in texts] == [
        ("Step 1: user", []),
        ("Step 2: tool call get_weather", ['"city": "Bergen"']),
        ("Step 3: tool result get_weather", []),
        ("Step 4: assistant, the final answer", ["In Oslo it rains"]),
    ]


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_hostile_text_is_shown_as_text(form):
    made = rendered("hostile", form)
    assert not CONTROLS.search(made.replace("\n", ""))
    if form == "html":
        assert SCRIPT not in made and "<b>id</b>" not in made and "<img" not in made
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in made
    if form == "markdown":
        assert not re.search(r"(?<!\\)\]\(", made) and "<script" not in made
        cells = [line for line in made.splitlines() if line.startswith("|")]
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in cells} <= {5, 6}
