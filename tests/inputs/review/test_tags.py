"""Tagged slots: what a person pasted is read as it stands; what could be read in two ways is refused by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError, TooLargeError
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.reading import NEEDED, SLOTS, merged, read_reviews, slot_from
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("review")


def read(text):
    (review,) = read_reviews(text.encode(), "task.txt", RUBRIC)
    return review


def tagged(**slots):
    return "\n\n".join(f"<{name.upper()}>\n{text}\n</{name.upper()}>" for name, text in slots.items())


def blank_table(tag):
    choices = {"Verbosity": "[-2/-1/0/1/2 or leave blank]", "Overall Quality": "[1/2/3/4/5 or leave blank]"}
    rows = [f"| {item.name} | {choices.get(item.name, '[1/2/3 or leave blank]')} | [...] |" for item in RUBRIC.criteria]
    header = ["| Dimension | Rating | Justification |", "| --- | --- | --- |"]
    return "\n".join([f"<{tag}>", "", *header, *rows, f"| </{tag}> |      |   |"])


PLACEHOLDER = "[paste the final user prompt for the turn you are evaluating; include any reference text]"
TEMPLATE = "\n\n".join(
    [
        "<TASKCONFIG>\n[paste task metadata or category info here, if available]\n</TASKCONFIG>",
        "<SYSTEM_PROMPT>\n[paste system prompt here or leave empty if none]\n</SYSTEM_PROMPT>",
        "<CONVERSATION_HISTORY>\n[paste relevant conversation history here or leave empty if none]\n"
        "</CONVERSATION_HISTORY>",
        f"<PROMPT>\n{PLACEHOLDER}\n</PROMPT>",
        "<RESPONSE1>\n[paste Response 1 verbatim]\n</RESPONSE1>",
        "<RESPONSE2>\n[paste Response 2 verbatim]\n</RESPONSE2>",
        blank_table("RESPONSE1_ORIGINAL_RATINGS"),
        blank_table("RESPONSE2_ORIGINAL_RATINGS"),
        "<ORIGINAL_LIKERT_AND_JUSTIFICATION>\nLikert: [1..7 or leave blank]\nJustification: [...]\n"
        "</ORIGINAL_LIKERT_AND_JUSTIFICATION>",
    ]
)


def test_the_template_nobody_filled_in_provides_nothing():
    assert read(TEMPLATE) == Review()
    assert not read(TEMPLATE).has_originals
    assert read(TEMPLATE.replace("\n", "\r\n")) == Review()


def test_a_filled_template_is_read_whole():
    filled = (
        TEMPLATE.replace("[paste Response 1 verbatim]", "Bonjour.\n\nÇa va ?")
        .replace("[paste Response 2 verbatim]", "Salut !")
        .replace(PLACEHOLDER, "Greet me.")
        .replace("| Verbosity | [-2/-1/0/1/2 or leave blank] | [...] |", "| Verbosity | −1 | Short. |", 1)
        .replace("[1..7 or leave blank]", "2")
    )
    assert read(filled) == Review(
        prompt="Greet me.",
        a="Bonjour.\n\nÇa va ?",
        b="Salut !",
        ratings_a={"verbosity": Original("−1", "Short.")},
        preference=Original("2"),
    )


def test_slots_come_in_any_order_absent_empty_or_on_one_line():
    text = "\n<RESPONSE2>\nb\n</RESPONSE2>\n  <PROMPT>  \np\n</PROMPT>\n"
    text += "<SYSTEM_PROMPT></SYSTEM_PROMPT>\n<RESPONSE1>a</RESPONSE1>"
    assert read(text) == Review(prompt="p", a="a", b="b")
    assert read("<PROMPT>\n</PROMPT>") == read("<PROMPT>\n\n \n</PROMPT>") == Review()


@pytest.mark.parametrize(
    "text",
    [
        "  indented\n\n\ttext  ",
        "\nbegins and ends with a blank line\n",
        "windows\r\nlines",
        "<prompt>\n<b>bold</b> </RESPONSE1> in a line\n| </RESPONSE1> |",
        "[1, 2, 3]",
        "[]",
        '["..."]',
        "[paste for paste in jars]",
        "[see the table below]",
        "[...]\nand more",
        '{"a": [1]}',
        "N/A",
        "Likert: 3",
        "line\u2028separator\x0band\x85others",
    ],
)
def test_a_text_is_kept_to_the_character(text):
    assert read(tagged(response1=text, prompt="p")).a == text
    assert read(tagged(response1=text, prompt="p").replace("\n</", "\r\n</")).a == text


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_without_tags_comes_back(text):
    assert read(tagged(prompt="p", response1=f"x{text}x")).a == f"x{text}x"


@pytest.mark.parametrize("text", ["[...]", "[…]", " [Paste it here] ", "[leave blank]", "[ text, or leave it empty ]"])
@pytest.mark.parametrize("slot", SLOTS)
def test_placeholders_are_not_provided(slot, text):
    assert not slot_from(slot, text, RUBRIC)
    assert read(tagged(**{slot: text})) == Review()


def test_a_text_over_the_limit_is_refused_with_its_slot():
    with pytest.raises(TooLargeError, match=r"task.txt:5: response1: 1,000,001 bytes"):
        read(tagged(prompt="p", response1="x" * 1_000_001).replace("</PROMPT>\n\n", "</PROMPT>\n"))


def test_bytes_that_are_not_utf8_are_refused_by_line():
    with pytest.raises(InputError, match=r"task.txt:2: invalid UTF-8 at byte 9 \(0xff\)"):
        read_reviews(b"<PROMPT>\n\xff", "task.txt", RUBRIC)
    assert read_reviews(b"\xef\xbb\xbf<PROMPT>\np\n</PROMPT>", "x", RUBRIC) == [Review(prompt="p")]


def test_drafts_are_read_slot_by_slot_and_joined():
    raw = {
        "prompt": "p",
        "response1_original_ratings": "Localization | 3 | good",
        "original_likert_and_justification": {"likert": 4},
        "taskconfig": None,
    }
    read_once = {name: slot_from(name, value, RUBRIC) for name, value in raw.items()}
    expected = Review(prompt="p", ratings_a={"localization": Original("3", "good")}, preference=Original("4"))
    assert merged(RUBRIC, raw) == merged(RUBRIC, read_once) == expected
    assert merged(RUBRIC, {}) == Review()
    assert set(NEEDED) < set(SLOTS)
    assert len(SLOTS) == 9
