"""Exact sums: what a person with a pencil would get."""

import itertools
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from adjudge.arithmetic import cut, mean, median, plain, rounded, to_decimal, weighted_sum, weighted_total

scores = st.integers(1, 10).map(Decimal)
weights = st.decimals(0, 1_000_000, allow_nan=False, places=12)


def normalized(total, weights):
    """A total on the rubric's own scale."""
    return Fraction(total) / sum(map(Fraction, weights))


@given(st.lists(st.tuples(scores, weights), min_size=1, max_size=12))
def test_weighted_total_is_the_exact_sum_of_score_times_weight(pairs):
    given_scores = {str(at): score for at, (score, _) in enumerate(pairs)}
    given_weights = {str(at): weight for at, (_, weight) in enumerate(pairs)}
    expected = sum((Fraction(score) * Fraction(weight) for score, weight in pairs), Fraction(0))
    assert Fraction(weighted_total(given_scores, given_weights)) == expected


@given(st.lists(st.tuples(scores | st.fractions(1, 10), weights), min_size=1, max_size=12))
def test_sums_over_a_common_denominator_are_those_of_the_fractions_added_one_by_one(pairs):
    added = Fraction(0)
    for score, weight in pairs:
        added += Fraction(score) * Fraction(weight)
    assert weighted_sum(*map(tuple, zip(*pairs, strict=True))) == added


def test_normalized_is_total_divided_by_the_sum_of_weights_for_every_pair_of_scores_and_small_weights():
    for low, high in itertools.product(range(1, 11), repeat=2):
        for first, second in itertools.product(range(1, 6), repeat=2):
            by_key = {"x": Decimal(first), "y": Decimal(second)}
            total = weighted_total({"x": Decimal(low), "y": Decimal(high)}, by_key)
            assert normalized(total, by_key.values()) == Fraction(low * first + high * second, first + second)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_as_the_decimal_it_prints(number):
    assert to_decimal(number) == Decimal(repr(number))


def test_a_third_never_becomes_a_float():
    assert normalized(Decimal(10), [Decimal(3)]) == Fraction(10, 3)
    assert str(rounded(Fraction(10, 3))) == "3.3333"


def test_what_is_no_finite_number_is_none():
    for bad in (None, True, "x", "NaN", "Infinity", float("nan"), float("-inf"), [], {}):
        assert to_decimal(bad) is None


@given(st.fractions(-1000, 1000))
def test_rounding_goes_to_the_nearest_step_and_halves_to_even(fraction):
    shown = rounded(fraction, Decimal("0.01"))
    assert abs(Fraction(shown) - fraction) <= Fraction(1, 200)
    assert shown == Decimal(round(fraction * 100)) / 100


@given(st.fractions(0, 1000))
def test_cutting_off_never_reaches_the_next_step(fraction):
    assert 0 <= fraction - Fraction(cut(fraction, Decimal("0.01"))) < Fraction(1, 100)


@given(st.lists(scores, min_size=1, max_size=9))
def test_mean_and_median_are_exact_and_do_not_depend_on_order(values):
    assert mean(values) == Fraction(sum(map(int, values)), len(values))
    assert median(values) == median(sorted(values)) == median(sorted(values, reverse=True))
    assert min(values) <= median(values) <= max(values)


def test_plain_numbers_have_no_exponent_and_no_trailing_zeros():
    shown = [str(plain(Decimal(text))) for text in ("70", "7E+1", "7.50", "0.5", "-0.0", "0.00", "1000000")]
    assert shown == ["70", "70", "7.5", "0.5", "0", "0", "1000000"]
