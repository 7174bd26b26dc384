"""The Referee: pure code that settles Evaluator and Critic, criterion by criterion, and says which rule it used.

1. adopt all   three or more criteria are disagreed and each of those has verified evidence: every suggestion is taken
2. accept      a disagreement with a verified quote that the Critic marks as contradicting the Evaluator is taken
3. keep        anything else keeps the Evaluator's score
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from ..models import Mark, Objection, RefereeRule, Ruling
from ..rubric import Scale

ADOPT_ALL_FROM = 3


def settle(marks: Mapping[str, Mark], objections: Mapping[str, Objection], scale: Scale) -> dict[str, Ruling]:
    """The ruling on every criterion."""
    read = {key: normalized(marks[key], objections[key], scale) for key in marks}
    disagreed = {key: objection for key, objection in read.items() if not objection.agree}
    adopt_all = len(disagreed) >= ADOPT_ALL_FROM and all(map(has_evidence, disagreed.values()))
    return {key: _rule(marks[key], read[key], adopt_all) for key in marks}


def normalized(mark: Mark, objection: Objection, scale: Scale) -> Objection:
    """The objection as the rules read it: one that suggests the same score is an agreement, and suggests nothing."""
    suggested = objection.suggested if objection.suggested in scale.values else None
    agree = objection.agree or suggested == mark.value
    return objection.updated(agree=agree, suggested=None if agree else suggested)


def has_evidence(objection: Objection) -> bool:
    """A disagreement that names another score and quotes what really stands in the transcript."""
    return not objection.agree and objection.suggested is not None and bool(objection.quotes)


def overall_experience(average: Decimal, scale: Scale) -> Decimal:
    """The highest step of the scale that the average reaches, and never below the lowest."""
    return max((value for value in scale.values if value <= average), default=scale.low)


def _rule(mark: Mark, objection: Objection, adopt_all: bool) -> Ruling:
    suggested = objection.suggested
    if suggested is not None and has_evidence(objection) and (adopt_all or objection.contradicts):
        rule: RefereeRule = "adopt_all" if adopt_all else "accept"
        return Ruling(value=suggested, justification=objection.justification, quotes=objection.quotes, rule=rule)
    return Ruling(value=mark.value, justification=mark.justification, quotes=mark.quotes, rule=_why_kept(objection))


def _why_kept(objection: Objection) -> RefereeRule:
    if objection.agree:
        return "keep_agreement"
    if objection.wanted_quote and not objection.quotes:
        return "keep_unverified_quote"
    return "keep_not_contradicted" if has_evidence(objection) else "keep_ambiguous"
