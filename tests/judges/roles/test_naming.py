"""Answers are called by the case's labels, whatever the judge calls them by their place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.protocols.compare.naming import in_case_labels


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("The first answer is shorter.", "Response B is shorter."),
        ("Of the two the SECOND response wins", "Of the two Response A wins"),
        ("breathe first answer", "breathe Response B"),
        ("Answers 2 AND 1 agree", "Responses A AND B agree"),
        ("“Answer one” – naïve", "“Response B” – naïve"),
        ("Answer 1 says “see Answer 1 above”", "Response B says “see Answer 1 above”"),
        ("the first answer 2", "Response B 2"),
        ("answer 1.5 and answers", "answer 1.5 and answers"),
        ("nothing here", "nothing here"),
        (" Answer 2 ", "Response A"),
        ("answer_1/Response #2", "Response B/Response A"),
    ],
)
def test_names_in_words_and_in_numbers(said, read):
    assert in_case_labels(said, ("B", "A")) == read


def test_a_number_in_odd_letters_stays_as_it_is():
    assert in_case_labels("the ſecond answer, answer 1, the fırst answer", ("A", "B")) == (
        "the ſecond answer, Response A, the fırst answer"
    )


@given(st.text(st.sampled_from("answer12 one two and/or fiſr"), max_size=60))
def test_what_is_called_by_its_place_in_one_order_is_called_by_the_other_label_in_the_other(text):
    swap = str.maketrans({"A": "B", "B": "A"})
    assert in_case_labels(text, ("B", "A")) == in_case_labels(text, ("A", "B")).translate(swap)
