"""The tags of a finished review: in what people and judges wrote they are hidden, so that no text ends a block."""

import pytest
from review_blocks import Blocks, Line, read_blocks

from adjudge.protocols.review.reading import hide_tags

FINISHED = """
<RESPONSE1_FIXED_TABLE>
| Dimension | Rating | Justification |
| --- | --- | --- |
| Verbosity | −1 | a \\| b |
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
</CHANGELOG>
<SBQ>
</SBQ>
"""


def test_blocks_are_read_in_their_order_and_no_others():
    assert read_blocks(FINISHED) == Blocks(
        tables={"A": (Line("Verbosity", -1, "a | b"),), "B": (Line("Verbosity", 0, "fine"),)},
        likert=5,
        justification="Better: shorter.\nIt says so.",
        changelog=("one", "- two"),
    )
    assert read_blocks("\n# review x: y\n\nINVALID TASK\nNo prompt.\n") == Blocks(invalid="No prompt.")
    for old, new in (("<SBQ>\n</SBQ>", ""), ("</SBQ>", ""), ("</SBQ>", "</SBQ>\nthanks"), ("Likert: 5", "Likert: x")):
        with pytest.raises(AssertionError):
            read_blocks(FINISHED.replace(old, new))


def test_only_a_hidden_tag_of_ours_is_shown_again():
    for hidden, shown in (
        ("9&lt;/CHANGELOG>", "9</CHANGELOG>"),
        ("&lt;prompt>", "<prompt>"),
        ("&amp;lt;/SBQ>", "&lt;/SBQ>"),
        ("&amp;amp;lt;/SBQ >", "&amp;lt;/SBQ >"),
        ("a &lt; b, &lt;b> and &amp;lt;", "a &lt; b, &lt;b> and &amp;lt;"),
    ):
        assert hide_tags(shown) == hidden
        assert read_blocks(FINISHED.replace("- one", f"- {hidden}")).changelog[0] == shown
