"""Reads a Comparison from a JSON object: the body of `POST /api/evaluate`, or the same object in a file.

Unknown fields are treated as metadata and ignored, unless they look like a typo of a known field.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arithmetic import to_decimal
from ...errors import InputError
from ...inputs.json import parse_value
from ...inputs.text import kind_of
from ...models.cases import check_weights
from ...rubric import Rubric
from ...spelling import closest
from .case import Comparison

WANTED = "userTask, responseA, responseB, …"
# The names that a field may have in a case file. The first one is the API's name.
FIELDS = {
    "task": ("userTask", "task"),
    "a": ("responseA", "a"),
    "b": ("responseB", "b"),
    "context": ("context",),
    "weights": ("weights",),
}
_NEEDED = ("task", "a", "b")
_OPTIONAL = ("judge", "oneOrder", "seed", "context", "weights")
_KNOWN = {*_OPTIONAL, *(name for names in FIELDS.values() for name in names)}


def comparison_from(data: Mapping[str, Any], rubric: Rubric) -> Comparison:
    """Read a case from a JSON object that uses the API's field names or the short ones (`task`, `a`, `b`)."""
    used = {field: [name for name in names if name in data] for field, names in FIELDS.items()}
    missing = [FIELDS[field][0] for field in _NEEDED if not used[field]]
    for name in data:
        near = [known for known in (*missing, *_OPTIONAL) if abs(len(known) - len(name)) <= 1]  # contextId is metadata
        if name not in _KNOWN and (close := closest(name, near, 0.85)):
            raise InputError(name, "unknown field", f"did you mean {close}?")
    for given in used.values():
        if len(given) > 1:
            raise InputError(given[1], f"cannot be combined with {given[0]}", "give one of the two")
    if missing:
        raise InputError(missing[0], "missing", "a non-empty string is needed")
    values = {field: data[given[0]] for field, given in used.items() if given}
    weights = check_weights(values.pop("weights", None), rubric.weights)
    try:
        return Comparison(**values, weights=weights)
    except InputError as error:
        raise error.renamed({field: given[0] for field, given in used.items() if given}) from None


def weights_from(value: Any) -> Mapping[str, Any] | None:
    """Read weights given as an object, as JSON text, or as `criterion=number,…`. Return None if there are none."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = parse_value(value, "weights")
    if value is None or isinstance(value, Mapping):
        return value
    if not isinstance(value, str):
        raise InputError("weights", f"expected an object, found {kind_of(value)}", "criterion: number")
    read: dict[str, Any] = {}
    for piece in filter(str.strip, value.replace("\n", ",").split(",")):
        name, _, number = piece.partition("=")
        key = name.strip()
        if key in read:
            raise InputError(f"weights.{key}", "appears twice", "each criterion once")
        exact = to_decimal(number)
        # Text that is not a number is kept, so that `check_weights` can refuse it by name.
        read[key] = number.strip() if exact is None else exact
    return read or None
