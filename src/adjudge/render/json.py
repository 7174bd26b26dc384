"""A verdict as the JSON object that clients read: the contract's keys in their order, ours after them.

The bytes are a function of the verdict alone, so a stored one can be compared byte for byte.
"""

from __future__ import annotations

from typing import Any

from ..cases import Comparison
from ..verdicts import (
    LABELS,
    ComparisonOpinion,
    ComparisonVerdict,
    CriterionVerdict,
    Evidence,
    Failure,
    Label,
)
from .encoding import dump, failed, spent


def comparison_json(verdict: ComparisonVerdict, case: Comparison, *, indent: bool = True) -> bytes:
    """The response object of a comparison; without indent it is one line.

    Every quote is checked against the case once more before it leaves.
    """
    order = verdict.order
    paid = spent(verdict.calls)
    return dump(
        {
            "evaluation": {
                "criteria_scores": {key: _criterion(item, case) for key, item in verdict.criteria.items()},
                "overall": {
                    label: {
                        "weighted_total_score": verdict.overall[label].weighted_total,
                        "summary": verdict.overall[label].summary,
                        "normalized": verdict.overall[label].normalized,
                    }
                    for label in LABELS
                },
                "winner": verdict.winner,
                "winner_rationale": verdict.rationale,
                "web_search_used": any(lookup.error is None for lookup in verdict.lookups),
                "margin": verdict.margin,
                "decided": verdict.decided,
                "confidence": verdict.confidence,
                "decided_by": verdict.decided_by,
                "order_consistent": order.consistent,
                "order": {
                    "judged": order.judged,
                    "winners": {name: order.winners[name] for name in order.judged},
                    "moved": {label: order.moved[label] for label in LABELS if label in order.moved},
                    "drawn_from_seed": order.drawn_from_seed,
                },
            },
            "usage": paid["usage"],
            "warnings": [warning.model_dump() for warning in verdict.warnings],
            "facts": [fact.model_dump(exclude_none=True) for fact in verdict.facts],
            "lookups": [lookup.model_dump() for lookup in verdict.lookups],
            "cost_usd": paid["cost_usd"],
            "calls": paid["calls"],
            "verdict_id": verdict.verdict_id,
            "provenance": verdict.provenance.model_dump(),
            "opinions": [_opinion(opinion) for opinion in verdict.opinions],
        },
        indent=indent,
    )


def failure_json(failure: Failure) -> bytes:
    """A judgment that did not come about."""
    return dump(failed(failure))


def _criterion(criterion: CriterionVerdict, case: Comparison) -> dict[str, Any]:
    return {
        "A": _side(criterion, "A", case.a),
        "B": _side(criterion, "B", case.b),
        "weight": criterion.weight,
    }


def _side(criterion: CriterionVerdict, label: Label, text: str) -> dict[str, Any]:
    value, justification, assessed = criterion.scores[label]
    return {
        "score": value,
        "justification": justification,
        "evidence": [_evidence(item, label, text) for item in criterion.evidence[label]],
        "assessed": assessed,
    }


def _evidence(item: Evidence, label: Label, text: str) -> dict[str, Any]:
    _criterion, answer, impact, quote, rationale, start, end = item
    if answer != label or text[start:end] != quote:
        raise ValueError(f"the quote at {start}:{end} does not stand in answer {label} of this case")
    return {
        "answer": answer,
        "impact": impact,
        "quote": quote,
        "rationale": rationale,
        "start": start,
        "end": end,
    }


def _opinion(opinion: ComparisonOpinion) -> dict[str, Any]:
    """One order's own scores and words, as the judge gave them."""
    compact: dict[str, Any] = {
        "judge": opinion.judge,
        "order": opinion.order,
        "preference": opinion.preference,
        "confidence": opinion.confidence,
        "decided": opinion.decided,
        "scores": {key: {"A": by["A"].value, "B": by["B"].value} for key, by in opinion.scores.items()},
        "justifications": {
            key: {"A": by["A"].justification, "B": by["B"].justification} for key, by in opinion.scores.items()
        },
        "summaries": {label: opinion.summaries[label] for label in LABELS},
        "rationale": opinion.rationale,
    }
    if opinion.members:
        compact["members"] = [_opinion(member) for member in opinion.members]
    return compact
