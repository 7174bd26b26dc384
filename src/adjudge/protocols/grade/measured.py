"""How verdicts on gradings are measured: as pass or fail, with the score behind them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..measured import CalibrationWords, LabelledSets, MeasureRules
from .verdict import FAIL, PASS, GradeVerdict, ItemVerdict
from .wording import place_of


def _explanation(verdict: GradeVerdict, criterion: str | None) -> tuple[str, Iterable[tuple[str, str]]]:
    items = [item for item in verdict.items if criterion in (None, item.key)]
    reason = next((item.reason for item in items if item.key == criterion), "") or verdict.why
    lost = sorted(items, key=lost_points, reverse=True)  # what cost most comes first
    return reason, [(place_of(quote), quote.quote) for item in lost for quote in item.quotes]


def lost_points(item: ItemVerdict) -> Fraction:
    """Return how many points an item did not earn, or cost."""
    return Fraction(0) if item.earned_exact is None else max(Fraction(item.points), Fraction(0)) - item.earned_exact


MEASURED = MeasureRules(
    value="case r.outcome when 'pass' then 'pass' when 'fail' then 'fail' end",
    number="r.score - r.pass_at",
    ending="case when r.outcome = 'undecided' then 'undecided' end",
    classes=(PASS, FAIL),
    names={PASS: "pass", FAIL: "fail"},
    measures=("accuracy", "kappa", "ac1", "alpha_nominal", "spearman", "kendall"),
    jury_votes=lambda verdict: [{one.result for one in item.members} for item in verdict.items if item.members],
    explanation=_explanation,
    length=lambda case: len(case["answer"].split()),
    reading="Rank correlations use the score. An undecided verdict has no best guess: it counts in no figure.",
    calibration=CalibrationWords(judge="the score above the pass mark", people="people’s label, 0 (fail) to 1 (pass)"),
    sets=LabelledSets(text=lambda case: case.task),
)
