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
FRUIT = "Sort these fruits alphabetically: banana, apple, cherry"


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        (SORT, "2, 5, 9, 12"),
        (SORT, "Sorted: 2, 5, 9 and 12."),
        (SORT, "1. 2\n2. 5\n3. 9\n4. 12"),
        (SORT, "2 < 5 < 9 < 12"),
        (SORT, "2 5 9 12"),
        (SORT, "You gave 5, 2, 9, 12. In order: 2, 5, 9, 12. Twelve is the largest."),
        (SORT.replace("small to large", "large to small"), "12, 9, 5, 2"),
        (FRUIT, "The sorted list is apple, banana, cherry."),
        (FRUIT, "Apple, banana, cherry.\nLet me know if you need more!"),
        (FRUIT, "apple\nbanana\ncherry\n\nNote: sorted ascending."),
        (FRUIT, "['apple', 'banana', 'cherry']"),
    ],
)
def test_a_list_in_the_order_that_was_asked_for_is_found_wherever_it_stands(task, answer):
    [(asked, found, kept, _)] = checks(task, answer)
    assert asked.endswith("things in the order that was asked for")
    assert (found, kept) == ("all of them, in it", True)


@pytest.mark.parametrize(
    ("task", "answer"), [(SORT, "2, 9, 5, 12"), (SORT, "12, 9, 5, 2"), (FRUIT, "banana, apple, cherry")]
)
def test_another_order_is_seen(task, answer):
    assert [(found, kept) for _, found, kept, _ in checks(task, answer)] == [("all of them, in another", False)]


@pytest.mark.parametrize(
    ("task", "answer", "lost"),
    [(SORT, "2, 5, 9", "12"), (SORT, "1, 3", "12"), (FRUIT, "apple, cherry", "banana"), (SORT, "2, 5, 9, 120", "12")],
)
def test_what_is_sorted_must_not_be_lost(task, answer, lost):
    asked = f"all {4 if task == SORT else 3} things that were to be sorted"
    assert checks(task, answer) == [(asked, f"no {lost!r}", False, None)]


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("Sort these words by length: pear, fig, banana", "fig, pear, banana. Fig has 3 letters, pear 4."),
        (
            "Arrange in chronological order: WWII, the moon landing, D-Day",
            "1. D-Day\n2. WWII\n3. The moon landing (1969)",
        ),
        ("Sort alphabetically by last name: Ann Lee, Bo Ash, Cy Fox", "Bo Ash, Cy Fox, Ann Lee"),
    ],
)
def test_an_order_that_code_cannot_tell_is_not_judged(task, answer):
    assert checks(task, answer) == [("all 3 things that were to be sorted", "all of them", True, None)]


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        (
            "Convert the sentence to passive voice: They have converted the old factory.",
            "The old factory has been converted.",
        ),
        ("Convert this sentence: They have converted the old factory.", "The old factory has been converted."),
        ("Write a status message saying that the order has been shipped.", "Your order has been shipped."),
        ("Have you updated the file?", "I have updated the file."),
        ("Update the file config.yaml with port 80.", "I have updated the file config.yaml: port: 80"),
        ("Correct the grammar: I have just complete the report", "I have just completed the report."),
        ("Reverse the string 'a,b,c,d'", "d,c,b,a"),
    ],
)
def test_a_sentence_that_is_the_answer_is_no_claim(task, answer):
    assert checks(task, answer) == []


@pytest.mark.parametrize(
    "task",
    [
        "My cluster is unstable. Three servers in it crash every night. What should I do?",
        "We disagree. Two colleagues of mine argue about tabs. Who is right?",
        "Two trains that leave at noon meet when?",
        "Explain the plot: Seven brides for seven brothers",
        "Explain the plot:\nSeven brides for seven brothers",
        "3 kids in a small flat is hard. Any tips?",
        "12 Monkeys of 1995 - what is it about?",
        "Plan a trip.\nFour adults with two kids, in May",
    ],
)
def test_a_number_that_only_tells_something_asks_for_nothing(task):
    assert checks(task, "1. Look at the logs.\n2. Call somebody.\n3. Wait.\n4. Try again.\n5. Rest.") == []


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
