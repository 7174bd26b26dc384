"""Does an answer do the work, keep what it was given, name as many as asked for?"""

import pytest

from adjudge.judges.embedded.checks_deed import deed_checks
from adjudge.judges.embedded.model import compare_pair
from adjudge.judges.embedded.reading import read_answer, read_task


def checks(task, answer):
    return [
        (check.asked, check.found, check.kept, answer[slice(*check.place)] if check.place else None)
        for check in deed_checks(read_task(task), read_answer(answer))
    ]


@pytest.mark.parametrize(
    ("task", "answer", "quote"),
    [
        ("Convert this code to Python:\n\nputs 1", "The code has been successfully converted to Python.", "converted"),
        ("Solve the given puzzle.\n\n|1| |5|", "The puzzle has been solved.", "solved"),
        ("Rewrite the sentence.\n\nHe go home.", "I have rewritten the sentence.", "rewritten"),
    ],
)
def test_to_say_that_it_is_done_is_not_to_do_it(task, answer, quote):
    [(asked, found, kept, place)] = checks(task, answer)
    assert (asked, found, kept) == ("the work itself", "only that it is done", False)
    assert place.endswith(quote)


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("Announce that you have accepted a new job.", "I am glad to say that I have accepted a new job!"),
        ("What happened to the ship?", "The ship has been raised from the sea."),
        ("Solve 2x = 4.", "The equation has been solved: " + "divide both sides by two, so " * 4 + "x = 2."),
    ],
)
def test_news_of_something_done_is_an_answer(task, answer):
    assert checks(task, answer) == []


SORT = "Sort these numbers from small to large: 5, 2, 9, 12"


@pytest.mark.parametrize("answer", ["2, 5, 9, 12", "Sorted: 2, 5, 9 and 12.", "1. 2\n2. 5\n3. 9\n4. 12"])
def test_a_list_put_in_order_holds_what_was_given(answer):
    assert checks(SORT, answer) == [("the same 4 things in order", "100% of them", True, None)]


@pytest.mark.parametrize(("answer", "share"), [("2, 5, 9", "86%"), ("2, 5, 9, 12, 13", "89%"), ("1, 3", "0%")])
def test_a_list_put_in_order_neither_loses_nor_gains_anything(answer, share):
    assert checks(SORT, answer) == [("the same 4 things in order", f"{share} of them", False, None)]


@pytest.mark.parametrize("task", ["Sort out my life.", "Order a pizza for me.", "What sort of apples, pears, figs?"])
def test_what_is_no_list_is_not_sorted(task):
    assert checks(task, "Of course.") == []


@pytest.mark.parametrize(
    ("answer", "found", "kept"),
    [
        ("Spain, Sweden, Serbia", "3 things", True),
        ("Spain, Sweden", "2 things", False),
        ("1. Spain\n2. Sweden\n3. Serbia\n4. Samoa", "4 things", False),
    ],
)
def test_things_are_counted_where_a_number_stands_before_them(answer, found, kept):
    task = "Enter the words that fit.\n\n3 countries that start with S"
    [(asked, counted, is_kept, place)] = checks(task, answer)
    assert (asked, counted, is_kept) == ("3 countries", found, kept)
    assert place.startswith(answer.lstrip("1. ")[:5])


def test_up_to_a_number_may_be_fewer():
    task = "Design a palette. Choose up to five colors or color codes."
    assert [kept for _, _, kept, _ in checks(task, "red, green, blue")] == [True]
    assert [kept for _, _, kept, _ in checks(task, "red, green, blue, pink, grey, gold")] == [False]


@pytest.mark.parametrize("task", ["Write three paragraphs of prose.", "Wait 5 minutes.", "In 10 years, what is left?"])
def test_lengths_and_times_are_no_things_to_be_counted(task):
    assert checks(task, "red, green, blue") == []


def test_the_answer_that_does_the_work_is_preferred_in_either_order():
    task, done = "Convert the list to capitals and sort it: pear, fig, apple", "The list has been converted."
    work = "APPLE, FIG, PEAR"
    assert compare_pair(task, work, done)[1].preference == "A"
    assert compare_pair(task, done, work)[1].preference == "B"
