"""How people label comparisons: they choose the better answer. And how verdicts are measured against labels: as
winners, with A's lead behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...inputs.rows.columns import winner_from
from ...models.common import LABELS
from ..labelling import SHOWN_AS, LabelRules, ShownCase, titled
from ..measured import SIDES, CalibrationWords, LabelledSets, MeasureRules
from .verdict import ComparisonVerdict

LABELLING = LabelRules(
    question="Which answer is better?",
    show=lambda case: ShownCase(titled(("Task", case.task), ("Context", case.context)), (case.a, case.b)),
    value="a winner",
    choices=(("1", "A", f"{SHOWN_AS[0]} is better"), ("2", "B", f"{SHOWN_AS[1]} is better"), ("t", "tie", "tie")),
    without_criteria="this run compares answers",
    read_class=winner_from,
    doubts={"orders disagree": "r.order_consistent is false", "undecided": "r.decided is false"},
    # That identical answers tie is certain, so they come last.
    margin=lambda _: "case when r.decided_by = 'identical' then 'inf'::DOUBLE else abs(r.lead) end",
)


# -- how verdicts are measured -----------------------------------------------------------------------------------------


def _jury_votes(verdict: ComparisonVerdict) -> Sequence[set[Any]]:
    if verdict.decided_by == "identical":  # no member decides
        return ()
    return [{own.preference for own in opinion.members} for opinion in verdict.opinions]


def _explanation(verdict: ComparisonVerdict, criterion: str | None) -> tuple[str, Iterable[tuple[str, str]]]:
    if criterion is None:
        return verdict.rationale, ()
    evidence = verdict.criteria[criterion].evidence
    quotes = [(it.answer, it.quote) for label in LABELS for it in evidence[label]]
    return verdict.rationale, sorted(quotes, key=lambda quote: quote[0] != verdict.winner)


MEASURED = MeasureRules(
    value="r.winner",
    number="r.lead",
    confidence="r.confidence",
    ending="case when r.decided is false then 'undecided' end",
    orders="r.order_consistent",
    classes=SIDES,
    measures=(
        *("accuracy", "kappa", "ac1", "quadratic_kappa", "alpha_nominal", "alpha_ordinal", "spearman", "kendall"),
    ),
    weighted=True,
    jury_votes=_jury_votes,
    winners=lambda verdict: verdict["evaluation"]["order"]["winners"],
    explanation=_explanation,
    reading="Rank correlations use how far A’s total is ahead of B’s.",
    calibration=CalibrationWords(judge="A’s lead on the rubric’s scale", people="people’s preference, 0 (B) to 1 (A)"),
    sets=LabelledSets(text=lambda case: case.task),
)
