"""The nine slots of a review: their names, what may stand in each, and how together they make the case."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ..cases import Original, Review
from ..errors import InputError
from ..rubric import Rubric
from .json import kind_of
from .slots_blanks import entered_text
from .slots_ratings import preference_from, ratings_from
from .slots_table import At

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
# Not a slot: what its owner calls the review.
REVIEW_ID = "review_id"
_NAMES = {field: slot for slot, field in FIELDS.items()}

SlotValue = str | Mapping[str, Original] | Original


def slot_from(name: str, value: Any, rubric: Rubric, at: At | None = None) -> SlotValue:
    """What one slot holds: a text, the ratings under the rubric's keys, or the preference. Falsy: not provided.

    `at` says how errors call a line of the slot; without it, they are `slot:line`.
    """
    lines = at or (lambda line: f"{name}:{line}")
    if name in RATINGS:
        read: SlotValue = ratings_from(value, rubric, name, lines)
    elif name == PREFERENCE:
        read = preference_from(value, name, lines)
    elif name in FIELDS:
        read = _text_from(name, value)
    else:
        raise InputError(name, "unknown slot", f"one of {', '.join(SLOTS)}")
    review_of({name: read})
    return read


def merged(rubric: Rubric, slots: Mapping[str, Any]) -> Review:
    """The review in its slots, each in any shape `slot_from` takes or gives; one that is absent is not provided.

    `review_id` may stand among them.
    """
    read = review_of({name: slot_from(name, value, rubric) for name, value in slots.items() if name != REVIEW_ID})
    return read.updated(review_id=slots.get(REVIEW_ID))


def review_of(read: Mapping[str, SlotValue]) -> Review:
    """The review in slots that were read; what is wrong with a text is said in the slot's name."""
    values: dict[str, Any] = {FIELDS[name]: value for name, value in read.items()}
    try:
        return Review(**values)
    except InputError as error:
        raise error.renamed(_NAMES) from None


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
    # The standard writer knows no exact decimals.
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_json(str(key))}: {_json(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False, default=str)
