"""The result of a comparison: the opinions on both answers, and the verdict that the rules make of them.

A `ComparisonVerdict` serializes to the documented JSON; fields marked `exclude` exist only in Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from ...arithmetic import SHOWN, rounded, weighted_sum
from ...models.base import Exact, ExactRatio, Frozen, Plain, absent
from ...models.calibration import Calibrated
from ...models.common import (
    LABELS,
    Call,
    Fact,
    Label,
    Lookup,
    Opinion,
    Order,
    Provenance,
    Quoted,
    Rechecked,
    Stages,
    Tokens,
    Warning,
    Winner,
)
from ...models.verdict import Verdict
from .case import Comparison

Impact = Literal["favorable", "unfavorable"]
DecidedBy = Literal[
    "identical",  # the answers are the same text
    "higher_total",
    "equal_totals",
    "judge_prefers_tie",
    "both_orders_tie",  # one by equal totals, the other because the judge prefers neither
    "averaged_totals",
    "orders_disagree",
]


_ONE = (Decimal(1),)


class Evidence(Frozen):
    """A quote at `start:end` (in characters) of the answer it names."""

    answer: Label
    impact: Impact
    quote: str
    rationale: str
    start: int
    end: int
    criterion: str = Field(default="", exclude=True)


class Score(Frozen):
    """The score of one answer on one criterion, its justification, and the quotes behind it."""

    value: Plain = Field(validation_alias="score", serialization_alias="score")
    justification: str
    evidence: tuple[Evidence, ...] = ()
    assessed: bool = Field(
        default=True, description="False where the judge says that it cannot tell; the score is then the middle."
    )
    exact: ExactRatio | None = Field(
        default=None,
        validation_alias="score_exact",
        serialization_alias="score_exact",
        exclude_if=absent,
        description="The score as a fraction, if `score` is rounded. Totals are computed from it.",
    )

    @classmethod
    def of(cls, exact: Fraction, step: Decimal = SHOWN, **fields: Any) -> Self:
        """Make a score of its exact value, which is kept beside the rounded one if they differ."""
        value, kept = shown_and_exact(exact, step)
        return cls(value=value, exact=kept, **fields)

    @property
    def exactly(self) -> Fraction:
        """The score before rounding: a mean may have no finite decimal form."""
        return Fraction(self.unrounded)

    @property
    def unrounded(self) -> Decimal | Fraction:
        """The same number, as it is held."""
        return self.value if self.exact is None else self.exact


def shown_and_exact(exact: Fraction, step: Decimal) -> tuple[Decimal, Fraction | None]:
    """Return the rounded value of a score, and the exact one if they differ."""
    value = rounded(exact, step)
    return value, None if value.as_integer_ratio() == exact.as_integer_ratio() else exact


class SingleOpinion(Opinion):
    """One judge's opinion on both answers, shown in one order, with the labels of the case.

    A judge that measures its certainty gives `confidence` (0 to 1); `decided` says whether that is enough. In JSON the
    scores and their justifications are two tables, with a third for the exact values of rounded scores, and the quotes
    are in the verdict. `unquoted` lists the criteria and answers for which the judge was asked for a quote but gave
    none.
    """

    order: Order
    preference: Winner
    confidence: Exact | None = None
    decided: bool = True
    scores: dict[str, dict[Label, Score]]
    summaries: dict[Label, str]
    rationale: str
    evidence: tuple[Evidence, ...] = Field(default=(), exclude=True)
    unquoted: tuple[tuple[str, Label], ...] = Field(default=(), exclude=True)

    @model_serializer(mode="wrap")
    def _in_tables(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name, value in dump(self).items():
            if name != "scores":
                data[name] = value
                continue
            for table, field in (("scores", "score"), ("justifications", "justification")):
                data[table] = {key: {label: by[label][field] for label in LABELS} for key, by in value.items()}
            exact = {
                key: {label: by[label]["score_exact"] for label in LABELS if "score_exact" in by[label]}
                for key, by in value.items()
            }
            if any(exact.values()):
                data["exact_scores"] = {key: by for key, by in exact.items() if by}
        return data

    @model_validator(mode="before")
    @classmethod
    def _from_tables(cls, given: Any) -> Any:
        if not isinstance(given, Mapping) or "justifications" not in given:
            return given
        data = dict(given)
        why, exact = data.pop("justifications"), data.pop("exact_scores", {})
        data["scores"] = {
            key: {
                label: Score(value=value, justification=why[key][label], exact=exact.get(key, {}).get(label))
                for label, value in by.items()
            }
            for key, by in data["scores"].items()
        }
        return data


class ComparisonOpinion(SingleOpinion):
    """The opinion of a single judge or of a jury; a jury's opinion holds those of its members."""

    members: tuple[SingleOpinion, ...] = Field(default=(), exclude_if=absent)


class Research(Opinion):
    """The queries that a judge wants to search for before it judges."""

    queries: tuple[str, ...]


class CriterionVerdict(Frozen):
    """The final scores of one criterion."""

    A: Score
    B: Score
    weight: Plain

    @property
    def scores(self) -> dict[Label, Score]:
        return {"A": self.A, "B": self.B}

    @property
    def evidence(self) -> dict[Label, tuple[Evidence, ...]]:
        return {"A": self.A.evidence, "B": self.B.evidence}


class Overall(Frozen):
    """An answer's weighted total; `normalized` is the total on the rubric's scale. Both are rounded."""

    weighted_total: Exact = Field(validation_alias="weighted_total_score", serialization_alias="weighted_total_score")
    summary: str
    normalized: Exact


class Totals(NamedTuple):
    """The exact totals of both answers, and the sum of the weights."""

    a: Fraction
    b: Fraction
    whole: Fraction

    @classmethod
    def of(cls, scores: Mapping[str, Mapping[Label, Score]], weights: Mapping[str, Decimal]) -> Totals:
        """Add up score × weight for both answers."""
        own = tuple(weights[key] for key in scores)
        a, b = (weighted_sum(tuple(by[label].unrounded for by in scores.values()), own) for label in LABELS)
        return cls(a, b, weighted_sum(_ONE * len(weights), tuple(weights.values())))

    @property
    def by_label(self) -> dict[Label, Fraction]:
        return {"A": self.a, "B": self.b}

    @property
    def lead(self) -> Fraction:
        """A's normalised total minus B's."""
        return (self.a - self.b) / self.whole

    def moved_to(self, other: Totals) -> dict[Label, Fraction]:
        """Return by how much each normalised total is higher in `other`, which has the same weights."""
        return {label: (other.by_label[label] - total) / self.whole for label, total in self.by_label.items()}


class OrderReport(Frozen):
    """Whether the order of the answers mattered. `moved`: how much each normalised total changed between the orders."""

    judged: tuple[Order, ...]
    winners: dict[Order, Winner]
    moved: dict[Label, Exact]
    drawn_from_seed: int | None = None
    consistent: bool | None = Field(default=None, exclude=True)


class Judgment(Frozen):
    """The winner, the margin and the reasons, with the scores for each criterion."""

    criteria_scores: dict[str, CriterionVerdict]
    overall: dict[Label, Overall]
    winner: Winner = Field(description="Where `decided` is false, the best guess.")
    winner_rationale: str
    web_search_used: bool
    margin: Exact = Field(description="How far the normalised totals are apart, rounded to four decimals.")
    decided: bool = Field(description="False where the judge is too unsure to decide, or a recheck came out otherwise.")
    confidence: Exact | None = Field(description="How sure the judge is, from 0 to 1, if it measures that.")
    decided_by: DecidedBy
    order_consistent: bool | None
    order: OrderReport

    @cached_property
    def totals(self) -> Totals:
        """The exact totals. What `overall` and `margin` hold is rounded, so no rule compares it."""
        weights = {key: criterion.weight for key, criterion in self.criteria_scores.items()}
        return Totals.of({key: criterion.scores for key, criterion in self.criteria_scores.items()}, weights)

    @model_validator(mode="before")
    @classmethod
    def _order_knows(cls, given: Any) -> Any:
        # In JSON `order_consistent` is next to `order`; in Python it is a field of it.
        if isinstance(given, Mapping) and isinstance(order := given.get("order"), Mapping):
            return {**given, "order": {**order, "consistent": given.get("order_consistent")}}
        return given


class ComparisonVerdict(Verdict):
    """The result of a comparison. If the judge is too unsure to decide, `winner` is its best guess."""

    protocol: ClassVar[str] = "compare"

    evaluation: Judgment
    usage: Tokens
    warnings: tuple[Warning, ...]
    facts: tuple[Fact, ...]
    lookups: tuple[Lookup, ...]
    cost_usd: Exact | None
    calls: tuple[Call, ...]
    verdict_id: str
    provenance: Provenance
    opinions: tuple[ComparisonOpinion, ...]
    recheck: Rechecked = None
    stages: Stages = ()
    quoted: Quoted = None
    calibrated: Calibrated = None
    case: Comparison = Field(exclude=True, repr=False)

    @model_validator(mode="after")
    def _quotes_are_real(self) -> Self:
        for criterion in self.criteria.values():
            for label, evidence in criterion.evidence.items():
                for item in evidence:
                    if item.answer != label or self.case.answer(label)[item.start : item.end] != item.quote:
                        place = f"{item.start}:{item.end}"
                        raise ValueError(f"the quote at {place} is not in answer {label} of this case")
        return self

    @property
    def answer(self) -> str:
        return self.winner

    @property
    def number(self) -> Decimal:
        """A's lead on the rubric's own scale."""
        return rounded(self.totals.lead)

    @property
    def winner(self) -> Winner:
        return self.evaluation.winner

    @property
    def decided(self) -> bool:
        return self.evaluation.decided

    @property
    def confidence(self) -> Decimal | None:
        return self.evaluation.confidence

    @property
    def decided_by(self) -> DecidedBy:
        return self.evaluation.decided_by

    @property
    def rationale(self) -> str:
        return self.evaluation.winner_rationale

    @property
    def margin(self) -> Decimal:
        return self.evaluation.margin

    @property
    def criteria(self) -> dict[str, CriterionVerdict]:
        return self.evaluation.criteria_scores

    @property
    def weights(self) -> dict[str, Decimal]:
        return {key: criterion.weight for key, criterion in self.criteria.items()}

    @property
    def totals(self) -> Totals:
        return self.evaluation.totals

    @property
    def overall(self) -> dict[Label, Overall]:
        return self.evaluation.overall

    @property
    def order(self) -> OrderReport:
        return self.evaluation.order
