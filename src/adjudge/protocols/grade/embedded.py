"""How the embedded judge answers: it measures the plain demands that it reads with certainty, and nothing else.

It does not read an answer, so every question, claim and main point is unassessed. Checks need no judge.
"""

from __future__ import annotations

from typing import Any

from ...constraints.english import read_constraints
from .demands import measured
from .questions import AskQuestion, ClaimsQuestion, DemandsQuestion, Findings, ItemFinding

_UNREAD = "The embedded judge measures and does not read."
_SILENT = "The embedded judge found no demand that it reads with certainty."


def unread(question: AskQuestion | ClaimsQuestion, judge: str, _: Any = None) -> Findings:
    """Return that nothing was assessed."""
    finding = ItemFinding(state="unassessed", reason=_UNREAD)
    return Findings(judge=judge, items={item.key: finding for item in question.items})


def read_demands(question: DemandsQuestion, judge: str, _: Any = None) -> Findings:
    """Measure the demands of the kinds that bind. ItemFinding none proves nothing: the reader may have missed them."""
    certain = [one for one in read_constraints(question.case.task) if one.certain]
    finding = measured(certain, question.case.answer, listed=True)
    if finding.share is None:
        finding = ItemFinding(state="unassessed", reason=_SILENT)
    return Findings(judge=judge, items={item.key: finding for item in question.items})
