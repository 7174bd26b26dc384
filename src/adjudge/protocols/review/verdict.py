"""The result of a review: the blind ratings, how rules and facts changed them, and what became of the person's ratings.

In JSON the two responses are `response1` and `response2`; in Python they are A and B.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, WrapSerializer, model_validator

from ...models.base import Exact, Frozen, absent
from ...models.calibration import Calibrated
from ...models.common import (
    LABELS,
    Call,
    Fact,
    Label,
    MemberScores,
    Opinion,
    Provenance,
    Quoted,
    Rechecked,
    Stages,
    Tokens,
    Warning,
)
from ...models.constraints import RESPONSES, Constraint, Observation, as_label
from ...models.verdict import Verdict
from .case import Original, Review

TaskType = Literal[
    "coding",
    "classification",
    "extraction",
    "summarization",
    "rewrite",
    "translation",
    "open_qa",
    "closed_qa",
    "creative",
    "other",
]


class Passage(Frozen):
    """A quote at `start:end` of the response."""

    quote: str
    start: int
    end: int


class Rating(Frozen):
    """A judge's rating of one criterion for one response.

    `assessed` is False if the judge says that it cannot tell; then the person's rating is not changed. `rule` names the
    rule that set the rating in the judge's place, if any.
    """

    value: int = Field(validation_alias="rating", serialization_alias="rating")
    justification: str
    assessed: bool = True
    quotes: tuple[Passage, ...] = Field(default=(), exclude=True)
    rule: str = Field(default="", exclude=True)


class RatedResponse(Frozen):
    """All ratings of one response, whether it is largely unusable, and what is good in it nevertheless."""

    ratings: dict[str, Rating]
    unusable: bool = False
    still_good: str = ""


OVERALL_SIDE = "overall"  # what a sentence is about if it is about no single dimension
Favours = Literal["1", "2", "neither"]


class Stance(Frozen):
    """What a sentence is about, a dimension's key or `overall`, and the response that it favours."""

    dimension: str
    favours: Favours

    def contradiction(self, favoured: Mapping[str, Favours]) -> str:
        """Return how this differs from the final tables, or an empty string. `favoured` has the assessed dimensions."""
        about = "overall" if self.dimension == OVERALL_SIDE else f"in {self.dimension.replace('_', ' ')}"
        if self.dimension not in favoured:
            return f"it is about {self.dimension.replace('_', ' ')}, which was not assessed"
        if self.favours == favoured[self.dimension]:
            return ""
        return f"it favours {_NAMED[self.favours]} {about}; by the tables that is {_NAMED[favoured[self.dimension]]}"


_NAMED: dict[Favours, str] = {"1": "Response 1", "2": "Response 2", "neither": "neither response"}


# Only a plain sentence is read: "Response 2 is far better". One that weighs both sides may begin with either.
_BETTER = re.compile(
    r"\W*(?:overall\W+)?response ([12])\W+is "
    r"(?:(?:the|much|far|clearly|slightly|somewhat|a bit|a little|a lot|also|even|still|overall) ){0,2}(better|worse)\b"
    r"(?!.*\b(?:but|although|though|while|whereas|however|yet|except|despite)\b)",
    re.IGNORECASE | re.DOTALL,
)


class Argument(Stance):
    """A sentence that explains the preference."""

    sentence: str

    def contradiction(self, favoured: Mapping[str, Favours]) -> str:
        """Return how the sentence differs from what it is given for, or that from the tables, or an empty string."""
        if plain := _BETTER.match(self.sentence):
            better: Favours = "1" if (plain[1] == "1") == (plain[2].lower() == "better") else "2"
            if better != self.favours:
                return f"it calls {_NAMED[better]} better, but is given as favouring {_NAMED[self.favours]}"
        return super().contradiction(favoured)


def _without_plain_text(given: Any) -> Any:
    # Earlier versions recorded the reasons as one text that does not say what each sentence favours.
    return () if isinstance(given, str) else given


class ReviewOpinion(Opinion):
    """One judge's blind opinion on both responses: the demands of the task, what it observed, and its ratings.

    `invalid` says why the task cannot be judged; it is empty if the task can be judged.
    """

    task_type: TaskType
    constraints: tuple[Constraint, ...] = ()
    observations: tuple[Observation, ...] = ()
    invalid: str
    response1: RatedResponse | None = Field(default=None, exclude_if=absent)
    response2: RatedResponse | None = Field(default=None, exclude_if=absent)
    preference: int
    reasons: Annotated[tuple[Argument, ...], BeforeValidator(_without_plain_text)] = ()
    members: tuple[MemberScores, ...] = Field(
        default=(),
        exclude_if=absent,
        description="Of a jury: each member's ratings, as `response1.KEY` and `response2.KEY`, and its `likert`.",
    )

    @property
    def responses(self) -> dict[Label, RatedResponse]:
        """The rated responses: A is Response 1, B is Response 2."""
        both = zip(LABELS, (self.response1, self.response2), strict=True)
        return {label: rated for label, rated in both if rated is not None}


class JudgedWords(Frozen):
    """A judge's view of a person's justification: whether it can be kept, and if not, why.

    `contradiction` says which sentence of a preference's justification the final tables contradict, if any.
    """

    specific: bool
    true: bool
    reason: str
    contradiction: str = ""

    @property
    def may_be_kept(self) -> bool:
        return self.specific and self.true and not self.contradiction


class Explanation(Opinion):
    """The sentences on why the final tables favour one side that fit them, and the judge's views of the person's
    justifications it was shown, by their keys."""

    reasons: tuple[Argument, ...]
    words: dict[str, JudgedWords]


NO_PREFERENCE = 4  # on the scale from 1 to 7


def side_of(likert: int | Decimal) -> Label | None:
    """Return the side that a preference from 1 to 7 is for; None if it is for neither."""
    return None if likert == NO_PREFERENCE else "A" if likert < NO_PREFERENCE else "B"


RatingAction = Literal["kept", "replaced", "filled", "refused"]
JustificationAction = Literal["kept", "rewritten", "filled"]


class FinalRating(Frozen):
    """A line of the final table: the final rating, and what became of the rating that the person entered.

    `reason` says why the rating was changed, filled or refused; `rule` names the fact or rule that changed the judge's
    own rating, if any (`truncation`, `language`, `pleasantries`, …, `overall`, or `reviewer` if a reviewer set it).
    """

    dimension: str = ""
    value: int = Field(validation_alias="rating", serialization_alias="rating")
    justification: str
    key: str = ""
    action: RatingAction
    reason: str
    original: Original | None = None
    justification_action: JustificationAction
    justification_reason: str
    quotes: tuple[Passage, ...] = ()
    rule: str = ""
    assessed: bool = True

    @property
    def changed(self) -> bool:
        return self.action in ("replaced", "refused")

    @property
    def original_rating(self) -> str:
        return self.original.rating if self.original else ""

    @property
    def original_justification(self) -> str:
        return self.original.justification if self.original else ""


class FinalLikert(FinalRating):
    """The final preference, from 1 (Response 1 is much better) to 7 (Response 2 is much better), and what became of the
    preference that the person entered."""

    dimension: str = Field(default="", exclude=True)
    value: int = Field(validation_alias="likert", serialization_alias="likert")
    key: str = Field(default="", exclude=True)
    quotes: tuple[Passage, ...] = Field(default=(), exclude=True)
    assessed: bool = Field(default=True, exclude=True)


def _by_response(fact: Fact, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
    data: dict[str, Any] = dump(fact)
    return {**data, "where": RESPONSES.get(fact.where, fact.where)}


def _by_label(fact: Any) -> Any:
    return {**fact, "where": as_label(fact["where"])} if isinstance(fact, Mapping) else fact


ResponseFact = Annotated[Fact, WrapSerializer(_by_response), BeforeValidator(_by_label)]


class ReviewVerdict(Verdict):
    """The audited ratings. If the task cannot be rated, `invalid_task` says why and there are no tables."""

    protocol: ClassVar[str] = "review"

    review_id: int | str | None = Field(default=None, exclude_if=absent)
    invalid_task: str | None = Field(default=None, exclude_if=absent)
    response1_fixed_table: tuple[FinalRating, ...] = Field(default=(), exclude_if=absent)
    response2_fixed_table: tuple[FinalRating, ...] = Field(default=(), exclude_if=absent)
    final_likert_and_justification: FinalLikert | None = Field(default=None, exclude_if=absent)
    changelog: tuple[str, ...] = Field(default=(), exclude_if=absent)
    sbq: tuple[str, ...] = Field(default=(), exclude_if=absent)
    verdict_id: str
    facts: tuple[ResponseFact, ...]
    warnings: tuple[Warning, ...]
    usage: Tokens
    cost_usd: Exact | None
    calls: tuple[Call, ...]
    judge: str
    provenance: Provenance
    opinion: ReviewOpinion | None
    recheck: Rechecked = None
    explanation: Explanation | None = Field(default=None, exclude=True)
    stages: Stages = ()
    quoted: Quoted = None
    calibrated: Calibrated = None
    case: Review = Field(exclude=True, repr=False)

    @model_validator(mode="after")
    def _places_are_real(self) -> Self:
        for label, table in zip(LABELS, (self.response1_fixed_table, self.response2_fixed_table), strict=True):
            text, name = self.case.answer(label), f"Response {LABELS.index(label) + 1}"
            for quote in (quote for line in table for quote in line.quotes):
                inside = 0 <= quote.start < quote.end <= len(text)
                if not inside or text[quote.start : quote.end] != quote.quote:
                    raise ValueError(f"the quote at {quote.start}:{quote.end} is not in {name} of this case")
            for fact in self.facts:
                if fact.where == label and not 0 <= fact.start <= fact.end <= len(text):
                    raise ValueError(f"the fact at {fact.start}:{fact.end} does not lie in {name} of this case")
        return self

    @property
    def answer(self) -> str:
        return "invalid" if self.likert is None else str(self.likert.value)

    @property
    def number(self) -> Decimal | None:
        """The preference from 1 to 7."""
        return None if self.likert is None else Decimal(self.likert.value)

    @property
    def invalid(self) -> str | None:
        return self.invalid_task

    @property
    def tables(self) -> dict[int, dict[str, FinalRating]]:
        """The final tables of Response 1 and Response 2, by the keys of their dimensions; none for an invalid task."""
        both = enumerate((self.response1_fixed_table, self.response2_fixed_table), start=1)
        return {number: {line.key: line for line in table} for number, table in both if table}

    @property
    def likert(self) -> FinalLikert | None:
        return self.final_likert_and_justification

    @property
    def feedback(self) -> tuple[str, ...]:
        return self.sbq

    def table(self, label: Label) -> dict[str, FinalRating]:
        """Return the final table of Response 1 (`A`) or 2 (`B`); empty for an invalid task."""
        return self.tables.get(LABELS.index(label) + 1, {})
