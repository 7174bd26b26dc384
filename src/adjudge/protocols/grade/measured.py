"""How verdicts on gradings are measured: as pass or fail, with the score behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..measured import CalibrationWords, LabelledSets, MeasureRules
from .steps import place_of
from .verdict import FAIL, PASS, GradeVerdict


def _explanation(verdict: GradeVerdict, criterion: str | None) -> tuple[str, Iterable[tuple[str, str]]]:
    items = [item for item in verdict.items if criterion in (None, item.key)]
    reason = next((item.reason for item in items if item.key == criterion), "") or verdict.why
    # What cost most comes first.
    lost = sorted(items, key=lambda item: (item.earned_exact or 0) - max(item.points, 0) if item.assessed else 0)
    return reason, [(place_of(quote), quote.quote) for item in lost for quote in item.quotes]


def _jury_votes(verdict: GradeVerdict) -> Sequence[set[Any]]:
    """Return the members' results, item by item."""
    return [{member.result for member in item.members} for item in verdict.items if item.members]


MEASURED = MeasureRules(
    value="case r.outcome when 'pass' then 'pass' when 'fail' then 'fail' end",
    number="r.score / 100",
    ending="case when r.outcome = 'undecided' then 'undecided' end",
    classes=(PASS, FAIL),
    names={PASS: "pass", FAIL: "fail"},
    measures=("accuracy", "kappa", "ac1", "alpha_nominal", "spearman", "kendall"),
    jury_votes=_jury_votes,
    explanation=_explanation,
    length=lambda case: len(case["answer"].split()),
    reading="Rank correlations use the score. An undecided verdict has no best guess: it counts in no figure.",
    calibration=CalibrationWords(judge="the score", people="people’s label, 0 (fail) to 1 (pass)"),
    sets=LabelledSets(text=lambda case: case.task),
)
