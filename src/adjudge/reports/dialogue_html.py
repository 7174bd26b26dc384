"""A dialogue's verdict as one HTML file: the scores on one side, the transcript with its quotes on the other."""

from __future__ import annotations

from ..models import DialogueVerdict
from ..models.cases import Dialogue
from ..rubric import Rubric
from . import dialogue_wording as wording
from .dialogue_report import build
from .pages import fill
from .wording import hundredths


def dialogue_html(verdict: DialogueVerdict, case: Dialogue, rubric: Rubric, *, home: str = "") -> str:
    """The report of a dialogue; `home` is where the list of cases is that it belongs to, if to any."""
    return fill(
        "dialogue.html.j2",
        verdict,
        home=home,
        report=build(verdict, case, rubric),
        headline=wording.headline(verdict, rubric),
        outcome=wording.outcome(verdict),
        objections=wording.objections(verdict),
        judge_note=wording.judge_note(verdict),
        decisions=wording.decisions(verdict),
        weighted_calc=verdict.output.audit.weighted_calc,
        mapping_rule=verdict.output.audit.mapping_rule,
        evaluator_average=hundredths(verdict.evaluator_average),
        final_average=hundredths(verdict.final_average),
    )
