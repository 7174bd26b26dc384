"""Cases: what is to be judged, as frozen data that is validated once, when it is created.

A case knows nothing of files, prompts or judges. Errors name its own fields (`task`, `a`, `b`, …);
an interface with other field names renames the error.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, ValidationInfo

from ..arithmetic import plain, to_decimal
from ..errors import InputError, TooLargeError
from .base import Frozen, kind_of

MAX_TEXT_BYTES = 1_000_000
MAX_WEIGHT = Decimal(1_000_000)
MAX_WEIGHT_PLACES = 20
MAX_ID_LENGTH = 200
_SURROGATE = re.compile("[\ud800-\udfff]")


class Positional(Frozen):
    """A model whose fields can also be given by position. `kw_only=False` tells this to type checkers."""

    def __init__(self, *values: Any, **fields: Any) -> None:
        names = tuple(type(self).model_fields)
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} takes {len(names)} values, {len(values)} were given")
        super().__init__(**dict(zip(names, values, strict=False)), **fields)

    def __init_subclass__(cls, **_: bool) -> None:
        super().__init_subclass__()


class Case(Positional, ABC, kw_only=False):
    """What is to be judged. Each protocol has its own kind of case."""

    protocol: ClassVar[str]

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of characters of all texts."""

    @abstractmethod
    def without_attempts(self) -> Self:
        """Return the case without the passages that try to steer the judge."""


def checked_id(given: object, field: ValidationInfo) -> object:
    """Check an id: a whole number, or a text that is not too long."""
    if isinstance(given, str):
        found = (
            "empty" if not given
            else f"{len(given):,} characters" if len(given) > MAX_ID_LENGTH
            else "half of a surrogate pair" if _SURROGATE.search(given)
            else ""
        )  # fmt: skip
    elif isinstance(given, int) and not isinstance(given, bool):
        found = "" if abs(given) < 2**63 else "a number of more than 63 bits"
    else:
        found = f"{given} is not a whole number" if isinstance(given, float | Decimal) else kind_of(given)
    if found:
        allowed = f"a whole number, or text of 1 to {MAX_ID_LENGTH} characters"
        raise InputError(str(field.field_name), found, allowed)
    return given


def check_text(place: str, text: object, *, may_be_empty: bool = False) -> None:
    """Check that a text is valid Unicode and not too long."""
    if not isinstance(text, str):
        raise InputError(place, f"expected text, found {kind_of(text)}", "a string is allowed")
    if not may_be_empty and not text.strip():
        raise InputError(place, "empty", "at least one character that is not white space is needed")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        half = f"half of a surrogate pair (U+{ord(text[error.start]):04X}) at character {error.start}"
        raise InputError(place, half, "text must be valid Unicode") from None
    if size > MAX_TEXT_BYTES:
        raise TooLargeError(place, f"{size:,} bytes", f"at most {MAX_TEXT_BYTES:,} are allowed")


def _checked_text(text: object, field: ValidationInfo) -> object:
    check_text(str(field.field_name), text)
    return text


def _checked_any_text(text: object, field: ValidationInfo) -> object:
    check_text(str(field.field_name), text, may_be_empty=True)
    return text


Text = Annotated[str, BeforeValidator(_checked_text)]
AnyText = Annotated[str, BeforeValidator(_checked_any_text)]
# Validators run from the last to the first.
OptionalText = Annotated[AnyText, BeforeValidator(lambda given: "" if given is None else given)]


def check_weights(weights: object, criteria: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """Check the given weights and return them for all criteria, with the rubric's defaults for the rest.

    `criteria` are the rubric's keys with their default weights.
    """
    if weights is None:
        return dict(criteria)
    if not isinstance(weights, Mapping):
        raise InputError("weights", f"expected an object, found {kind_of(weights)}", "criterion: number")
    complete = dict(criteria)
    for key, value in weights.items():
        if key not in criteria:
            raise InputError(f"weights.{key}", "unknown criterion", f"one of {', '.join(criteria)}")
        complete[key] = check_weight(f"weights.{key}", value)
    if not any(complete.values()):
        raise InputError("weights", "all are zero", "at least one must be above 0")
    return complete


def check_weight(place: str, value: object) -> Decimal:
    """Check one weight: a number from 0 to a million with at most twenty decimals."""
    weight = to_decimal(value) if not isinstance(value, str) else None
    if weight is None:
        shown = repr(value) if isinstance(value, str) else json.dumps(value, default=kind_of)[:60]
        raise InputError(place, f"{shown} is not a number", "a number ≥ 0 is allowed")
    if weight < 0:
        raise InputError(place, f"{value} is negative", "a number ≥ 0 is allowed")
    exponent = weight.as_tuple().exponent
    if weight > MAX_WEIGHT or (isinstance(exponent, int) and -exponent > MAX_WEIGHT_PLACES):
        raise InputError(
            place, f"{value} is out of range", f"0 to {MAX_WEIGHT:,} with at most {MAX_WEIGHT_PLACES} decimals"
        )
    return plain(abs(weight))
