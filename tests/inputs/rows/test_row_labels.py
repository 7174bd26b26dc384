"""What people said of a case, and weights: every spelling in the tables, and what is refused."""

from decimal import Decimal

import pytest

from adjudge.errors import InputError
from adjudge.inputs.rows.columns import WINNERS, winner_from
from adjudge.protocols.compare.reading_rows import winner_of_three
from adjudge.protocols.rubrics import shipped

CASE = {"task": "t", "a": "x", "b": "y"}


@pytest.mark.parametrize(
    ("written", "winner"),
    [
        ("A", "A"),
        ("b", "B"),
        (" Tie ", "tie"),
        ("model_a", "A"),
        ("model_b", "B"),
        ("tie (bothbad)", "tie"),
        ("both_bad", "tie"),
        ("Response B", "B"),
        ("[[A]]", "A"),
        ("[[C]]", "tie"),
        (1, "A"),
        (2, "B"),
        ("1", "A"),
        ("2.0", "B"),
        (1.0, "A"),
        (0.5, "tie"),
        ("0.5", "tie"),
        (1.5, "tie"),
        (1.0000041, "A"),
        (1.93, "B"),
        ("", None),
        (None, None),
    ],
)
def test_a_winner_in_many_spellings(written, winner):
    assert winner_from(written, None) == winner


def test_every_spelling_of_the_table_is_read_as_itself():
    for written, winner in WINNERS.items():
        assert winner_from(written, None) == winner
        assert winner_from(written.upper(), None) == winner


@pytest.mark.parametrize("written", ["maybe", 3, -1, 0, "0", 0.7, True, ["A"], "A or B", "gpt-4"])
def test_other_words_are_refused_with_what_is_allowed(written):
    with pytest.raises(InputError, match=r"A, B or tie; model_a, model_b; 1, 2"):
        winner_from(written, ("llama", "qwen"))


def test_the_name_of_a_system_is_a_winner(opened):
    rows = opened.rows(
        "p.jsonl", [CASE | {"model_a": "gpt", "model_b": "b", "winner": name} for name in ("gpt", "b", "tie")]
    )
    assert [row.label for row in rows] == ["A", "B", "tie"]
    assert rows[0].systems == ("gpt", "b")


def test_the_name_of_one_system_playing_itself_says_nothing():
    with pytest.raises(InputError):
        winner_from("gpt", ("gpt", "gpt"))


@pytest.mark.parametrize(
    ("values", "winner"),
    [
        ((1, 0, 0), "A"),
        (("0", "1", "0"), "B"),
        ((0.0, 0.0, 1.0), "tie"),
        ((False, True, False), "B"),
        (("", "", ""), None),
    ],
)
def test_three_columns_can_say_who_won(values, winner):
    assert winner_of_three(values) == winner


@pytest.mark.parametrize("values", [(1, 1, 0), (0, 0, 0), (2, 0, 0), ("x", 0, 1), (1, None, 0)])
def test_three_columns_that_contradict_each_other_are_refused(values):
    with pytest.raises(InputError):
        winner_of_three(values)


@pytest.mark.parametrize(
    "weights",
    [
        {"correctness_reasoning": 3},
        '{"correctness_reasoning": 3}',
        "correctness_reasoning=3",
        " correctness_reasoning = 3 ,\n",
    ],
)
def test_weights_come_as_an_object_as_json_or_as_pairs(opened, weights):
    row = opened.only("p.jsonl", [CASE | {"weights": weights}])
    assert row.case.weights["correctness_reasoning"] == Decimal(3)
    assert row.extra == {}


def test_a_row_without_weights_has_those_of_the_rubric(opened):
    for given in ({}, {"weights": None}, {"weights": ""}):
        assert opened.only("p.jsonl", [CASE | given]).case.weights == shipped("compare").weights
