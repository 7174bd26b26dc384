"""Measures: the same for either answer, with valid places and words, and right about plain cases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.judges.embedded.checks import check_answer
from adjudge.judges.embedded.kinds import KINDS, find_kinds
from adjudge.judges.embedded.measures import MEASURES, measure_pair
from adjudge.judges.embedded.reading import read_answer, read_task, split_task
from adjudge.rubric import shipped

PIECES = (
    "Yes.", "No,", "the", "Paris", "1.", "- item", "\n", "\n\n", "```python\nx = (\n```", "“quoted”", "İstanbul", "ß",
    "I cannot help with that.", "Sure!", "in 3 words", "42", "???", "### Instruction:", "the the the", "e.g.", "字",
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(PIECES),
        max_size=25,
    ).map(" ".join),
)


def values(side):
    return {name: (one.value, one.says, one.place) for name, one in side.items()}


@given(TEXTS, TEXTS, TEXTS, TEXTS)
@settings(max_examples=150, deadline=None)
def test_exchanging_the_answers_exchanges_the_measures(task, a, b, context):
    one, two = measure_pair(task, a, b, context), measure_pair(task, b, a, context)
    assert values(one.a) == values(two.b)
    assert values(one.b) == values(two.a)
    assert one.shared == two.shared
    assert one.swapped() == two


@given(TEXTS, TEXTS)
@settings(max_examples=150, deadline=None)
def test_every_measure_is_taken_with_words_and_a_place_inside_the_answer(task, answer):
    measured = measure_pair(task, answer, "Another answer.")
    assert set(measured.a) == set(MEASURES)
    for one in measured.a.values():
        assert one.value == one.value and abs(one.value) < 1e6
        assert one.says
        assert one.place is None or 0 <= one.place[0] < one.place[1] <= len(answer)


def test_every_measure_speaks_to_a_criterion_of_the_rubric():
    criteria = {criterion.key for criterion in shipped("compare").criteria}
    assert {info.criterion for info in MEASURES.values()} == criteria
    assert all(info.title and info.sign in (-1, 0, 1) for info in MEASURES.values())


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        (
            "Summarize the text.\n\nA long text about the sea and its many fish, written for children and others.",
            "summary",
        ),
        ("Is a whale a fish?", "yes_no"),
        ("Who wrote Hamlet?", "factual"),
        ("Write a haiku about rain.", "creative"),
        ("Rewrite this sentence: he go home", "edit"),
        ("Write a Python function that adds two numbers.", "code"),
        ("Classify the animal as mammal or fish.", "classify"),
    ],
)
def test_kinds_are_read_from_the_wording(task, kind):
    assert kind in KINDS
    assert kind in find_kinds(task, *split_task(task))


@pytest.mark.parametrize(
    ("task", "kept", "broken"),
    [
        ("Name 3 fruits as a numbered list.", "1. Apple\n2. Pear\n3. Plum", "1. Apple\n2. Pear"),
        ("Is a whale a fish?", "No, it is a mammal.", "Whales, the giants of every ocean!"),
        ("How many legs has a spider?", "It has eight legs.", "Spiders have legs."),
        ("Write a slogan for a bakery.", "Fresh every morning.", "Our bakery has been here for years. " * 12),
        ("Convert to upper case: good day to you", "GOOD DAY TO YOU", "Good day to you"),
        ('Describe a cat without using the word "fur".', "A soft small hunter.", "It has soft fur."),
        ("Write a sentence with the following words: moon, river", "The moon lit the river.", "The moon was up."),
        ("Give me the link to the website.", "https://example.org", "Look for it."),
    ],
)
def test_explicit_conditions_are_checked(task, kept, broken):
    assert not [check for check in check_answer(read_task(task), read_answer(kept)) if not check.kept]
    assert [check for check in check_answer(read_task(task), read_answer(broken)) if not check.kept]


def test_a_broken_condition_says_what_was_asked_and_found_and_where():
    measured = measure_pair("Write about tea in at most 3 words.", "Tea is a fine hot drink.", "Tea is fine.")
    broken = measured.a["wishes_broken"]
    assert broken.value == 1 and "at most 3 words" in broken.says
    assert broken.place is not None
    assert measured.b["wishes_broken"].value == 0


def test_copying_the_given_text_shows():
    text = "The quick brown fox jumps over the lazy dog near the old river bank every day."
    measured = measure_pair(f"Rewrite the sentence.\n\n{text}", text, "Each day a fast fox leaps over a sleepy dog.")
    assert measured.a["copied"].value == 1 > measured.b["copied"].value
    assert measured.a["asked_output"].value == -1 < measured.b["asked_output"].value


def test_support_is_measured_only_with_passages():
    without = measure_pair("Who won?", "Ann won in 1990.", "Bob won in 1991.")
    assert without.a["support"].value == 0
    passages = "The race of 1990 was won by Ann."
    measured = measure_pair("Who won?", "Ann won the race in 1990.", "Bob won the cup in 1991.", passages)
    assert measured.a["support"].value > measured.b["support"].value
    assert measured.a["unsupported"].value < measured.b["unsupported"].value
