"""How people label dialogues: they rate the whole on the rubric's scale and, if asked to, each criterion. And how
verdicts are measured against labels: as numbers on that scale."""

from __future__ import annotations

from collections.abc import Iterable

from ...models.common import Order
from ...rubric import ONE_TO_FIVE, Rubric
from ..labelling import LabelRules, RatedCriterion, ShownCase
from ..measured import CalibrationWords, LabelledSets, MeasureRules
from .case import Dialogue
from .rules import jury_results
from .verdict import DialogueVerdict


def _show(case: Dialogue) -> ShownCase:
    lines = (f"{turn.speaker}: {turn.text}" for turn in case.turns if turn.text.strip())
    return ShownCase((("Conversation", "\n".join(lines)),))


def _criteria(rubric: Rubric, _: Order) -> Iterable[RatedCriterion]:
    for each in rubric.criteria:
        yield RatedCriterion(each, each.key, f"{each.name}: {each.guidance}", each.name, dict(rubric.bands))


LABELLING = LabelRules(
    question="How good was the system in this conversation, all in all?",
    show=_show,
    value="an overall score",
    scale=lambda rubric: rubric.scale,
    meanings=lambda rubric: dict(rubric.bands),
    criteria=_criteria,
    allowed=lambda scale: f"a number from {scale.low} to {scale.high}, or all of them from 1 to 5",
    usual_scale=ONE_TO_FIVE,
    id_columns=("dialogue_id", "conversation_id"),
    value_columns=("overall_rating", "overall_ratings"),
    # Prefer several people's ratings to their mean.
    own_label=lambda line: list((line["input"] or {}).get("overall_ratings", ())) or line["label"],
    doubts={"Evaluator and Critic disagree": "r.objections > 0"},
    # The overall experience is the average rounded down, so a small change near a step could change it.
    margin=lambda rubric: f"least({', '.join(f'abs(r.average - {step})' for step in rubric.scale.values)})",
)


# -- how verdicts are measured -----------------------------------------------------------------------------------------


def _explanation(verdict: DialogueVerdict, criterion: str | None) -> tuple[str, Iterable[tuple[str, str]]]:
    if criterion is None:
        return "", ()
    ruling = verdict.rulings[criterion]
    return ruling.justification, [(quote.speaker, quote.quote) for quote in ruling.quotes]


MEASURED = MeasureRules(
    value="r.overall_experience",
    number="r.average",
    critic="r.objections = 0",
    level="interval",
    measures=("mae", "mae_average", "alpha_interval", "alpha_ordinal", "quadratic_kappa", "spearman", "kendall"),
    weighted=True,
    jury_votes=lambda verdict: [jury_results(verdict)],
    explanation=_explanation,
    length=lambda case: len(case["turns"]),
    unit="turns",
    order="the final average",
    reading="Distances are in points of the rubric’s scale. Rank correlations use the weighted average.",
    calibration=CalibrationWords(judge="the judge’s average", people="people’s overall rating"),
    sets=LabelledSets(text=lambda case: "\n".join(turn.text for turn in case.turns), plain_text=True),
)
