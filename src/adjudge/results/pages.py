"""One case of a run as its own report, in text or HTML, with the renderers that show a single verdict."""

from __future__ import annotations

from ..engine import Verdict, read_verdict
from ..reports import render
from .directory import Outcome, Run


def case_html(run: Run, outcome: Outcome, home: str = "") -> str:
    """The page of a case that has a verdict; `home` is where the list of cases is."""
    return render(stored_verdict(run, outcome), "html", home=home)


def case_text(run: Run, outcome: Outcome, *, colour: bool, width: int) -> str:
    """The same as lines for a terminal."""
    return render(stored_verdict(run, outcome), "text", colour=colour, width=width)


def stored_verdict(run: Run, outcome: Outcome) -> Verdict:
    """The verdict as it was stored, with its case."""
    return read_verdict(run.protocol, outcome.verdict_json, outcome.case["input"], run.rubric)
