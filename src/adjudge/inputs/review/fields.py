"""Fields of a JSON object, or columns of a table → slots: the nine names, and each rating under a name of its own.

`response1_localization`, `response1_localization_justification`, `likert` and `likert_justification` fill the slots of
ratings; `review_id`, `id` or `task_id` is the review's name. Other fields are somebody's metadata and ignored, unless
they look like a typo.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from ...models.cases import Original, Review
from ...rubric import Rubric
from ..text import kind_of, similar_name
from .tables import criterion_key
from .values import FIELDS, PREFERENCE, REVIEW_ID, SLOTS, merged, slot_from

_SINGLE = re.compile(r"(response[12])_(.+?)(_rating|_justification)?")
_LIKERT = {"likert": "likert", "likert_justification": "justification"}
# The first that is given counts: a review may well have an id of its own beside that of its task.
IDS = (REVIEW_ID, "id", "task_id")


def review_from(data: Mapping[str, Any], rubric: Rubric) -> Review:
    """The review in a decoded object. Everything may be missing; what is there must be readable."""
    return merged(rubric, slots_in(data, rubric))


def slots_in(
    data: Mapping[str, Any], rubric: Rubric, given: Mapping[str, Any] | None = None, *, strict: bool = False
) -> dict[str, Any]:
    """The slots that an object fills, not yet read, and the review's id under `review_id`.

    Single ratings are joined to those in `given`, the slots that are there already. If `strict`, every field must be
    known.
    """
    slots: dict[str, Any] = {}
    singles: dict[str, dict[str, Any]] = {}
    used: dict[str, str] = {}
    others: list[str] = []
    for name, value in data.items():
        if not isinstance(name, str):
            raise InputError("slots", f"expected names of slots, found {kind_of(name)}", f"one of {', '.join(SLOTS)}")
        plain = folded(name)
        single = None if plain in FIELDS else _single(plain, rubric)
        known = plain if plain in FIELDS or plain in IDS else ".".join(single or ())
        if not known:
            others.append(name)
            continue
        if known in used:
            raise InputError(name, f"given beside {used[known]}", "one of the two is allowed")
        used[known] = name
        if plain in FIELDS:
            slots[plain] = value
        elif single:
            slot, key, part = single
            entry = singles.setdefault(slot, {})
            (entry if slot == PREFERENCE else entry.setdefault(key, {}))[part] = value
    for slot, entries in singles.items():
        if _given(slots.get(slot)) and any(map(_given, entries.values())):
            raise InputError(slot, "given beside single ratings", "one of the two is allowed")
        if slot not in slots and given and _given(given.get(slot)):
            slots[slot] = _joined(slot, given[slot], entries, rubric)
        elif not _given(slots.get(slot)):
            slots[slot] = entries
    _refuse_typos(others, slots, used, rubric, strict=strict)
    if any(known in used for known in IDS):
        slots[REVIEW_ID] = _review_id(data, used)
    return slots


def folded(name: str) -> str:
    """A name as it is compared: `RESPONSE1`, `Response1 Localization` and `likert-justification` are known names."""
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


def _joined(slot: str, there: Any, entries: Mapping[str, Any], rubric: Rubric) -> dict[str, Any]:
    """The ratings that are there, with some of them or of their reasons replaced."""
    read = slot_from(slot, there, rubric)
    if isinstance(read, Original):
        return {"likert": read.rating, "justification": read.justification, **entries}
    assert isinstance(read, Mapping)
    joined = {key: {"rating": one.rating, "justification": one.justification} for key, one in read.items()}
    for key, parts in entries.items():
        joined[key] = {**joined.get(key, {}), **parts}
    return joined


def _refuse_typos(
    names: list[str], slots: Mapping[str, Any], used: Mapping[str, str], rubric: Rubric, *, strict: bool
) -> None:
    missing = [slot for slot in SLOTS if slot not in slots]
    for name in names:
        close = _similar_single(folded(name), rubric, used) or similar_name(folded(name), missing)
        if strict:
            # A third response is not a typo of the second.
            digits = [re.findall(r"[0-9]", one) for one in (close or "", name)]
            hint = f"did you mean {close}? " if close and digits[0] == digits[1] else ""
            raise InputError(name[:80], "unknown slot", f"{hint}one of {', '.join(SLOTS)}")
        if close:
            raise InputError(name, "unknown field", f"did you mean {close}?")


def _similar_single(name: str, rubric: Rubric, used: Mapping[str, str]) -> str | None:
    """The field of its own, not given yet, that this is probably a typo of."""
    free = [likert for likert, part in _LIKERT.items() if f"{PREFERENCE}..{part}" not in used]
    if close := similar_name(name, free):
        return close
    split = _SINGLE.fullmatch(name)
    if split is None:
        return None
    # Only what follows the response is compared: all of these names begin alike.
    slot, part = f"{split[1]}_original_ratings", "justification" if split[3] == "_justification" else "rating"
    free = [criterion.key for criterion in rubric.criteria if f"{slot}.{criterion.key}.{part}" not in used]
    if close := similar_name(split[2], free):
        return f"{split[1]}_{close}{split[3] or ''}"
    return slot if slot not in used and similar_name(split[2], ["original_ratings"]) else None


def _review_id(data: Mapping[str, Any], used: Mapping[str, str]) -> int | str | None:
    """The review's name; None if every field for it is blank."""
    for known in IDS:
        if known in used and _given(value := data[used[known]]):
            try:
                return Review(review_id=value.strip() if isinstance(value, str) else value).review_id
            except InputError as error:
                raise InputError(used[known], error.found, error.allowed) from None
    return None


def _given(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_given, value.values()))
    return value is not None and (not isinstance(value, str) or bool(value.strip()))
