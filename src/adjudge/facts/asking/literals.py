"""Which pieces of plain text a pattern cannot match without, so that a text that has none of them need not be searched.

They are read off the parsed pattern. Where that does not work, the answer is "it may match": slower, never wrong.
Those of the lexicons' own patterns are kept in a file (`keeping` writes it): reading them off takes far longer than all
else a first look at a text does.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from ..patterns import holds_any

_MOST = 80  # strings that one piece of a pattern may stand for
_SHORTEST, _LONG = 2, 5
KEPT = Path(__file__).with_name("literals.json")


def may_match(pattern: str, lowered: str) -> bool:
    """Whether a pattern, matched without case, could be found in a text that was lowered."""
    return has_any(literals(pattern), lowered)


def has_any(pieces: tuple[str, ...] | None, lowered: str) -> bool:
    """Whether a text has one of these; true of None, of which nothing is known."""
    return pieces is None or holds_any(lowered, pieces)


@cache
def literals(pattern: str) -> tuple[str, ...] | None:
    """Strings of which every match has at least one; None where there are none worth looking for."""
    kept = _kept()
    key = key_of(pattern)
    if key not in kept:
        return read_literals(pattern)
    pieces = kept[key]
    return None if pieces is None else tuple(pieces)


def key_of(pattern: str) -> str:
    """What a pattern is called in the file."""
    import hashlib  # loads OpenSSL, which not everybody needs who comes by here

    return hashlib.blake2b(pattern.encode(), digest_size=8).hexdigest()


@cache
def _kept() -> dict[str, list[str] | None]:
    kept: dict[str, list[str] | None] = json.loads(KEPT.read_text("utf-8"))
    return kept


def read_literals(pattern: str) -> tuple[str, ...] | None:
    """The same, read off the pattern."""
    try:
        parsed = importlib.import_module("re._parser").parse(pattern, 2)
        found = _needed(parsed)
    except (ImportError, AttributeError, ValueError, TypeError, RecursionError):
        return None
    if not found or min(map(_weight, found)) < _SHORTEST:
        return None
    kept: list[str] = []
    for piece in sorted(found, key=lambda piece: (len(piece), piece)):
        if not any(shorter in piece for shorter in kept):
            kept.append(piece)
    return tuple(kept)


def _needed(parsed: Iterable[Any]) -> set[str] | None:
    """The best set of strings of which one must stand in whatever the sequence matches."""
    best: set[str] | None = None
    run = {""}
    for node in parsed:
        exact = _exact(node)
        joined = None if exact is None else {a + b for a, b in product(run, exact)}
        if joined is not None and len(joined) <= _MOST:
            run = joined
            continue
        best = _better(best, run)
        run = {""} if exact is None else exact
        if exact is None:
            best = _better(best, _inside(node))
    return _better(best, run)


def _inside(node: Any) -> set[str] | None:
    name, value = str(node[0]), node[1]
    if name == "BRANCH":
        parts = [_needed(branch) for branch in value[1]]
        return None if any(part is None for part in parts) else set().union(*(part or () for part in parts))
    if name == "SUBPATTERN":
        return _needed(value[-1])
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[0] > 0:
        return _needed(value[2])
    return None


def _exact(node: Any) -> set[str] | None:
    """All strings a node can match, if they are few; what has no width matches the empty one."""
    name, value = str(node[0]), node[1]
    if name == "LITERAL":
        return {chr(value).lower()}
    if name in ("AT", "ASSERT", "ASSERT_NOT"):
        return {""}
    if name == "IN" and all(str(part[0]) == "LITERAL" for part in value):
        return {chr(part[1]).lower() for part in value}
    if name == "SUBPATTERN":
        return _sequence(value[-1])
    if name == "BRANCH":
        parts = [_sequence(branch) for branch in value[1]]
        return None if any(part is None for part in parts) else _few(set().union(*(part or () for part in parts)))
    if name in ("MAX_REPEAT", "MIN_REPEAT") and value[0] in (0, 1) and value[1] == 1:
        once = _sequence(value[2])
        return None if once is None else _few(once | ({""} if value[0] == 0 else set()))
    return None


def _sequence(parsed: Iterable[Any]) -> set[str] | None:
    joined: set[str] | None = {""}
    for node in parsed:
        exact = _exact(node)
        if joined is None or exact is None:
            return None
        joined = _few({a + b for a, b in product(joined, exact)})
    return joined


def _few(strings: set[str]) -> set[str] | None:
    return strings if len(strings) <= _MOST else None


def _better(old: set[str] | None, new: set[str] | None) -> set[str] | None:
    """The set that is met more seldom: long strings before few of them."""
    if not new or "" in new:
        return old
    if not old:
        return new
    return max((old, new), key=lambda pieces: (min(_LONG, min(map(_weight, pieces))), -len(pieces)))


def _weight(piece: str) -> int:
    """How much a piece tells: a letter of another script is as rare as two Latin ones."""
    return sum(1 if character.isascii() else 2 for character in piece)
