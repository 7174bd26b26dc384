"""Numbers and names of results as people read them. Plain text, not escaped for any format."""

from __future__ import annotations

from collections.abc import Iterable

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


def p_value(p: float) -> str:
    """A p-value, not more precisely than it is known."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def between(interval: tuple[float, float] | None, decimals: int = 2, *, points: bool = False) -> str:
    """An interval in words."""
    if interval is None:
        return "–"
    factor = 100 if points else 1
    return f"{signed(interval[0] * factor, decimals)} to {signed(interval[1] * factor, decimals)}"


def many(count: int, one: str, more: str = "") -> str:
    """A count with its noun."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def listed(names: Iterable[str], most: int = 8) -> str:
    """Some names, and how many more there are."""
    every = list(names)
    rest = len(every) - most
    return ", ".join(every[:most]) + (f" and {rest:,} more" if rest > 0 else "")
