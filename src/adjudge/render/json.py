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
    Overall,
    Score,
)
from .encoding import dump, fact_json, failed, spent, written


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
                "overall": {label: _overall(verdict.overall[label]) for label in LABELS},
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
            "warnings": verdict.warnings,
            "facts": [fact_json(fact) for fact in verdict.facts],
            "lookups": verdict.lookups,
            "cost_usd": paid["cost_usd"],
            "calls": paid["calls"],
            "verdict_id": verdict.verdict_id,
            "provenance": verdict.provenance,
            "opinions": [_opinion(opinion) for opinion in verdict.opinions],
        },
        indent=indent,
    )


def failure_json(failure: Failure) -> bytes:
    """A judgment that did not come about."""
    return dump(failed(failure))


def _criterion(criterion: CriterionVerdict, case: Comparison) -> dict[str, Any]:
    weight, scores, evidence = criterion
    return {
        "A": _side("A", scores["A"], evidence["A"], case.a),
        "B": _side("B", scores["B"], evidence["B"], case.b),
        "weight": written(weight),
    }


def _side(label: Label, score: Score, evidence: tuple[Evidence, ...], text: str) -> dict[str, Any]:
    value, justification, assessed = score
    shown = []
    for _criterion, answer, impact, quote, rationale, start, end in evidence:
        if answer != label or text[start:end] != quote:
            raise ValueError(f"the quote at {start}:{end} does not stand in answer {label} of this case")
        shown.append(
            {
                "answer": answer,
                "impact": impact,
                "quote": quote,
                "rationale": rationale,
                "start": start,
                "end": end,
            }
        )
    return {"score": written(value), "justification": justification, "evidence": shown, "assessed": assessed}


def _overall(overall: Overall) -> dict[str, Any]:
    return {
        "weighted_total_score": overall.weighted_total,
        "summary": overall.summary,
        "normalized": overall.normalized,
    }


def _opinion(opinion: ComparisonOpinion) -> dict[str, Any]:
    """One order's own scores and words, as the judge gave them."""
    # One look at each criterion fills both tables.
    scores: dict[str, Any] = {}
    justifications: dict[str, Any] = {}
    for key, by_label in opinion.scores.items():
        (a, why_a, _), (b, why_b, _) = by_label["A"], by_label["B"]
        scores[key] = {"A": written(a), "B": written(b)}
        justifications[key] = {"A": why_a, "B": why_b}
    compact: dict[str, Any] = {
        "judge": opinion.judge,
        "order": opinion.order,
        "preference": opinion.preference,
        "confidence": opinion.confidence,
        "decided": opinion.decided,
        "scores": scores,
        "justifications": justifications,
        "summaries": {label: opinion.summaries[label] for label in LABELS},
        "rationale": opinion.rationale,
    }
    if opinion.members:
        compact["members"] = [_opinion(member) for member in opinion.members]
    return compact
