"""Finds the known name that a wrong one is probably a typo of, for messages that ask "did you mean …?"."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

_SIMILAR = 0.78
_SHORTEST_PART = 5
_SHORTEST_TURNED = 4
_LONGEST_NAME = 80


def closest(name: str, known: Iterable[str], similar: float = _SIMILAR) -> str | None:
    """Return the known name with the most similar letters, or the same ones in another order; None if none is near."""
    if len(name) > _LONGEST_NAME:
        return None
    names = [*known]
    found = difflib.get_close_matches(name, names, 1, similar)
    turned = [one for one in names if len(name) >= _SHORTEST_TURNED and sorted(one) == sorted(name)]
    return next(iter((*found, *turned)), None)


def similar_name(name: object, known: Sequence[str]) -> str | None:
    """Return the known name that `name` is probably a typo of (similar letters, or one contains the other), or None."""
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return None
    by_letters = {one.lower(): one for one in reversed(known)}
    if close := closest(name.lower(), by_letters):
        return by_letters[close]
    letters = re.sub(r"[\W_]+", "", name.lower())
    for one in known:
        whole = one.replace("_", "").lower()
        if min(len(letters), len(whole)) >= _SHORTEST_PART and (letters in whole or whole in letters):
            return one
    return None


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return the question with the known name that is probably meant, and a space; empty if none is near."""
    close = similar_name(name, known)
    return f"did you mean {close}? " if close else ""
