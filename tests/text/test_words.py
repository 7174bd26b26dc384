"""A word is what Unicode segmentation says, whatever the script."""

from hypothesis import given
from hypothesis import strategies as st

from adjudge.text.words import count_words, split_words, word_spans

WORDS = [
    ("can't stop, 3.14 e.g. foo_bar", ["can't", "stop", "3.14", "e.g", "foo_bar"]),
    ("我们今天去北京大学参观", ["我们", "今天", "去", "北京", "大学", "参观"]),
    ("ภาษาไทยไม่มีช่องว่าง", ["ภาษา", "ไทย", "ไม่มี", "ช่อง", "ว่าง"]), ("👍🏽 done 🇩🇪 ok", ["done", "ok"]),
    ("e\u0301te\u0301 été", ["e\u0301te\u0301", "été"]), ("مرحبا بالعالم", ["مرحبا", "بالعالم"]), ("… — !", []),
]  # fmt: skip


def test_words_of_many_scripts():
    for text, words in WORDS:
        assert (split_words(text), count_words(text)) == (words, len(words))


@given(st.text(max_size=60))
def test_words_are_where_their_places_say(text):
    assert [text[start:end] for start, end in word_spans(text)] == split_words(text)
