"""Who wins a comparison, and why: by rules over exact numbers, from the opinions and the averaged scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from ...arithmetic import rounded
from ...models.common import LABELS, Label, Order, Warning, Winner
from ...text.reasons import NOT_IN_THE_TEXT
from .verdict import (
    ComparisonOpinion,
    ComparisonVerdict,
    CriterionVerdict,
    DecidedBy,
    Judgment,
    OrderReport,
    Overall,
    Score,
    Totals,
)


def reweighted(verdict: ComparisonVerdict, weights: Mapping[str, Decimal]) -> ComparisonVerdict:
    """Apply other weights to the same scores, by the same rules and without asking the judge again.

    The confidence was stated for the original winner, so it is left out if another one wins.
    """
    was, scores = verdict.evaluation, {key: criterion.scores for key, criterion in verdict.criteria.items()}
    seed = was.order.drawn_from_seed or 0
    judgment = decided_by_rules(
        verdict.opinions,
        scores,
        weights,
        verdict.rubric.tie_band,
        seed,
        was.web_search_used,
        was.decided_by == "identical",
    )
    against = "preference_against_totals"
    warnings = [warning for warning in verdict.warnings if warning.code != against]
    warnings += [found for found in preference_warnings(judgment.winner, verdict.opinions) if found.code == against]
    return verdict.updated(
        evaluation=judgment.updated(
            decided=was.decided,
            confidence=was.confidence if judgment.winner == was.winner else None,
            # In a cascade, the summaries may come from another judge than the opinions.
            overall={label: judgment.overall[label].updated(summary=was.overall[label].summary) for label in LABELS},
        ),
        warnings=tuple(warnings),
    )


def decided_by_rules(
    opinions: Sequence[ComparisonOpinion],
    scores: Mapping[str, Mapping[Label, Score]],
    weights: Mapping[str, Decimal],
    band: Decimal,
    seed: int,
    searched: bool,
    identical: bool,
) -> Judgment:
    """Compute totals, winner and reason from the opinions and the averaged scores."""
    totals = Totals.of(scores, weights)
    by_order = {opinion.order: Totals.of(opinion.scores, weights) for opinion in opinions}
    named = {
        opinion.order: Decision("tie", "identical")
        if identical
        else decide_one_order(by_order[opinion.order].lead, opinion.preference, band)
        for opinion in opinions
    }
    decision = decide(list(named.values()), totals.lead, band)
    stated = [o.confidence for o in opinions if o.confidence is not None and not identical]
    winners = {order: one.winner for order, one in named.items()}
    if len(winners) == 1:
        order = OrderReport(judged=tuple(winners), winners=winners, moved={}, drawn_from_seed=seed)
    else:
        moved = {label: rounded(step) for label, step in by_order["ab"].moved_to(by_order["ba"]).items()}
        consistent = len(set(winners.values())) == 1
        order = OrderReport(judged=tuple(winners), winners=winners, moved=moved, consistent=consistent)
    return Judgment(
        criteria_scores={
            key: CriterionVerdict(A=scores[key]["A"], B=scores[key]["B"], weight=weight)
            for key, weight in weights.items()
        },
        overall={
            label: Overall(
                weighted_total=rounded(total),
                summary=opinions[0].summaries[label],
                normalized=rounded(total / totals.whole),
            )
            for label, total in totals.by_label.items()
        },
        winner=decision.winner,
        winner_rationale=_rationale(decision, named, opinions, band),
        web_search_used=searched,
        margin=rounded(abs(totals.lead)),
        # That identical answers tie is certain, whatever the judge thinks of them.
        decided=identical or all(opinion.decided for opinion in opinions),
        confidence=min(stated, default=None),
        decided_by=decision.rule,
        order_consistent=order.consistent,
        order=order,
    )


class Decision(NamedTuple):
    """The winner, and the rule that decided."""

    winner: Winner
    rule: DecidedBy


def decide_one_order(apart: Fraction, preference: Winner, band: Decimal) -> Decision:
    """Decide one order; `apart` is A's normalised total minus B's. Only a difference inside the band can be a tie."""
    if not apart:
        return Decision("tie", "equal_totals")
    if abs(apart) < band and preference == "tie":
        return Decision("tie", "judge_prefers_tie")
    return Decision("A" if apart > 0 else "B", "higher_total")


def decide(named: Sequence[Decision], apart: Fraction, band: Decimal) -> Decision:
    """Return the winner that all orders name; if they disagree, decide by the totals of the averaged scores."""
    if len({decision.winner for decision in named}) == 1:
        same_rule = len({decision.rule for decision in named}) == 1
        return named[0] if same_rule else Decision("tie", "both_orders_tie")
    if abs(apart) < band:
        return Decision("tie", "orders_disagree")
    return Decision("A" if apart > 0 else "B", "averaged_totals")


def why_unsure(verdict: ComparisonVerdict, margin: Decimal) -> Iterable[str]:
    """Yield the reasons for a cascade to ask its next judge; the normalised totals must be `margin` or more apart."""
    if verdict.decided_by == "identical":
        return
    if not verdict.decided:
        yield "it did not decide"
    if verdict.order.consistent is False:
        yield "the two orders name different winners"
    if abs(verdict.totals.lead) < margin:
        far = "" if verdict.margin == margin else f"{verdict.margin} apart, "  # it may be rounded to the limit
        yield f"the totals are {far}less than {margin}{'' if far else ' apart'}"
    weights, band = verdict.weights, verdict.rubric.tie_band
    for opinion in verdict.opinions:
        leads = [(Totals.of(member.scores, weights).lead, member.preference) for member in opinion.members]
        if len({decide_one_order(lead, preference, band).winner for lead, preference in leads}) > 1:
            yield "the members of the jury name different winners"
            break


def _rationale(
    decision: Decision, named: Mapping[Order, Decision], opinions: Sequence[ComparisonOpinion], band: Decimal
) -> str:
    """Return the rationale of an opinion whose preference and totals both name the winner; else describe the rule."""
    winner, rule = decision
    for opinion in opinions:
        if named[opinion.order].winner == opinion.preference == winner and opinion.rationale != NOT_IN_THE_TEXT:
            return opinion.rationale
    close = f"The weighted totals are less than {band} apart and the judge prefers neither, so it is a tie."
    return {
        "identical": "The two responses are identical, so it is a tie.",
        "orders_disagree": f"The two orders do not name the same winner and the totals are less than {band} apart: "
        "it is a tie.",
        "averaged_totals": f"The two orders do not name the same winner; averaged over both, Response {winner} has the "
        f"higher weighted total, by {band} or more.",
        "higher_total": f"Response {winner} has the higher weighted total.",
        "equal_totals": "The weighted totals are equal, so it is a tie.",
    }.get(rule, close)


def preference_warnings(winner: Winner, opinions: Sequence[ComparisonOpinion]) -> Iterable[Warning]:
    """Yield warnings of a preference that follows the position, or that the totals contradict."""
    preferred = {opinion.order: opinion.preference for opinion in opinions}
    if preferred == {"ab": "A", "ba": "B"}:
        message = "the judge preferred A when A stood first, and B when B stood first"
        yield Warning(code="preference_follows_position", message=message)
    sides = set(preferred.values()) - {"tie"}
    if winner != "tie" and len(sides) == 1 and winner not in sides:
        message = f"the judge's overall preference was {sides.pop()}, the weighted totals say {winner}"
        yield Warning(code="preference_against_totals", message=message)
