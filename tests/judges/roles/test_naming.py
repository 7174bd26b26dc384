"""Answers are called by the case's labels, whatever the judge calls them by their place."""

from hypothesis import given
from hypothesis import strategies as st

from adjudge.protocols.compare.naming import in_case_labels

NAMED = [
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
    ("Answer 1 beats answer 2.", "Response B beats Response A."),
    ("Answer 1's steps; see answer_2, ANSWER 1", "Response B's steps; see Response A, Response B"),
    ("Answers 1 and 2 agree", "Responses B and A agree"),
    ("Response 1 or Answer #2", "Response B or Response A"),
    ("Answer 12 and version 2 stay", "Answer 12 and version 2 stay"),
]


def test_names_in_words_and_in_numbers():
    for said, read in NAMED:
        assert in_case_labels(said, ("B", "A")) == read
    # A number in odd letters stays as it is.
    assert in_case_labels("the ſecond answer, answer 1, the fırst answer", ("A", "B")) == (
        "the ſecond answer, Response A, the fırst answer"
    )


@given(st.text(st.sampled_from("answer12 one two and/or fiſr"), max_size=60))
def test_what_is_called_by_its_place_in_one_order_is_called_by_the_other_label_in_the_other(text):
    swap = str.maketrans({"A": "B", "B": "A"})
    assert in_case_labels(text, ("B", "A")) == in_case_labels(text, ("A", "B")).translate(swap)
