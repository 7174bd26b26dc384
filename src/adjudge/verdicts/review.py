"""What came of a review: the blind ratings, what rules and facts made of them, and how the person's ratings fared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..models.constraints import Constraint, Observation
from .common import Call, Fact, Failure, Provenance, Warning
from .comparison import Label

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


class Passage(NamedTuple):
    """A quote that stands at `start:end` of the response."""

    quote: str
    start: int
    end: int


class Rating(NamedTuple):
    """A judge's rating of one criterion for one response.

    `assessed` is False where the judge says that it cannot tell: then what the person entered is left alone.
    """

    value: int
    justification: str
    quotes: tuple[Passage, ...] = ()
    assessed: bool = True


class RatedResponse(NamedTuple):
    """All ratings of one response; whether it is largely unusable, and what is good in it all the same."""

    ratings: dict[str, Rating]
    unusable: bool = False
    still_good: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOpinion:
    """One judge's blind view of both responses: what it found demanded, what it saw, and how it rates.

    `invalid` says why the task cannot be judged, if it cannot.
    """

    judge: str
    task_type: TaskType
    invalid: str
    responses: dict[Label, RatedResponse]
    preference: int
    reasons: str
    constraints: tuple[Constraint, ...] = ()
    observations: tuple[Observation, ...] = ()
    calls: tuple[Call, ...] = ()
    warnings: tuple[Warning, ...] = ()
    failures: tuple[Failure, ...] = ()


class JudgedWords(NamedTuple):
    """What a judge says of a person's justification: may it stand, and why not."""

    specific: bool
    true: bool
    reason: str

    @property
    def stand(self) -> bool:
        return self.specific and self.true


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Two or three sentences that say why the final tables favour one side, empty if the judge has none to give; and
    what it says of the person's justifications it was shown, by their keys."""

    judge: str
    reasons: str
    words: dict[str, JudgedWords]
    calls: tuple[Call, ...] = ()
    warnings: tuple[Warning, ...] = ()
    failures: tuple[Failure, ...] = ()


RatingAction = Literal["kept", "replaced", "filled", "refused"]
JustificationAction = Literal["kept", "rewritten", "filled"]


class FinalRating(NamedTuple):
    """A line of the final table: the value, and what became of the one the person entered.

    `reason` says why the rating was changed (or filled, or refused); `rule` names the fact or rule that moved the
    judge's own rating, if one did (`truncation`, `language`, …, `overall`, `identical`).
    """

    value: int
    justification: str
    action: RatingAction
    reason: str
    justification_action: JustificationAction
    justification_reason: str
    original_rating: str = ""
    original_justification: str = ""
    quotes: tuple[Passage, ...] = ()
    rule: str = ""
    assessed: bool = True

    @property
    def changed(self) -> bool:
        return self.action in ("replaced", "refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewVerdict:
    """The audited ratings; or, with `invalid`, why the task cannot be rated, and no table."""

    verdict_id: str
    invalid: str | None
    tables: dict[Label, dict[str, FinalRating]]
    likert: FinalRating | None
    changelog: tuple[str, ...]
    feedback: tuple[str, ...]
    opinion: ReviewOpinion | None
    facts: tuple[Fact, ...]
    warnings: tuple[Warning, ...]
    calls: tuple[Call, ...]
    provenance: Provenance
    explanation: Explanation | None = None
