"""Fields of a JSON object, or columns of a table → slots: the nine names, and each rating under a name of its own.

`response1_localization`, `response1_localization_justification` and `likert`, `likert_justification` fill the slots of
ratings; `review_id`, `id` or `task_id` is the review's name. Other fields are somebody's metadata and left alone,
unless they look like a slip of the pen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..cases import Original, Review
from ..errors import InputError
from ..rubric import Rubric
from .json import kind_of, meant
from .slots_dimensions import criterion_key
from .slots_values import FIELDS, PREFERENCE, REVIEW_ID, SLOTS, merged, slot_from

_SINGLE = re.compile(r"(response[12])_(.+?)(_rating|_justification)?")
_LIKERT = {"likert": "likert", "likert_justification": "justification"}
# The first that is given counts: a review may well have an id of its own beside that of its task.
_IDS = (REVIEW_ID, "id", "task_id")


def review_from(data: Mapping[str, Any], rubric: Rubric) -> Review:
    """The review in a decoded object. Everything may be missing; what is there must be readable."""
    return merged(rubric, slots_in(data, rubric))


def slots_in(
    data: Mapping[str, Any], rubric: Rubric, given: Mapping[str, Any] | None = None, *, strict: bool = False
) -> dict[str, Any]:
    """The slots that an object fills, not yet read, and the review's id under `review_id`.

    Single ratings are joined to those in `given`, the slots there already. Strictly, every field must be known.
    """
    slots: dict[str, Any] = {}
    singles: dict[str, dict[str, Any]] = {}
    used: dict[str, str] = {}
    ids: dict[str, str] = {}
    others: list[str] = []
    for name, value in data.items():
        if not isinstance(name, str):
            raise InputError("slots", f"expected names of slots, found {kind_of(name)}", f"one of {', '.join(SLOTS)}")
        plain = folded(name)
        if plain in FIELDS:
            _once(used, plain, name)
            slots[plain] = value
        elif single := _single(plain, rubric):
            slot, key, part = single
            _once(used, f"{slot}.{key}.{part}", name)
            entry = singles.setdefault(slot, {})
            if slot == PREFERENCE:
                entry[part] = value
            else:
                entry.setdefault(key, {})[part] = value
        elif plain in _IDS:
            _once(ids, plain, name)
        else:
            others.append(name)
    for slot, entries in singles.items():
        if _given(slots.get(slot)) and any(map(_given, entries.values())):
            raise InputError(slot, "stands beside single ratings", "one of the two is allowed")
        if slot not in slots and given and _given(given.get(slot)):
            slots[slot] = _joined(slot, given[slot], entries, rubric)
        elif not _given(slots.get(slot)):
            slots[slot] = entries
    missing = [slot for slot in SLOTS if slot not in slots]
    for name in others:
        close = _single_meant(folded(name), rubric, used) or meant(folded(name), missing)
        if strict:
            # A third response is not a slip for the second.
            hint = f"did you mean {close}? " if close and _digits(close) == _digits(name) else ""
            raise InputError(name[:80], "unknown slot", f"{hint}one of {', '.join(SLOTS)}")
        if close:
            raise InputError(name, "unknown field", f"did you mean {close}?")
    if ids:
        slots[REVIEW_ID] = _review_id(data, ids)
    return slots


def _review_id(data: Mapping[str, Any], ids: Mapping[str, str]) -> int | str | None:
    """The review's name; None if every field for it is blank."""
    for known in _IDS:
        if known not in ids or not _given(value := data[ids[known]]):
            continue
        own = value.strip() if isinstance(value, str) else value
        try:
            return Review(review_id=own).review_id
        except InputError as error:
            raise InputError(ids[known], error.found, error.allowed) from None
    return None


def _joined(slot: str, there: Any, entries: Mapping[str, Any], rubric: Rubric) -> dict[str, Any]:
    """The ratings that are there, with some of them or of their reasons set anew."""
    read = slot_from(slot, there, rubric)
    if isinstance(read, Original):
        return {"likert": read.rating, "justification": read.justification, **entries}
    assert isinstance(read, Mapping)
    joined = {key: {"rating": one.rating, "justification": one.justification} for key, one in read.items()}
    for key, parts in entries.items():
        joined[key] = {**joined.get(key, {}), **parts}
    return joined


def folded(name: str) -> str:
    """A name as it is compared: `RESPONSE1`, `Response1 Localization` and `likert-justification` are well known."""
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _single(name: str, rubric: Rubric) -> tuple[str, str, str] | None:
    """The slot, the criterion and the part (its rating or its reason) that a field of its own is for."""
    if name in _LIKERT:
        return PREFERENCE, "", _LIKERT[name]
    split = _SINGLE.fullmatch(name)
    key = criterion_key(split[2], rubric) if split else None
    if split is None or key is None:
        return None
    return f"{split[1]}_original_ratings", key, "justification" if split[3] == "_justification" else "rating"


def _single_meant(name: str, rubric: Rubric, used: Mapping[str, str]) -> str | None:
    """The field of its own, not given yet, that this was meant to be."""
    if close := meant(name, [likert for likert, part in _LIKERT.items() if f"{PREFERENCE}..{part}" not in used]):
        return close
    split = _SINGLE.fullmatch(name)
    if split is None:
        return None
    # Only what follows the response is compared: all of these names begin alike.
    slot, part = f"{split[1]}_original_ratings", "justification" if split[3] == "_justification" else "rating"
    free = [criterion.key for criterion in rubric.criteria if f"{slot}.{criterion.key}.{part}" not in used]
    if close := meant(split[2], free):
        return f"{split[1]}_{close}{split[3] or ''}"
    return slot if slot not in used and meant(split[2], ["original_ratings"]) else None


def _digits(name: str) -> list[str]:
    return re.findall(r"[0-9]", name)


def _once(used: dict[str, str], slot: str, name: str) -> None:
    if slot in used:
        raise InputError(name, f"stands beside {used[slot]}", "one of the two is allowed")
    used[slot] = name


def _given(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_given, value.values()))
    return value is not None and (not isinstance(value, str) or bool(value.strip()))
