import pytest

from adjudge.judges.embedded.instructions import Requests, check_requests, read_requests
from adjudge.words import count_words


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("Give three tips for staying healthy.", Requests(items=("exactly", 3))),
        ("List at least 5 healthy breakfast ideas", Requests(items=("at least", 5))),
        ("Write about bees in 150 words.", Requests(words=("about", 150))),
        ("Write about bees in no more than 80 words.", Requests(words=("at most", 80))),
        ("Write an essay of at least 300 words.", Requests(words=("at least", 300))),
        ("Say it in 50 words or less", Requests(words=("at most", 50), brief=True)),
        ("Answer in one sentence: what is rain?", Requests(sentences=1, brief=True)),
        ("Explain rain in two paragraphs.", Requests(paragraphs=2)),
        ("Show the pros and cons in a table.", Requests(as_table=True)),
        ("Tell me about rain using bullet points.", Requests(as_list=True)),
        ("Describe a user in JSON format.", Requests(as_json=True)),
        ("Write a Python function that adds numbers.", Requests(as_code=True)),
        ("Tell me about the 3 years he spent there and the 10 minutes after.", Requests()),
        ("What is the capital of France?", Requests()),
    ],
)
def test_countable_wishes_are_read_from_the_task(task: str, expected: Requests) -> None:
    assert read_requests(task) == expected


@pytest.mark.parametrize(
    ("requests", "answer", "kept"),
    [
        (Requests(items=("exactly", 3)), "1. a\n2. b\n3. c", [True]),
        (Requests(items=("exactly", 3)), "- a\n- b", [False]),
        (Requests(items=("at least", 2)), "- a\n- b\n- c", [True]),
        (Requests(items=("exactly", 3)), "No list, so nothing can be counted.", []),
        (Requests(words=("at most", 3)), "one two three", [True]),
        (Requests(words=("at most", 3)), "one two three four", [False]),
        (Requests(words=("about", 10)), "only three words", [False]),
        (Requests(sentences=1), "One. Two.", [False]),
        (Requests(paragraphs=2), "One.\n\nTwo.", [True]),
        (Requests(as_json=True), '```json\n{"a": 1}\n```', [True]),
        (Requests(as_json=True), "[" * 50_000, [False]),
        (Requests(as_json=True), "{a: 1}", [False]),
        (Requests(as_table=True), "| a | b |\n| - | - |\n| 1 | 2 |", [True]),
        (Requests(as_code=True), "def add(a, b):\n    return a + b", [True]),
        (Requests(as_code=True), "Just add them up.", [False]),
        (Requests(as_list=True), "One paragraph.", [False]),
    ],
)
def test_an_answer_is_counted_against_them(requests: Requests, answer: str, kept: list[bool]) -> None:
    assert [check.kept for check in check_requests(requests, answer, count_words(answer))] == kept
