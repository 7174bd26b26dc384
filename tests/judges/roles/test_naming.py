"""Answers are called by the case's labels, whichever of the two ways of finding their names is taken."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.judges.roles import naming
from adjudge.judges.roles.naming import in_case_labels

words = st.sampled_from(
    [
        *("answer", "Answer", "ANSWER", "aNsWer", "answers", "response", "Response", "RESPONSES", "xanswer", "anſwer"),
        *("1", "2", "3", "12", "one", "Two", "first", "First", "SECOND", "the", "The", "xthe", "and", "AND", "or"),
        *("&", "/", " ", "  ", "_", "#", ".", ".5", ",", "\n", "é", "\u0301", "\u0130", "\u0131", "’", "\0", "ſecond"),
        *("the first answer", "second response", "answer 1", "Answers 1 and 2", " AND "),
    ]
)
sentences = st.lists(st.one_of(words, words.map(" {}".format)), max_size=8).map("".join)


@given(st.lists(sentences, max_size=4), st.sampled_from([("A", "B"), ("B", "A")]))
@example(["the first answer 1", "first answers 1 and 2", "the answer 1.5"], ("A", "B"))
@example(["AnSWer 1", "answer 1"], ("A", "B"))
@example(["answer 1\0answer 2", "x"], ("A", "B"))
def test_the_quick_look_at_all_texts_finds_what_the_expressions_find_in_each(texts, shown):
    assert in_case_labels(texts, shown) == [naming._one_in_case_labels(text.strip(), shown) for text in texts]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("The first answer is shorter.", "Response B is shorter."),
        ("Of the two the SECOND response wins", "Of the two Response A wins"),
        ("breathe first answer", "breathe Response B"),
        ("Answers 2 AND 1 agree", "Responses A AND B agree"),
        ("“Answer one” – naïve", "“Response B” – naïve"),
        ("the first answer 2", "Response B 2"),
        ("answer 1.5 and answers", "answer 1.5 and answers"),
    ],
)
def test_names_in_words_and_in_numbers(said, read):
    assert in_case_labels(["nothing here", said, " Answer 2 "], ("B", "A")) == ["nothing here", read, "Response A"]


def test_a_number_in_odd_letters_stays_as_it_is():
    assert in_case_labels(["the ſecond answer, answer 1, the fırst answer"], ("A", "B")) == [
        "the ſecond answer, Response A, the fırst answer"
    ]
