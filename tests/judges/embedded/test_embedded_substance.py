"""Is there an answer, does its list repeat itself, do its sums come out, does it keep what the task says of them?"""

import pytest

from adjudge.judges.embedded.listing import listed_items
from adjudge.judges.embedded.measures import measure_pair
from adjudge.judges.embedded.model import compare_pair
from adjudge.judges.embedded.sums import asked_result, evaluate, wrong_sums

ANSWER = "Boil the water, add the leaves, wait for three minutes and pour the tea through a sieve."


@pytest.mark.parametrize("nothing", ["", "  \n", "<nooutput>", "<no input>", "N/A", "None.", "[Scope Template]"])
def test_no_answer_loses_surely_to_an_answer(nothing):
    _, guess = compare_pair("Tell me how to make tea.", nothing, ANSWER)
    assert guess.winner == "B" and guess.decided and guess.confidence > 0.8
    assert not guess.superficial


@pytest.mark.parametrize("answer", ["No", "[1, 2, 3]", "7", "None of the above options fits."])
def test_a_short_answer_is_an_answer(answer):
    assert measure_pair("Which ones?", answer, ANSWER).a["no_answer"].value == 0


def test_a_list_that_repeats_itself_is_shown_where_it_does():
    text = "1. The Godfather by Mario Puzo\n2. Dune by Frank Herbert\n3. The Godfather by Mario Puzo\n"
    found = measure_pair("Name some books.", text, "1. Dune\n2. Emma\n3. Ulysses").a["repeated_items"]
    assert found.value == pytest.approx(1 / 3) and found.place is not None
    assert text[slice(*found.place)] == "The Godfather by Mario Puzo"
    assert "1 of the 3 items" in found.says


def test_two_lists_may_share_an_item():
    text = "Pancakes need:\n- flour\n- eggs\n\nFor the second dish, the waffles, you need:\n- flour\n- eggs\n"
    assert measure_pair("What do I need?", text, ANSWER).a["repeated_items"].value == 0


@pytest.mark.parametrize(
    ("text", "stated"),
    [("So 5 x 5 x 5 = 625.", ["5 x 5 x 5 = 625"]), ("5 + 3 = 9 apples", ["5 + 3 = 9"]), ("2^10 = 1024", [])]
    + [(right, []) for right in ("10/3 = 3.33", "58% - 22% = 36", "x = 3*4 = 12", "1,000 * 3 = 3,000", "3 + 4 = 8 - 1")]
    + [(other, []) for other in ("1/2 + 1/3 = 5/6", "f(2)*2+1 = 7", "a-3 + 4 = 9", "1/0 = 5", "9^99^9 = 1", "no sum")],
)
def test_only_sums_that_do_not_come_out_are_found(text, stated):
    assert [wrong.stated for wrong in wrong_sums(text)] == stated


@pytest.mark.parametrize(
    ("task", "result"),
    [("What is 12 * 12?", 144), ("14% tip on $47.50", 6.65), ("Calculate the result.\n\nBase:5   Power:3", 125)]
    + [("What is the square root of 81?", 9), ("What is 7 - 3?", 4), ("what is 2 to the power of 8", 256)]
    + [(other, None) for other in ("Write 3-5 pages", "Events of 2019-2020", "Solve 3x + 5 = 10", "What is 10-15?")],
)
def test_a_result_is_asked_for_only_in_a_plain_calculation(task, result):
    assert asked_result(task) == (pytest.approx(result) if result is not None else None)


def test_evaluation_knows_precedence_and_gives_up_on_what_has_no_value():
    assert evaluate("2 + 3 * 4^2 - 6/3") == 48
    assert evaluate("1 / 0") is None and evaluate("10^99") is None


def test_the_right_result_beats_the_longer_answer():
    right, wrong = "144", "The result of the multiplication of 12 and 12, when it is worked out with care, is 154."
    measured, guess = compare_pair("What is 12 * 12?", right, wrong)
    assert measured.a["asked_result"].value == 1 and measured.b["asked_result"].value == -1
    assert next(vote.moved for vote in guess.votes if vote.measure == "asked_result") > 0


@pytest.mark.parametrize(
    ("task", "kept", "broken", "group"),
    [
        ("Name countries that start with S.", "Spain, Sweden, Serbia", "Armenia, Belarus, Spain", "words"),
        ("What is the colour of the sky? Answer in one word.", "Blue.", "It is blue as far as I know.", "count"),
        ("Give me only the name, nothing else.", "Ada Lovelace", "Sure! Here is the name: Ada Lovelace", "output"),
    ],
)
def test_wishes_about_the_content_are_checked(task, kept, broken, group):
    measured = measure_pair(task, kept, broken)
    assert [check.kept for check in measured.checks_a if check.group == group][-1]
    assert not [check.kept for check in measured.checks_b if check.group == group][-1]


def test_items_are_found_with_marks_in_lines_and_between_commas():
    assert [item.text for item in listed_items("- one\n* two\n")] == ["one", "two"]
    assert [item.text for item in listed_items("Alpha\nBeta\nGamma")] == ["Alpha", "Beta", "Gamma"]
    assert [item.text for item in listed_items("They are: tea, milk, and sugar.")] == ["tea", "milk", "sugar"]
    assert listed_items("A sentence is no list.") == []
