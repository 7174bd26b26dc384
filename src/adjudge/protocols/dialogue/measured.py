"""How verdicts on dialogues are measured: as numbers on the rubric's scale."""

from __future__ import annotations

from collections.abc import Iterable

from ..measured import CalibrationWords, LabelledSets, MeasureRules
from .rules import jury_results
from .verdict import DialogueVerdict


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
