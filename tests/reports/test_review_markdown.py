import pytest
from reports.looking import assert_marks_up_nothing
from reports.review_report_samples import (
    KEYS,
    RUBRIC,
    audited_sample,
    every_sample,
    hostile_sample,
    identical_sample,
    invalid_sample,
    scripts_sample,
)

from adjudge.reports import render

EVERY = every_sample()


def rendered(sample):
    return render(sample.verdict, "markdown", rubric=sample.rubric)


def test_the_verdict_comes_first_then_what_became_of_the_ratings():
    assert rendered(audited_sample()).startswith(
        "# Response 1 is better\n\n- The preference that was entered, 5, does not fit the tables, which give 2.\n"
        "- 15 ratings, 1 of them not assessed by this judge: 4 kept, 7 replaced, 2 filled and 2 refused.\n"
    )


def test_a_row_says_what_was_entered_what_stands_and_why():
    text = rendered(audited_sample())
    assert (
        "| Verbosity | 0 | **−2** far too little | Replaced: The response is cut off. Bound by a fact: truncation F2. "
        "The judge’s own rating was 0. | Breaks off in the middle of a sentence, so the invitation is missing: a "
        "truncation. (Justification rewritten: Its rating was replaced.) |"
    ) in text
    assert "Not assessed by this judge. | Promises nothing" in text
    assert "- “We hope this helps!” (Style &amp; Clarity, characters 303–322)" in text
    assert "- **Verbosity** Good length." in text


def test_the_rest_of_the_page_is_there_too():
    sample = audited_sample()
    text = rendered(sample)
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        "# Response 1 is better",
        "## Response 1",
        "## Response 2",
        "## Preference",
        "## Changelog",
        "## Feedback",
        "## Task",
        "## Facts",
        "## Warnings",
    ]
    assert sample.verdict.likert.justification in text
    assert "- Response 2, Localization: 3 → 2: The spelling is American in two places." in text
    assert "- Read a response to its end before rating its length: Response 2 breaks off." in text
    assert "- **F2 Truncation** in Response 2, certain, major. ends with “the”" in text
    assert "- **System prompt** You write for a public library." in text
    assert "Judge: openai&#58;gpt-5.1; 2 calls" in text


def test_an_invalid_task_has_its_reason_and_no_table():
    text = rendered(invalid_sample())
    assert text.startswith("# INVALID TASK\n\n- Response 2 is missing.\n")
    assert "|" not in text


def test_where_nothing_was_entered_the_rows_do_not_repeat_it():
    text = rendered(scripts_sample())
    assert "- On the scale from 1 to 7 the preference is 1.\n" in text
    assert "Justification filled in" not in text
    assert "The embedded judge works from text features only" in rendered(identical_sample())


@pytest.mark.parametrize("name", EVERY)
def test_hostile_text_marks_up_nothing(name):
    assert_marks_up_nothing(rendered(EVERY[name]))


def test_only_the_reports_own_lines_have_structure():
    lines = rendered(hostile_sample()).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 * (len(KEYS) + 2)
    assert all(line.replace("\\|", "").count("|") == 6 for line in table)
    assert len([line for line in lines if line.startswith("#")]) == 9


def test_a_rubric_of_a_users_own_cannot_break_the_table():
    from dataclasses import replace

    named = replace(RUBRIC.criteria[0], name="a | b\n# c <b>")
    rubric = replace(RUBRIC, criteria=(named, *RUBRIC.criteria[1:]))
    text = rendered(replace(audited_sample(), rubric=rubric))
    assert "| a \\| b \\# c &lt;b&gt; | 3 | **3** no issue |" in text
