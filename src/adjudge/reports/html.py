"""A comparison's verdict as one HTML file: both answers with their quotes, the criteria, the arithmetic."""

from __future__ import annotations

from ..models import ComparisonVerdict
from ..models.cases import Comparison
from ..rubric import Rubric
from . import wording
from .pages import fill
from .report import build


def comparison_html(verdict: ComparisonVerdict, case: Comparison, rubric: Rubric, *, home: str = "") -> str:
    """The report of a comparison; `home` is where the list of cases is that it belongs to, if to any."""
    return fill(
        "comparison.html.j2",
        verdict,
        home=home,
        case=case,
        report=build(verdict, case, rubric),
        headline=wording.headline(verdict),
        confidence=wording.confidence_sentence(verdict),
        decision=wording.decision(verdict),
        order_sentence=wording.order_sentence(verdict.order),
        judge_note=wording.judge_note(verdict.provenance.judge),
    )
