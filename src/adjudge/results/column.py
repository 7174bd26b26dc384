"""One column of the flat table: its name, its type in SQL, and what it means."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

Kind = Literal["BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR", "DECIMAL(18, 7)"]
Cells = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """`score`: a number of the judgment itself, by which two runs are compared."""

    name: str
    kind: Kind
    meaning: str
    score: bool = False


def minus(first: int | float | None, second: int | float | None) -> int | float | None:
    """The exact difference of two decimals; empty if one is."""
    if first is None or second is None:
        return None
    apart = Decimal(str(first)) - Decimal(str(second))
    return int(apart) if apart == apart.to_integral_value() else float(apart)


def codes(warnings: Any) -> str | None:
    """The codes of warnings, each once, separated by spaces."""
    found = dict.fromkeys(str(warning["code"]) for warning in warnings or ())
    return " ".join(found) or None
