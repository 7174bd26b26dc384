"""Reviews in JSON and in rows: each shape a rating comes in, names with slips of the pen, errors at their line."""

import contextlib
import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs.review.slot_samples import BASE, RUBRIC, read, rows
from quick import within

from adjudge.errors import InputError
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.reading import SLOTS, read_reviews, review_from

RATED = {"localization": Original("3", "fine"), "verbosity": Original("-1")}
ENTRIES = [
    {"dimension": "Localization", "rating": 3, "justification": "fine"},
    {"dimension": "verbosity", "rating": -1},
]


@pytest.mark.parametrize(
    "ratings",
    [
        {"Localization": {"rating": 3, "justification": "fine"}, "Verbosity": -1},
        {"localization": {"rating": "3", "justification": " fine "}, "verbosity": "-1", "truthfulness": None},
        ENTRIES,
        [*ENTRIES, {"dimension": "Overall Quality", "rating": None, "justification": "[...]"}],
        "| Localization | 3 | fine |\n| Verbosity | -1 | |",
        json.dumps(ENTRIES),
    ],
)
def test_ratings_come_as_an_object_a_list_or_a_table(ratings):
    assert read({**BASE, "response1_original_ratings": ratings}).ratings_a == RATED
    assert read({**BASE, "response2_original_ratings": ratings}).ratings_b == RATED


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (5, Original("5")),
        ("5", Original("5")),
        (5.5, Original("5.5")),
        ({"likert": 5, "justification": "why"}, Original("5", "why")),
        ({"likert": None, "justification": None}, Original()),
        ({"justification": "why"}, Original("", "why")),
        ("Likert: 5\nJustification: why", Original("5", "why")),
        ('{"likert": 5}', Original("5")),
        (None, Original()),
        ({}, Original()),
    ],
)
def test_the_preference_comes_as_a_number_an_object_or_lines(given, expected):
    assert read({**BASE, "original_likert_and_justification": given}).preference == expected


def test_a_long_text_beside_the_preference_takes_seconds_not_minutes():
    for unit in (" ", "*", "\n", "> ", "- "):
        for begin in ("rating", "likert", "likert (", "justification", "*"):
            with within(5), contextlib.suppress(InputError):
                read({**BASE, "original_likert_and_justification": f"{begin}{unit * (300_000 // len(unit))}x"})


def test_texts_stand_as_they_are_and_null_is_not_provided():
    assert read({**BASE, "system_prompt": None, "taskconfig": "[...]"}) == Review(prompt="p", a="a", b="b")
    assert read({"RESPONSE1": "</RESPONSE1>\n<PROMPT>\r\n"}) == Review(a="</RESPONSE1>\n<PROMPT>\r\n")
    assert review_from({}, RUBRIC) == Review()


def test_a_conversation_and_a_configuration_become_text():
    parts = [{"type": "text", "text": "one"}, {"type": "image_url"}, "two"]
    history = [{"role": "user", "content": "Hi\nthere"}, {"role": "assistant", "content": parts}]
    raw = json.dumps({"conversation_history": history}).encode()[:-1] + (
        b', "taskconfig": {"locale": "de-DE", "limit": 1.10, "tags": ["a", {"b": null}], "none": null, "t": "x\\ny"}}'
    )
    (review,) = read_reviews(raw, "r", RUBRIC)
    assert review.history == "user: Hi\nthere\n\nassistant: one\ntwo"
    assert review.task_config == 'locale: de-DE\nlimit: 1.10\ntags: ["a",{"b":null}]\nt: "x\\ny"'
    assert read({"taskconfig": {"a\nlocale": "de-DE"}}).task_config == '"a\\nlocale": de-DE'  # one line, not two


def test_arrays_and_lines_of_objects_are_reviews_each():
    one, two = Review(prompt="1"), Review(prompt="2")
    for text in ('[{"prompt": "1"},\n {"prompt": "2"}]', '{"prompt": "1"}\n\n{"prompt": "2"}\n'):
        assert read_reviews(text.encode(), "r", RUBRIC) == [one, two]


def test_a_configuration_nested_too_deeply_is_refused():
    deep: dict = {}
    for _ in range(100_000):
        deep = {"x": deep}
    with pytest.raises(InputError, match="taskconfig: nested too deeply"):
        review_from({"taskconfig": deep}, RUBRIC)


def test_a_slip_of_the_pen_is_refused_and_other_fields_are_left_alone():
    for name, close in {
        "respons2": "response2",
        "response_2": "response2",
        "task_config": "taskconfig",
        "system": "system_prompt",
        "history": "conversation_history",
        "response1_ratings": "response1_original_ratings",
        "lickert": "likert",
        "response1_localizaton": "response1_localization",
        "response2_verbositty_justification": "response2_verbosity_justification",
    }.items():
        with pytest.raises(InputError, match=f"^{name}: unknown field; did you mean {close}\\?$"):
            review_from({"prompt": "p", "response1": "a", name: "x"}, RUBRIC)
    for name in ("prompt_id", "model", "response1_model", "locale", "judge", "response3", "x" * 999):
        assert review_from({**BASE, name: "x"}, RUBRIC) == Review(prompt="p", a="a", b="b")


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_a_row_is_a_review(delimiter):
    record = {
        "id": "7",
        "Prompt": 'Say "hi",\nplease',
        "RESPONSE1": "a;b,c\td\r\ne",
        "response2": "b",
        "response1_localization": "3",
        "response1_localization_justification": "fine",
        "Response1 Verbosity": "-1",
        "response1_overall_quality": "",
        "response2_original_ratings": json.dumps(ENTRIES),
        "likert": "2",
        "likert_justification": "why",
    }
    rated = {"ratings_a": RATED, "ratings_b": RATED, "preference": Original("2", "why"), "review_id": 7}
    review = Review(prompt='Say "hi",\nplease', a="a;b,c\td\r\ne", b="b", **rated)
    written = b"\n" + rows(record, dict.fromkeys(record, ""), record, delimiter=delimiter)
    assert read_reviews(written, "t", RUBRIC) == [review, review]


def test_a_long_cell_and_a_short_row_are_read():
    long = "x" * 900_000
    assert read_reviews(f"prompt,response1,response2\n{long},a".encode(), "t", RUBRIC) == [Review(prompt=long, a="a")]


def test_a_note_beside_a_rating_is_no_slip_of_the_pen():
    data = {"response1_localization": 3, "response1_localization_notes": "x", "likert": 1, "likert_seconds": 9}
    assert review_from({**BASE, **data, "likert_justification": ""}, RUBRIC).ratings_a == {
        "localization": Original("3")
    }


def test_numbers_keep_their_digits():
    ratings = {"Overall": Decimal("4.50")}
    assert review_from({"response1_original_ratings": ratings}, RUBRIC).ratings_a == {
        "overall_quality": Original("4.50")
    }


PUNCTUATION = [*'",|3{}[]:x-', "\n"]
WORDS = ["prompt", "response1", "likert", "<PROMPT>", "</PROMPT>", *PUNCTUATION]
PIECES = st.sampled_from(WORDS)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | PIECES, inner, max_size=3),
)


@settings(max_examples=60)
@given(st.lists(PIECES).map("".join))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(InputError):
        read_reviews(text.encode(), "f", RUBRIC)


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from([*SLOTS, "likert", "response1_overall"]), JSON))
def test_any_object_is_read_or_refused(data):
    with contextlib.suppress(InputError):
        assert isinstance(review_from(data, RUBRIC), Review)
    with contextlib.suppress(InputError):
        read_reviews(json.dumps(data).encode(), "f", RUBRIC)


def test_a_field_whose_name_is_no_text_is_refused():
    with pytest.raises(InputError, match="slots: expected slot names, found a number"):
        review_from({1: "x"}, RUBRIC)


@pytest.mark.parametrize("words", ["6/7", "Rating: 6", "score 6"])
def test_a_preference_in_one_line_may_be_called_a_rating(words):
    assert read({**BASE, "original_likert_and_justification": words}).preference == Original(words)


def test_thousands_of_unknown_fields_are_refused_at_once():
    many = {f"respond{number}_locality": "x" for number in range(20_000)}
    for asked in ({**BASE, **many}, {**BASE, "response1_original_ratings": {"Overall": {"rating": 3} | many}}):
        with within(5), pytest.raises(InputError, match=r"an object of 20,00. keys; at most 1,000 are allowed"):
            read(asked)
