"""What all models share: frozen, closed to unknown fields, and exact: a number keeps every digit in JSON out and in.

`to_json` and `from_json` are the only places where a model becomes bytes and bytes become a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Self, TypeVar

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, WithJsonSchema

from ..arithmetic import plain

# What JSON lets stand as it is although a terminal may obey it, or a reader of lines may take it for a line end.
_UNESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

_KINDS = {dict: "an object", list: "an array", str: "text", bool: "true or false", type(None): "null"}


class Frozen(BaseModel):
    """The base of all models. A field may have another name in JSON; both names are read."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        serialize_by_alias=True,
        validate_by_name=True,
        validate_by_alias=True,
        hide_input_in_errors=True,
    )

    def updated(self, **changes: Any) -> Self:
        """The same with these fields changed, checked like a new one."""
        return type(self)(**{**dict(self), **changes})


def _as_number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


# A decimal number, as it stands. pydantic's own JSON has room for a float only; `to_json` writes all digits.
Exact = Annotated[Decimal, PlainSerializer(_as_number, when_used="json"), WithJsonSchema({"type": "number"})]
# The same without trailing zeros: 7.5, not 7.50.
Plain = Annotated[Exact, AfterValidator(plain)]

M = TypeVar("M", bound=BaseModel)


def to_json(document: BaseModel | Mapping[str, Any], *, indent: bool = False) -> bytes:
    """The document's JSON with a line end after it: the bytes are a function of the document alone."""
    data = document.model_dump() if isinstance(document, BaseModel) else document
    option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indent else 0)
    return escape_controls(orjson.dumps(data, default=exact_number, option=option))


def from_json(model: type[M], document: bytes | str, **fields: Any) -> M:
    """The model that was written so; `fields` are those that its JSON does not hold."""
    return model.model_validate({**json.loads(document, parse_float=Decimal), **fields})


def escape_controls(document: bytes) -> bytes:
    """The same JSON document with the characters a terminal may obey, and line ends, written as `\\uXXXX`."""
    if document.isascii() and b"\x7f" not in document:
        return document
    return _UNESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", document.decode()).encode()


def kind_of(value: object) -> str:
    """The type of a value in JSON's words, for messages."""
    if type(value) in _KINDS:
        return _KINDS[type(value)]
    return "a number" if isinstance(value, int | float | Decimal) else type(value).__name__


def absent(value: object) -> bool:
    """Whether a field is left out of the JSON: None, or nothing in it."""
    return value is None or value == ()


def exact_number(value: object) -> orjson.Fragment:
    """A decimal as a JSON number with all its digits, for `orjson.dumps(…, default=exact_number)`."""
    # A float would lose digits, a string would change the type: the number is written as it stands.
    if isinstance(value, Decimal):
        return orjson.Fragment(format(value, "f"))
    raise TypeError(f"{type(value).__name__} has no JSON form")
