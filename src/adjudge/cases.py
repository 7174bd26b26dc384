"""What is to be judged, as frozen data that was checked once, on the way in.

A case knows nothing of files, prompts or judges. Errors name its own fields (`task`, `a`, `b`, …);
a door that calls them otherwise renames the error on its way out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from .arithmetic import plain, to_decimal
from .errors import InputError, TooLargeError

MAX_TEXT_BYTES = 1_000_000
MAX_WEIGHT = Decimal(1_000_000)
MAX_WEIGHT_PLACES = 20


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two answers to one task."""

    task: str
    a: str
    b: str
    context: str = ""
    weights: Mapping[str, Decimal] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place in ("task", "a", "b"):
            _check_text(place, getattr(self, place))
        _check_text("context", self.context, may_be_empty=True)

    def answer(self, label: str) -> str:
        """The text of answer `A` or `B`."""
        return self.a if label == "A" else self.b


Speaker = Literal["SYSTEM", "USER"]
MAX_TURNS = 10_000
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance, the line it was read from, and what annotators wrote beside it (which no judge ever sees)."""

    speaker: Speaker
    text: str
    line: int
    act: str | None = None
    ratings: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation between SYSTEM (the assistant) and USER (the customer)."""

    dialogue_id: int | str
    turns: tuple[Turn, ...]
    overall_ratings: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _check_id(self.dialogue_id)
        if not self.turns:
            raise InputError("dialogue", "no utterance", "at least one SYSTEM and one USER line are needed")
        if len(self.turns) > MAX_TURNS:
            raise TooLargeError("dialogue", f"{len(self.turns):,} utterances", f"at most {MAX_TURNS:,} are allowed")
        for turn in self.turns:
            # A line on which nothing was said is kept for what annotators wrote beside it.
            _check_text(f"line {turn.line}", turn.text, may_be_empty=True)
        if sum(len(turn.text) for turn in self.turns) > MAX_TEXT_BYTES:
            raise TooLargeError("dialogue", "too much text", f"at most {MAX_TEXT_BYTES:,} characters are allowed")
        speakers = {turn.speaker for turn in self.turns if turn.text.strip()}
        if not speakers:
            raise InputError("dialogue", "no utterance", "at least one SYSTEM and one USER line are needed")
        if len(speakers) < 2:
            missing = "USER" if "SYSTEM" in speakers else "SYSTEM"
            raise InputError("dialogue", f"no {missing} line", "both SYSTEM and USER must speak")


@dataclass(frozen=True, slots=True)
class Original:
    """What a person entered for one rating: its words, and the reason given. Empty means not provided."""

    rating: str = ""
    justification: str = ""

    def __bool__(self) -> bool:
        return bool(self.rating or self.justification)


@dataclass(frozen=True, slots=True)
class Review:
    """A person's side-by-side ratings of two responses, with the task they respond to.

    Everything may be missing: whether that makes the task invalid, the protocol says. Ratings stand under the rubric's
    keys; no judge ever sees them (`blind`). `review_id` is the name its owner knows it by, to join results to rows.
    """

    prompt: str = ""
    a: str = ""
    b: str = ""
    task_config: str = ""
    system_prompt: str = ""
    history: str = ""
    ratings_a: Mapping[str, Original] = field(default_factory=dict)
    ratings_b: Mapping[str, Original] = field(default_factory=dict)
    preference: Original = Original()
    review_id: int | str | None = None

    def __post_init__(self) -> None:
        for place in ("prompt", "a", "b", "task_config", "system_prompt", "history"):
            _check_text(place, getattr(self, place), may_be_empty=True)
        entered: list[tuple[str, object]] = [("preference", self.preference)]
        for place, ratings in (("ratings_a", self.ratings_a), ("ratings_b", self.ratings_b)):
            if not isinstance(ratings, Mapping):
                raise InputError(place, f"expected a mapping, found {type(ratings).__name__}", "key: Original")
            entered += [(f"{place}.{key}", given) for key, given in ratings.items()]
        for place, given in entered:
            if not isinstance(given, Original):
                found = f"expected an Original, found {type(given).__name__}"
                raise InputError(place, found, 'Original("3", "why") is allowed')
            _check_text(f"{place}.rating", given.rating, may_be_empty=True)
            _check_text(f"{place}.justification", given.justification, may_be_empty=True)
        if self.review_id is not None:
            try:
                _check_id(self.review_id)
            except InputError as error:
                raise InputError("review_id", error.found, error.allowed) from None

    def answer(self, label: str) -> str:
        """The text of response 1 (`A`) or 2 (`B`)."""
        return self.a if label == "A" else self.b

    def originals(self, label: str) -> Mapping[str, Original]:
        """What the person entered for response 1 (`A`) or 2 (`B`)."""
        return self.ratings_a if label == "A" else self.ratings_b

    @property
    def has_originals(self) -> bool:
        return bool(self.preference) or any(map(bool, (*self.ratings_a.values(), *self.ratings_b.values())))

    def blind(self) -> Review:
        """The same task without anything the person entered: all a judge may see."""
        return replace(self, ratings_a={}, ratings_b={}, preference=Original(), review_id=None)


def _check_id(given: object) -> None:
    whole = isinstance(given, int) and not isinstance(given, bool) and abs(given) < 2**63
    text = isinstance(given, str) and 0 < len(given) <= 200 and not _SURROGATE.search(given)
    if not whole and not text:
        shown = ascii(given)[:60]
        raise InputError("dialogue_id", shown, "a whole number, or text of 1 to 200 characters")


def _check_text(place: str, text: object, *, may_be_empty: bool = False) -> None:
    if not isinstance(text, str):
        raise InputError(place, f"expected text, found {type(text).__name__}", "a string is allowed")
    if not may_be_empty and not text.strip():
        raise InputError(place, "empty", "at least one character that is not white space is needed")
    # A character takes up to four bytes: encode only what could be over the limit.
    if len(text) * 4 > MAX_TEXT_BYTES and not text.isascii():
        size = len(text.encode("utf-8", "surrogatepass"))
    else:
        size = len(text)
    if size > MAX_TEXT_BYTES:
        raise TooLargeError(place, f"{size:,} bytes", f"at most {MAX_TEXT_BYTES:,} are allowed")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(
                place,
                f"half of a surrogate pair (U+{ord(text[error.start]):04X}) at character {error.start}",
                "text must be valid Unicode",
            ) from None


def check_weights(weights: object, criteria: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """All criteria with their weights: those given, the rubric's defaults for the rest.

    `criteria` are the rubric's keys with their default weights.
    """
    if weights is None:
        return dict(criteria)
    if not isinstance(weights, Mapping):
        raise InputError("weights", f"expected an object, found {type(weights).__name__}", "criterion: number")
    complete = dict(criteria)
    for key, value in weights.items():
        if key not in criteria:
            raise InputError(f"weights.{key}", "unknown criterion", f"one of {', '.join(criteria)}")
        complete[key] = check_weight(f"weights.{key}", value)
    if not any(complete.values()):
        raise InputError("weights", "all are zero", "at least one must be above 0")
    return complete


def check_weight(place: str, value: object) -> Decimal:
    """One weight: a number from 0 to a million with at most twelve decimals."""
    weight = to_decimal(value) if not isinstance(value, str) else None
    if weight is None:
        raise InputError(place, f"{value!r} is not a number", "a number ≥ 0 is allowed")
    if weight < 0:
        raise InputError(place, f"{value} is negative", "a number ≥ 0 is allowed")
    kept = _within_range(str(weight))
    if kept is None:
        raise InputError(
            place, f"{value} is out of range", f"0 to {MAX_WEIGHT:,} with at most {MAX_WEIGHT_PLACES} decimals"
        )
    return kept


@lru_cache(maxsize=256)
def _within_range(written: str) -> Decimal | None:
    """A weight in its plain form, kept: in a run the same few come again and again. As text, for 1 is not 1.000…"""
    weight = Decimal(written)
    exponent = weight.as_tuple().exponent
    if weight > MAX_WEIGHT or (isinstance(exponent, int) and -exponent > MAX_WEIGHT_PLACES):
        return None
    return plain(abs(weight))
