"""SPEC 3: formats (list, JSON, title, quotation marks, first word of a paragraph) are there or not; numbers of
occurrences, sections, highlighted parts, placeholders and words in capitals are exact."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.constraints.forms import read_json
from adjudge.constraints.measuring import measure
from adjudge.models.constraints import Constraint


def asked(kind, bound="exactly", amount=None, text="", quote="q"):
    return Constraint(kind=kind, source="prompt", quote=quote, start=0, end=1, bound=bound, amount=amount, text=text)


STORY = "Once there was a river.\n\nIt ran to the sea.\n\nNobody knew why."


@pytest.mark.parametrize(
    ("demand", "met", "missed", "says"),
    [
        (
            asked("occurrences", "at_least", 2, "river"),
            "River, **river**.",
            "A river of riverbeds.",
            "has 1 occurrence of “river”; at least 2 were asked for",
        ),
        (
            asked("occurrences", "below", 2, "river"),
            "A river.",
            "River and “river”.",
            "has 2 occurrences of “river”; fewer than 2 were asked for",
        ),
        (
            asked("occurrences", "exactly", 2, "!"),
            "Oh! Well!",
            "Oh!!!",
            "has 3 occurrences of “!”; 2 were asked for",
        ),
        (
            asked("occurrences", "at_least", 3, "z", "the letter z at least 3 times"),
            "Zigzag zoo",
            "Zoo",
            "has 1 occurrence of “z”; at least 3 were asked for",
        ),
        (
            asked("sections", "exactly", 2, "SECTION"),
            "SECTION 1\nOne.\n\n**Section 2:**\nTwo.",
            "Section 1\nOne.",
            "has 1 section; 2 were asked for",
        ),
        (asked("sections", "exactly", 2, "Day X"), "Day 1: go.\nDay 2: nap.", "Go", "has 0 sections; 2 were asked for"),
        (
            asked("sections", "exactly", 2),
            "# A\n## B\nText.\n## C\nText.",
            "# A\nText.\n# B\nText.\n# C\nText.\n# D\nText.",
            "has 3 or 4 sections; 2 were asked for",
        ),
        (
            asked("highlights", "at_least", 2),
            "A *first* and a **second one**.",
            "* A *first* item\n* An item",
            "has 1 highlighted part; at least 2 were asked for",
        ),
        (
            asked("placeholders", "at_least", 2, quote="such as [name]"),
            "Dear [name], at [address]",
            "Dear [name], {x}",
            "has 1 placeholder; at least 2 were asked for",
        ),
        (
            asked("capital_words", "below", 3),
            "I SAW it. I DID.",
            "I SAW ALL of IT",
            "has 3 to 4 all-caps words; fewer than 3 were asked for",
        ),
        (asked("list"), "Take:\n- a\n- b", "Take a and b.", "has no list; one was asked for"),
        (asked("list"), "1) a\n2) b", "Take a.\nTake b.", "has no list; one was asked for"),
        (asked("title"), "# Rivers\nThey run.", "They run. They end.", "has no title; one was asked for"),
        (asked("title"), "Rivers of the North\n\nThey run.", "They run.\nThey end.", "has no title; one was asked for"),
        (asked("title"), "**Title:** Rivers\nThey run.", "Rivers", "has no title; one was asked for"),
        (asked("title"), "**Rivers**\nThey run.", "- one\n\n- two", "has no title; one was asked for"),
        (
            asked("title", text="<<>>"),
            "<<Rivers>>\nThey run.",
            "# Rivers\nThey run.",
            "has no title in <<>>; one was asked for",
        ),
        (
            asked("quotation_marks"),
            "“All of it.”",
            'He said: "No."',
            "is not wrapped in double quotation marks, as was asked for",
        ),
        (asked("quotation_marks"), '"All of it."', '"', "is not wrapped in double quotation marks, as was asked for"),
        (
            asked("first_word", amount=2, text="it"),
            STORY,
            "It ran.\n\nNobody knew.",
            "does not begin paragraph 2 with “it”, as was asked for",
        ),
        (
            asked("first_word", amount=2, text="It"),
            "# Title\n\nA river.\n\n***\n\n“It” ran.",
            "A.\n\nItaly ran.",
            "does not begin paragraph 2 with “It”, as was asked for",
        ),
        (
            asked("first_word", amount=4, text="Why"),
            STORY + "\n\nWhy?",
            STORY,
            "has no paragraph 4, which should begin with “Why”",
        ),
    ],
)  # fmt: skip
def test_new_kinds_are_there_or_not(demand, met, missed, says):
    assert measure(demand, met).met
    result = measure(demand, missed)
    assert (result.says, result.severity) == (says, "minor")


@pytest.mark.parametrize(
    ("number", "word", "text"),
    [
        (2, "Later", "1. A river rose.\n\n2. Later it fell."),
        (2, "Later", "A river rose.\n\n「Later」 it fell."),
        (2, "Later", "**Paragraph 1:** A river rose.\n\n**Paragraph 2:** Later it fell."),
        (2, "Later", "A river rose.\n\n『Later』\n\nIt fell."),
        (2, "Later", "First paragraph\nA river rose.\n\nSecond paragraph\nLater\nit fell."),
        (2, "Later", "Here are, in order, all the things that a river did:\n\nOne:\nIt rose.\n\nTwo:\nLater it fell."),
        (2, "Later", "1. Rise\n\nThe river rose.\n\n2. Later\n\nIt fell."),
        (2, "Later", "Title: 🌊 The River : 🌊 A Story of Rise 🌊 and Fall 🌊\n\nFirst:\nIt rose.\n\nLater:\nIt fell."),
        (3, "Later", "The river rose.\nIt rose again.\nLater it fell.\n\nThe end."),
    ],
)  # fmt: skip
def test_labels_numbers_and_titles_may_precede_the_first_word_of_a_paragraph(number, word, text):
    assert measure(asked("first_word", amount=number, text=word), text).met
    assert not measure(asked("first_word", amount=number, text="Never"), text).met


@pytest.mark.parametrize(
    ("demand", "text", "says"),
    [
        (
            asked("placeholders", "at_least", 2, quote="such as [name]"),
            f"Dear [name], [NOTE: {'many words ' * 30}]",
            "has 1 to 2 placeholders; at least 2 were asked for",
        ),
        (
            asked("capital_words", "at_most", 1, quote="capitals at most 1 times"),
            "We SAVE TIME AND MONEY here.",
            "has 1 to 4 all-caps words; at most 1 was asked for",
        ),
        (
            asked("json", quote="sample data in JSON"),
            'Here:\n{"a": 1}',
            "has other text around its JSON; JSON was asked for",
        ),
        (
            asked("must_not_contain", text="river"),
            "Rivers run.",
            "contains “river”, which was not wanted, but only in another form or a longer word",
        ),
    ],
)  # fmt: skip
def test_what_only_one_usual_way_of_reading_misses_is_a_hint(demand, text, says):
    result = measure(demand, text)
    assert (result.met, result.in_part, result.says) == (True, True, says)


def test_many_words_in_capitals_are_no_phrase_that_counts_as_one_time():
    demand = asked("capital_words", "at_most", 2, quote="capitals at most 2 times")
    assert not measure(demand, "ALL OF THIS IS IN CAPITALS. AND THIS TOO.").met


def test_about_allows_one_occurrence_more_or_less():
    for count, met in ((1, False), (2, True), (3, True), (4, True), (5, False)):
        assert measure(asked("occurrences", "about", 3, "river"), "river " * count).met is met


def test_without_marker_and_headings_sections_cannot_be_counted():
    assert measure(asked("sections", "exactly", 3), "One.\n\nTwo.") is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', "whole"), ("[1, 2]", "whole"), ("42", "whole"), ('\ufeff{"a": 1}\n', "whole"),
        ('```json\n{"a": 1}\n```', "whole"), ('```{"a": 1}```', "whole"), ('~~~\n{"a": 1}\n~~~', "whole"),
        ('```JSON\n{"a": "```x```"}\n```', "whole"), ('{"a": 1}\n{"a": 2}', "whole"),
        ('{"a": ' + "1" * 5000 + "}", "whole"), ("[" * 500 + "]" * 500, "whole"),
        ('{"a": 1} Done.', "in prose"), ('```json\n{"a": 1}\n```\n```json\n{"b": 1}\n```', "in prose"),
        ('{"a": NaN}', "broken"), ("{'a': 1}", "broken"), ('{"a": 1', "broken"), ("{a", "none"),
        ("", "none"), ("```json\n```", "none"), ('```json\n[\n {"river": "Rhine"},\n {"riv', "broken"),
    ],
)  # fmt: skip
def test_json_is_the_whole_response_but_for_one_fence(text, found):
    assert read_json(text) == found


@pytest.mark.parametrize(
    "text",
    ["[" * 10**6, "[" * 10**6 + "]", "[" * 500_000 + "]" * 500_000, '{"a":' * 200_000, "[1,}" * 250_000, "`" * 10**6],
)
def test_a_million_brackets_are_read_quickly_and_are_no_json(text):
    started = time.process_time()
    assert read_json(text) != "whole"
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "piece", ["*", "**a ", " __a", "_a", "<<", "[a", "a" * 99 + "==", "<b>", "# ", "A-", "\n", " ", "“"]
)
@pytest.mark.parametrize(
    "kind", ["title", "list", "sections", "highlights", "placeholders", "capital_words", "json", "first_word"]
)
def test_long_runs_of_marks_are_measured_quickly(kind, piece):
    started = time.process_time()
    measure(asked(kind, amount=1, text="a"), (piece * 100_000)[:100_000] + " end")
    assert time.process_time() - started < 2


@given(st.text(alphabet='[]{}",:`~1an \n*_<>#', max_size=300))
def test_any_marks_can_be_measured(text):
    for kind in ("json", "title", "list", "sections", "highlights", "placeholders", "first_word", "quotation_marks"):
        result = measure(asked(kind, amount=1), text)
        assert result is None or result.says
