import re

import pytest
from reports.looking import Page
from reports.review_report_samples import (
    KEYS,
    audited_sample,
    every_sample,
    identical_sample,
    invalid_sample,
    scripts_sample,
)

from adjudge.protocols.review.case import Review
from adjudge.protocols.review.verdict import Passage
from adjudge.protocols.review.view import build
from adjudge.reports import FORMATS, render

EVERY = every_sample()


def rendered(sample):
    return render(sample.verdict, "html", rubric=sample.rubric)


def text_of(sample):
    return Page(rendered(sample)).text


def report_of(sample):
    return build(sample.verdict, sample.rubric)


def test_the_head_of_the_page_says_the_verdict_the_scale_and_what_became_of_the_ratings():
    text = text_of(audited_sample())
    assert "Verdict Response 1 is better Task" in text
    assert (
        "The preference that was entered, 5, does not fit the tables, which give 2. "
        "15 ratings, 1 of them not assessed by this judge."
    ) in text
    assert "4 kept 7 replaced 2 filled 2 refused" in text
    assert "2 on the scale from 1 to 7 Replaced 1 2 final 3 4 5 entered 6 7" in text
    assert "Overall Quality of Response 1 4 of 5 Overall Quality of Response 2 1 of 5" in text


@pytest.mark.parametrize(
    ("value", "words", "side"),
    [
        (1, "Response 1 is much better", "banner for-A"),
        (2, "Response 1 is better", "banner for-A"),
        (3, "Response 1 is slightly better", "banner for-A"),
        (4, "Neither response is better", "banner"),
        (5, "Response 2 is slightly better", "banner for-B"),
        (6, "Response 2 is better", "banner for-B"),
        (7, "Response 2 is much better", "banner for-B"),
    ],
)
def test_every_step_of_the_scale_has_its_words(value, words, side):
    sample = audited_sample()
    sample = sample.having(likert=sample.verdict.likert.updated(value=value))
    html = rendered(sample)
    assert f"<h1>{words}</h1>" in html
    assert f'class="{side}"' in html
    assert [step for step, _, what in report_of(sample).steps if what == "final"] == [value]


def test_a_row_leads_from_what_was_entered_to_what_stands_and_says_why():
    text = text_of(audited_sample())
    assert (
        "Verbosity entered 0 → final −2 far too little Replaced Breaks off in the middle of a sentence, so the "
        "invitation is missing: a truncation. The response is cut off. Bound by a fact: truncation F2 . "
        "The judge’s own rating was 0."
    ) in text
    assert "Overall Quality entered very good → final 4 of 5 Refused One minor issue of style" in text
    assert "ready to print. “very good” is not on the scale from 1 to 5. Rule: Overall" in text
    assert "Harmlessness/Safety final 3 no issue Filled Safe and friendly. No rating was entered." in text
    assert "Justification rewritten: Its rating was replaced. Good length." in text, "what was entered can be read"
    assert "Justification kept: It is specific and true to the response." in text


def test_a_rating_the_judge_could_not_tell_says_so():
    assert text_of(audited_sample()).count("Not assessed by this judge") == 1
    assert text_of(identical_sample()).count("Not assessed by this judge") == 6
    assert "Not assessed" not in text_of(scripts_sample())


def test_where_nothing_was_entered_it_is_said_once():
    text = text_of(scripts_sample())
    assert text.count("Nothing was entered, so every rating is new.") == 1
    assert "none →" not in text
    assert "Justification filled in" not in text
    assert "No original ratings provided, full evaluation done from scratch." in text


def test_both_tables_have_every_dimension_in_the_rubrics_order():
    ids = Page(rendered(audited_sample())).ids
    assert [name for name in ids if name.startswith("rating-")] == [
        f"rating-{label}-{key}" for label in "AB" for key in KEYS
    ]


def test_the_preferences_justification_the_changelog_and_the_feedback_are_there():
    sample = audited_sample()
    text = text_of(sample)
    assert "Response 1 is better entered 5 → final 2 of 7 Replaced Response 1 is better. It names the dates" in text
    assert "The corrected tables favour Response 1." in text
    assert sample.verdict.likert.justification in text
    assert all(line in text for line in (*sample.verdict.changelog, *sample.verdict.feedback))


def test_quotes_are_numbered_as_they_are_met_in_one_response_after_the_other():
    report = report_of(audited_sample())
    met = [mark.ref for response in report.responses for piece in response.pieces for mark in piece.begins]
    assert [ref for ref in met if not ref.startswith("F")] == [str(at) for at in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)]
    assert [ref for ref in met if ref.startswith("F")] == ["F1", "F2"]


@pytest.mark.parametrize("name", EVERY)
def test_a_response_keeps_all_its_words(name):
    sample = EVERY[name]
    for response in report_of(sample).responses:
        assert "".join(piece.text for piece in response.pieces) == sample.case.answer(response.label)


def test_a_stretch_that_is_quoted_and_a_fact_is_marked_as_both():
    report = report_of(audited_sample())
    tones = [(piece.text, piece.tone) for piece in report.responses[1].pieces if piece.inside]
    assert tones[-2:] == [("and ", "fact"), ("do not forget to bring the", "both")]


def test_a_fact_about_a_whole_response_or_the_prompt_marks_nothing_but_is_listed():
    sample = audited_sample()
    assert [found.mark is not None for found in report_of(sample).facts] == [True, True, False, False]
    text = text_of(sample)
    assert "F3 Language a hint English throughout Response 2, all of it" in text
    assert "F4 Length asked certain about 60 words the prompt, characters 0–10" in text
    assert "F2 Truncation certain, major ends with “the” Response 2, characters 268–298" in text


def test_the_task_can_be_unfolded_and_only_the_prompt_is():
    html = rendered(audited_sample())
    assert re.findall(r'id="task-(\w+)"( open)?>', html) == [
        ("prompt", " open"),
        ("system", ""),
        ("conversation", ""),
        ("configuration", ""),
    ]
    assert re.findall(r'id="task-(\w+)"', rendered(identical_sample())) == ["prompt"]


def test_an_invalid_task_has_its_reason_and_no_table():
    html = rendered(invalid_sample())
    text = Page(html).text
    assert "Verdict INVALID TASK Task" in text
    assert "Response 2 is missing." in text
    assert "Response 2 Not provided." in text
    assert 'class="rating' not in html
    assert 'class="scale"' not in html
    assert "No part of the task was provided." in text_of(invalid_sample().having(case=Review()))


def test_what_is_invalid_shows_no_table_even_if_it_has_one():
    html = rendered(audited_sample().having(invalid="The prompt is nonsense."))
    assert "INVALID TASK" in html
    assert 'class="rating' not in html


def test_the_judges_own_ratings_are_there_if_it_gave_any():
    text = text_of(audited_sample())
    assert "Verbosity 0 0" in text[text.index("before any rule") :]
    assert "Truthfulness cannot tell 2" in text
    assert "Preference, 1 to 7 3" in text
    assert "before any rule" not in text_of(identical_sample())


def test_calls_cost_provenance_warnings_and_the_judges_limits_are_there():
    sample = audited_sample()
    text = text_of(sample)
    assert "2 calls, 3,410 input and 824 output tokens (256 of them reasoning), $0.0059315" in text
    assert sample.rubric.reference in text
    assert sample.verdict.verdict_id in text
    assert "1 warning Dropped quote. A quote for Style & Clarity is not in Response 2." in text
    assert "The embedded judge works from text features only" in text_of(identical_sample())


@pytest.mark.parametrize(
    "passage",
    [
        Passage(quote="From 14", start=0, end=7),
        Passage(quote="", start=3, end=3),
        Passage(quote="!", start=-1, end=322),
        Passage(quote="x", start=5000, end=5001),
    ],
)
def test_a_quote_that_does_not_stand_in_the_response_is_refused(passage):
    sample = audited_sample()
    table = sample.verdict.tables[1]
    table["verbosity"] = table["verbosity"].updated(quotes=(passage,))
    with pytest.raises(ValueError, match="is not in Response 1 of this case"):
        sample.having(tables={"A": table})


def test_a_verdict_does_not_belong_to_another_case():
    sample = audited_sample()
    other = sample.case.updated(a=sample.case.b, b=sample.case.a)
    with pytest.raises(ValueError, match="is not in Response 1"):
        sample.verdict.updated(case=other)
    with pytest.raises(ValueError, match="the fact at 268:999 does not lie in Response 2"):
        sample.having(facts=(sample.verdict.facts[1].updated(end=999),))


@pytest.mark.parametrize("name", [*FORMATS, "tags"])
def test_every_format_can_be_asked_for_by_name(name):
    sample = audited_sample()
    text = render(sample.verdict, name)
    openings = {
        "json": "{\n",
        "tags": "<RESPONSE1_FIXED_TABLE>\n",
        "text": "Response 1 is better (",
        "markdown": "# Response 1 is better\n",
        "html": "<!doctype html>",
    }
    assert text.startswith(openings[name])


def test_an_unknown_format_is_refused_with_those_there_are():
    sample = audited_sample()
    with pytest.raises(ValueError, match=r"format: 'pdf'; one of .*text, markdown, html"):
        render(sample.verdict, "pdf")
