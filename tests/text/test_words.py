"""A word is what Unicode segmentation says, whatever the script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.text.words import count_words, count_words_each, split_words

# Line ends, joiners, marks without a letter, flags, and scripts that are told apart by a dictionary.
_SIGNS = st.sampled_from(
    [*"a1 '.\n\r\x0b\u0085\u2028\u200d\u0301\u0e20\u0e32\u6211\u4eec\u30ab\ufe0f", "🇩", "👍", "été"]
)


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


@given(st.lists(st.lists(_SIGNS, max_size=8).map("".join), max_size=5))
def test_texts_counted_together_have_as_many_words_as_each_alone(texts):
    assert count_words_each(texts) == [count_words(text) for text in texts]
