"""How people label reviews: they say which response they prefer, from 1 to 7, and, if asked to, rate both. And how
verdicts are measured against labels: as the side that the preference is for, and as its number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ...inputs.rows.columns import winner_from
from ...models.common import LABELS, Order
from ...rubric import LIKERT, OVERALL, Criterion, Rubric, Scale
from ..labelling import SHOWN_AS, LabelRules, LeftOut, RatedCriterion, ShownCase, titled
from ..measured import SIDES, CalibrationWords, MeasureRules
from .case import Review
from .correcting import OffScale, read_rating
from .verdict import NO_PREFERENCE, ReviewVerdict, side_of

_BETTER = ("is much better", "is better", "is slightly better")
_MEANINGS = (
    *(f"{SHOWN_AS[0]} {how}" for how in _BETTER),
    "no preference",
    *(f"{SHOWN_AS[1]} {how}" for how in reversed(_BETTER)),
)


def _show(case: Review) -> ShownCase:
    before = titled(
        ("Task configuration", case.task_config),
        ("System prompt", case.system_prompt),
        ("Conversation so far", case.history),
        ("Prompt", case.prompt),
    )
    return ShownCase(before, (case.a, case.b))


def _criteria(rubric: Rubric, order: Order) -> Iterable[RatedCriterion]:
    for shown, label in zip(SHOWN_AS, order, strict=True):
        place = "ab".index(label)
        for each in rubric.criteria:
            words, name = f"{shown}, {each.name}: {each.guidance}", f"{each.name}, Response {place + 1}"
            yield RatedCriterion(each, f"{each.key}_{label}", words, name, dict(each.bands), place)


def _read_number(words: Any, scale: Scale) -> Decimal | None:
    found = read_rating(str(words), scale)
    return None if found is None or isinstance(found, OffScale) else Decimal(found)


def _allowed(scale: Scale) -> str:
    allowed = f"a whole number from {scale.low} to {scale.high}"
    return f"{allowed}: 1 means Response 1 is much better, 7 Response 2" if scale == LIKERT else allowed


def _entered(line: Mapping[str, Any]) -> Any:
    """Return the preference that was entered."""
    found = read_rating((line["input"] or {}).get("preference", {}).get("rating", ""), LIKERT)
    return LeftOut("entered preferences that are not on the scale") if isinstance(found, OffScale) else found


LABELLING = LabelRules(
    question="Which answer do you prefer?",
    show=_show,
    value="a preference from 1 to 7",
    scale=lambda _: LIKERT,
    meanings=lambda _: dict(zip(map(str, LIKERT.values), _MEANINGS, strict=True)),
    criteria=_criteria,
    read_class=winner_from,
    read_number=_read_number,
    allowed=_allowed,
    id_columns=("review_id",),
    value_columns=("likert",),
    own_label=_entered,
    own_note=(
        "the labels are the preferences that were entered; the review keeps a preference that its rules allow, so "
        "agreement with these labels may be too high"
    ),
    doubts={"differs from what was entered": "r.likert_action = 'replaced'"},
    margin=lambda _: f"abs(r.likert - {NO_PREFERENCE})",
)


# -- how verdicts are measured -----------------------------------------------------------------------------------------


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
