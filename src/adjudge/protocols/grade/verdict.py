"""The result of a grading: what was found for each item of the rubric, the exact score, and whether it passes.

A `GradeVerdict` serializes to the documented JSON; fields marked `exclude` exist only in Python. Every quote in it was
found at `start:end` of the text it names, and the verdict refuses one that is not there.

What a view may rely on
- `items` are in the rubric's order, one for each item, whatever happened. Their names, questions and scales are in
  `verdict.rubric.criteria` (`rubric.Item`), in the same order.
- An item has exactly one of these states: `applicable` is false (`result` not_applicable); it is applicable but not
  `assessed` (unassessed); or it is assessed, and only then `earned` is a number.
- `share` (0 to 1) is what an assessed item is worth: of a fault, 1 means that it was found, so that it costs.
- `claims` are there for the kind claims only, `main_points` for covers, `constraints` for constraints, `checks` for
  check; each list may be empty. `evidence` holds the quotes of ask and scale items.
- `text_of` returns the text that a quote is from; `quotes` yields all quotes of an item.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from ...arithmetic import rounded
from ...models.base import Exact, ExactRatio, Frozen, Plain, absent
from ...models.calibration import Calibrated
from ...models.common import (
    Call,
    Fact,
    Provenance,
    Quoted,
    Rechecked,
    Stages,
    Tokens,
    Warning,
)
from ...models.constraints import Constraint
from ...models.verdict import Verdict
from .case import Grading

SIX = Decimal("0.000001")  # the places to which scores are rounded
Kind = Literal["ask", "scale", "claims", "covers", "constraints", "check"]
TextName = Literal["answer", "step", "reference", "context"]
ClaimResult = Literal["supported", "contradicted", "not_found"]
PointResult = Literal["covered", "missing", "contradicted"]
PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"


class Quote(Frozen):
    """A quote at `start:end` (in characters) of a text. A quote of a step has its number, one of the context its id."""

    text: TextName
    step: int | None = Field(default=None, exclude_if=absent)
    context: str | None = Field(default=None, exclude_if=absent)
    quote: str
    start: int
    end: int

    @property
    def where(self) -> tuple[str, int | str | None]:
        """Which text it is from; equal for quotes of the same text."""
        return self.text, self.step if self.text == "step" else self.context


class Claim(Frozen):
    """A factual claim of the answer, and what the source says of it. Only not_found has no quote of the source."""

    claim: Quote
    result: ClaimResult
    source: Quote | None = None


class MainPoint(Frozen):
    """A main point of the reference, and the passage of the answer that covers or contradicts it."""

    point: Quote
    result: PointResult
    answer: Quote | None = None


class MeasuredConstraint(Frozen):
    """A demand of the task and what was measured. `met` is None where it counts nowhere: it is a hint, or cannot be
    measured. `found` says what was counted, `asked` what was asked for."""

    constraint: Constraint
    met: bool | None
    found: str
    asked: str


class CheckResult(Frozen):
    """One condition of a check: its name, what it demands in words, whether it is met, and what was found.

    `met` is None if nobody can tell: the language of a few words.
    """

    name: str
    asked: str
    met: bool | None
    found: str


class MemberResult(Frozen):
    """What one member of a jury found for an item."""

    judge: str
    result: str


class ItemVerdict(Frozen):
    """What was found for one item.

    `result` is yes, no or unproven (a yes without a quote that is there, which counts as no) for ask and check; the
    level for scale; "2/3" (counted of listed) for claims, covers and constraints; not_applicable; or unassessed.
    """

    key: str
    kind: Kind
    points: Plain
    required: bool = False
    applicable: bool = True
    assessed: bool = True
    result: str
    share: ExactRatio | None = Field(default=None, description="From 0 to 1; of a fault, 1 if it was found.")
    earned: Exact | None = Field(default=None, description="Of `points`, rounded; negative for a fault found.")
    earned_exact: ExactRatio | None = None
    met: bool | None = Field(default=None, description="Of a required item: whether it is met; null if nobody knows.")
    reason: str = ""
    evidence: tuple[Quote, ...] = ()
    claims: tuple[Claim, ...] = Field(default=(), exclude_if=absent)
    unclaimed: tuple[Quote, ...] = Field(
        default=(), exclude_if=absent, description="Of claims: the sentences of the answer that no claim covers."
    )
    main_points: tuple[MainPoint, ...] = Field(default=(), exclude_if=absent)
    constraints: tuple[MeasuredConstraint, ...] = Field(default=(), exclude_if=absent)
    checks: tuple[CheckResult, ...] = Field(default=(), exclude_if=absent)
    members: tuple[MemberResult, ...] = Field(default=(), exclude_if=absent)

    @property
    def is_fault(self) -> bool:
        """Whether its points are negative: it costs when found."""
        return self.points < 0

    @property
    def quotes(self) -> Iterator[Quote]:
        """All quotes of the item, of whatever text."""
        yield from self.evidence
        for claim in self.claims:
            yield claim.claim
            if claim.source is not None:
                yield claim.source
        yield from self.unclaimed
        for point in self.main_points:
            yield point.point
            if point.answer is not None:
                yield point.answer


class Extreme(Frozen):
    """The score and whether it passes, with every item that nobody assessed at its worst or at its best."""

    score: Exact
    score_exact: ExactRatio
    passed: bool


class GradeVerdict(Verdict):
    """The result of a grading. `passed` is None if it depends on what nobody assessed; `sure` is `decided` in JSON."""

    protocol: ClassVar[str] = "grade"

    verdict_id: str
    score: Exact = Field(description="From 0 to 1, rounded to six decimals.")
    score_exact: ExactRatio
    passed: bool | None
    sure: bool = Field(
        validation_alias="decided",
        serialization_alias="decided",
        description="False where passing depends on an item that nobody assessed; `passed` is then null.",
    )
    pass_at: Plain
    worst: Extreme
    best: Extreme
    why: str = Field(description="Why it passed or not, in one sentence.")
    items: tuple[ItemVerdict, ...]
    warnings: tuple[Warning, ...] = ()
    facts: tuple[Fact, ...] = ()
    usage: Tokens
    cost_usd: Exact | None
    calls: tuple[Call, ...]
    provenance: Provenance
    recheck: Rechecked = None
    stages: Stages = ()
    quoted: Quoted = None
    calibrated: Calibrated = None
    case: Grading = Field(exclude=True, repr=False)

    @model_validator(mode="after")
    def _quotes_are_real(self) -> Self:
        for item in self.items:
            for quote in item.quotes:
                if self.text_of(quote)[quote.start : quote.end] != quote.quote:
                    raise ValueError(f"the quote at {quote.start}:{quote.end} is not in its {quote.text}")
        return self

    @property
    def answer(self) -> str:
        """`pass`, `fail` or `undecided`."""
        return UNDECIDED if self.passed is None else PASS if self.passed else FAIL

    @property
    def decided(self) -> bool:
        return self.sure

    @property
    def number(self) -> Decimal:
        """How far the score is above the pass mark, in points of 100."""
        return 100 * (self.score - self.pass_at)

    @property
    def figure(self) -> Decimal:
        """The score, from 0 to 1."""
        return self.score

    def text_of(self, quote: Quote) -> str:
        """Return the text that a quote is from."""
        return text_of(self.case, quote)


def text_of(case: Grading, quote: Quote) -> str:
    """Return the text of a case that a quote is from."""
    if quote.text == "step":
        return case.steps[(quote.step or 0) - 1].text
    if quote.text == "context":
        return next(one.text for one in case.context if one.id == quote.context)
    return case.answer if quote.text == "answer" else case.reference


def shown_score(score: Fraction) -> Decimal:
    """Round a score as JSON shows it."""
    return rounded(score, SIX)


def merged(first: Quote, second: Quote) -> Quote:
    """Join two quotes of one text that overlap; `first` begins first."""
    if second.end <= first.end:
        return first
    words = first.quote + second.quote[first.end - second.start :]
    return first.updated(quote=words, end=second.end)
