"""Reads the nine slots of a review from the fields of an object, and builds the review.

A field is one of the nine slots, or a single rating: `response1_localization`,
`response1_localization_justification`, `likert` and `likert_justification`. `review_id`, `id` or `task_id` is the
review's id. Other fields are treated as metadata and ignored, unless they look like a typo.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import orjson

from ....errors import InputError, TooLargeError
from ....inputs.json import parse_value, text_parts
from ....inputs.text import At, kind_of, quote
from ....models.base import exact_number
from ....models.cases import MAX_TEXT_BYTES
from ....rubric import Rubric
from ....spelling import similar_name
from ..case import Original, Review
from .tables import criterion_key, entered_rating, entered_reason, entered_text, likert_in_lines, ratings_in_text

# Maps each slot to the field of `Review` that it fills.
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
# Not a slot: the user's own id of the review.
REVIEW_ID = "review_id"
# The first one present is used, because a review may have its own id besides its task's id.
IDS = (REVIEW_ID, "id", "task_id")
_RATINGS = 'a table, {dimension: {"rating", "justification"}}, or a list of {"dimension", "rating", "justification"}'
_LIKERT = 'a number, {"likert", "justification"}, or Likert: … and Justification: … lines'
_SINGLE = re.compile(r"(response[12])_(.+?)(_rating|_justification)?")
_LIKERT_FIELDS = {"likert": "likert", "likert_justification": "justification"}
# Check at most this many unknown names for typos.
_MOST_TYPOS = 100

SlotValue = str | Mapping[str, Original] | Original


def slot_from(name: str, value: Any, rubric: Rubric, at: At | None = None) -> SlotValue:
    """Read one slot: a text, the ratings by criterion key, or the preference. A falsy result means not provided.

    `at` turns a line of the slot into the place that errors name, by default `slot:line`.
    """
    lines = at or (lambda line: f"{name}:{line}")
    if name not in FIELDS:
        raise InputError(name, "unknown slot", f"one of {', '.join(SLOTS)}")
    if isinstance(value, str) and len(value) > MAX_TEXT_BYTES:
        raise TooLargeError(
            name, f"{len(value.encode(errors='replace')):,} bytes", f"at most {MAX_TEXT_BYTES:,} are allowed"
        )
    if name in RATINGS:
        read: SlotValue = ratings_from(value, rubric, name, lines)
    elif name == PREFERENCE:
        read = _preference_from(value, name, lines)
    else:
        read = _text_from(name, value)
    review_of({name: read})
    return read


def merged(rubric: Rubric, slots: Mapping[str, Any]) -> Review:
    """Build a review from slots, each in any form that `slot_from` accepts or returns. Absent ones are not provided.

    `slots` may also contain `review_id`.
    """
    read = review_of({name: slot_from(name, value, rubric) for name, value in slots.items() if name != REVIEW_ID})
    return read.updated(review_id=slots.get(REVIEW_ID))


def review_of(read: Mapping[str, SlotValue]) -> Review:
    """Build a review from slots that `slot_from` has read. Errors name the slot."""
    values: dict[str, Any] = {FIELDS[name]: value for name, value in read.items()}
    try:
        return Review(**values)
    except InputError as error:
        raise error.renamed({field: slot for slot, field in FIELDS.items()}) from None


def review_from(data: Mapping[str, Any], rubric: Rubric) -> Review:
    """Build a review from a decoded object. Any slot may be missing, but those present must be readable."""
    return merged(rubric, slots_in(data, rubric))


def slots_in(
    data: Mapping[str, Any], rubric: Rubric, given: Mapping[str, Any] | None = None, *, strict: bool = False
) -> dict[str, Any]:
    """Collect the raw values of the slots in an object, and the review's id under `review_id`.

    Single ratings are merged into the ratings in `given`, the slots filled earlier. If `strict`, an unknown field is an
    error.
    """
    slots: dict[str, Any] = {}
    singles: dict[str, dict[str, Any]] = {}
    used: dict[tuple[str, ...], str] = {}
    others: list[str] = []
    for name, value in data.items():
        if not isinstance(name, str):
            raise InputError("slots", f"expected slot names, found {kind_of(name)}", f"one of {', '.join(SLOTS)}")
        path = _path(folded(name), rubric)
        if path is None:
            others.append(name)
            continue
        if path in used:
            raise InputError(name, f"cannot be combined with {used[path]}", "give one of the two")
        used[path] = name
        slot, *keys = path
        if keys:
            entry = singles.setdefault(slot, {})
            for key in keys[:-1]:
                entry = entry.setdefault(key, {})
            entry[keys[-1]] = value
        elif slot in FIELDS:
            slots[slot] = value
    for slot, entries in singles.items():
        if _given(slots.get(slot)) and _given(entries):
            raise InputError(slot, "cannot be combined with single ratings", "give one of the two")
        if slot not in slots and given and _given(given.get(slot)):
            slots[slot] = _joined(slot, given[slot], entries, rubric)
        elif not _given(slots.get(slot)):
            slots[slot] = entries
    free = _free_fields(used, rubric) if others else []
    for name in others[:_MOST_TYPOS]:
        digits = re.findall("[0-9]", name)  # a field of one response is never a typo of the other's field
        close = similar_name(folded(name), [one for one in free if re.findall("[0-9]", one) == digits])
        if strict:
            hint = f"did you mean {close}? " if close else ""
            raise InputError(name[:80], "unknown slot", f"{hint}one of {', '.join(SLOTS)}")
        if close:
            raise InputError(name, "unknown field", f"did you mean {close}?")
    if ids := [used[known,] for known in IDS if (known,) in used]:
        slots[REVIEW_ID] = next((_review_id(name, data[name]) for name in ids if _given(data[name])), None)
    return slots


def folded(name: str) -> str:
    """Normalize a name: `RESPONSE1`, `Response1 Localization` and `likert-justification` become known names."""
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _path(name: str, rubric: Rubric) -> tuple[str, ...] | None:
    """Return where a field belongs: a slot, the id, or a rating or its reason within a slot. None if unknown."""
    if name in FIELDS or name in IDS:
        return (name,)
    if name in _LIKERT_FIELDS:
        return PREFERENCE, _LIKERT_FIELDS[name]
    split = _SINGLE.fullmatch(name)
    key = criterion_key(split[2], rubric) if split else None
    if split is None or key is None:
        return None
    return f"{split[1]}_original_ratings", key, "justification" if split[3] == "_justification" else "rating"


def _joined(slot: str, there: Any, entries: Mapping[str, Any], rubric: Rubric) -> dict[str, Any]:
    """Return the existing ratings with single ratings or reasons replaced by `entries`."""
    read = slot_from(slot, there, rubric)
    if isinstance(read, Original):
        return {"likert": read.rating, "justification": read.justification, **entries}
    assert isinstance(read, Mapping)
    joined = {key: dict(one) for key, one in read.items()}
    for key, parts in entries.items():
        joined[key] = {**joined.get(key, {}), **parts}
    return joined


def _free_fields(used: Mapping[tuple[str, ...], str], rubric: Rubric) -> list[str]:
    """Return the known fields that are not given. An unknown field may be a typo of one of them."""
    parts = [f"{item.key}{part}" for item in rubric.criteria for part in ("", "_justification")]
    singles = [f"response{number}_{part}" for number in "12" for part in parts]
    return [name for name in (*SLOTS, *_LIKERT_FIELDS, *singles) if _path(name, rubric) not in used]


def _review_id(name: str, value: Any) -> int | str | None:
    try:
        return Review(review_id=value.strip() if isinstance(value, str) else value).review_id
    except InputError as error:
        raise InputError(name, error.found, error.allowed) from None


def _given(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_given, value.values()))
    return value is not None and (not isinstance(value, str) or bool(value.strip()))


def _text_from(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return entered_text(value)
    if name == "taskconfig" and isinstance(value, Mapping):
        shown = ((_shown(key, name), _shown(part, name)) for key, part in value.items() if part is not None)
        return "\n".join(f"{key}: {part}" for key, part in shown)
    if name == "conversation_history" and isinstance(value, Sequence):
        return "\n\n".join(_message(part, f"{name}[{index}]") for index, part in enumerate(value))
    also = {"taskconfig": " or an object", "conversation_history": ' or a list of {"role", "content"}'}.get(name, "")
    raise InputError(name, f"expected text, found {kind_of(value)}", f"a string{also} is allowed")


def _message(message: Any, place: str) -> str:
    role, content = (message.get("role"), message.get("content")) if isinstance(message, Mapping) else (None, None)
    # Parts that are not text (an image, a tool call) are left out.
    parts = text_parts(content)
    if not isinstance(role, str) or parts is None:
        raise InputError(place, "not a message", '{"role": text, "content": text} is allowed')
    return f"{role}: " + "\n".join(parts)


def _shown(value: Any, place: str) -> str:
    """Write a value of the task configuration on one line: plain text as it is, all else as JSON with exact numbers."""
    if isinstance(value, str) and value.isprintable():
        return value
    try:
        return orjson.dumps(value, default=exact_number, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError as error:
        found = f"nested too deeply, or not JSON ({error})"
        raise InputError(place, found, "text, or an object of texts and numbers, is allowed") from None


def ratings_from(value: Any, rubric: Rubric, place: str, at: At = str) -> dict[str, Original]:
    """Read the ratings of one response by criterion key. Ratings left blank are omitted."""
    seen: dict[str, Original] = {}
    for here, name, entry in _entries(value, rubric, place, at):
        key = criterion_key(name, rubric) if isinstance(name, str) else None
        if key is None:
            allowed = "one of " + ", ".join(criterion.name for criterion in rubric.criteria)
            raise InputError(here, f"unknown dimension {quote(str(name))}", allowed)
        if key in seen:
            raise InputError(here, f"{quote(name)} appears twice", "each dimension once")
        seen[key] = _entry(entry, here)
    return {key: given for key, given in seen.items() if given}


def _entries(value: Any, rubric: Rubric, place: str, at: At) -> Iterator[tuple[str, Any, Any]]:
    """Yield the place, the dimension's name and the value of each rating."""
    if isinstance(value, str) and not entered_reason(value):
        return
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = parse_value(value, at(1))
    if isinstance(value, str):
        yield from ratings_in_text(value, rubric, at)
    elif isinstance(value, Mapping):
        yield from ((f"{place}.{name}", name, entry) for name, entry in value.items())
    elif isinstance(value, Sequence):
        for index, entry in enumerate(value):
            here = f"{place}[{index}]"
            if not isinstance(entry, Mapping) or "dimension" not in entry:
                found = f"expected a rating of a dimension, found {kind_of(entry)}"
                raise InputError(here, found, '{"dimension", "rating", "justification"} is allowed')
            yield here, entry["dimension"], {name: entry[name] for name in entry if name != "dimension"}
    elif value is not None:
        raise InputError(place, f"expected ratings, found {kind_of(value)}", _RATINGS)


def _preference_from(value: Any, place: str, at: At) -> Original:
    """Read the preference between the responses, and its reason."""
    if isinstance(value, str):
        if value.lstrip()[:1] != "{":
            return likert_in_lines(value, at) if entered_reason(value) else Original()
        value = parse_value(value, at(1))
    if isinstance(value, list):
        raise InputError(place, "expected a rating, found an array", _LIKERT)
    return _entry(value, place, ("likert", "rating"))


def _entry(entry: Any, place: str, ratings: tuple[str, ...] = ("rating",)) -> Original:
    """Read a rating and its reason. `ratings` are the field names that may hold the rating."""
    if isinstance(entry, Original):
        return entry
    if not isinstance(entry, Mapping):
        return Original(_words(entry, place))
    known = (*ratings, "justification")
    missing = [name for name in known if name not in entry]
    for name in [name for name in entry if name not in known][:_MOST_TYPOS]:
        if close := similar_name(name, missing):
            raise InputError(f"{place}.{name}", "unknown field", f"did you mean {close}?")
    if entry and len(missing) == len(known):
        found = f"no rating in an object with {', '.join(map(str, entry)):.60}"
        raise InputError(place, found, "rating and justification are allowed")
    reason = entry.get("justification")
    if reason is not None and not isinstance(reason, str):
        raise InputError(f"{place}.justification", f"expected text, found {kind_of(reason)}", "a string is allowed")
    rating = next((entry[name] for name in ratings if name in entry), None)
    return Original(_words(rating, f"{place}.rating"), entered_reason(reason or ""))


def _words(value: Any, place: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal | None):
        raise InputError(place, f"expected a rating, found {kind_of(value)}", "a number or text is allowed")
    return entered_rating("" if value is None else str(value))
