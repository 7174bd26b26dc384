"""What a review is called: its id, in whichever field it stands."""

import pytest
from inputs.review.slot_samples import BASE, RUBRIC, read, rows

from adjudge.errors import InputError
from adjudge.protocols.review.reading import read_reviews


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"id": 7}, 7),
        ({"ID": " x-7 "}, "x-7"),
        ({"task_id": "7"}, "7"),
        ({"Review ID": "r", "id": 1, "task_id": 2}, "r"),
        ({"review_id": "", "id": None, "task_id": 2}, 2),
        ({"id": 0}, 0),
    ],
)
def test_a_review_is_called_by_its_id(fields, expected):
    assert read({**BASE, **fields}).review_id == expected
    assert read({**BASE, **fields}).blind().review_id is None


@pytest.mark.parametrize("value", [True, 1.5, {"a": 1}, [1], "x" * 201, 2**63])
def test_what_can_be_no_id_is_refused_in_the_fields_name(value):
    with pytest.raises(InputError, match=r"task_id: .*; a whole number, or text of 1 to 200 characters"):
        read({**BASE, "task_id": value})


def test_one_name_for_the_id_stands_once():
    with pytest.raises(InputError, match="ID: cannot be combined with id; give one of the two"):
        read({**BASE, "id": 1, "ID": 2})


def test_a_number_in_a_cell_is_a_number_only_if_it_reads_back_the_same():
    ids = ["7", "007", "-3", "0", "1.0", "x", "", "9" * 40]
    read_back = read_reviews(rows(*({"id": one, "prompt": "p"} for one in ids)), "t", RUBRIC)
    assert [review.review_id for review in read_back] == [7, "007", -3, 0, "1.0", "x", None, "9" * 40]
