"""A case is checked once, on the way in; every refusal names the place, what was found and what is allowed."""

from decimal import Decimal

import pytest

from adjudge.errors import InputError, TooLargeError
from adjudge.models.cases import MAX_TEXT_BYTES, Case, check_weights
from adjudge.models.verdict import Verdict
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.rubrics import shipped

DEFAULTS = shipped("compare").weights


@pytest.mark.parametrize("place", ["task", "a", "b"])
@pytest.mark.parametrize("empty", ["", " ", "\n\t"])
def test_an_empty_task_or_answer_is_refused_by_name(place, empty):
    texts = {"task": "t", "a": "x", "b": "y", place: empty}
    with pytest.raises(InputError, match=rf"^{place}: empty; "):
        Comparison(**texts)


def test_an_empty_context_is_allowed():
    assert Comparison("t", "x", "y", "").context == ""


def test_text_up_to_the_limit_is_taken_and_one_byte_more_is_refused_with_both_sizes():
    Comparison("t", "x" * MAX_TEXT_BYTES, "y")
    with pytest.raises(TooLargeError, match=r"^b: 1,000,001 bytes; at most 1,000,000 are allowed$"):
        Comparison("t", "x", "y" * (MAX_TEXT_BYTES + 1))


def test_the_limit_counts_bytes_not_characters():
    Comparison("t", "é" * (MAX_TEXT_BYTES // 2), "y")
    with pytest.raises(TooLargeError, match=r"^a: 1,000,002 bytes"):
        Comparison("t", "é" * (MAX_TEXT_BYTES // 2 + 1), "y")


def test_half_a_surrogate_pair_is_refused_with_its_place():
    with pytest.raises(InputError, match=r"^a: half of a surrogate pair \(U\+D83D\) at character 3"):
        Comparison("t", "abc\ud83d", "y")


def test_text_must_be_a_string():
    with pytest.raises(InputError, match=r"^a: expected text, found a number"):
        Comparison("t", 7, "y")  # type: ignore[arg-type]


def test_default_weights_are_those_of_the_contract():
    assert {key: str(weight) for key, weight in check_weights(None, DEFAULTS).items()} == {
        "task_understanding": "1",
        "correctness_reasoning": "2",
        "depth_coverage_usefulness": "1.5",
        "actionability_specificity": "1.5",
        "clarity_structure": "1",
        "constraints_tradeoffs_uncertainty": "0.5",
        "insight_originality": "0.5",
    }


def test_missing_weights_take_the_default():
    weights = check_weights({"clarity_structure": 3}, DEFAULTS)
    assert weights == {**DEFAULTS, "clarity_structure": Decimal(3)}


def test_an_unknown_weight_is_refused_with_all_names_that_are_allowed():
    with pytest.raises(InputError) as refused:
        check_weights({"correctness": 1}, DEFAULTS)
    assert str(refused.value) == "weights.correctness: unknown criterion; one of " + ", ".join(DEFAULTS)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (-1, "-1 is negative"),
        ("2", "'2' is not a number"),
        (None, "null is not a number"),
        (True, "true is not a number"),
        (float("nan"), "NaN is not a number"),
        ([], r"\[\] is not a number"),
        (10**7, "10000000 is out of range"),
        (Decimal("1e-30"), "1E-30 is out of range"),
    ],
)
def test_a_weight_that_is_no_number_from_zero_up_is_refused_by_name(value, found):
    with pytest.raises(InputError, match=rf"^weights.clarity_structure: {found}; "):
        check_weights({"clarity_structure": value}, DEFAULTS)


def test_a_number_with_too_many_decimals_is_none_for_its_shorter_form() -> None:
    with pytest.raises(InputError, match="out of range"):
        check_weights({"clarity_structure": Decimal("3." + "0" * 30)}, DEFAULTS)
    assert check_weights({"clarity_structure": Decimal(3)}, DEFAULTS)["clarity_structure"] == 3
    with pytest.raises(InputError, match="out of range"):
        check_weights({"clarity_structure": Decimal("3." + "0" * 30)}, DEFAULTS)


def test_an_all_zero_set_is_refused():
    with pytest.raises(InputError, match=r"^weights: all are zero; at least one must be above 0$"):
        check_weights(dict.fromkeys(DEFAULTS, 0), DEFAULTS)


def test_weights_must_be_an_object():
    with pytest.raises(InputError, match=r"^weights: expected an object, found an array"):
        check_weights([1, 2], DEFAULTS)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"ratings_a": {"truthfulness": 3}}, "ratings_a.truthfulness: expected an Original, found a number; Original("),
        ({"ratings_b": {"truthfulness": None}}, "ratings_b.truthfulness: expected an Original, found null"),
        ({"ratings_b": [3]}, "ratings_b: expected a mapping, found an array; key: Original"),
        ({"preference": "4"}, "preference: expected an Original, found text"),
        ({"review_id": ""}, "review_id: empty; a whole number, or text of 1 to 200 characters"),
        ({"review_id": True}, "review_id: true or false; a whole number"),
        ({"review_id": 1.5}, "review_id: 1.5 is not a whole number; a whole number"),
        ({"review_id": "x" * 201}, "review_id: 201 characters; a whole number, or text of 1 to 200 characters"),
        ({"review_id": "x\udc80"}, "review_id: half of a surrogate pair; a whole number"),
        ({"review_id": 2**63}, "review_id: a number of more than 63 bits; a whole number"),
        ({"review_id": ["x"]}, "review_id: an array; a whole number"),
    ],
)
def test_a_review_refuses_what_is_no_rating_and_no_id(fields, says):
    with pytest.raises(InputError) as caught:
        Review(**fields)
    assert str(caught.value).startswith(says)


def test_what_was_entered_is_text():
    with pytest.raises(InputError, match=r"^rating: expected text, found a number; a string is allowed$"):
        Original(4)  # type: ignore[arg-type]


def test_what_a_review_is_called_is_not_for_judges():
    assert Review(prompt="p", review_id=7).blind() == Review(prompt="p")


@pytest.mark.parametrize("base", [Case, Verdict])
def test_a_protocol_must_say_what_the_rest_asks_of_its_cases_and_verdicts(base):
    class Unfinished(base):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Unfinished()
