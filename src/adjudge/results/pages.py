"""One case of a run as its own report, in text or HTML, with the renderers that show a single verdict."""

from __future__ import annotations

from ..engine.inputs import case_of
from ..models import ComparisonVerdict, DialogueVerdict, ReviewVerdict
from ..models.base import from_json
from ..render import render
from .directory import Outcome, Run

_VERDICTS: dict[str, type[ComparisonVerdict] | type[DialogueVerdict] | type[ReviewVerdict]] = {
    "compare": ComparisonVerdict,
    "dialogue": DialogueVerdict,
    "review": ReviewVerdict,
}


def case_html(run: Run, outcome: Outcome, home: str = "") -> str:
    """The page of a case that has a verdict; `home` is where the list of cases is."""
    return render(verdict_of(run, outcome), "html", home=home)


def case_text(run: Run, outcome: Outcome, *, colour: bool, width: int) -> str:
    """The same as lines for a terminal."""
    return render(verdict_of(run, outcome), "text", colour=colour, width=width)


def verdict_of(run: Run, outcome: Outcome) -> ComparisonVerdict | DialogueVerdict | ReviewVerdict:
    """The verdict as it was stored, with its case."""
    case = case_of(run.protocol, outcome.case["input"])
    return from_json(_VERDICTS[run.protocol], outcome.verdict_json, case=case, rubric=run.rubric)
