from hypothesis import given
from hypothesis import strategies as st
from quick import within

from adjudge.text.flaws import find_repetition

REPEATED = [
    ("The cat sat on the mat. It rained. The cat sat on the mat.", 2),
    ("1. Reuse your bags when you shop.\n2. Walk.\n3. Reuse your bags when you shop.", 2),
    ("Stay calm and focus on your breath\n" * 5, 5),
    ("今天天气很好我们去公园散步。然后回家。今天天气很好我们去公园散步。", 2),
]
NOT_REPEATED = [
    "Yes. Yes. Yes.", "Row, row, row your boat.\nRow, row, row your boat!",
    "The cat sat on the mat. The cat sat on the rug today.",
    "```\nfor item in some long list of things\nfor item in some long list of things\n```",
    "````\n```\nfor item in some long list of things\nfor item in some long list of things\n```\n````",
    "| a b c d e f g |\n| a b c d e f g |", "- - - - - - - -\ntext\n- - - - - - - -", "One word", "",
]  # fmt: skip


def test_a_repeated_sentence_is_found_with_its_count_and_short_code_and_table_repeats_are_left_alone():
    for text, times in REPEATED:
        spot = find_repetition(text)[0]
        assert not spot.certain and f"appears {times} times" in spot.found
        quoted = text[spot.start : spot.end]
        assert text.count(quoted) == times
        assert spot.start > text.find(quoted), "the place is the repeat, not the first time"
    assert [text for text in NOT_REPEATED if find_repetition(text)] == []


def test_the_most_repeated_sentence_comes_first_and_the_list_is_short():
    sentences = [f"This is the long sentence with number {n}.\n" for n in range(6)]
    text = "".join(sentences) + "".join(sentences) + sentences[4]
    spots = find_repetition(text)
    assert len(spots) == 3
    assert text[spots[0].start : spots[0].end] == sentences[4].strip()


PIECES = ["the cat sat on the old mat", "one two", "e.g. it", ". ", "\n", "```", "| a", "。"]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_gives_places_inside_it(text):
    for spot in find_repetition(text):
        assert 0 < spot.start < spot.end <= len(text)
        assert text.index(text[spot.start : spot.end]) < spot.start


def test_a_hundred_thousand_equal_sentences_take_linear_time():
    with within(2):
        find_repetition("The cat sat on the old mat. " * 100_000)
