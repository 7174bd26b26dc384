"""The base of all models: frozen, without unknown fields, and exact (numbers keep every digit when written and read).

Only `to_json` turns a model into bytes, and only `from_json` turns bytes into a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Self, TypeVar

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, WithJsonSchema

from ..arithmetic import plain

# Characters that JSON need not escape, but that a terminal may interpret or a line reader take for a line end.
_UNESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

_KINDS = {dict: "an object", list: "an array", str: "text", bool: "true or false", type(None): "null"}


class Frozen(BaseModel):
    """The base of all models. A field may have another name in JSON; both names are accepted as input."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        serialize_by_alias=True,
        validate_by_name=True,
        validate_by_alias=True,
        hide_input_in_errors=True,
    )

    def updated(self, **changes: Any) -> Self:
        """Return a copy with these fields changed and validated. Cached properties are not copied."""
        return type(self)(**{name: getattr(self, name) for name in type(self).model_fields} | changes)


def as_number(value: Decimal) -> int | float:
    """Return an exact number as a JSON number."""
    return int(value) if value == value.to_integral_value() else float(value)


# A decimal number, unchanged. pydantic's own JSON writes it as a float; `to_json` writes all digits.
Exact = Annotated[Decimal, PlainSerializer(as_number, when_used="json"), WithJsonSchema({"type": "number"})]
# The same without trailing zeros: 7.5, not 7.50.
Plain = Annotated[Exact, AfterValidator(plain)]

# An exact fraction, written as "22/3".
ExactRatio = Annotated[Fraction, PlainSerializer(str), WithJsonSchema({"type": "string", "examples": ["22/3"]})]

M = TypeVar("M", bound=BaseModel)


def to_json(document: BaseModel | Mapping[str, Any], *, indent: bool = False) -> bytes:
    """Serialize a document to JSON with a line end. Equal documents always give the same bytes."""
    data = document.model_dump() if isinstance(document, BaseModel) else document
    option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indent else 0)
    return escape_controls(orjson.dumps(data, default=exact_number, option=option))


def from_json(model: type[M], document: bytes | str, **fields: Any) -> M:
    """Parse a model from its JSON; `fields` are those that the JSON does not hold."""
    return model.model_validate({**json.loads(document, parse_float=Decimal), **fields})


def escape_controls(document: bytes) -> bytes:
    """Escape as `\\uXXXX` the characters in a JSON document that a terminal may interpret, and line ends."""
    if document.isascii() and b"\x7f" not in document:
        return document
    return _UNESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", document.decode()).encode()


def kind_of(value: object) -> str:
    """Name the type of a value in JSON's terms, for messages."""
    if type(value) in _KINDS:
        return _KINDS[type(value)]
    return "a number" if isinstance(value, int | float | Decimal) else type(value).__name__


def absent(value: object) -> bool:
    """Check whether a field is left out of the JSON, because it is None or empty."""
    return value is None or value == ()


def exact_number(value: object) -> orjson.Fragment:
    """Serialize a decimal with all its digits, for `orjson.dumps(…, default=exact_number)`."""
    # A float would lose digits and a string would change the type, so the digits are written unquoted.
    if isinstance(value, Decimal):
        return orjson.Fragment(format(value, "f"))
    raise TypeError(f"{type(value).__name__} has no JSON form")
