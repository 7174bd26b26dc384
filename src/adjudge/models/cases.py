"""Cases: what is to be judged, as frozen data that is validated once, when it is created.

A case knows nothing of files, prompts or judges. Errors name its own fields (`task`, `a`, `b`, …);
an interface with other field names renames the error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from ..arithmetic import plain, to_decimal
from ..errors import InputError, TooLargeError
from .base import Frozen, kind_of

MAX_TEXT_BYTES = 1_000_000
MAX_WEIGHT = Decimal(1_000_000)
MAX_WEIGHT_PLACES = 20
MAX_TURNS = 10_000
MAX_RATING = 999
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


def _checked_id(given: object, field: ValidationInfo) -> object:
    if given is None and field.field_name == "review_id":
        return given
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


def _check_text(place: str, text: object, *, may_be_empty: bool = False) -> None:
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
    _check_text(str(field.field_name), text)
    return text


def _checked_any_text(text: object, field: ValidationInfo) -> object:
    _check_text(str(field.field_name), text, may_be_empty=True)
    return text


def _check_ratings(place: str, ratings: tuple[int, ...]) -> None:
    for rating in ratings:
        if abs(rating) > MAX_RATING:
            raise InputError(place, f"{rating!s:.20} is not a rating", f"{-MAX_RATING} to {MAX_RATING} is allowed")


_Text = Annotated[str, BeforeValidator(_checked_text)]
_AnyText = Annotated[str, BeforeValidator(_checked_any_text)]
# Validators run from the last to the first.
_OptionalText = Annotated[_AnyText, BeforeValidator(lambda given: "" if given is None else given)]


class Comparison(Positional, kw_only=False):
    """Two answers to one task."""

    task: _Text
    a: _Text
    b: _Text
    context: _OptionalText = ""
    weights: Annotated[dict[str, Decimal], BeforeValidator(lambda given: given or {})] = Field(default_factory=dict)

    def answer(self, label: str) -> str:
        """Return the text of answer `A` or `B`."""
        return self.a if label == "A" else self.b

    @property
    def size(self) -> int:
        """The number of characters of all texts."""
        return sum(map(len, (self.task, self.a, self.b, self.context)))


Speaker = Literal["SYSTEM", "USER"]


class Turn(Positional, kw_only=False):
    """One utterance, its line in the input, and the annotators' notes on it (which no judge ever sees)."""

    speaker: Speaker
    text: str
    line: int
    act: str | None = None
    ratings: tuple[int, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _texts_are_text(cls, given: Any) -> Any:
        # A line without an utterance is kept for its annotations, so the text may be empty.
        for text in (given.get("text", ""), given.get("act") or "") if isinstance(given, Mapping) else ():
            _check_text(f"line {given.get('line')}", text, may_be_empty=True)
        return given

    def model_post_init(self, _: Any) -> None:
        _check_ratings(f"line {self.line}", self.ratings)


class Dialogue(Positional, kw_only=False):
    """A conversation between SYSTEM (the assistant) and USER (the customer)."""

    dialogue_id: Annotated[int | str, BeforeValidator(_checked_id)]
    turns: tuple[Turn, ...]
    overall_ratings: tuple[int, ...] = ()

    def model_post_init(self, _: Any) -> None:
        _check_ratings("overall_ratings", self.overall_ratings)
        if len(self.turns) > MAX_TURNS:
            raise TooLargeError("dialogue", f"{len(self.turns):,} utterances", f"at most {MAX_TURNS:,} are allowed")
        if self.size > MAX_TEXT_BYTES:
            raise TooLargeError("dialogue", "too much text", f"at most {MAX_TEXT_BYTES:,} characters are allowed")
        speakers = {turn.speaker for turn in self.turns if turn.text.strip()}
        if not speakers:
            raise InputError("dialogue", "no utterance", "at least one SYSTEM and one USER line are needed")
        if len(speakers) < 2:
            missing = "USER" if "SYSTEM" in speakers else "SYSTEM"
            raise InputError("dialogue", f"no {missing} line", "both SYSTEM and USER must speak")

    @property
    def size(self) -> int:
        """The number of characters of all utterances."""
        return sum(len(turn.text) for turn in self.turns)


class Original(Positional, kw_only=False):
    """What a person entered for one rating: the rating as text, and the justification. Empty means not provided."""

    rating: _AnyText = ""
    justification: _AnyText = ""

    def __bool__(self) -> bool:
        return bool(self.rating or self.justification)


def _originals(given: object, field: ValidationInfo) -> dict[str, Original]:
    place = field.field_name
    if not isinstance(given, Mapping):
        raise InputError(str(place), f"expected a mapping, found {kind_of(given)}", "key: Original")
    for key in given:
        if not isinstance(key, str):
            raise InputError(f"{place}.{key!s:.60}", f"expected text, found {kind_of(key)}", "the key of a dimension")
    return {key: _original(entered, f"{place}.{key}") for key, entered in given.items()}


def _original(given: object, place: str = "preference") -> Original:
    if isinstance(given, Mapping) and given.keys() <= {"rating", "justification"}:
        return Original(**given)
    if not isinstance(given, Original):
        found = f"expected an Original, found {kind_of(given)}"
        raise InputError(place, found, 'Original("3", "why") is allowed')
    return given


_Originals = Annotated[dict[str, Original], BeforeValidator(_originals)]


class Review(Positional, kw_only=False):
    """A person's side-by-side ratings of two responses, with the task they respond to.

    Any field may be missing; the protocol decides whether that makes the task invalid. Ratings are stored under the
    rubric's keys, and no judge ever sees them (`blind`). `review_id` is the owner's id, to join results to rows.
    """

    prompt: _AnyText = ""
    a: _AnyText = ""
    b: _AnyText = ""
    task_config: _AnyText = ""
    system_prompt: _AnyText = ""
    history: _AnyText = ""
    ratings_a: _Originals = Field(default_factory=dict)
    ratings_b: _Originals = Field(default_factory=dict)
    preference: Annotated[Original, BeforeValidator(_original)] = Original()
    review_id: Annotated[int | str | None, BeforeValidator(_checked_id)] = None

    def answer(self, label: str) -> str:
        """Return the text of response 1 (`A`) or 2 (`B`)."""
        return self.a if label == "A" else self.b

    def originals(self, label: str) -> Mapping[str, Original]:
        """Return what the person entered for response 1 (`A`) or 2 (`B`)."""
        return self.ratings_a if label == "A" else self.ratings_b

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the task that a judge is shown."""
        return self.a, self.b, self.prompt, self.system_prompt, self.history, self.task_config

    @property
    def size(self) -> int:
        """The number of characters of these texts."""
        return sum(map(len, self.texts))

    @property
    def has_originals(self) -> bool:
        return bool(self.preference) or any(map(bool, (*self.ratings_a.values(), *self.ratings_b.values())))

    def blind(self) -> Review:
        """Return the task without the person's ratings and id: all that a judge may see."""
        return self.updated(ratings_a={}, ratings_b={}, preference=Original(), review_id=None)


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
