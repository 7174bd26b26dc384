"""The one reader of JSON: exact numbers, no key twice in an object, bounds, and errors that say the line.

`json_items` reads files of any size item by item, `parse_value` and `parse_object` a single value. It knows no case.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from ..errors import InputError
from .text import At, Unreadable, decode, kind_of

MAX_ITEM = 32_000_000
MAX_KEYS = 1_000
MAX_VALUES = 200_000
MAX_DEPTH = 100
MAX_DIGITS = 1_000
_SPACE = re.compile(r"[ \t\n\r]*")
_STRING_OR_SIGN = re.compile(r'"(?:[^"\\]++|\\.)*+"?+|(?P<sign>[,\[{])', re.DOTALL)
_PIECE = 65_536
# An item of too many values leaves the others, but for one this long: finding its end would build them all.
_LONG = 2_000_000
# An escape or a literal such as -Infinity may be cut in two where a piece ends.
_CUT = 10
_TOO_DEEP = Unreadable(
    "JSON that is nested too deeply or holds too long a number",
    f"at most {MAX_DEPTH} levels, and {MAX_DIGITS:,} digits, are allowed",
)
_TOO_MANY = Unreadable(f"more than {MAX_VALUES:,} JSON values in one", f"at most {MAX_VALUES:,} are allowed")
_WHOLE_FILE = "the whole file is refused: one JSON value, an array, or values one after another are needed"


class JsonItem(NamedTuple):
    """An item of a file: the line it begins on, its text, and its value (`Unreadable` where it is refused)."""

    line: int
    text: str
    value: Any


class _RefusedError(Exception):
    """Raised while parsing at something that JSON allows and we do not."""


def _check_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_KEYS:
        raise _RefusedError(f"an object of {len(pairs):,} keys", f"at most {MAX_KEYS:,} are allowed")
    read = dict(pairs)
    if len(read) < len(pairs):
        key = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise _RefusedError(f"the key {key!r:.60} appears twice in an object", "each key once")
    return read


def _refuse_constant(name: str) -> NoReturn:
    raise _RefusedError(f"{name} is not a JSON number", "finite numbers are allowed")


def _number(written: str) -> int | Decimal:
    # Many digits take long to read, and 1e999999999 is short but fills the memory where it is written out.
    number = Decimal(written) if len(written) <= MAX_DIGITS else Decimal("Infinity")
    if number.is_infinite() or abs(number.adjusted()) > MAX_DIGITS:
        raise ValueError
    return int(written) if written.lstrip("-").isdigit() else number


_STRICT = json.JSONDecoder(
    parse_float=_number, parse_int=_number, parse_constant=_refuse_constant, object_pairs_hook=_check_keys
)
# Finds where a refused value ends, so that reading can go on after it.
_LENIENT = json.JSONDecoder(parse_float=str, parse_int=str)


def parse_object(raw: bytes, place: str, wanted: str) -> dict[str, Any]:
    """The one JSON object in some bytes; `wanted` says which fields it should have."""
    value = parse_value(decode(raw, place, numbered=False), place, "one JSON object is needed")
    if not isinstance(value, dict):
        raise InputError(place, f"expected an object, found {kind_of(value)}", wanted)
    return value


def parse_value(text: str, place: str, allowed: str = "JSON is allowed") -> Any:
    """The one JSON value in a text."""
    value = parse_or_explain(text, allowed)
    if isinstance(value, Unreadable):
        raise InputError(place, value.found, value.allowed)
    return value


def parse_or_explain(text: str, allowed: str = "") -> Any:
    """The one JSON value in a text, or why it cannot be read."""
    if _has_too_many(text):
        return _TOO_MANY
    try:
        value, end = _value_at(text, _skip(text, 0))
        if (rest := _skip(text, end)) < len(text):
            raise json.JSONDecodeError("Extra data", text, rest)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text.strip() else ""
        return Unreadable(f"not JSON: {_reason(error)} at {line}column {error.colno}", allowed)
    except RecursionError:
        return _TOO_DEEP
    return value


def parse_cell(text: str, place: str) -> Any:
    """The JSON array or object in a table's cell; None where the cell holds other text."""
    value = parse_or_explain(text) if text.lstrip()[:1] in ("{", "[") else None
    if not isinstance(value, Unreadable):
        return value
    if value is _TOO_DEEP or not value.allowed:
        return None
    raise InputError(place, value.found, value.allowed)


def json_items(pieces: Iterable[str], at: At) -> Iterator[JsonItem]:
    """The items of an array, or values one after another; only one item is held in memory at a time.

    An item that we refuse is `Unreadable` and leaves the others. Text that is not JSON is an error of the whole: where
    the next item would begin is then a guess.
    """
    reader = _ItemReader(pieces)
    try:
        yield from reader.items()
    except json.JSONDecodeError as error:
        reader.advance(error.pos)
        found = f"not JSON: {_reason(error)} at column {reader.column}"
        raise InputError(at(reader.line), found, _WHOLE_FILE) from None
    except RecursionError:
        raise InputError(at(reader.line), _TOO_DEEP.found, _TOO_DEEP.allowed) from None


def member_of(item: JsonItem, key: str) -> JsonItem:
    """The value of a key of an object that was read, with the line it begins on and its text."""
    text = item.text
    at = _skip(text, _skip(text, 0) + 1)
    while True:
        name, end = _LENIENT.raw_decode(text, at)
        at = _skip(text, _skip(text, end) + 1)
        _, end = _LENIENT.raw_decode(text, at)
        if name == key:
            return JsonItem(item.line + text.count("\n", 0, at), text[at:end], item.value[key])
        at = _skip(text, _skip(text, end) + 1)


class _ItemReader:
    """Parses items out of a text that comes in pieces; `line` and `column` are those of the place `at` in it."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self.text, self.at = "", 0
        self.line, self.column = 1, 1
        # A text that comes whole is read in pieces too: what follows an item does not count with it.
        self._pieces = (piece[at : at + _PIECE] for piece in pieces for at in range(0, len(piece), _PIECE))

    def items(self) -> Iterator[JsonItem]:
        in_array = self._next_sign() == "["
        self.advance(self.at + in_array)
        first = True
        while sign := self._next_sign():
            if in_array and sign == "]":
                self.advance(self.at + 1)
                if self._next_sign():
                    raise json.JSONDecodeError("Extra data", self.text, self.at)
                return
            if in_array and not first:
                if sign != ",":
                    raise json.JSONDecodeError("Expecting ',' delimiter", self.text, self.at)
                self.advance(self.at + 1)
                self._next_sign()
            first = False
            value, end = self._value()
            yield JsonItem(self.line, self.text[self.at : end], value)
            self.advance(end)
        if in_array:
            raise json.JSONDecodeError("the array is not closed", self.text, self.at)

    def advance(self, to: int) -> None:
        """Go on to a place in the text."""
        if lines := self.text.count("\n", self.at, to):
            self.line += lines
            self.column = to - self.text.rfind("\n", self.at, to)
        else:
            self.column += to - self.at
        self.at = to

    def _value(self) -> tuple[Any, int]:
        while True:
            try:
                value, end = _value_at(self.text, self.at)
                # A number that ends where the text ends may go on in the next piece; so may `1.` and `1e+`.
                if end < len(self.text) - _CUT or not self._read_more():
                    return value, end
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos >= len(self.text) - _CUT
                if not cut or not self._read_more():
                    raise

    def _next_sign(self) -> str:
        """The next character that is not white space; nothing at the end."""
        while True:
            self.advance(_skip(self.text, self.at))
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._read_more():
                return ""

    def _read_more(self) -> bool:
        """Drop what was read, and double what is left: parsing it again and again stays cheap."""
        kept = self.text[self.at :]
        if len(kept) > MAX_ITEM:
            raise json.JSONDecodeError(f"an item of more than {MAX_ITEM:,} characters", self.text, self.at)
        if len(kept) > _LONG and _has_too_many(kept):
            raise json.JSONDecodeError(f"an item of more than {MAX_VALUES:,} values", self.text, self.at)
        parts: list[str] = []
        size = 0
        while size < max(_PIECE, len(kept)) and (piece := next(self._pieces, "")):
            parts.append(piece)
            size += len(piece)
        if parts:
            self.text, self.at = kept + "".join(parts), 0
        return bool(parts)


def _value_at(text: str, at: int) -> tuple[Any, int]:
    """The value at a place and where it ends; `Unreadable` where it is JSON that we refuse."""
    try:
        value, end = _STRICT.raw_decode(text, at)
        return _problem(value) or value, end
    except json.JSONDecodeError:
        raise
    except _RefusedError as error:
        problem = Unreadable(*error.args)
    except (ValueError, ArithmeticError):
        problem = _TOO_DEEP
    return problem, _LENIENT.raw_decode(text, at)[1]


def _has_too_many(text: str) -> bool:
    """Whether a text has too many JSON values, told before any is made: each takes far more than its bytes."""
    if sum(map(text.count, ",[{")) < MAX_VALUES:
        return False
    outside = (match for match in _STRING_OR_SIGN.finditer(text) if match["sign"])
    return next(islice(outside, MAX_VALUES - 1, None), None) is not None


def _problem(value: Any) -> Unreadable | None:
    """Why a value is refused after all: it has too many levels or values."""
    level, values = [value], 1
    for _ in range(MAX_DEPTH):
        level = [
            child
            for part in level
            if isinstance(part, dict | list)
            for child in (part.values() if isinstance(part, dict) else part)
        ]
        values += len(level)
        if not level:
            return None
        if values > MAX_VALUES:
            return _TOO_MANY
    return _TOO_DEEP


def _reason(error: json.JSONDecodeError) -> str:
    # Some of the parser's messages end with the "at" of the place.
    return error.msg.removesuffix(" at")


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
