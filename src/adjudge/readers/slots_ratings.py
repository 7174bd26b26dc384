"""A person's ratings in any shape they come in (text, number, object, list) → what was entered for each criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ..cases import Original
from ..errors import InputError
from ..rubric import Rubric
from .json import kind_of, meant, parse_value
from .slots_blanks import entered_rating, entered_reason
from .slots_dimensions import allowed_names, criterion_key
from .slots_table import At, likert_in_lines, ratings_in_table

RATINGS = 'a table, {dimension: {"rating", "justification"}}, or a list of {"dimension", "rating", "justification"}'
LIKERT = 'a number, {"likert", "justification"}, or Likert: … and Justification: … lines'
_ENTRY = ("rating", "justification")


def ratings_from(value: Any, rubric: Rubric, place: str, at: At) -> dict[str, Original]:
    """The ratings of one response under the rubric's keys; those left blank are not there."""
    if value is None:
        return {}
    if isinstance(value, str):
        if not entered_reason(value):
            return {}
        if value.lstrip()[:1] not in ("{", "["):
            return ratings_in_table(value, rubric, at)
        value = parse_value(value, at(1))
    if isinstance(value, Mapping):
        entries = [(name, name, entry) for name, entry in value.items()]
    elif isinstance(value, Sequence) and not isinstance(value, str):
        entries = [(f"[{index}]", *_listed(entry, f"{place}[{index}]")) for index, entry in enumerate(value)]
    else:
        raise InputError(place, f"expected ratings, found {kind_of(value)}", RATINGS)
    seen: dict[str, Original] = {}
    for where, name, entry in entries:
        here = f"{place}{where}" if where.startswith("[") else f"{place}.{where}"
        key = criterion_key(name, rubric) if isinstance(name, str) else None
        if key is None:
            raise InputError(here, f"unknown dimension {name!r:.60}", allowed_names(rubric))
        if key in seen:
            raise InputError(here, "stands twice", "each dimension once")
        seen[key] = _entry(entry, here)
    return {key: given for key, given in seen.items() if given}


def preference_from(value: Any, place: str, at: At) -> Original:
    """The preference between the responses, and its reason."""
    if isinstance(value, str):
        if value.lstrip()[:1] != "{":
            return likert_in_lines(value, at) if entered_reason(value) else Original()
        value = parse_value(value, at(1))
    if isinstance(value, Mapping) and "likert" in value:
        value = {"rating": value["likert"], **{name: part for name, part in value.items() if name != "likert"}}
    elif isinstance(value, Mapping) and (slip := next((n for n in value if meant(n, ("likert",))), None)):
        raise InputError(f"{place}.{slip}", "unknown field", "did you mean likert?")
    elif value is not None and not isinstance(value, Mapping | Original) and _number(value) is None:
        raise InputError(place, f"expected a rating, found {kind_of(value)}", LIKERT)
    return _entry(value, place)


def _listed(entry: Any, place: str) -> tuple[Any, Any]:
    if not isinstance(entry, Mapping) or "dimension" not in entry:
        found = f"expected a rating of a dimension, found {kind_of(entry)}"
        raise InputError(place, found, '{"dimension", "rating", "justification"} is allowed')
    return entry["dimension"], {name: part for name, part in entry.items() if name != "dimension"}


def _entry(entry: Any, place: str) -> Original:
    if entry is None:
        return Original()
    if isinstance(entry, Original):
        return entry
    if not isinstance(entry, Mapping):
        return Original(_words(entry, place))
    for name in entry:
        if name not in _ENTRY and (close := meant(name, [known for known in _ENTRY if known not in entry])):
            raise InputError(f"{place}.{name}", "unknown field", f"did you mean {close}?")
    if entry and not any(name in entry for name in _ENTRY):
        found = f"no rating but {', '.join(map(str, entry)):.60}"
        raise InputError(place, found, "rating and justification are allowed")
    reason = entry.get("justification")
    if reason is not None and not isinstance(reason, str):
        raise InputError(f"{place}.justification", f"expected text, found {kind_of(reason)}", "a string is allowed")
    return Original(_words(entry.get("rating"), f"{place}.rating"), entered_reason(reason or ""))


def _words(value: Any, place: str) -> str:
    if value is None:
        return ""
    words = value if isinstance(value, str) else _number(value)
    if words is None:
        raise InputError(place, f"expected a rating, found {kind_of(value)}", "a number or text is allowed")
    return entered_rating(words)


def _number(value: Any) -> str | None:
    return str(value) if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else None
