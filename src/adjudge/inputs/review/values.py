"""The nine slots of a review: their names, what each holds (text, numbers, objects, lists), and the case they make."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ...errors import InputError
from ...models.cases import Original, Review
from ...rubric import Rubric
from ..json import parse_value
from ..text import kind_of, similar_name
from .tables import (
    At,
    allowed_names,
    criterion_key,
    entered_rating,
    entered_reason,
    entered_text,
    likert_in_lines,
    ratings_in_table,
)

# Each slot, and the field of a review that it fills.
FIELDS = {
    "taskconfig": "task_config",
    "system_prompt": "system_prompt",
    "conversation_history": "history",
    "prompt": "prompt",
    "response1": "a",
    "response2": "b",
    "response1_original_ratings": "ratings_a",
    "response2_original_ratings": "ratings_b",
    "original_likert_and_justification": "preference",
}
SLOTS = tuple(FIELDS)
NEEDED = ("prompt", "response1", "response2")
RATINGS = ("response1_original_ratings", "response2_original_ratings")
PREFERENCE = "original_likert_and_justification"
# Not a slot: the name that its owner knows the review by.
REVIEW_ID = "review_id"
_RATINGS = 'a table, {dimension: {"rating", "justification"}}, or a list of {"dimension", "rating", "justification"}'
_LIKERT = 'a number, {"likert", "justification"}, or Likert: … and Justification: … lines'
_ENTRY = ("rating", "justification")

SlotValue = str | Mapping[str, Original] | Original


def slot_from(name: str, value: Any, rubric: Rubric, at: At | None = None) -> SlotValue:
    """What one slot holds: a text, the ratings under the rubric's keys, or the preference. Falsy: not provided.

    `at` says how errors call a line of the slot; without it, they are `slot:line`.
    """
    lines = at or (lambda line: f"{name}:{line}")
    if name in RATINGS:
        read: SlotValue = _ratings_from(value, rubric, name, lines)
    elif name == PREFERENCE:
        read = _preference_from(value, name, lines)
    elif name in FIELDS:
        read = _text_from(name, value)
    else:
        raise InputError(name, "unknown slot", f"one of {', '.join(SLOTS)}")
    review_of({name: read})
    return read


def merged(rubric: Rubric, slots: Mapping[str, Any]) -> Review:
    """The review in its slots, each in any shape `slot_from` takes or gives; one that is absent is not provided.

    `review_id` may be among them.
    """
    read = review_of({name: slot_from(name, value, rubric) for name, value in slots.items() if name != REVIEW_ID})
    return read.updated(review_id=slots.get(REVIEW_ID))


def review_of(read: Mapping[str, SlotValue]) -> Review:
    """The review in slots that were read; an error names the slot."""
    values: dict[str, Any] = {FIELDS[name]: value for name, value in read.items()}
    try:
        return Review(**values)
    except InputError as error:
        raise error.renamed({field: slot for slot, field in FIELDS.items()}) from None


def _text_from(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return entered_text(value)
    if name == "taskconfig" and isinstance(value, Mapping):
        return "\n".join(f"{key}: {_shown(part, name)}" for key, part in value.items() if part is not None)
    if name == "conversation_history" and isinstance(value, Sequence):
        return "\n\n".join(_message(part, f"{name}[{index}]") for index, part in enumerate(value))
    also = {"taskconfig": " or an object", "conversation_history": ' or a list of {"role", "content"}'}.get(name, "")
    raise InputError(name, f"expected text, found {kind_of(value)}", f"a string{also} is allowed")


def _message(message: Any, place: str) -> str:
    role, content = (message.get("role"), message.get("content")) if isinstance(message, Mapping) else (None, None)
    if isinstance(content, Sequence) and not isinstance(content, str):
        # What is not text (an image, a call of a tool) was not said.
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        content = "\n".join(part for part in parts if isinstance(part, str))
    if not isinstance(role, str) or not isinstance(content, str | None):
        raise InputError(place, "not a message", '{"role": text, "content": text} is allowed')
    return f"{role}: {content or ''}"


def _shown(value: Any, place: str) -> str:
    """A value of the task's configuration on one line: a plain text as it is, all else as JSON."""
    if isinstance(value, str) and value.isprintable():
        return value
    try:
        return _json(value)
    except RecursionError:
        raise InputError(place, "nested too deeply", "text, or an object of texts and numbers, is allowed") from None


def _json(value: Any) -> str:
    # The standard writer cannot write exact decimals.
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_json(str(key))}: {_json(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False, default=str)


def _ratings_from(value: Any, rubric: Rubric, place: str, at: At) -> dict[str, Original]:
    """The ratings of one response under the rubric's keys; those left blank are not there."""
    if isinstance(value, str):
        if not entered_reason(value):
            return {}
        if value.lstrip()[:1] not in ("{", "["):
            return ratings_in_table(value, rubric, at)
        value = parse_value(value, at(1))
    if value is None:
        return {}
    if isinstance(value, Mapping):
        entries = [(f"{place}.{name}", name, entry) for name, entry in value.items()]
    elif isinstance(value, Sequence):
        entries = [_listed(entry, f"{place}[{index}]") for index, entry in enumerate(value)]
    else:
        raise InputError(place, f"expected ratings, found {kind_of(value)}", _RATINGS)
    seen: dict[str, Original] = {}
    for here, name, entry in entries:
        key = criterion_key(name, rubric) if isinstance(name, str) else None
        if key is None:
            raise InputError(here, f"unknown dimension {name!r:.60}", allowed_names(rubric))
        if key in seen:
            raise InputError(here, "appears twice", "each dimension once")
        seen[key] = _entry(entry, here)
    return {key: given for key, given in seen.items() if given}


def _listed(entry: Any, place: str) -> tuple[str, Any, Any]:
    if not isinstance(entry, Mapping) or "dimension" not in entry:
        found = f"expected a rating of a dimension, found {kind_of(entry)}"
        raise InputError(place, found, '{"dimension", "rating", "justification"} is allowed')
    return place, entry["dimension"], {name: part for name, part in entry.items() if name != "dimension"}


def _preference_from(value: Any, place: str, at: At) -> Original:
    """The preference between the responses, and its reason."""
    if isinstance(value, str):
        if value.lstrip()[:1] != "{":
            return likert_in_lines(value, at) if entered_reason(value) else Original()
        value = parse_value(value, at(1))
    if isinstance(value, Mapping) and "likert" in value:
        value = {"rating": value["likert"], **{name: part for name, part in value.items() if name != "likert"}}
    elif isinstance(value, Mapping) and (typo := next((n for n in value if similar_name(n, ("likert",))), None)):
        raise InputError(f"{place}.{typo}", "unknown field", "did you mean likert?")
    elif value is not None and not isinstance(value, Mapping | Original) and _number(value) is None:
        raise InputError(place, f"expected a rating, found {kind_of(value)}", _LIKERT)
    return _entry(value, place)


def _entry(entry: Any, place: str) -> Original:
    if isinstance(entry, Original):
        return entry
    if not isinstance(entry, Mapping):
        return Original(_words(entry, place))
    for name in entry:
        missing = [known for known in _ENTRY if known not in entry]
        if name not in _ENTRY and (close := similar_name(name, missing)):
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
