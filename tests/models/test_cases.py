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


def refusal_of(make, *given, **named):
    with pytest.raises(InputError) as refused:
        make(*given, **named)
    return refused.value


def test_an_empty_task_or_answer_is_refused_by_name_and_an_empty_context_is_allowed():
    for place in ("task", "a", "b"):
        for empty in ("", " ", "\n\t"):
            assert str(refusal_of(Comparison, **{"task": "t", "a": "x", "b": "y", place: empty})).startswith(
                f"{place}: empty; "
            )
    assert Comparison("t", "x", "y", "").context == ""


def test_text_up_to_the_limit_in_bytes_is_taken_and_more_is_refused_with_both_sizes():
    half = MAX_TEXT_BYTES // 2
    Comparison("t", "x" * MAX_TEXT_BYTES, "é" * half)
    longer, wider = (
        refusal_of(Comparison, "t", "x", "y" * 2 * half + "y"),
        refusal_of(Comparison, "t", "é" * half + "é", "y"),
    )
    assert isinstance(longer, TooLargeError) and isinstance(wider, TooLargeError)
    assert str(longer) == "b: 1,000,001 bytes; at most 1,000,000 are allowed"
    assert str(wider).startswith("a: 1,000,002 bytes")


def test_what_is_no_text_is_refused_with_its_place():
    half = str(refusal_of(Comparison, "t", "abc\ud83d", "y"))
    assert half.startswith("a: half of a surrogate pair (U+D83D) at character 3")
    assert str(refusal_of(Comparison, "t", 7, "y")).startswith("a: expected text, found a number")
    assert str(refusal_of(Original, 4)) == "rating: expected text, found a number; a string is allowed"


def test_default_weights_are_those_of_the_contract_and_missing_ones_take_them():
    assert [(key, str(weight)) for key, weight in check_weights(None, DEFAULTS).items()] == [
        ("task_understanding", "1"), ("correctness_reasoning", "2"), ("depth_coverage_usefulness", "1.5"),
        ("actionability_specificity", "1.5"), ("clarity_structure", "1"),
        ("constraints_tradeoffs_uncertainty", "0.5"), ("insight_originality", "0.5"),
    ]  # fmt: skip
    weights = check_weights({"clarity_structure": 3}, DEFAULTS)
    assert weights == {**DEFAULTS, "clarity_structure": Decimal(3)}


LONG = Decimal("3." + "0" * 30)
WEIGHTS = [
    ({"correctness": 1}, "weights.correctness: unknown criterion; one of " + ", ".join(DEFAULTS)),
    (dict.fromkeys(DEFAULTS, 0), "weights: all are zero; at least one must be above 0"),
    ([1, 2], "weights: expected an object, found an array"),
    *(({"clarity_structure": value}, f"weights.clarity_structure: {found}; ") for value, found in [
        (-1, "-1 is negative"), ("2", "'2' is not a number"), (None, "null is not a number"),
        (True, "true is not a number"), (float("nan"), "NaN is not a number"), ([], "[] is not a number"),
        (10**7, "10000000 is out of range"), (Decimal("1e-30"), "1E-30 is out of range"),
        (LONG, f"{LONG} is out of range"),
    ]),
]  # fmt: skip


def test_unknown_weights_negatives_non_numbers_and_an_all_zero_set_are_refused_by_name():
    for _ in range(2):  # the long number is none for its shorter form, whichever came first
        for given, says in WEIGHTS:
            assert str(refusal_of(check_weights, given, DEFAULTS)).startswith(says)
        assert check_weights({"clarity_structure": Decimal(3)}, DEFAULTS)["clarity_structure"] == 3


REVIEWS = [
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
]


def test_a_review_refuses_what_is_no_rating_and_no_id():
    for fields, says in REVIEWS:
        assert str(refusal_of(Review, **fields)).startswith(says)


def test_what_a_review_is_called_is_not_for_judges():
    assert Review(prompt="p", review_id=7).blind() == Review(prompt="p")


@pytest.mark.parametrize("base", [Case, Verdict])
def test_a_protocol_must_say_what_the_rest_asks_of_its_cases_and_verdicts(base):
    class Unfinished(base):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Unfinished()
