"""Weights as people write them: an object, JSON in a text, or `criterion=number,…`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arithmetic import to_decimal
from ..errors import InputError
from .json import kind_of, parse_object


def weights_from(value: Any) -> Mapping[str, Any] | None:
    """Weights as an object, as JSON in a text, or as `criterion=number,…`; None where there are none."""
    if value is None or isinstance(value, Mapping):
        return value
    if not isinstance(value, str):
        raise InputError("weights", f"expected an object, found {kind_of(value)}", "criterion: number")
    if not value.strip():
        return None
    if value.lstrip().startswith("{"):
        return parse_object(value.encode("utf-8", "surrogatepass"), "weights", "criterion: number")
    read: dict[str, Any] = {}
    for piece in value.replace("\n", ",").split(","):
        if not piece.strip():
            continue
        name, _, number = piece.partition("=")
        key = name.strip()
        if key in read:
            raise InputError(f"weights.{key}", "stands twice", "each criterion once")
        exact = to_decimal(number)
        # What is no number stays text, and is refused by name further on.
        read[key] = number.strip() if exact is None else exact
    return read
