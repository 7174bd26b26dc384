"""A word is what Unicode segmentation says, whatever the script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icu4py.breakers import WordBreaker

from adjudge.text.words import count_spaced, count_words, split_words

ascii_text = st.text(st.characters(min_codepoint=0, max_codepoint=127), max_size=60)
tricky = st.text(st.sampled_from("ab1_ .',:;-\"()\n"), max_size=30)


mixed = st.text(
    st.sampled_from(
        "ab1_ .',:;-\"()\n\t\réß“”—…•中文ไทยकि\u0301\u200d\u202f\u00a0\u3000\u2028\x85\x1c👩🚀ァー한글אב\u05f4١٢"
    ),
    max_size=30,
)


@given(mixed | st.text(max_size=60))
def test_what_is_ascii_between_other_letters_is_split_as_icu_splits_the_whole(text):
    assert split_words(text) == [segment for segment in WordBreaker(text, "und") if any(map(str.isalnum, segment))]


@given(ascii_text | tricky)
def test_the_quick_way_for_ascii_gives_the_same_words_as_icu(text):
    icu = [segment for segment in WordBreaker(text, "und") if any(map(str.isalnum, segment))]
    assert split_words(text) == icu
    assert count_words(text) == len(icu)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("can't stop, 3.14 e.g. foo_bar", ["can't", "stop", "3.14", "e.g", "foo_bar"]),
        ("我们今天去北京大学参观", ["我们", "今天", "去", "北京", "大学", "参观"]),
        ("ภาษาไทยไม่มีช่องว่าง", ["ภาษา", "ไทย", "ไม่มี", "ช่อง", "ว่าง"]),
        ("👍🏽 done 🇩🇪 ok", ["done", "ok"]),
        ("e\u0301te\u0301 été", ["e\u0301te\u0301", "été"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("… — !", []),
    ],
)
def test_words_of_many_scripts(text, words):
    assert split_words(text) == words
    assert count_words(text) == len(words)


spaces = st.text(st.sampled_from("ab \n\t\r\x0b\x0c\x1c\x1f\x85\xa0\u3000é"), max_size=20)


@given(ascii_text | spaces)
def test_stretches_without_white_space_are_as_many_as_split_gives(text):
    assert count_spaced(text) == len(text.split())
