"""Reads JSON with exact numbers, size limits, no duplicate keys, and errors that name the line.

`json_items` reads files of any size item by item; `parse_value` and `parse_object` read a single value.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from ..errors import InputError
from ..text.decoding import decode
from .text import At, Unreadable, kind_of

MAX_ITEM = 32_000_000
MAX_KEYS = 1_000
MAX_VALUES = 200_000
MAX_DEPTH = 100
MAX_DIGITS = 1_000
_SPACE = re.compile(r"[ \t\n\r]*")
_STRING_OR_SIGN = re.compile(r'"(?:[^"\\]++|\\.)*+"?+|(?P<sign>[,\[{])', re.DOTALL)
_PIECE = 65_536
# If an item with too many values is longer than this, the whole file is refused: finding its end would build them all.
_LONG = 2_000_000
# The end of a piece may cut an escape or a literal such as -Infinity in two.
_CUT = 10
_TOO_DEEP = Unreadable(
    "JSON that is nested too deeply or holds too long a number",
    f"at most {MAX_DEPTH} levels, and {MAX_DIGITS:,} digits, are allowed",
)
_TOO_MANY = Unreadable(f"more than {MAX_VALUES:,} JSON values in one document", f"at most {MAX_VALUES:,} are allowed")
_WHOLE_FILE = "the whole file is refused: one JSON value, an array, or values one after another are needed"


class JsonItem(NamedTuple):
    """An item of a file: the line it begins on, its text, and its value (`Unreadable` if it is refused)."""

    line: int
    text: str
    value: Any


class _RefusedError(Exception):
    """Raised by the parser for input that JSON allows and we do not."""


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
    # Many digits take long to parse, and 1e999999999 is short but fills the memory when it is written out.
    number = Decimal(written) if len(written) <= MAX_DIGITS else Decimal("Infinity")
    if number.is_infinite() or abs(number.adjusted()) > MAX_DIGITS:
        raise ValueError
    return int(written) if written.lstrip("-").isdigit() else number


_STRICT = json.JSONDecoder(
    parse_float=_number, parse_int=_number, parse_constant=_refuse_constant, object_pairs_hook=_check_keys
)
# As logs are written: what is not a number is null.
_LENIENT_NUMBERS = json.JSONDecoder(
    parse_float=_number, parse_int=_number, parse_constant=lambda _: None, object_pairs_hook=_check_keys
)
# Finds the end of a refused value, so that reading can continue after it.
_LENIENT = json.JSONDecoder(parse_float=str, parse_int=str)


def parse_object(raw: bytes, place: str, wanted: str) -> dict[str, Any]:
    """Parse bytes that hold one JSON object. `wanted` tells the user which fields it should have."""
    value = parse_or_explain(decode(raw, place, numbered=False), "one JSON object is needed", numbered=True)
    if isinstance(value, Unreadable):
        raise InputError(place, value.found, value.allowed)
    if not isinstance(value, dict):
        raise InputError(place, f"expected an object, found {kind_of(value)}", wanted)
    return value


def parse_value(text: str, place: str, allowed: str = "valid JSON is needed") -> Any:
    """Parse a text that holds one JSON value. Raise InputError if it cannot be parsed."""
    value = parse_or_explain(text, allowed)
    if isinstance(value, Unreadable):
        raise InputError(place, value.found, value.allowed)
    return value


def parse_or_explain(text: str, allowed: str = "", *, numbered: bool = False) -> Any:
    """Parse a text that holds one JSON value. Return `Unreadable` with the reason if it cannot be parsed.

    The reason names the column, and the line if there are several or if lines are `numbered`.
    """
    if _has_too_many(text):
        return _TOO_MANY
    try:
        value, end = _value_at(text, _skip(text, 0))
        if (rest := _skip(text, end)) < len(text):
            raise json.JSONDecodeError("Extra data", text, rest)
    except json.JSONDecodeError as error:
        at = _before_line_ends(text, error.pos)
        line = f"line {text.count(chr(10), 0, at) + 1}, " if numbered or "\n" in text.strip() else ""
        column = at - text.rfind("\n", 0, at)
        return Unreadable(f"not JSON: {_reason(error)} at {line}column {column}", allowed)
    except RecursionError:
        return _TOO_DEEP
    return value


def parse_cell(text: str, place: str) -> Any:
    """Parse the JSON array or object in a table cell. Return None if the cell holds other text."""
    value = parse_or_explain(text) if text.lstrip()[:1] in ("{", "[") else None
    if not isinstance(value, Unreadable):
        return value
    if value is _TOO_DEEP or not value.allowed:
        return None
    raise InputError(place, value.found, value.allowed)


def parse_list(text: str, place: str) -> list[Any] | None:
    """Parse the list in a table cell: a JSON array, or texts as Python writes them (`['a', 'b']`), which is what pandas
    puts into CSV. Return None if the cell holds other text."""
    if not text.lstrip().startswith("["):
        return None
    value = parse_cell(text, place)
    if value is None and len(text) <= MAX_ITEM:
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
        if not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            return None
    return value if isinstance(value, list) else None


def text_parts(content: object) -> list[str] | None:
    """Return the texts in a message's content, without images and tool calls, or None if it is not such content."""
    if content is None or isinstance(content, str):
        return [content or ""]
    if not isinstance(content, list):
        return None
    found = [part.get("text") or part.get("refusal") if isinstance(part, Mapping) else part for part in content]
    texts = [part for part in found if isinstance(part, str)]
    return texts if all(part is None or isinstance(part, str) for part in found) else None


def json_items(pieces: Iterable[str], at: At) -> Iterator[JsonItem]:
    """Yield the items of an array, or values one after another, with only one item in memory at a time.

    A refused item becomes `Unreadable` and the next one is read. Text that is not JSON raises InputError for the whole
    file, because the start of the next item is unknown.
    """
    reader = _ItemReader(pieces)
    try:
        yield from reader.items()
    except json.JSONDecodeError as error:
        reader.advance(max(reader.at, _before_line_ends(reader.text, error.pos)))
        found = f"not JSON: {_reason(error)} at column {reader.column}"
        raise InputError(at(reader.line), found, _WHOLE_FILE) from None
    except RecursionError:
        raise InputError(at(reader.line), _TOO_DEEP.found, _TOO_DEEP.allowed) from None


def nested_items(pieces: Iterable[str], at: At, path: Sequence[str]) -> Iterator[tuple[str, JsonItem]]:
    """Yield the items of the array at `path` inside one large object, with only one of them in memory at a time.

    Each comes with the name "". The members before the array come with theirs, such as `eval`; what follows the array
    is not read. NaN, which Python's own writer allows, is null here.
    """
    reader = _ItemReader(pieces, _LENIENT_NUMBERS)
    try:
        yield from reader.nested(path)
    except json.JSONDecodeError as error:
        reader.advance(error.pos)
        found = f"not JSON: {_reason(error)} at column {reader.column}"
        raise InputError(at(reader.line), found, "a whole file is needed") from None
    except RecursionError:
        raise InputError(at(reader.line), _TOO_DEEP.found, _TOO_DEEP.allowed) from None


def member_of(item: JsonItem, key: str) -> JsonItem:
    """Return the value of a key in a parsed object, with the line it begins on and its text."""
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
    """Parses items from a text that comes in pieces. `line` and `column` describe the position `at`."""

    def __init__(self, pieces: Iterable[str], decoder: json.JSONDecoder = _STRICT) -> None:
        self.text, self.at = "", 0
        self._decoder = decoder
        self.line, self.column = 1, 1
        # Split a long text into pieces too, so that the text after an item does not count towards the item's limits.
        self._pieces = (piece[at : at + _PIECE] for piece in pieces for at in range(0, len(piece), _PIECE))

    def nested(self, path: Sequence[str]) -> Iterator[tuple[str, JsonItem]]:
        """Yield the members of an object until the array at `path`, then that array's items under the name ""."""
        self._expect("{")
        while self._next_sign() not in ("", "}"):
            name, end = self._value()
            self.advance(end)
            self._expect(":")
            sign = self._next_sign()
            if name == path[0] and len(path) > 1 and sign == "{":
                yield from ((f"{name}.{inner}" if inner else "", item) for inner, item in self.nested(path[1:]))
                return
            if name == path[0] and len(path) == 1 and sign == "[":
                yield from (("", item) for item in self.items(alone=False))
                return
            value, end = self._value()
            yield str(name), JsonItem(self.line, self.text[self.at : end], value)
            self.advance(end)
            if self._next_sign() not in (",", "}"):
                raise json.JSONDecodeError("Expecting ',' delimiter", self.text, self.at)
            if self._next_sign() == ",":
                self.advance(self.at + 1)

    def _expect(self, sign: str) -> None:
        if self._next_sign() != sign:
            raise json.JSONDecodeError(f"Expecting {sign!r}", self.text, self.at)
        self.advance(self.at + 1)

    def items(self, *, alone: bool = True) -> Iterator[JsonItem]:
        """Yield the items of an array, or values one after another; something may follow the array if not `alone`."""
        in_array = self._next_sign() == "["
        self.advance(self.at + in_array)
        first = True
        while sign := self._next_sign():
            if in_array and sign == "]":
                self.advance(self.at + 1)
                if alone and self._next_sign():
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
        """Move to a position in the text, and update line and column."""
        if lines := self.text.count("\n", self.at, to):
            self.line += lines
            self.column = to - self.text.rfind("\n", self.at, to)
        else:
            self.column += to - self.at
        self.at = to

    def _value(self) -> tuple[Any, int]:
        while True:
            try:
                value, end = _value_at(self.text, self.at, self._decoder)
                # A number at the end of the text may continue in the next piece; so may `1.` and `1e+`.
                if end < len(self.text) - _CUT or not self._read_more():
                    return value, end
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos >= len(self.text) - _CUT
                if not cut or not self._read_more():
                    raise

    def _next_sign(self) -> str:
        """Skip white space and return the next character, or "" at the end."""
        while True:
            self.advance(_skip(self.text, self.at))
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._read_more():
                return ""

    def _read_more(self) -> bool:
        """Drop the text already read and at least double the rest, so that parsing it again stays cheap."""
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


def _value_at(text: str, at: int, decoder: json.JSONDecoder = _STRICT) -> tuple[Any, int]:
    """Return the value at a position and its end. The value is `Unreadable` if it is JSON that we refuse."""
    try:
        value, end = decoder.raw_decode(text, at)
        return _problem(value) or value, end
    except json.JSONDecodeError:
        raise
    except _RefusedError as error:
        problem = Unreadable(*error.args)
    except (ValueError, ArithmeticError):
        problem = _TOO_DEEP
    return problem, _LENIENT.raw_decode(text, at)[1]


def _has_too_many(text: str) -> bool:
    """Check for too many JSON values. Done before parsing, because parsed values take far more memory than text."""
    if sum(map(text.count, ",[{")) < MAX_VALUES:
        return False
    outside = (match for match in _STRING_OR_SIGN.finditer(text) if match["sign"])
    return next(islice(outside, MAX_VALUES - 1, None), None) is not None


def _problem(value: Any) -> Unreadable | None:
    """Return why a parsed value is refused (too many levels or too many values), or None."""
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
    # Some of the parser's messages end with "at", because it appends the position to them.
    return error.msg.removesuffix(" at")


def _before_line_ends(text: str, at: int) -> int:
    """Return the position, but not after the last line of a text that was cut off."""
    return min(at, len(text.rstrip("\r\n")))


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
