"""Exact sums: every number a rule compares is a `Decimal` or a `Fraction`.

Binary floats never take part in a rule; one that comes from outside is read as the decimal it prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal, Inexact, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

# Wide enough for any weight we accept; a result that would be rounded raises instead.
_EXACT = Context(prec=80, traps=[Inexact, InvalidOperation])
# Looked up once: a context's attributes are slow to find, and these run dozens of times a verdict.
_add, _subtract, _multiply = _EXACT.add, _EXACT.subtract, _EXACT.multiply
add_product = _EXACT.fma  # number × weight + total, exact
_SHOWN = Decimal("0.0001")
_ZERO = Decimal(0)
_ONE = Decimal(1)


class Ratio(NamedTuple):
    """A quotient as it came, not reduced: all that rounding needs, at a fraction of a `Fraction`'s price."""

    numerator: int
    denominator: int


def to_decimal(number: object) -> Decimal | None:
    """The exact decimal of a number as it was written, or None if it is not a finite number."""
    if isinstance(number, Decimal):
        return number if number.is_finite() else None
    if isinstance(number, bool) or not isinstance(number, int | float | str):
        return None
    try:
        decimal = Decimal(str(number).strip())
    except InvalidOperation:
        return None
    return decimal if decimal.is_finite() else None


def plain(number: Decimal) -> Decimal:
    """The same number without an exponent or trailing zeros: 70, not 7E+1; 7.5, not 7.50."""
    whole = number.to_integral_value()
    if number != whole:
        return number.normalize(_EXACT)
    return whole if whole.same_quantum(_ONE) else whole.quantize(_ONE, context=_EXACT)


def hundredths(number: Decimal) -> Decimal:
    """The same number with at least two decimals: 88.00, 0.125."""
    short = plain(number)
    exponent = short.as_tuple().exponent
    return short if isinstance(exponent, int) and exponent < -2 else short.quantize(Decimal("0.01"), context=_EXACT)


def weighted_total(scores: Mapping[str, Decimal], weights: Mapping[str, Decimal]) -> Decimal:
    """Σ score × weight over the scored criteria, exact."""
    total = _ZERO
    for key, score in scores.items():
        total = add_product(score, weights[key], total)
    return plain(total)


def exact_sum(numbers: Iterable[Decimal]) -> Decimal:
    """The sum, exact."""
    total = _ZERO
    for number in numbers:
        total = _add(total, number)
    return total


def difference(first: Decimal, second: Decimal) -> Decimal:
    """first − second, exact."""
    return _subtract(first, second)


def product(first: Decimal, second: Decimal) -> Decimal:
    """first × second, exact."""
    return _multiply(first, second)


def quotient(dividend: Decimal, divisor: Decimal) -> Ratio:
    """dividend ÷ divisor, exact; the divisor is above 0."""
    above, below = dividend.as_integer_ratio()
    whole, part = divisor.as_integer_ratio()
    return Ratio(above * part, below * whole)


def mean(values: Iterable[Decimal]) -> Fraction:
    """The exact mean."""
    fractions = [Fraction(value) for value in values]
    return sum(fractions, Fraction(0)) / len(fractions)


def median(values: Iterable[Decimal]) -> Fraction:
    """The exact median; of an even number of values the mean of the middle two."""
    ordered = sorted(Fraction(value) for value in values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def rounded(fraction: Fraction | Ratio, step: Decimal = _SHOWN) -> Decimal:
    """The decimal nearest to a fraction at the given step (half to even), for showing or for storing a score."""
    above, below = _ratio_of(step)
    divisor = fraction.denominator * above
    whole, rest = divmod(fraction.numerator * below, divisor)
    if 2 * rest > divisor or (2 * rest == divisor and whole % 2):
        whole += 1
    return _in_steps(whole, step)


def cut(fraction: Fraction | Ratio, step: Decimal = _SHOWN) -> Decimal:
    """A fraction that is not negative, cut off at the step: a margin below a limit is never shown as the limit."""
    above, below = _ratio_of(step)
    return _in_steps(fraction.numerator * below // (fraction.denominator * above), step)


def _ratio_of(step: Decimal) -> tuple[int, int]:
    return (1, 10_000) if step is _SHOWN else step.as_integer_ratio()


def _in_steps(count: int, step: Decimal) -> Decimal:
    return _shown(count) if step is _SHOWN else plain(_multiply(Decimal(count), step))


@lru_cache(maxsize=1024)
def _shown(count: int) -> Decimal:
    """So many ten-thousandths; in a run the same few come again and again."""
    return plain(_multiply(Decimal(count), _SHOWN))


def rounded_money(amount: Decimal) -> Decimal:
    """An amount of dollars at a ten-millionth, as it is stored."""
    return plain(amount.quantize(Decimal("0.0000001"), rounding=ROUND_HALF_EVEN))
