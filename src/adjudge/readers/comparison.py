"""A JSON object → Comparison: the request of `POST /api/evaluate`, and the same object in a file.

Fields we do not know are somebody's metadata and are left alone, unless they look like a slip of the pen for one we do.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from ..cases import Comparison, check_weights
from ..errors import InputError
from ..rubric import Rubric

# A case's own names, as the API's clients know them.
API_NAMES = {"task": "userTask", "a": "responseA", "b": "responseB"}
_FIELDS = {
    "task": ("userTask", "task"),
    "a": ("responseA", "a"),
    "b": ("responseB", "b"),
    "context": ("context",),
    "weights": ("weights",),
}
WANTED = "userTask, responseA, responseB, …"
_OPTIONS = ("judge", "oneOrder", "seed")
_NEEDED = ("task", "a", "b")
_KNOWN = (*(name for names in _FIELDS.values() for name in names), *_OPTIONS)


def comparison_from(data: Mapping[str, Any], rubric: Rubric) -> Comparison:
    """The case in a JSON object, in the API's names or the short ones (`task`, `a`, `b`)."""
    missing = [names[0] for field, names in _FIELDS.items() if field in _NEEDED and not any(n in data for n in names)]
    for name in data:
        if name not in _KNOWN and (meant := _meant(name, missing)):
            raise InputError(name, "unknown field", f"did you mean {meant}?")
    values: dict[str, Any] = {}
    used: dict[str, str] = {}
    for field, names in _FIELDS.items():
        given = [name for name in names if name in data]
        if len(given) > 1:
            raise InputError(given[1], f"stands beside {given[0]}", "one of the two is allowed")
        if given:
            values[field], used[field] = data[given[0]], given[0]
    if missing:
        raise InputError(missing[0], "missing", "a non-empty string is needed")
    if values.get("context") is None:
        values["context"] = ""
    weights = check_weights(values.pop("weights", None), rubric.weights)
    try:
        return Comparison(**values, weights=weights)
    except InputError as error:
        raise error.renamed(used) from None


def _meant(name: str, missing: list[str]) -> str | None:
    """The field this looks like a slip of the pen for: one that is missing, or an optional one but for a letter."""
    if close := difflib.get_close_matches(name, missing, 1, 0.8):
        return close[0]
    optional = [known for known in (*_OPTIONS, "context", "weights") if abs(len(known) - len(name)) <= 1]
    return next(iter(difflib.get_close_matches(name, optional, 1, 0.85)), None)
