import pytest
from reports.looking import COLOUR, CONTROLS_AND_TAB, width_of
from reports.review_report_samples import audited_sample, every_sample, identical_sample, invalid_sample, scripts_sample

from adjudge.protocols.review.case import Original
from adjudge.reports import render

EVERY = every_sample()


def rendered(sample, *, colour=False, width=100):
    return render(sample.verdict, "text", rubric=sample.rubric, colour=colour, width=width)


def test_the_verdict_comes_first_then_why():
    lines = rendered(audited_sample()).splitlines()
    assert lines[0] == "Response 1 is better (Likert 2 of 7)"
    assert lines[1].startswith("Response 1 is better. It names the dates")
    assert lines[4] == "The preference that was entered, 5, does not fit the tables, which give 2."
    assert lines[5] == "15 ratings, 1 of them not assessed by this judge: 4 kept, 7 replaced, 2 filled and 2 refused."


def test_on_a_wide_terminal_both_tables_stand_side_by_side():
    lines = rendered(audited_sample()).splitlines()
    assert "Dimension              Response 1                  Response 2" in lines
    assert "Truthfulness           3 kept, not assessed        2 filled" in lines
    assert "Verbosity              0 kept                      0 → −2 replaced, truncation" in lines
    assert "Overall Quality        very good → 4 refused       4 → 1 replaced" in lines


def test_on_a_narrow_terminal_one_table_follows_the_other():
    lines = rendered(audited_sample(), width=60).splitlines()
    first, second = lines.index("Dimension              Response 1"), lines.index("Dimension              Response 2")
    assert lines[first + 4] == "Verbosity              0 kept"
    assert lines[second + 4] == "Verbosity              0 → −2 replaced, truncation"
    assert second == first + 9


def test_changelog_feedback_facts_warnings_and_cost_follow():
    text = rendered(audited_sample())
    assert "\nChangelog\n  - Response 1, Instruction Following: 2 → 3: Everything" in text
    assert "\nFeedback\n  - Read a response to its end" in text
    assert "\nFacts\n  - Pleasantry in Response 1 (certain, minor): a closing pleasantry\n" in text
    assert "Warning: Dropped quote. A quote for Style & Clarity" in text
    assert text.endswith("Verdict rv_0f3a9c41d2b7\n")


def test_an_invalid_task_has_its_reason_and_no_table():
    text = rendered(invalid_sample())
    assert text.startswith("INVALID TASK\nResponse 2 is missing.\n")
    assert "Dimension" not in text


def test_where_nothing_was_entered_the_ratings_stand_alone():
    text = rendered(scripts_sample())
    assert "Localization           3 filled    1 filled, language\n" in text
    assert "→" not in text


def test_the_embedded_judge_is_introduced_as_what_it_is():
    assert "The embedded judge works from text features only" in rendered(identical_sample())
    assert "text features" not in rendered(audited_sample())


@pytest.mark.parametrize("name", EVERY)
def test_colour_adds_nothing_but_colour(name):
    coloured = rendered(EVERY[name], colour=True)
    assert COLOUR.sub("", coloured) == rendered(EVERY[name])
    assert COLOUR.search(coloured)
    assert not CONTROLS_AND_TAB.search(COLOUR.sub("", coloured))


@pytest.mark.parametrize("width", [1, 40, 60, 80, 100, 140])
@pytest.mark.parametrize("name", EVERY)
def test_no_line_is_wider_than_the_terminal(name, width):
    lines = rendered(EVERY[name], width=width).splitlines()
    assert max(map(width_of, lines)) <= max(width, 40)


@pytest.mark.parametrize(
    ("action", "entered", "sentence"),
    [
        ("kept", "2", "The preference that was entered, 2, is kept."),
        ("replaced", "5", "The preference that was entered, 5, does not fit the tables, which give 2."),
        ("filled", "", "No preference was entered; the tables give 2."),
        ("refused", "9", "The preference that was entered, 9, is not on the scale from 1 to 7; the tables give 2."),
    ],
)
@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_what_became_of_the_preference_is_a_sentence_in_every_format(form, action, entered, sentence):
    likert = audited_sample().verdict.likert.updated(action=action, original=Original(entered, "") or None)
    verdict = audited_sample().having(likert=likert).verdict
    assert sentence in render(verdict, form, width=120)
    assert "→ 2 refused" not in render(verdict, form, width=120)
