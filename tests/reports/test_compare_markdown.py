import pytest
from reports.looking import assert_marks_up_nothing
from reports.verdict_samples import KEYS, RUBRIC, hostile_sample, plain_sample, tied_sample

from adjudge.reports import render


def rendered(sample):
    return render(sample.verdict, "markdown", rubric=sample.rubric)


def test_it_says_what_the_terminal_says():
    text = rendered(plain_sample())
    assert text.startswith("# Response A wins\n")
    assert "| **Weighted total** |  | **70** | **38.25** |" in text
    assert "| Correctness and quality of reasoning | 2 | 9.5 | 4 |" in text
    assert "- **B: 4** An index on created\\_at alone" in text
    assert "  - (−) “add an index on created\\_at, since this is the column with the range.”" in text
    assert "both name A" in text
    assert f"Verdict {plain_sample().verdict.verdict_id}" in text


def test_the_table_has_a_row_for_each_criterion_and_four_cells_in_each():
    rows = [line for line in rendered(hostile_sample()).splitlines() if line.startswith("|")]
    assert len(rows) == len(KEYS) + 3
    assert all(line.count("|") == 5 for line in rows)


def test_only_the_reports_own_lines_have_structure():
    text = rendered(hostile_sample())
    headings = [line for line in text.splitlines() if line.startswith("#")]
    names = [criterion.name for criterion in RUBRIC.criteria]
    assert headings == ["# Response A wins", *(f"## {name}" for name in names), "## Warnings", "## Looked up"]


@pytest.mark.parametrize("sample", [hostile_sample(), plain_sample(), tied_sample()])
def test_hostile_text_marks_up_nothing(sample):
    assert_marks_up_nothing(rendered(sample))


def test_a_rubric_of_a_users_own_cannot_break_the_table():
    from dataclasses import replace

    sample = plain_sample()
    named = replace(RUBRIC.criteria[0], name="a | b\n# c <b>")
    rubric = replace(RUBRIC, criteria=(named, *RUBRIC.criteria[1:]))
    text = render(sample.verdict, "markdown", rubric=rubric)
    assert "| a \\| b \\# c &lt;b&gt; | 1 | 9 | 6 |" in text
