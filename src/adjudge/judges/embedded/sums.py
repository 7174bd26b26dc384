"""Plain arithmetic, recomputed: equations an answer states, and a result that a task asks for.

Only what can be read without doubt: numbers joined by operators, a share of a number, a power, a root.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from ...facts.patterns import put_off

# A comma stands before three digits; elsewhere it may be a decimal comma, and then nothing is said.
_NUMBER = r"\$?(?:\d{1,3}(?:,\d{3}){1,5}(?![,\d])|\d{1,16})(?:\.\d{1,10})?%?"
_OPERATOR = r"\s{0,2}[-+*/^x×÷−·]\s{0,2}"
_EQUATION = put_off(
    rf"(?<![\w.,^/*+×÷−)\]}}-])(?P<left>{_NUMBER}(?:{_OPERATOR}{_NUMBER}){{1,8}})\s{{0,2}}=\s{{0,2}}(?P<right>-?{_NUMBER})"
    r"(?!\w|\s{0,2}(?:[*/^×÷+−(\[{]|x\b|-\s{0,2}\d)|[.,]\d)"
)
_PLAIN = put_off(rf"(?<![\w.^/*+×÷-]){_NUMBER}(?:{_OPERATOR}{_NUMBER}){{1,8}}(?![\w^(]|\s{{0,2}}[-+*/^×÷(]|[.,]\d)")
_CALCULATE = put_off(
    r"\b(?:calculate|compute|evaluate|solve|what(?:'s| is)|how much is|find|simplify|add|subtract|multiply|divide|"
    r"determine|result|answer)\b|=",
    re.IGNORECASE,
)
_SHARE = put_off(
    r"(?<![\d.])(\d{1,3}(?:\.\d+)?) ?(?:%|percent) (?:tip (?:on|for)|of|tax on) \$?(\d[\d,]*(?:\.\d+)?)(?!\s?[%\w])",
    re.I,
)
_POWER = put_off(
    r"\b(\d{1,4}) (?:raised )?to the (?:power (?:of )?)?(\d{1,2})(?:st|nd|rd|th)?(?: power)?\b|"
    r"\bbase\s?[:=]?\s?(\d{1,4})\W{1,6}(?:power|exponent)\s?[:=]?\s?(\d{1,2})\b",
    re.IGNORECASE,
)
_ROOT = put_off(r"\bsquare root of (\d{1,9}(?:\.\d+)?)\b", re.IGNORECASE)
_TOKEN = put_off(r"\$?(\d[\d,]*(?:\.\d+)?)(%?)|([-+*/^x×÷−·])")
_SAME = {"x": "*", "×": "*", "·": "*", "÷": "/", "−": "-"}
_READ = 8000
_SHORT = 400  # characters of a task that may be a plain calculation
_HUGE = 1e15
_STATED = put_off(r"-?\d[\d,]*(?:\.\d+)?")
_PRODUCT = put_off(r"[*/x×÷·^]")
# `2 + 2 = 5 is wrong` states no sum.
_DENIED = put_off(
    r"[\s,;:\"'”’)]{0,3}(?:(?:is|was|would be|isn't|which is|that is)\s+)?(?:wrong|false|incorrect|a mistake|not)\b",
    re.I,
)


class WrongSum(NamedTuple):
    """An equation that does not hold, its place and what it should be."""

    start: int
    end: int
    stated: str
    right: float


def wrong_sums(plain: str) -> Iterator[WrongSum]:
    """The equations between plain numbers that do not hold, even when rounded."""
    if "=" not in plain:
        return
    for match in _EQUATION.finditer(plain[:_READ]):
        left = match["left"]
        # 58% + 45% = 103: percentages that are added up stay percentages, with or without their mark.
        value = evaluate(left if _PRODUCT.search(left) else left.replace("%", ""))
        stated = _number(match["right"])
        if value is None or ("%" in match["right"] and ("%" not in left or _PRODUCT.search(left))):
            continue
        if left.count("^") > 1 or _DENIED.match(plain, match.end()):
            continue
        if not is_near(stated, value, match["right"]):
            yield WrongSum(match.start(), match.end(), match[0], value)


def asked_result(instruction: str) -> float | None:
    """The number a task asks for, where the task is nothing but one plain calculation."""
    if len(instruction) > _SHORT:
        return None
    found = [
        *(float(m[1]) / 100 * _number(m[2]) for m in _SHARE.finditer(instruction)),
        *(float(m[1] or m[3]) ** float(m[2] or m[4]) for m in _POWER.finditer(instruction)),
        *(math.sqrt(float(m[1])) for m in _ROOT.finditer(instruction)),
    ]
    if not found and _CALCULATE.search(instruction):
        found = [value for m in _PLAIN.finditer(instruction) if (value := _asked(m[0])) is not None]
    return found[0] if len(found) == 1 and abs(found[0]) < _HUGE else None


def _asked(written: str) -> float | None:
    """A range (10-15), a date (12/05) or a size (2x4) is no calculation: a lone one of these needs room around it."""
    lone = re.search(r"(?<=\d)[-/x](?=\d)", written) and not re.search(r"[+*^×÷−·]|\s[-/x]\s", written)
    return None if lone else evaluate(written)


def evaluate(written: str) -> float | None:
    """The value of numbers joined by operators; nothing where it has none."""
    numbers: list[float] = []
    operators: list[str] = []
    for match in _TOKEN.finditer(written):
        if match[3]:
            operators.append(_SAME.get(match[3], match[3]))
        else:
            numbers.append(_number(match[1]) / (100 if match[2] else 1))
    if len(numbers) != len(operators) + 1:
        return None
    try:
        for level in ("^", "*/", "+-"):
            index = 0
            while index < len(operators):
                if operators[index] in level:
                    numbers[index : index + 2] = [_apply(operators.pop(index), numbers[index], numbers[index + 1])]
                else:
                    index += 1
    except (OverflowError, ZeroDivisionError):
        return None
    return numbers[0] if abs(numbers[0]) < _HUGE else None


def _apply(operator: str, left: float, right: float) -> float:
    if operator == "^":
        return float(left**right) if abs(right) < 100 else math.inf
    if operator == "/":
        return left / right
    return left * right if operator == "*" else left + right if operator == "+" else left - right


def is_near(stated: float, value: float, written: str) -> bool:
    """Whether a stated number is the value, rounded as far as it is written, give or take a thousandth."""
    decimals = len(written.rstrip("%").partition(".")[2])
    return abs(stated - value) <= 0.5001 * 10.0**-decimals + abs(value) / 1000


def states(plain: str, value: float) -> tuple[int, int] | None:
    """Where a text states a number that is the value when rounded."""
    last = None
    for match in _STATED.finditer(plain[:_READ]):
        # 2,5 may be two and a half.
        for written in {match[0], match[0].replace(",", ".") if match[0].count(",") == 1 else match[0]}:
            decimals = len(written.partition(".")[2])
            if abs(_number(written) - value) <= (0.5001 * 10.0**-decimals if decimals else 1e-6):
                last = match.span()
    return last


def _number(written: str) -> float:
    return float(written.strip("$%").replace(",", "") or 0)
