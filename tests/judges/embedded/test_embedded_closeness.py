"""Two answers that are nearly the same are a tie; a number or a `not` apart they are not."""

import pytest

from adjudge.judges.embedded.closeness import same_length, same_words
from adjudge.judges.embedded.measures import measure_pair
from adjudge.judges.embedded.model import compare_pair
from adjudge.judges.embedded.reading import read_answer


def closeness(a, b):
    one, two = read_answer(a), read_answer(b)
    assert same_words(one, two) == same_words(two, one)
    assert same_length(one, two) == same_length(two, one)
    return same_words(one, two), same_length(one, two)


@pytest.mark.parametrize(("a", "b"), [("Positive.", "positive"), ("It is the Nile river.", "The Nile river it is")])
def test_the_same_words_in_another_order_are_the_same(a, b):
    assert closeness(a, b) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The answer is 5", "The answer is 6"),
        ("It is legal there", "It is not legal there"),
        ("You can do that here", "You can't do that here"),
        ("Yes", "No"),
        ("Red and blue", "Green and gold"),
    ],
)
def test_a_number_or_a_denial_makes_another_answer(a, b):
    assert closeness(a, b)[0] == 0


def test_length_is_the_same_only_within_a_tenth():
    text = "word " * 100
    assert closeness(text, "word " * 105)[1] == pytest.approx(0.54, abs=0.01)
    assert closeness(text, "word " * 115)[1] == 0
    assert closeness("", "")[1] == 1


def test_one_word_more_or_less_is_called_a_tie():
    task = "Describe the museum in a sentence."
    a = "The museum shows paintings of the last century and has a large garden with statues by local artists."
    b = "The museum shows paintings of the last century and has a garden with statues by local artists."
    assert compare_pair(task, a, b)[1].winner == "tie"


def test_what_breaks_a_condition_is_no_tie_with_what_keeps_it_however_alike_they_are():
    task = "Sort these numbers in ascending order: 3, 1, 2"
    shared = measure_pair(task, "1, 2, 3", "3, 2, 1").shared
    assert (shared["nearly_same"], shared["same_words"], shared["same_length"]) == (0, 0, 0)
    assert compare_pair(task, "1 < 2 < 3", "3, 2, 1")[1].winner == "A"
    assert compare_pair(task, "3, 2, 1", "1 < 2 < 3")[1].winner == "B"
