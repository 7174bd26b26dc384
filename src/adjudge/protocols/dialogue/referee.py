"""The Referee: pure code that decides between Evaluator and Critic for each criterion and records the rule it used. The
audit shows the weighted sum, how it was mapped to a step of the scale, the rules that applied, and the evidence.

1. adopt all   the Critic disagrees on three or more criteria, all with verified evidence: every suggestion is taken
2. accept      the Critic gives a verified quote and marks it as contradicting the Evaluator: its suggestion is taken
3. keep        in all other cases the Evaluator's score is kept
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from ...arithmetic import hundredths
from ...rubric import Scale
from .verdict import Audit, CriticView, Mark, Objection, RefereeRule, Ruling, Utterance

ADOPT_ALL_FROM = 3
# What the Referee did, and why.
RULES: dict[RefereeRule, tuple[str, str]] = {
    "adopt_all": ("Adopted", "three or more objections, all with evidence"),
    "accept": ("Accepted", "a verified quote contradicts the Evaluator"),
    "keep_agreement": ("Kept", "the Critic agrees"),
    "keep_ambiguous": ("Kept", "the objection has no quote or no new score"),
    "keep_unverified_quote": ("Kept", "the Critic’s quote is not in the transcript"),
    "keep_not_contradicted": ("Kept", "the Critic’s quote is no contradiction"),
}
TAKEN: tuple[RefereeRule, ...] = ("adopt_all", "accept")


def settle(marks: Mapping[str, Mark], objections: Mapping[str, Objection], scale: Scale) -> dict[str, Ruling]:
    """Return the ruling on every criterion."""
    read = {key: normalized(marks[key], objections[key], scale) for key in marks}
    disagreed = {key: objection for key, objection in read.items() if not objection.agree}
    adopt_all = len(disagreed) >= ADOPT_ALL_FROM and all(map(has_evidence, disagreed.values()))
    return {key: _rule(marks[key], read[key], adopt_all) for key in marks}


def normalized(mark: Mark, objection: Objection, scale: Scale) -> Objection:
    """Normalize an objection for the rules: one that suggests the same score is an agreement without a suggestion."""
    suggested = objection.suggested if objection.suggested in scale.values else None
    agree = objection.agree or suggested == mark.value
    return objection.updated(agree=agree, suggested=None if agree else suggested)


def has_evidence(objection: Objection) -> bool:
    """Check whether an objection disagrees, suggests a score, and has a verified quote from the transcript."""
    return not objection.agree and objection.suggested is not None and bool(objection.quotes)


def overall_experience(average: Decimal, scale: Scale) -> Decimal:
    """Return the highest step of the scale that the average reaches, but at least the lowest."""
    return max((value for value in scale.values if value <= average), default=scale.low)


def _rule(mark: Mark, objection: Objection, adopt_all: bool) -> Ruling:
    rule: RefereeRule = "keep_ambiguous"
    if objection.agree:
        rule = "keep_agreement"
    elif objection.wanted_quote and not objection.quotes:
        rule = "keep_unverified_quote"
    elif has_evidence(objection):
        rule = "adopt_all" if adopt_all else "accept" if objection.contradicts else "keep_not_contradicted"
    winner: Mark | Objection = objection if rule in TAKEN else mark
    value = objection.suggested if rule in TAKEN and objection.suggested is not None else mark.value
    return Ruling(value=value, justification=winner.justification, quotes=winner.quotes, rule=rule)


# -- the audit --------------------------------------------------------------------------------------------------------


def audit(
    marks: Mapping[str, Mark],
    entries: Mapping[str, Objection],
    rulings: Mapping[str, Ruling],
    weights: Mapping[str, Decimal],
    average: Decimal,
    overall: Decimal,
) -> Audit:
    """Record how the result was reached. Criteria are in the order of the weights."""
    terms = (f"{rulings[key].value:f}*{hundredths(weight):f}" for key, weight in weights.items())
    return Audit(
        decision_rules_applied=" ".join(decisions(marks, entries, rulings)),
        evidence_used=tuple(quote.shown for quote in evidence_used(rulings.values())),
        weighted_calc=f"{' + '.join(terms)} = {hundredths(average):f}",
        mapping_rule=f"round down {hundredths(average):f} → {overall:f}",
    )


def decisions(
    marks: Mapping[str, Mark], entries: Mapping[str, Objection | CriticView], rulings: Mapping[str, Ruling]
) -> list[str]:
    """Return a sentence for each rule that applied: which suggestions it took, or which scores it kept."""
    by_rule: dict[RefereeRule, list[str]] = {}
    for key, ruling in rulings.items():
        line, suggested = f"{key} {marks[key].value:f}", entries[key].suggested
        if ruling.rule in TAKEN:
            line += f" → {ruling.value:f}"
        elif suggested is not None:
            line += f" ({suggested:f} suggested)"
        by_rule.setdefault(ruling.rule, []).append(line)
    return [f"{did} ({why}): {', '.join(by_rule[rule])}." for rule, (did, why) in RULES.items() if rule in by_rule]


def evidence_used(rulings: Iterable[Ruling]) -> list[Utterance]:
    """Return the verified quotes behind the final justifications, without repetition, in transcript order."""
    quotes = [quote for ruling in rulings for quote in ruling.quotes]
    found: dict[str, Utterance] = {}
    for quote in sorted(quotes, key=lambda quote: (quote.turn, quote.start, quote.end)):
        found.setdefault(quote.shown, quote)
    return list(found.values())
