"""JSON as people send it to be judged: exact numbers, no key twice in an object, and errors that say the line.

It knows no case. It also calls values by JSON's names, and finds the known name that a slip of the pen was meant to be.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, NoReturn

from ..errors import InputError
from .json_keys import ONCE, twice

_SPACE = re.compile(r"[ \t\n\r]*")
_CLOSE = 0.8
_LEAST_PART = 5
_LONGEST_NAME = 80
_TOO_MUCH = "JSON that is nested too deeply or holds too long a number"


class _Refused(Exception):
    """What JSON allows and we do not: what was found, and what is allowed."""

    def __init__(self, found: str, allowed: str) -> None:
        super().__init__(found)
        self.allowed = allowed


def parse_value(text: str, place: str, wanted: str = "JSON is allowed") -> Any:
    """The one JSON value in a text; `wanted` says what should have stood there."""
    values = _parse_values(text, place, wanted, lines=False)
    if len(values) != 1:
        raise InputError(place, f"{len(values)} JSON values" if values else "no JSON", "one JSON value is allowed")
    return values[0][1]


def parse_object(raw: bytes, place: str, wanted: str) -> dict[str, Any]:
    """The one JSON object in some bytes; `wanted` says which fields it should have had."""
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        found = f"invalid UTF-8 at byte {error.start} (0x{raw[error.start]:02x})"
        raise InputError(place, found, "UTF-8 text is needed") from None
    try:
        value = _decoder().decode(text)
    except json.JSONDecodeError as error:
        found = f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        raise InputError(place, found, "one JSON object is needed") from None
    except _Refused as error:
        raise InputError(place, str(error), error.allowed) from None
    except (RecursionError, ValueError, ArithmeticError):
        raise InputError(place, _TOO_MUCH) from None
    if not isinstance(value, dict):
        raise InputError(place, f"expected an object, found {kind_of(value)}", wanted)
    return value


def parse_values(text: str, place: str) -> list[tuple[int, Any]]:
    """JSON values one after another, each with the line it begins on. Errors are at `place:line`."""
    return _parse_values(text, place, "JSON, or one JSON value a line, is allowed", lines=True)


def _parse_values(text: str, place: str, allowed: str, *, lines: bool) -> list[tuple[int, Any]]:
    at = 0
    try:
        return list(_located(text, _walk(_decoder(), text)))
    except json.JSONDecodeError as error:
        at = error.pos
        found = f"not JSON: {error.msg} at " + ("" if lines else f"line {error.lineno}, ") + f"column {error.colno}"
    except _Refused as error:
        found, allowed = str(error), error.allowed
    except (RecursionError, ValueError, ArithmeticError):
        found = _TOO_MUCH
    here = f"{place}:{text.count(chr(10), 0, at) + 1}" if lines else place
    raise InputError(here, found, allowed)


def lines_of_items(text: str) -> list[int]:
    """The lines on which the items of an array begin; the text is known to be one."""
    decoder = json.JSONDecoder()
    at, begins = _skip(text, 0) + 1, []
    while text[at := _skip(text, at)] != "]":
        begins.append(at)
        at = _skip(text, decoder.raw_decode(text, at)[1])
        at += text[at] == ","
    return [line for line, _ in _located(text, ((begin, None) for begin in begins))]


def kind_of(value: object) -> str:
    """What a value is, as JSON calls it."""
    names = {dict: "an object", list: "an array", str: "text", bool: "true or false", type(None): "null"}
    if type(value) in names:
        return names[type(value)]
    return "a number" if isinstance(value, int | float | Decimal) else type(value).__name__


def meant(name: object, known: Sequence[str]) -> str | None:
    """The name this looks like a slip of the pen for: nearly the same letters, or a part of them, or more of them."""
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return None
    if close := difflib.get_close_matches(name.lower(), known, 1, _CLOSE):
        return close[0]
    letters = re.sub(r"[\W_]+", "", name.lower())
    for one in known:
        whole = one.replace("_", "")
        if min(len(letters), len(whole)) >= _LEAST_PART and (letters in whole or whole in letters):
            return one
    return None


def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse_constant, object_pairs_hook=_each_key_once)


def _walk(decoder: json.JSONDecoder, text: str) -> Iterator[tuple[int, Any]]:
    at = _skip(text, 0)
    while at < len(text):
        value, end = decoder.raw_decode(text, at)
        yield at, value
        at = _skip(text, end)


def _located(text: str, values: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    line, counted = 1, 0
    for at, value in values:
        line += text.count("\n", counted, at)
        counted = at
        yield line, value


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise _Refused(twice(counts.most_common(1)[0][0]), ONCE)
    return read


def _refuse_constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is not a JSON number", "finite numbers are allowed")
