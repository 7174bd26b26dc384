"""Numbers and counts of results as people read them. Plain text, not escaped for any format."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...results.database import Counts

MINUS = "−"


def number(value: float | int | None, decimals: int = 2) -> str:
    """A rounded number with a real minus sign; a dash for none."""
    if value is None:
        return "–"
    shown = f"{value:,.{decimals}f}"
    if float(shown.replace(",", "")) == 0:
        shown = shown.lstrip("-")
    return shown.replace("-", MINUS)


def signed(value: float | int | None, decimals: int = 2) -> str:
    """A number with its sign; nought has none."""
    shown = number(value, decimals)
    return f"+{shown}" if value is not None and value > 0 and shown.strip("0.,") else shown


def percent(share: float | None) -> str:
    """A share as a percentage."""
    return "–" if share is None else f"{100 * share:.1f} %"


def rounded_percent(share: float) -> str:
    """The same without decimals; never 0 % of something, nor 100 % of less than all."""
    shown = round(100 * share)
    shown = max(shown, 1) if share > 0 else shown
    return f"{min(shown, 99) if share < 1 else shown} %"


def p_value(p: float) -> str:
    """A p-value, not more precisely than it is known."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def p_is(p: float) -> str:
    """The same after the letter p: "= 0.03", "< 0.001"."""
    shown = p_value(p)
    return shown if shown.startswith("<") else f"= {shown}"


def between(interval: tuple[float, float] | None, decimals: int = 2, *, points: bool = False) -> str:
    """An interval in words."""
    if interval is None:
        return "–"
    factor = 100 if points else 1
    return f"{signed(interval[0] * factor, decimals)} to {signed(interval[1] * factor, decimals)}"


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
        value = format(value.normalize(), "f")
    elif not isinstance(value, int):
        return str(value)
    return str(value).replace("-", MINUS)


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
