import pytest
from reports.dialogue_samples import (
    KEYS,
    adopted_sample,
    debated_sample,
    example_c,
    hostile_sample,
    long_sample,
)
from reports.looking import COLOUR, CONTROLS_AND_TAB, assert_marks_up_nothing, width_of

from adjudge.reports import render as rendered

EVERY = [debated_sample(), example_c(), adopted_sample(), hostile_sample(), long_sample()]


def as_text(sample, *, colour=False, width=100):
    return rendered(sample.verdict, "text", rubric=sample.rubric, colour=colour, width=width)


def as_markdown(sample):
    return rendered(sample.verdict, "markdown", rubric=sample.rubric)


def rows_of(text):
    return [line.split(maxsplit=5) for line in text.splitlines()]


def test_the_verdict_comes_first_then_what_became_of_the_objections():
    first, second, third, fourth = as_text(debated_sample()).splitlines()[:4]
    assert first == "Overall experience 80 of 100"
    assert second == "The weighted average is 88.00, rounded down to 80."
    assert third == "The Critic objects to 2 of 6 scores; 1 was accepted."
    assert fourth == "Dialogue 25: 16 utterances"


def test_the_table_leads_from_evaluator_to_referee_and_says_which_rule_decided():
    rows = rows_of(as_text(debated_sample(), width=120))
    assert ["Helpfulness", "0.15", "60", "40", "60", "Kept: the Critic’s quote is no contradiction"] in rows
    assert ["Empathy", "0.10", "80", "40", "40", "Accepted: a verified quote contradicts the Evaluator"] in rows
    assert ["Fluency", "0.10", "100", "agrees", "100", "Kept: the Critic agrees"] in rows
    assert ["Weighted", "average", "92.00", "88.00"] in rows


def test_on_a_narrow_terminal_the_rules_stand_below_the_table_only():
    text = as_text(debated_sample(), width=60)
    assert ["Empathy", "0.10", "80", "40", "40"] in rows_of(text)
    assert "Referee 40     Accepted: a verified quote contradicts the" in text


def test_each_criterion_has_both_opinions_with_speaker_and_line_of_their_quotes():
    text = as_text(debated_sample())
    section = text[text.index("\nEmpathy\n") : text.index("\nFluency\n")]
    assert section.split("\n")[2:-1] == [
        "  Evaluator 80   Thanks the user, and that is all.",
        "                 “Ok, thank you for sharing. Good bye.” (SYSTEM, line 55)",
        "  Critic 40      The excitement is passed over without a word, and the thanks are a formula.",
        "                 “Well, is there a movie you did not like?” (SYSTEM, line 49)",
        "                 “thank you for sharing” (SYSTEM, line 55)",
        "  Referee 40     Accepted: a verified quote contradicts the Evaluator.",
    ]


def test_the_audit_writes_out_the_sum_and_names_the_evidence():
    text = as_text(debated_sample())
    audit = text[text.index("\nAudit\n") :]
    assert "  - 100*0.40 + 60*0.15 + 100*0.15 + 100*0.10 + 40*0.10 + 100*0.10 = 88.00\n" in audit
    assert "  - round down 88.00 → 80\n" in audit
    assert "“I really liked Transporter.” (USER, line 46)" in audit
    assert "Good bye" not in audit, "quoted for a score that did not stand"


def test_cost_judges_and_verdict_id_stand_at_the_end():
    *_, judge, verdict_id = as_text(debated_sample(), width=200).splitlines()
    assert judge.startswith("Judge: openai:gpt-5.1; 2 calls, 3,410 input and 824 output tokens")
    assert judge.endswith("$0.0059315")
    assert verdict_id == f"Verdict {debated_sample().verdict.verdict_id}"


@pytest.mark.parametrize("render", [as_text, as_markdown])
def test_the_embedded_judge_is_introduced_as_what_it_is(render):
    assert "The embedded judge works from text features only" in render(long_sample())
    assert "text features" not in render(debated_sample())


@pytest.mark.parametrize("render", [as_text, as_markdown])
def test_a_note_on_one_of_two_judges_says_which(render):
    sample = debated_sample()
    named = sample.verdict.provenance.updated(judge="openai:gpt-5.1, embedded")
    mixed = type(sample)(sample.case, sample.verdict.updated(provenance=named))
    assert "Critic: The embedded judge works from text features only" in render(mixed)
    assert "Evaluator: The embedded" not in render(mixed)


@pytest.mark.parametrize(
    ("sample", "sentence"),
    [
        (adopted_sample(), "The Critic objects to 3 of 6 scores; 3 were accepted."),
        (example_c(), "The Critic objects to 2 of 6 scores; none was accepted."),
        (long_sample(), "The Critic objects to 1 of 6 scores; 1 was accepted."),
    ],
)
@pytest.mark.parametrize("render", [as_text, as_markdown])
def test_what_became_of_the_objections_is_said_in_a_sentence(render, sample, sentence):
    assert sentence in render(sample)


def test_warnings_are_shown():
    assert "Warning: Dropped quote. <script>" in as_text(hostile_sample())
    assert "- **Dropped quote.** &lt;script&gt;" in as_markdown(hostile_sample())
    assert "Warning" not in as_text(debated_sample())


@pytest.mark.parametrize("sample", EVERY)
def test_colour_adds_nothing_but_colour(sample):
    coloured = as_text(sample, colour=True)
    assert COLOUR.sub("", coloured) == as_text(sample)
    assert COLOUR.search(coloured)
    assert not CONTROLS_AND_TAB.search(COLOUR.sub("", coloured))


@pytest.mark.parametrize("width", [40, 60, 100])
@pytest.mark.parametrize("sample", EVERY)
def test_no_line_is_wider_than_the_terminal(sample, width):
    assert max(width_of(line) for line in as_text(sample, width=width).splitlines()) <= width


def test_markdown_says_what_the_terminal_says():
    text = as_markdown(debated_sample())
    assert text.startswith("# Overall experience 80 of 100\n\n- The weighted average is 88.00, rounded down to 80.\n")
    assert "| Empathy | 0.10 | 80 | 40 | 40 | Accepted: a verified quote contradicts the Evaluator |" in text
    assert "| Weighted average |  | 92.00 |  | 88.00 |  |" in text
    assert "- **Critic: 40** The excitement is passed over" in text
    assert "  - “thank you for sharing” (SYSTEM, line 55)\n- **Referee: 40** Accepted:" in text
    assert "- 100\\*0.40 + 60\\*0.15 + 100\\*0.15 + 100\\*0.10 + 40\\*0.10 + 100\\*0.10 = 88.00" in text
    assert f"Verdict {debated_sample().verdict.verdict_id}" in text


@pytest.mark.parametrize("sample", EVERY)
def test_hostile_text_marks_up_nothing(sample):
    assert_marks_up_nothing(as_markdown(sample))


def test_only_the_reports_own_lines_have_structure():
    lines = as_markdown(hostile_sample()).splitlines()
    names = [criterion.name for criterion in hostile_sample().rubric.criteria]
    assert [line for line in lines if line.startswith("#")] == [
        "# Overall experience 40 of 100",
        *(f"## {name}" for name in names),
        "## Audit",
        "## Warnings",
    ]
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == len(KEYS) + 3
    assert all(line.count("|") == 7 for line in table)
