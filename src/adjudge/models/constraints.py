"""Demands of a task on the response, and observations in a response. The judge finds both and quotes the words.

Each quote was verified to be at `start:end` of its text. Demands are measured and enforced elsewhere.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, PlainSerializer

from .base import Frozen
from .common import Label

ConstraintKind = Literal[
    "words",
    "characters",
    "sentences",
    "paragraphs",
    "items",
    "occurrences",
    "sections",
    "highlights",
    "placeholders",
    "capital_words",
    "list",
    "table",
    "json",
    "code_block",
    "title",
    "quotation_marks",
    "first_word",
    "language",
    "must_contain",
    "must_not_contain",
    "begins_with",
    "ends_with",
    "casing",
]
Bound = Literal["exactly", "about", "at_least", "at_most", "above", "below", "between"]
Source = Literal["system_prompt", "conversation", "prompt"]
ObservationKind = Literal["declines", "cut_off", "pleasantry", "human_claim", "other_language"]

RESPONSES: dict[str, str] = {"A": "response1", "B": "response2"}
_LABELS: dict[str, Label] = {"response1": "A", "response2": "B"}


def as_label(name: Any) -> Any:
    """Convert `response1` to A and `response2` to B; return anything else unchanged."""
    return _LABELS.get(name, name) if isinstance(name, str) else name


# Which response: A or B in Python, `response1` or `response2` in JSON.
ResponseLabel = Annotated[
    Label,
    BeforeValidator(as_label, json_schema_input_type=Literal["response1", "response2"]),
    PlainSerializer(lambda label: RESPONSES[label], return_type=Literal["response1", "response2"]),
]


class Constraint(Frozen):
    """An explicit, countable demand.

    `amount` (and `most`, the upper end of "between") is for demands on counts, and the paragraph's number for
    `first_word`. `text` is the language's ISO code; the words to use, avoid or count; the word before the number of a
    section; the marks around a title; or `upper`, `lower` or `title` for casing. Unless `certain`, it is only a hint.
    """

    kind: ConstraintKind
    source: Source
    quote: str
    start: int
    end: int
    bound: Bound = "exactly"
    amount: int | None = None
    most: int | None = None
    text: str = ""
    strict: bool = False
    certain: bool = True

    @property
    def limits(self) -> tuple[int | None, int | None]:
        """The least and the greatest count that meet the demand. None is no limit."""
        amount = self.amount or 0
        if self.bound in ("at_least", "above"):
            return amount + (self.bound == "above"), None
        if self.bound in ("at_most", "below"):
            return None, amount - (self.bound == "below")
        return amount, amount if self.most is None else self.most

    @property
    def demand(self) -> tuple[object, ...]:
        """What is demanded, without its source and quote. Constraints with equal demands are duplicates."""
        return self.kind, self.bound, self.amount, self.most, self.text.casefold()


class Observation(Frozen):
    """Something a judge saw in one response, with the words that show it.

    `harmful` (if the response declines): whether the request was harmful; None if not stated. `part_missing` (if it is
    cut off): whether a required part is missing. `mild`: whether a claim to be human is a mild one.
    """

    kind: ObservationKind
    response: ResponseLabel
    quote: str
    start: int
    end: int
    harmful: bool | None = None
    part_missing: bool = False
    mild: bool = False
    certain: bool = True
