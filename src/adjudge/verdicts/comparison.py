"""What came of a comparison: the opinions on both answers, and the verdict that rules made of them.

What a verdict holds by the dozen are named tuples, which are made fastest; and what was checked when it was made
is not checked again where it is gathered.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, NamedTuple

from pydantic import SkipValidation

from .common import Call, Fact, Failure, Frozen, Lookup, Provenance, Warning

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


class ComparisonOpinion(Frozen):
    """One judge's view of both answers, seen in one order, in the case's own labels.

    A judge that measures how sure it is gives `confidence` (0 to 1), and `decided` says whether that is enough.
    """

    judge: str
    order: Order
    scores: SkipValidation[dict[str, dict[Label, Score]]]
    evidence: SkipValidation[tuple[Evidence, ...]]
    summaries: SkipValidation[dict[Label, str]]
    preference: Winner
    rationale: str
    calls: SkipValidation[tuple[Call, ...]] = ()
    warnings: SkipValidation[tuple[Warning, ...]] = ()
    members: SkipValidation[tuple[ComparisonOpinion, ...]] = ()
    confidence: Decimal | None = None
    decided: bool = True
    failures: tuple[Failure, ...] = ()


class Research(Frozen):
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


class Overall(Frozen):
    """An answer's exact weighted total; `normalized` is it on the rubric's own scale."""

    weighted_total: Decimal
    normalized: Decimal
    summary: str


class OrderReport(Frozen):
    """Did it matter which answer stood first? `moved`: how far each normalised total went between the orders."""

    judged: SkipValidation[tuple[Order, ...]]
    winners: SkipValidation[dict[Order, Winner]]
    consistent: bool | None
    moved: dict[Label, Decimal]
    drawn_from_seed: int | None = None


class ComparisonVerdict(Frozen):
    """The result of a comparison. Where the judge is too unsure to decide, `winner` is its best guess."""

    verdict_id: str
    criteria: SkipValidation[dict[str, CriterionVerdict]]
    overall: SkipValidation[dict[Label, Overall]]
    margin: Decimal
    winner: Winner
    decided: bool
    confidence: Decimal | None
    decided_by: str
    rationale: str
    order: OrderReport
    warnings: SkipValidation[tuple[Warning, ...]]
    facts: SkipValidation[tuple[Fact, ...]]
    lookups: SkipValidation[tuple[Lookup, ...]]
    opinions: SkipValidation[tuple[ComparisonOpinion, ...]]
    calls: SkipValidation[tuple[Call, ...]]
    provenance: Provenance
