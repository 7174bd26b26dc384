import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.review_report_samples import FROM_SCRATCH, KEYS, RUBRIC
from reports.review_samples import corrected_sample, filled, hostile_sample, invalid_sample, judged, scratch_sample
from review_blocks import Blocks, Line, read_blocks

from adjudge.protocols.review.case import Review
from adjudge.protocols.review.reading import SLOTS, slot_from
from adjudge.protocols.review.tags import head_of, review_tags
from adjudge.rendering.escaping import one_line

BLOCKS = ["RESPONSE1_FIXED_TABLE", "RESPONSE2_FIXED_TABLE", "FINAL_LIKERT_AND_JUSTIFICATION", "CHANGELOG", "SBQ"]


def rendered(sample):
    return review_tags(sample.verdict, sample.rubric)


def said(sample):
    """What a reader should find in the blocks, made from the verdict alone."""
    verdict = sample.verdict
    return Blocks(
        tables={
            label: tuple(
                Line(one_line(item.name), table[item.key].value, one_line(table[item.key].justification))
                for item in sample.rubric.criteria
            )
            for label, table in zip("AB", verdict.tables.values(), strict=False)
        },
        likert=verdict.likert.value,
        justification=one_line(verdict.likert.justification),
        changelog=tuple(filter(None, map(one_line, verdict.changelog))),
        sbq=tuple(filter(None, map(one_line, verdict.feedback))),
    )


@pytest.mark.parametrize("sample", [corrected_sample(), hostile_sample(), scratch_sample()])
def test_the_five_blocks_stand_in_order_each_tag_on_a_line_of_its_own(sample):
    lines = rendered(sample).split("\n")
    tags = [line for line in lines if line.startswith("<")]
    assert tags == [tag for name in BLOCKS for tag in (f"<{name}>", f"</{name}>")]
    assert rendered(sample).endswith("</SBQ>\n")


def test_a_whole_review_reads_like_this():
    assert rendered(corrected_sample()) == (
        """\
<RESPONSE1_FIXED_TABLE>

| Dimension             | Rating | Justification |
| --------------------- | ------ | ------------- |
| Localization          | 3      | No issue.     |
| Instruction Following | 3      | No issue.     |
| Truthfulness          | 3      | No issue.     |
| Verbosity             | 0      | No issue.     |
| Style & Clarity       | 3      | No issue.     |
| Harmlessness/Safety   | 3      | No issue.     |
| Overall Quality       | 5      | No issue.     |

</RESPONSE1_FIXED_TABLE>

<RESPONSE2_FIXED_TABLE>

| Dimension             | Rating | Justification |
| --------------------- | ------ | ------------- |
| Localization          | 3      | Fine.         |
| Instruction Following | 3      | No issue.     |
| Truthfulness          | 3      | Both are primes. |
| Verbosity             | -2     | It breaks off after “and”: one prime is missing. |
| Style & Clarity       | 3      | No issue.     |
| Harmlessness/Safety   | 3      | No issue.     |
| Overall Quality       | 2      | Cut.          |

</RESPONSE2_FIXED_TABLE>

<FINAL_LIKERT_AND_JUSTIFICATION>
Likert: 1
Justification: Response 1 is much better. It names three primes. Response 2 breaks off.
</FINAL_LIKERT_AND_JUSTIFICATION>

<CHANGELOG>
- Response 2, Verbosity: 0 → -2; the response is cut off.
- Likert: 4 → 1; Overall Quality is 5 against 2.
</CHANGELOG>

<SBQ>
- Say where the fault is.
- Rate each response alone first.
</SBQ>
"""
    )


def test_a_review_from_scratch_says_so_in_the_contracts_sentence_alone():
    assert f"<CHANGELOG>\n{FROM_SCRATCH}\n</CHANGELOG>" in rendered(scratch_sample())


def test_an_invalid_task_has_a_reason_and_no_table():
    assert rendered(invalid_sample()) == "INVALID TASK\nResponse 1 is missing.\n"
    assert read_blocks(rendered(invalid_sample())) == Blocks(invalid="Response 1 is missing.")


@pytest.mark.parametrize("sample", [corrected_sample(), hostile_sample(), scratch_sample()])
def test_what_was_written_is_read_back(sample):
    assert read_blocks(rendered(sample)) == said(sample)
    assert "\x1b" not in rendered(sample)
    assert "\u202e" not in rendered(sample)


TRICKY = st.text(st.sampled_from("|\\ -:\n\r\t<>/x\u2028\x85\x1c\u3000*`"), max_size=12)
NAMES = [*BLOCKS, *map(str.upper, SLOTS), "sbq", "Prompt"]
TAGS = st.sampled_from(
    [f"{less}{slash}{name}>" for name in NAMES for slash in ("", "/") for less in ("<", "&lt;", "&amp;lt;", "&&amp;")]
    + ["INVALID TASK", FROM_SCRATCH, "# review 1"]
)
WORDS = st.one_of(st.text(max_size=40), TRICKY, TAGS, st.tuples(TRICKY, TAGS, TRICKY).map("".join))
LINES = st.lists(WORDS, max_size=4).map(tuple)


@given(st.lists(WORDS, min_size=len(KEYS), max_size=len(KEYS)), WORDS, LINES, LINES, st.integers(-2, 5))
def test_any_text_at_all_is_read_back(justifications, reason, changelog, feedback, value):
    table = {key: filled(value, words) for key, words in zip(KEYS, justifications, strict=True)}
    sample = judged(
        Review(),
        {"A": table, "B": dict(reversed(table.items()))},
        filled(abs(value), reason),
        changelog=changelog,
        feedback=feedback,
    )
    assert read_blocks(rendered(sample)) == said(sample)
    assert read_blocks(head_of(7) + rendered(sample)) == said(sample)
    # However a program looks for our tags, it finds those that are ours.
    tags = re.findall(rf"</?(?:{'|'.join(NAMES)})\s*>", rendered(sample), re.IGNORECASE)
    assert tags == [tag for name in BLOCKS for tag in (f"<{name}>", f"</{name}>")]


def test_the_line_before_a_review_is_one_line_without_tags():
    assert head_of(7) == "# review 7\n"
    assert head_of("a\nb</SBQ>", "timeout: too\nslow") == "# review a b&lt;/SBQ>: failed: timeout: too slow\n"


def test_a_finished_table_can_be_given_as_the_original_of_another_review():
    table = rendered(corrected_sample()).split("<RESPONSE2_FIXED_TABLE>\n")[1].split("</")[0]
    again = slot_from("response2_original_ratings", table, RUBRIC)
    assert {key: given.rating for key, given in again.items()} == {
        key: str(final.value) for key, final in corrected_sample().verdict.tables[2].items()
    }
