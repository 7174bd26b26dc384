import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import within

from adjudge.text.sentences import (
    QUOTATION,
    code_spans,
    rough_words,
    sentence_around,
    sentence_spans,
    sentences,
    word_set,
)

COUNTS = [
    ("It is so. It stays so.", 2), ("Das ist so. Es bleibt so! Warum?", 3), ("空は青い。海も青い。", 2),
    ("天空是蓝的。海也是蓝的！", 2), ("यह ऐसा है। वह वैसा है।", 2), ("هذا صحيح. هل تعلم؟ نعم.", 3),
    ("One sentence without an end", 1), ("A title\nand a line below it", 2), ("It costs 3.50 in all", 1),
    (" \n\t", 0),
]  # fmt: skip
PROSE = [
    ("Dr. Smith met Mr. Jones. They talked.", 2), ("It is short, e.g. Two steps are missing.", 1),
    ("J. Smith wrote it. It is good.", 2), ("It says “Stop. Go back.” twice. That is enough.", 2),
    ('It says "Stop. Go back." twice. That is enough.', 2), ("It ends. and goes on. Then it stops.", 2),
    ("See Fig. 3 for more. It is clear.", 2), ("The answer is No. It names no reason.", 2),
    ("I prefer A. It is shorter.", 2), ("B is better than A. B is complete.", 2), ("So do I. We agree.", 2), ("", 0),
    # The sign for inches closes no typographic quotation.
    ('SYSTEM: “It takes 12" of space. Is that fine?” asks first.', 1),
    ('It says “in 2019" there. Then “more of it” comes.', 2),
]  # fmt: skip


def test_sentences_stand_where_they_end_in_any_script():
    for text, count in COUNTS:
        assert len(sentence_spans(text)) == count, text


def test_neither_an_abbreviation_nor_a_quotation_ends_a_sentence_of_prose():
    for text, count in PROSE:
        assert len(sentences(text)) == count, text


def test_a_sentence_stands_without_the_white_space_around_it_and_with_its_closing_marks():
    text = '  He said "no." \n\n Then he left.  '
    assert [text[start:end] for start, end in sentence_spans(text)] == ['He said "no."', "Then he left."]


def test_no_more_sentences_are_found_than_asked_for():
    assert len(sentence_spans("Yes. " * 50, limit=7)) == 7


def test_the_sentences_of_prose_hold_all_of_its_words():
    text = "Dr. Smith came.  He said “No. Never.” and left. The end."
    assert " ".join(sentences(text)).split() == text.split()


def test_words_are_counted_roughly_in_scripts_without_spaces_too():
    counts = {"three plain words": 3, "": 0, "今天天气很好": 4, "วันนี้อากาศดีมาก": 9}
    assert {text: rough_words(text) for text in counts} == counts


BLOCKS = [
    ("no code here", []), ("a ```\nx\n``` b", ["```\nx\n"]), ("a ```\nx\n``` b ```y", ["```\nx\n", "```y"]),
    ("````markdown\n```python\nx = 1\n```\n````\nend", ["````markdown\n```python\nx = 1\n```\n"]),
    ("one `inline` piece", []),
]  # fmt: skip
QUOTED = [
    ('He said "no more" twice.', ["no more"]),
    ("“one”, „zwei“, ”tre”, « quatre », »fünf« and “six”", ["one", "zwei", "tre", " quatre ", "fünf", "six"]),
    ("»Ja«, sagte er, »nein« sie.", ["Ja", "nein"]), ('a 5" screen and a 6" one', []), ("it's the dog's", []),
]  # fmt: skip


def test_code_stands_between_fences_and_an_open_fence_reaches_to_the_end():
    for text, blocks in BLOCKS:
        assert [text[start:end] for start, end in code_spans(text)] == blocks


def test_quotations_stand_between_marks_that_belong_together():
    for text, quoted in QUOTED:
        assert [next(filter(None, match.groups())) for match in QUOTATION.finditer(text)] == quoted


def test_a_word_list_may_be_written_as_running_text():
    assert word_set("one two\n  three") == {"one", "two", "three"}


@given(st.one_of(st.text(), st.lists(st.sampled_from(["a. ", "B.", "“", "”", '"', "```", "。", "\n", " ", "No. "]))))
def test_any_text_has_places_in_their_order_and_inside_it(given_text):
    text = "".join(given_text)
    for spans in (sentence_spans(text), code_spans(text)):
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert spans == sorted(spans)
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_a_long_run_of_marks_takes_linear_time():
    for piece in (".", "a. ", ".)", "```", '"', "“", "\n", "Mr. ", "。」", "e.g. and more of it\n"):
        text = piece * (200_000 // len(piece))
        with within(1):
            sentences(text)
            sentence_spans(text)
            code_spans(text)
            QUOTATION.sub("", text)


@pytest.mark.parametrize(("before", "long"), [(0, "x "), (1, "and so on, "), (40, "x "), (600, "and so on, ")])
def test_the_sentence_around_a_passage_is_found_wherever_it_stands(before, long):
    text = f"{'Once. ' * before}{long * 150}it is (really) so. And not otherwise."
    spans = sentence_spans(text)
    for start, end in spans[-3:]:
        for at in range(start, end - 2, 3):
            if text[at : at + 2].strip() == text[at : at + 2]:
                low, high = sentence_around(text, at, at + 2)
                assert (text[low:high].strip(), high) == (text[start:end], end)
    assert sentence_around(text, spans[-2][0], spans[-1][1])[1] == len(text)
