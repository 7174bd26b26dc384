"""A review as the contract's five tagged blocks: read back whatever stands in them (the form itself is golden)."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reports.review_report_samples import FROM_SCRATCH, KEYS, RUBRIC, audited_sample, every_sample, final, judged
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


TAGS_IN_ORDER = [tag for name in BLOCKS for tag in (f"<{name}>", f"</{name}>")]
RATED = {name: sample for name, sample in every_sample().items() if name != "invalid"}


@pytest.mark.parametrize("name", RATED)
def test_the_five_blocks_stand_in_order_each_tag_on_a_line_of_its_own_and_are_read_back(name):
    text = rendered(RATED[name])
    assert [line for line in text.split("\n") if line.startswith("<")] == TAGS_IN_ORDER
    assert text.endswith("</SBQ>\n") and "\x1b" not in text and "\u202e" not in text
    assert (f"<CHANGELOG>\n{FROM_SCRATCH}\n</CHANGELOG>" in text) == (name == "scripts"), "in this sentence alone"
    assert read_blocks(text) == said(RATED[name])


def test_an_invalid_task_has_a_reason_and_no_table():
    text = rendered(every_sample()["invalid"].having(invalid="Response 1 is\nmissing."))
    assert text == "INVALID TASK\nResponse 1 is missing.\n"
    assert read_blocks(text) == Blocks(invalid="Response 1 is missing.")


TRICKY = st.text(st.sampled_from("|\\ -:\n\r\t<>/x\u2028\x85\x1c\u3000*`"), max_size=12)
NAMES = [*BLOCKS, *map(str.upper, SLOTS), "sbq", "Prompt"]
TAGS = st.sampled_from(
    [f"{less}{slash}{name}>" for name in NAMES for slash in ("", "/") for less in ("<", "&lt;", "&amp;lt;", "&&amp;")]
    + ["INVALID TASK", FROM_SCRATCH, "# review 1"]
)
WORDS = st.one_of(st.text(max_size=40), TRICKY, TAGS, st.tuples(TRICKY, TAGS, TRICKY).map("".join))
LINES = st.lists(WORDS, max_size=4).map(tuple)


@settings(max_examples=60)
@given(st.lists(WORDS, min_size=len(KEYS), max_size=len(KEYS)), WORDS, LINES, LINES, st.integers(-2, 5))
def test_any_text_at_all_is_read_back(justifications, reason, changelog, feedback, value):
    table = {key: final("", value, words) for key, words in zip(KEYS, justifications, strict=True)}
    tables = {"A": table, "B": dict(reversed(table.items()))}
    likert = final("", abs(value), reason)
    sample = judged(Review(), tables, likert=likert, changelog=changelog, feedback=feedback)
    assert read_blocks(rendered(sample)) == said(sample)
    assert read_blocks(head_of(7) + rendered(sample)) == said(sample)
    # However a program looks for our tags, it finds those that are ours.
    tags = re.findall(rf"</?(?:{'|'.join(NAMES)})\s*>", rendered(sample), re.IGNORECASE)
    assert tags == TAGS_IN_ORDER


def test_the_line_before_a_review_is_one_line_without_tags():
    assert head_of(7) == "# review 7\n"
    assert head_of("a\nb</SBQ>", "timeout: too\nslow") == "# review a b&lt;/SBQ>: failed: timeout: too slow\n"


def test_a_finished_table_can_be_given_as_the_original_of_another_review():
    table = rendered(audited_sample()).split("<RESPONSE2_FIXED_TABLE>\n")[1].split("</")[0]
    again = slot_from("response2_original_ratings", table, RUBRIC)
    assert {key: given.rating for key, given in again.items()} == {
        key: str(final.value) for key, final in audited_sample().verdict.tables[2].items()
    }
