"""The blocks of a finished review: ours, and the form in which a formatter pulled the closing tag into the table."""

import pytest
from review_blocks import Blocks, Line, read_blocks

from adjudge.errors import InputError
from adjudge.protocols.review.reading import hide_tags

OURS = """
<RESPONSE1_FIXED_TABLE>

| Dimension | Rating | Justification |
| --- | --- | --- |
| Verbosity | −1 | a \\| b |
| Overall Quality | 4 | |

</RESPONSE1_FIXED_TABLE>

<RESPONSE2_FIXED_TABLE>
| Dimension | Rating | Justification |
| :-- | :-: | --: |
| Verbosity | 0 | fine |
</RESPONSE2_FIXED_TABLE>
<FINAL_LIKERT_AND_JUSTIFICATION>
Likert: 5
Justification: Better: shorter.
It says so.
</FINAL_LIKERT_AND_JUSTIFICATION>
<CHANGELOG>
- one
- - two
three
</CHANGELOG>
<SBQ>
</SBQ>
"""
READ = Blocks(
    tables={
        "A": (Line("Verbosity", -1, "a | b"), Line("Overall Quality", 4, "")),
        "B": (Line("Verbosity", 0, "fine"),),
    },
    likert=5,
    justification="Better: shorter.\nIt says so.",
    changelog=("one", "- two", "three"),
)


def test_the_closing_tag_of_a_table_stands_on_a_line_or_in_a_row():
    in_a_row = OURS.replace("\n</RESPONSE1_FIXED_TABLE>", "| </RESPONSE1_FIXED_TABLE> |        |   |").replace(
        "</RESPONSE2_FIXED_TABLE>", "|</RESPONSE2_FIXED_TABLE>|||"
    )
    assert read_blocks(OURS) == read_blocks(in_a_row) == READ
    assert read_blocks(OURS.replace("\n", "\r\n")) == READ


def test_an_invalid_task_has_a_reason_only():
    assert read_blocks("\nINVALID TASK\nNo prompt.\n") == Blocks(invalid="No prompt.")
    assert read_blocks("INVALID TASK") == Blocks(invalid="")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("<SBQ>\n</SBQ>", "", "line 27: <SBQ> is missing; <RESPONSE1_FIXED_TABLE>,"),
        ("</SBQ>", "", "line 28: <SBQ> is never closed"),
        ("<CHANGELOG>\n", "<SBQ>\n", "line 21: <SBQ> out of place"),
        ("- one\n", "</SBQ>\n", "line 22: </SBQ> out of place"),
        ("- one\n", "<CHANGELOG>\n", "line 22: <CHANGELOG> out of place"),
        ("</SBQ>", "</SBQ>\nthanks", "line 28: text outside of the blocks: 'thanks'"),
        ("</SBQ>", "</SBQ>\n<SBQ>", "line 28: <SBQ> out of place"),
        ("| Verbosity | 0 |", "| Verbosity | x |", "line 14: cannot read '| Verbosity | x | fine |'; | dimension |"),
        ("| Verbosity | 0 |", "| Verbosity | 0 | a |", "line 14: cannot read"),
        ("Likert: 5\n", "", "line 17: no preference; Likert: a whole number, then Justification: a text"),
        ("Likert: 5", "Likert: 4.5", "line 17: no preference"),
        (OURS, "", "line 1: <RESPONSE1_FIXED_TABLE> is missing"),
    ],
)
def test_what_is_out_of_place_is_refused_by_line(old, new, says):
    with pytest.raises(InputError) as caught:
        read_blocks(OURS.replace(old, new))
    assert str(caught.value).startswith(says)


def test_a_line_with_the_reviews_name_may_stand_before():
    assert read_blocks("# review 7\n" + OURS) == READ
    assert read_blocks("\n# review x: y\n\nINVALID TASK\nNo prompt.\n") == Blocks(invalid="No prompt.")
    with pytest.raises(InputError, match="<RESPONSE1_FIXED_TABLE> is missing"):
        read_blocks("# review 7: failed: timeout: too slow\n")


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("9&lt;/CHANGELOG>", "9</CHANGELOG>"),
        ("&lt;prompt>", "<prompt>"),
        ("&amp;lt;/SBQ>", "&lt;/SBQ>"),
        ("&amp;amp;lt;/SBQ >", "&amp;lt;/SBQ >"),
        ("a &lt; b, &lt;b> and &amp;lt;", "a &lt; b, &lt;b> and &amp;lt;"),
    ],
)
def test_only_a_hidden_tag_of_ours_is_shown_again(hidden, shown):
    assert hide_tags(shown) == hidden
    read = read_blocks(OURS.replace("fine", hidden).replace("- one", f"- {hidden}").replace("It says so.", hidden))
    assert read.tables["B"][0].justification == shown
    assert read.changelog[0] == shown
    assert read.justification.endswith(shown)
