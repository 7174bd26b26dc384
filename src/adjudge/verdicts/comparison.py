"""What came of a comparison: the opinions on both answers, and the verdict that rules made of them.

What a verdict holds by the dozen are named tuples, which are made fastest.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, NamedTuple

from .common import Call, Fact, Failure, Lookup, Provenance, Warning
from .making import made_fast

Label = Literal["A", "B"]
Winner = Literal["A", "B", "tie"]
Impact = Literal["favorable", "unfavorable"]
Order = Literal["ab", "ba"]
LABELS: tuple[Label, Label] = ("A", "B")


class Evidence(NamedTuple):
    """A quote that stands at `start:end` of the answer it names."""

    criterion: str
    answer: Label
    impact: Impact
    quote: str
    rationale: str
    start: int
    end: int


class Score(NamedTuple):
    """A criterion's score for one answer, and why; `assessed` is False where the judge says that it cannot tell."""

    value: Decimal
    justification: str
    assessed: bool = True


@made_fast
@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOpinion:
    """One judge's view of both answers, seen in one order, in the case's own labels.

    A judge that measures how sure it is gives `confidence` (0 to 1), and `decided` says whether that is enough.
    """

    judge: str
    order: Order
    scores: dict[str, dict[Label, Score]]
    evidence: tuple[Evidence, ...]
    summaries: dict[Label, str]
    preference: Winner
    rationale: str
    calls: tuple[Call, ...] = ()
    warnings: tuple[Warning, ...] = ()
    members: tuple[ComparisonOpinion, ...] = ()
    confidence: Decimal | None = None
    decided: bool = True
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Research:
    """What a judge would like to look up before it judges."""

    judge: str
    queries: tuple[str, ...]
    calls: tuple[Call, ...] = ()
    failures: tuple[Failure, ...] = ()


class CriterionVerdict(NamedTuple):
    """The settled scores of one criterion."""

    weight: Decimal
    scores: dict[Label, Score]
    evidence: dict[Label, tuple[Evidence, ...]]


@made_fast
@dataclass(frozen=True, slots=True, kw_only=True)
class Overall:
    """An answer's exact weighted total; `normalized` is it on the rubric's own scale."""

    weighted_total: Decimal
    normalized: Decimal
    summary: str


@made_fast
@dataclass(frozen=True, slots=True, kw_only=True)
class OrderReport:
    """Did it matter which answer stood first? `moved`: how far each normalised total went between the orders."""

    judged: tuple[Order, ...]
    winners: dict[Order, Winner]
    consistent: bool | None
    moved: dict[Label, Decimal]
    drawn_from_seed: int | None = None


@made_fast
@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonVerdict:
    """The result of a comparison. Where the judge is too unsure to decide, `winner` is its best guess."""

    verdict_id: str
    criteria: dict[str, CriterionVerdict]
    overall: dict[Label, Overall]
    margin: Decimal
    winner: Winner
    decided: bool
    confidence: Decimal | None
    decided_by: str
    rationale: str
    order: OrderReport
    warnings: tuple[Warning, ...]
    facts: tuple[Fact, ...]
    lookups: tuple[Lookup, ...]
    opinions: tuple[ComparisonOpinion, ...]
    calls: tuple[Call, ...]
    provenance: Provenance
