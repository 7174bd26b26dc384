"""How people label dialogues: they rate the whole on the rubric's scale and, if asked to, each criterion."""

from __future__ import annotations

from collections.abc import Iterable

from ...models.common import Order
from ...rubric import ONE_TO_FIVE, Rubric
from ..labelling import LabelRules, RatedCriterion, ShownCase
from .case import Dialogue


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
