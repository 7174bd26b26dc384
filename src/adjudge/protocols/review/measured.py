"""How verdicts on reviews are measured: as the side that the preference from 1 to 7 is for, and as its number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...models.common import LABELS
from ...rubric import OVERALL, Criterion
from ..measured import SIDES, CalibrationWords, MeasureRules
from .verdict import NO_PREFERENCE, ReviewVerdict, side_of


def _jury_votes(verdict: ReviewVerdict) -> Sequence[set[Any]]:
    votes = [own.scores["likert"] for own in verdict.opinion.members] if verdict.opinion else []
    return [{side_of(vote) for vote in votes if vote is not None}]


def _goodness(criterion: Criterion, score: float) -> float | None:
    if criterion.key == OVERALL:
        return None
    return -abs(score) if criterion.scale.low < 0 else score  # from too little to too much: 0 is best


def _explanation(verdict: ReviewVerdict, criterion: str | None) -> tuple[str, Iterable[tuple[str, str]]]:
    lines = [verdict.table(label)[criterion] for label in LABELS] if criterion else []
    quotes = [(f"Response {number}", it.quote) for number, line in enumerate(lines, start=1) for it in line.quotes]
    return verdict.likert.justification if verdict.likert else "", quotes


MEASURED = MeasureRules(
    value="r.likert::DOUBLE",
    ending="case when r.status = 'verdict' and r.likert is null then 'invalid' end",
    classes=SIDES,
    names={"A": "Response 1", "B": "Response 2", "tie": "neither"},
    middle=NO_PREFERENCE,
    level="ordinal",
    measures=(
        *("accuracy", "kappa", "ac1", "mae", "quadratic_kappa", "alpha_ordinal", "alpha_interval"),
        *("spearman", "kendall"),
    ),
    goodness=_goodness,
    jury_votes=_jury_votes,
    explanation=_explanation,
    calibration=CalibrationWords(judge="the judge’s preference", people="people’s preference, 1 to 7"),
)
