"""The audit of a dialogue: the written-out sum, how it was mapped to a step, the rules that fired, the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from ..arithmetic import hundredths
from ..models import Audit, CriticView, Mark, Objection, RefereeRule, Ruling, Utterance

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


def audit(
    marks: Mapping[str, Mark],
    entries: Mapping[str, Objection],
    rulings: Mapping[str, Ruling],
    weights: Mapping[str, Decimal],
    average: Decimal,
    overall: Decimal,
) -> Audit:
    """How the result came about; criteria in the order of the weights."""
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
    """A sentence for each rule that fired: which suggestions it took, or which scores it kept."""
    by_rule: dict[RefereeRule, list[str]] = {}
    for key, ruling in rulings.items():
        by_rule.setdefault(ruling.rule, []).append(_change(key, marks[key].value, entries[key].suggested, ruling))
    return [f"{did} ({why}): {', '.join(by_rule[rule])}." for rule, (did, why) in RULES.items() if rule in by_rule]


def _change(key: str, score: Decimal, suggested: Decimal | None, ruling: Ruling) -> str:
    if ruling.rule in TAKEN:
        return f"{key} {score:f} → {ruling.value:f}"
    return f"{key} {score:f}" if suggested is None else f"{key} {score:f} ({suggested:f} suggested)"


def evidence_used(rulings: Iterable[Ruling]) -> list[Utterance]:
    """The verified quotes behind the final justifications, each once, in the order of the transcript."""
    found: dict[str, Utterance] = {}
    quotes = [quote for ruling in rulings for quote in ruling.quotes]
    for quote in sorted(quotes, key=lambda quote: (quote.turn, quote.start, quote.end)):
        found.setdefault(quote.shown, quote)
    return list(found.values())
