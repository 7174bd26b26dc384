"""Exact arithmetic: every number that a rule compares is a `Decimal` or a `Fraction`.

No rule uses binary floats; a float that comes from outside is read as the decimal it prints. Sums are made with
integers over a common denominator, which takes a tenth of the time of adding fractions one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal, Inexact, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from math import lcm
from operator import mul

# Precise enough for any weight we accept. A result that would have to be rounded raises an error.
_EXACT = Context(prec=80, traps=[Inexact, InvalidOperation])
SHOWN = Decimal("0.0001")  # the places to which totals and margins are rounded


def to_decimal(number: object) -> Decimal | None:
    """Return a number as the exact decimal that was written, or None if it is not a finite number."""
    if isinstance(number, Decimal):
        return number if number.is_finite() else None
    if isinstance(number, bool) or not isinstance(number, int | float | str):
        return None
    try:
        decimal = Decimal(str(number).strip())
    except InvalidOperation:
        return None
    return decimal if decimal.is_finite() else None


@lru_cache(maxsize=4096)
def plain(number: Decimal) -> Decimal:
    """Remove the exponent and trailing zeros: 70, not 7E+1; 7.5, not 7.50; 0, not −0. Cached: a run has few scores."""
    if not number:
        return Decimal(0)
    whole = number.to_integral_value()
    return whole.quantize(Decimal(1), context=_EXACT) if number == whole else number.normalize(_EXACT)


def hundredths(number: Decimal) -> Decimal:
    """Return the number with at least two decimals: 88.00, 0.125."""
    short = plain(number)
    exponent = short.as_tuple().exponent
    return short if isinstance(exponent, int) and exponent < -2 else short.quantize(Decimal("0.01"), context=_EXACT)


def weighted_total(scores: Mapping[str, Decimal], weights: Mapping[str, Decimal]) -> Decimal:
    """Return the exact sum of score × weight over the scored criteria."""
    total = Decimal(0)
    for key, score in scores.items():
        total = _EXACT.fma(score, weights[key], total)
    return plain(total)


@lru_cache(maxsize=1024)
def weighted_sum(scores: tuple[Decimal | Fraction, ...], weights: tuple[Decimal, ...]) -> Fraction:
    """Return the exact sum of score × weight, as a fraction: a mean may be no decimal.

    Cached, because the totals of an opinion, of the verdict made of it and of its row are often of the same scores.
    """
    numbers, parts = _as_integers(scores)
    factors, weight_parts = _as_integers(weights)
    return Fraction(sum(map(mul, numbers, factors)), parts * weight_parts)


def mean(values: Iterable[Decimal | Fraction]) -> Fraction:
    """Return the exact mean."""
    numbers, parts = _as_integers(tuple(values))
    return Fraction(sum(numbers), parts * len(numbers))


@lru_cache(maxsize=1024)
def _as_integers(values: tuple[Decimal | Fraction, ...]) -> tuple[tuple[int, ...], int]:
    """Return numbers as integers, and their common denominator. Cached: the cases of a run have the same weights."""
    ratios = [value.as_integer_ratio() for value in values]
    parts = lcm(*(below for _, below in ratios))
    return tuple(above * (parts // below) for above, below in ratios), parts


def weighted_mean(values: Iterable[tuple[Decimal | Fraction, Fraction]]) -> Fraction:
    """Return the exact weighted mean of (value, weight) pairs."""
    pairs = [(Fraction(value), weight) for value, weight in values]
    return sum((value * weight for value, weight in pairs), Fraction(0)) / sum(weight for _, weight in pairs)


def median(values: Iterable[Decimal | Fraction]) -> Fraction:
    """Return the exact median; for an even number of values, the mean of the middle two."""
    ordered = sorted(Fraction(value) for value in values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def rounded(fraction: Fraction, step: Decimal = SHOWN) -> Decimal:
    """Round a fraction to the nearest multiple of `step` (half to even), to show it. No rule compares the result."""
    above, below = step.as_integer_ratio()
    divisor = fraction.denominator * above
    whole, rest = divmod(fraction.numerator * below, divisor)
    whole += 2 * rest > divisor or (2 * rest == divisor and whole % 2)
    return plain(_EXACT.multiply(Decimal(whole), step))


def cut(fraction: Fraction, step: Decimal = SHOWN) -> Decimal:
    """Round a non-negative fraction down to a multiple of `step`, so that a margin below a limit never shows as it."""
    return plain(_EXACT.multiply(Decimal(fraction // Fraction(step)), step))


def rounded_money(amount: Decimal) -> Decimal:
    """Round an amount of dollars to seven decimals, as it is stored."""
    return plain(amount.quantize(Decimal("0.0000001"), rounding=ROUND_HALF_EVEN))
