"""What every report says in the same words: numbers as people write them, counts with their nouns, names of criteria.

Plain text, not escaped for any format: the template that shows it escapes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

from .. import arithmetic
from ..arithmetic import plain
from ..models import Fact
from ..rubric import Rubric, Scale

if TYPE_CHECKING:
    from ..results.database import Counts

MINUS = "−"
# Longer texts scroll inside their own box, so that what stands below stays within reach.
LONG = 6000


# -- exact numbers ----------------------------------------------------------------------------------------------------


def number(value: Decimal | int) -> str:
    """All digits of a number, without an exponent; a real minus sign."""
    return format(value, "f" if isinstance(value, Decimal) else "d").replace("-", MINUS)


def short(value: Decimal, places: int = 1) -> str:
    """A number for people: 6.6 for 6.5625. The exact one stands where the arithmetic is shown."""
    near = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return number(plain(near or abs(near)))  # nought has no sign


def hundredths(value: Decimal) -> str:
    """All digits of a number, and at least two decimals, as a program reads them: 88.00, 0.125."""
    return format(arithmetic.hundredths(value), "f")


def dollars(cost: Decimal | None) -> str:
    """An amount, or that it is not known."""
    return "price unknown" if cost is None else f"${number(plain(cost))}"


def share(value: Decimal, scale: Scale) -> str:
    """How much of its bar a value fills; a bar begins at nought unless the scale goes below."""
    floor = min(scale.low, Decimal(0))
    part = (value - floor) / (scale.high - floor) if scale.high > floor else Decimal(0)
    return f"{float(min(max(part, Decimal(0)), Decimal(1))):.1%}"


def percent_sure(confidence: Decimal | float) -> int:
    """A confidence as a whole percentage, not rounded up: no judge is surer than it says."""
    return int(Decimal(str(confidence)) * 100)  # of its digits: 0.29 as a binary fraction would be 28


# -- figures of statistics ---------------------------------------------------------------------------------------------


def rounded(value: float | int | None, decimals: int = 2) -> str:
    """A rounded number with a real minus sign; a dash for none."""
    if value is None:
        return "–"
    shown = f"{value:,.{decimals}f}"
    if float(shown.replace(",", "")) == 0:
        shown = shown.lstrip("-")
    return shown.replace("-", MINUS)


def signed(value: float | int | None, decimals: int = 2) -> str:
    """A number with its sign; nought has none."""
    shown = rounded(value, decimals)
    return f"+{shown}" if value is not None and value > 0 and shown.strip("0.,") else shown


def percent(share: float | None) -> str:
    """A share as a percentage."""
    return "–" if share is None else f"{100 * share:.1f} %"


def rounded_percent(share: float) -> str:
    """The same without decimals; never 0 % of something, nor 100 % of less than all."""
    shown = round(100 * share)
    shown = max(shown, 1) if share > 0 else shown
    return f"{min(shown, 99) if share < 1 else shown} %"


def points(share: float | None) -> str:
    """A difference of shares in points of a hundred, with its sign."""
    return "–" if share is None else signed(100 * share, 1)


def interval(ends: tuple[float, float] | None, show: Callable[[float], str]) -> str:
    """Both ends of an interval, each shown the same way: `0.75 to 0.96`; a dash for none."""
    return "–" if ends is None else f"{show(ends[0])} to {show(ends[1])}"


def p_value(p: float) -> str:
    """A p-value, not more precisely than it is known."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def p_is(p: float) -> str:
    """The same after the letter p: "= 0.03", "< 0.001"."""
    shown = p_value(p)
    return shown if shown.startswith("<") else f"= {shown}"


def many(count: int, one: str, more: str = "") -> str:
    """A count with its noun."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def duration(seconds: float) -> str:
    """A time in the two largest units that say something."""
    whole = round(seconds)
    for size, unit, less, smaller in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // less
            return f"{whole // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{whole} s"


def listed(names: Iterable[str], most: int = 8) -> str:
    """Some names, and how many more there are."""
    every = list(names)
    rest = len(every) - most
    return ", ".join(every[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def shown(value: Any) -> str:
    """A cell of a table as people read it."""
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
    """A code as words: `dropped_quote` → `Dropped quote`."""
    return code.replace("_", " ").capitalize()


def criterion_names(keys: Iterable[str], rubric: Rubric) -> dict[str, str]:
    """What to call each criterion: as the rubric does, or its key as words where the rubric has none."""
    named = {criterion.key: criterion.name for criterion in rubric.criteria}
    return {key: named.get(key) or words_of(key) for key in keys}


def guidance_of(rubric: Rubric) -> dict[str, str]:
    """What each criterion asks, on one line."""
    return {criterion.key: " ".join(criterion.guidance.split()) for criterion in rubric.criteria}


def certainty(fact: Fact) -> str:
    """How sure code is, and how bad it is where that can be said."""
    sure = "certain" if fact.certain else "a hint"
    return f"{sure}, {fact.severity}" if fact.severity else sure


def headline(counts: Counts) -> str:
    """What came of the cases, in a line."""
    said = [many(counts.statuses["verdict"], "verdict")]
    if failed := counts.statuses["failure"]:
        said.append(many(failed, "failure"))
    if skipped := counts.statuses["skipped"]:
        said.append(f"{skipped:,} skipped")
    return f"{', '.join(said)} of {many(counts.cases, 'case')}"


def missing(counts: Counts, chosen: bool = False) -> str:
    """That a run is not finished, and by how much; nothing if it is. With a condition one cannot say."""
    if chosen or counts.unfinished <= 0:
        return ""
    verb = "has" if counts.unfinished == 1 else "have"
    return f"The run is not finished: {many(counts.unfinished, 'case')} {verb} no outcome yet."
