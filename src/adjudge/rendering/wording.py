"""Words numbers, counts and names of criteria in the same way for every report.

The result is plain text; the template that shows it escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .. import arithmetic
from ..arithmetic import plain
from ..models.common import Fact
from ..models.figures import Counts
from ..rubric import Rubric, Scale
from ..text.sentences import QUOTATION

MINUS = "−"
# Longer texts scroll inside their own box, so that the reader need not scroll past them.
LONG = 6000
# What is before a number in our own sentences, and not before an option such as -1 in a text that is quoted.
_NEGATIVE = re.compile(
    rf"{QUOTATION.pattern}|`[^`]*`|"
    r"(?P<before>^|\b(?:and|at|between|by|from|is|not|of|or|rated|scored|to|was) |[:(→] ?)-(?=\d)"
)


# -- exact numbers ----------------------------------------------------------------------------------------------------


def number(value: Decimal | int) -> str:
    """Write all digits of a number, without an exponent and with a real minus sign."""
    return format(value, "f" if isinstance(value, Decimal) else "d").replace("-", MINUS)


def with_minus(sentence: str) -> str:
    """Write the negative numbers of a stored sentence with a real minus sign: `rated −1` for `rated -1`. What it quotes
    stays as it is."""
    return _NEGATIVE.sub(lambda it: it[0] if it["before"] is None else f"{it['before']}{MINUS}", sentence)


def short(value: Decimal | Fraction, places: int = 1) -> str:
    """Round an exact number for people: 6.6 for 6.5625. Reports show the exact one with the arithmetic."""
    near = int(abs(Fraction(value)) * 10**places + Fraction(1, 2))  # half up
    return number(plain(Decimal(f"{-near if value < 0 else near}e-{places}")))


def hundredths(value: Decimal) -> str:
    """Write all digits of a number with at least two decimals, in a form that programs read: 88.00, 0.125."""
    return format(arithmetic.hundredths(value), "f")


def dollars(cost: Decimal | None) -> str:
    """Write an amount in dollars, or "price unknown" for None."""
    return "price unknown" if cost is None else f"${number(plain(cost))}"


def share(value: Decimal | Fraction, scale: Scale) -> str:
    """Return how much of its bar a value fills. A bar begins at zero unless the scale goes below it."""
    floor, high = Fraction(min(scale.low, Decimal(0))), Fraction(scale.high)
    return width((Fraction(value) - floor) / (high - floor) if high > floor else Fraction(0))


def width(part: Fraction) -> str:
    """Write a share as the width of a bar."""
    return f"{float(min(max(part, Fraction(0)), Fraction(1))):.1%}"


def percent_sure(confidence: Decimal | float) -> int:
    """Return a confidence as a whole percentage, rounded down so that no judge looks surer than it says."""
    return int(Decimal(str(confidence)) * 100)  # exact decimals: as a binary fraction 0.29 would give 28


# -- figures of statistics ---------------------------------------------------------------------------------------------


def rounded(value: float | int | None, decimals: int = 2) -> str:
    """Round a number and write it with a real minus sign, or a dash for None."""
    if value is None:
        return "–"
    shown = f"{value:,.{decimals}f}"
    if float(shown.replace(",", "")) == 0:
        shown = shown.lstrip("-")
    return shown.replace("-", MINUS)


def signed(value: float | int | None, decimals: int = 2) -> str:
    """Round a number and write it with its sign. Zero has none."""
    shown = rounded(value, decimals)
    return f"+{shown}" if value is not None and value > 0 and shown.strip("0.,") else shown


def percent(share: float | None) -> str:
    """Write a share as a percentage with one decimal."""
    return "–" if share is None else f"{100 * share:.1f} %"


def rounded_percent(share: float) -> str:
    """Write a share as a whole percentage. Only an exact 0 is shown as 0 %, and only an exact 1 as 100 %."""
    shown = round(100 * share)
    shown = max(shown, 1) if share > 0 else shown
    return f"{min(shown, 99) if share < 1 else shown} %"


def points(share: float | None) -> str:
    """Write a difference of shares in percentage points, with its sign."""
    return "–" if share is None else signed(100 * share, 1)


def interval(ends: tuple[float, float] | None, show: Callable[[float], str]) -> str:
    """Write an interval, each end formatted with `show`: `0.75 to 0.96`, or a dash for None."""
    return "–" if ends is None else f"{show(ends[0])} to {show(ends[1])}"


def p_value(p: float | None) -> str:
    """Write a p-value with no more digits than are reliable, or a dash for None."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def p_is(p: float | None) -> str:
    """Write a p-value to follow the letter p: "= 0.03", "< 0.001"; "unknown" for None."""
    shown = p_value(p)
    if p is None:
        return "unknown"
    return shown if shown.startswith("<") else f"= {shown}"


def many(count: int, one: str, more: str = "") -> str:
    """Write a count with its noun in the singular or plural."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def about(count: int) -> str:
    """Write an estimated count with two digits that mean something."""
    return f"{round(count, 2 - len(str(abs(count)))) if count >= 100 else count:,}"


def duration(seconds: float) -> str:
    """Write a duration in its two largest units."""
    whole = round(seconds)
    for size, unit, less, smaller in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // less
            return f"{whole // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{whole} s"


def listed(names: Iterable[str], most: int = 8) -> str:
    """List at most `most` names, and say how many more there are."""
    every = list(names)
    rest = len(every) - most
    return ", ".join(every[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def shown(value: Any) -> str:
    """Write a value for a table cell that people read."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        value = f"{value:.6g}"
    elif isinstance(value, Decimal):
        value = format(plain(value), "f")
    elif not isinstance(value, int):
        return str(value)
    return str(value).replace("-", MINUS)


# -- words -------------------------------------------------------------------------------------------------------------


def words_of(code: str) -> str:
    """Write a code as words: `dropped_quote` becomes `Dropped quote`."""
    return code.replace("_", " ").capitalize()


def criterion_names(keys: Iterable[str], rubric: Rubric) -> dict[str, str]:
    """Map each key to its name in the rubric, or to the key as words if the rubric does not have it."""
    named = {criterion.key: criterion.name for criterion in rubric.criteria}
    return {key: named.get(key) or words_of(key) for key in keys}


def filled_in(unassessed: int, criteria: int, where: str) -> str:
    """Say how many criteria count in a total without having been assessed; "" if none do."""
    if not unassessed:
        return ""
    was, each = ("was", "It counts") if unassessed == 1 else ("were", "Each counts")
    return f"{unassessed} of {criteria} criteria {was} not assessed. {each} in {where} as the middle of the scale."


def guidance_of(rubric: Rubric) -> dict[str, str]:
    """Map each criterion's key to its guidance on one line."""
    return {criterion.key: " ".join(criterion.guidance.split()) for criterion in rubric.criteria}


def certainty(fact: Fact) -> str:
    """Say whether a fact is certain or a hint, and how severe it is if that is known."""
    sure = "certain" if fact.certain else "a hint"
    return f"{sure}, {fact.severity}" if fact.severity else sure


def headline(counts: Counts) -> str:
    """Say in one line how many cases have a verdict, failed or were skipped."""
    parts = [many(counts.statuses["verdict"], "verdict")]
    if failed := counts.statuses["failure"]:
        parts.append(many(failed, "failure"))
    if skipped := counts.statuses["skipped"]:
        parts.append(f"{skipped:,} skipped")
    return f"{', '.join(parts)} of {many(counts.cases, 'case')}"


def missing(counts: Counts, chosen: bool = False) -> str:
    """Say how many cases of a run are not finished. Return "" if none, or if rows were filtered (`chosen`)."""
    if chosen or counts.unfinished <= 0:
        return ""
    verb = "has" if counts.unfinished == 1 else "have"
    return f"The run is not finished: {many(counts.unfinished, 'case')} {verb} no outcome yet."
