import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.constraints.counting import (
    count_characters,
    counts_in_characters,
    item_counts,
    outside_code,
    paragraph_counts,
    sentence_counts,
    word_counts,
)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("", [0, 0]),
        ("one two three", [3, 3]),
        ("It's a well-known fact.", [5, 4]),
        ("a - b", [2, 2]),
        ("Before.\n```\nx = 1\n```\nAfter it.", [3, 3, 5, 5]),
    ],
)
def test_words_are_counted_as_unicode_and_as_spaces_part_them(text, counts):
    assert word_counts(text) == counts


def test_where_there_is_nothing_but_code_the_code_is_counted():
    assert outside_code("```\nx = 1\n```") == "```\nx = 1\n```"
    assert outside_code("A ```b``` c").split() == ["A", "c"]
    assert outside_code("A ```b").split() == ["A"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("这是一个很好的例子。", True),
        ("นี่คือตัวอย่างที่ดีมาก", True),
        ("これは良い例です。", False),
        ("A good example.", False),
        ("Das ist 北京.", False),
        ("", False),
    ],
)
def test_chinese_and_thai_are_counted_in_characters(text, answer):
    assert counts_in_characters(text) is answer


def test_white_space_is_no_character():
    assert count_characters(" a b\n c ") == 3


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("", {0}),
        ("One. Two. Three.", {3}),
        ("Mr. Smith came. He left.", {2}),
        ("Dr. Smith came. He left.", {2, 3}),
        ("He lives in the U.S. Army base. She left at 5 p.m. Then it rained.", {2, 3, 4}),
        ("No full stop", {1}),
        ("He said “Stop!” and left. She stayed.", {2, 3}),
        ("A title\nOne. Two.", {2, 3}),
        ("第一句。第二句。", {2}),
    ],
)
def test_sentences_have_every_count_they_may_be_said_to_have(text, counts):
    assert sentence_counts(text) == counts


@pytest.mark.parametrize("text", ["- One.\n- Two.", "# Title\nOne. Two.", "```\nx\n```\nOne."])
def test_beside_a_list_a_heading_or_code_sentences_are_not_counted(text):
    assert sentence_counts(text) == frozenset()


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("", {0}),
        ("One.", {1}),
        ("One.\n\nTwo.", {2}),
        ("A title\n\nOne.\n\nTwo.", {2, 3}),
        ("One.\nStill one.\n\nTwo.", {2, 3}),
        ("One.\n \n\nTwo.\n\n***", {2}),
        ("One.\n\n```\ncode\n```\n\nTwo.", {2, 3}),
    ],
)
def test_paragraphs_have_every_count_they_may_be_said_to_have(text, counts):
    assert paragraph_counts(text) == counts


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("", set()),
        ("Just prose, with two things in it.", set()),
        ("1. Introduction", set()),
        ("1. a\n2. b\n3. c", {3}),
        ("- a\n- b", {2}),
        ("- a\n  - deeper\n- b", {2}),
        ("1. a\n   - deeper\n2. b", {2}),
        ("1. a\n1. b\n1. c", {3}),
        ("Fruit:\n- a\n- b\n\nNuts:\n- c\n- d\n- e", {2, 3, 5}),
        ("# One\nx\n# Two\ny\n# Three\nz", {2, 3}),
        ("**One:** x\n\n**Two:** y", {2}),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", {2}),
        ("Boston\n2. Denver\n3. Austin", {2, 3}),
    ],
)
def test_items_have_every_count_they_may_be_said_to_have(text, counts):
    assert item_counts(text) == counts


@given(st.text(max_size=200))
def test_any_text_can_be_counted(text):
    assert all(count >= 0 for count in word_counts(text))
    assert all(count >= 0 for count in sentence_counts(text) | paragraph_counts(text))
    assert all(count > 1 for count in item_counts(text))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Am 3. Oktober feiert man die Einheit. Es ist ein Feiertag.", 2),
        ("Роман написал А. С. Пушкин.", 1),
        ("El Sr. Pérez llegó. La Sra. Gómez también.", 2),
        ("See Gen. Smith and Sen. Jones. They know.", 2),
    ],
)
def test_a_stop_behind_a_number_an_initial_or_a_short_word_may_end_no_sentence(text, sentences):
    assert sentences in sentence_counts(text)


def test_thai_parts_its_sentences_by_spaces_so_nothing_is_said_of_them():
    assert sentence_counts("แม่น้ำไหล ลงสู่ทะเล และไปไกล") == frozenset()


def test_a_list_beside_the_answer_says_nothing_of_its_items():
    assert item_counts("Rhine, Elbe and Oder are three rivers of some length. Sources:\n- atlas\n- map") == frozenset()
