"""compare: two answers to one task. Judge in both orders, average, add up exactly, decide.

The judge gives scores, reasons, quotes and an impression; who wins is decided here.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol

from ..arithmetic import cut, difference, exact_sum, product, quotient, rounded, weighted_total
from ..judges.base import CompareQuestion, Judge, ResearchQuestion
from ..models import (
    LABELS,
    Call,
    ComparisonOpinion,
    ComparisonVerdict,
    CriterionVerdict,
    Evidence,
    Fact,
    Failure,
    Judgment,
    Label,
    Lookup,
    Order,
    OrderReport,
    Overall,
    Provenance,
    Score,
    Warning,
    Winner,
    spent,
)
from ..models.cases import Comparison, check_weights
from ..rubric import Rubric, Scale
from ..text.findings import comparison_facts
from .origins import provenance_of, verdict_id

_LARGE = 100_000  # characters from which reading them would keep others waiting


class Searcher(Protocol):
    """Looks something up; a search that fails says so in the lookup."""

    async def look_up(self, query: str) -> Lookup: ...


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How a comparison is run. With one order, the seed decides which answer stands first."""

    one_order: bool = False
    seed: int = 0
    sample: int = 0
    temperature: float = 0.0


async def compare(
    case: Comparison,
    judge: Judge,
    rubric: Rubric,
    options: CompareOptions = CompareOptions(),
    searcher: Searcher | None = None,
) -> ComparisonVerdict | Failure:
    """The verdict on two answers, or why there is none."""
    weights = check_weights(case.weights, rubric.weights)
    large = len(case.a) + len(case.b) + len(case.context) > _LARGE
    facts = await asyncio.to_thread(comparison_facts, case) if large else comparison_facts(case)
    lookups: tuple[Lookup, ...] = ()
    calls: list[Call] = []
    if searcher is not None:
        research = await judge.opine(ResearchQuestion(case))
        if isinstance(research, Failure):
            return research
        calls += research.calls
        lookups = tuple(await asyncio.gather(*map(searcher.look_up, research.queries)))

    questions = [CompareQuestion(case, rubric, order, facts, lookups) for order in _orders(case, options)]
    answers = await asyncio.gather(*map(judge.opine, questions)) if questions[1:] else [await judge.opine(questions[0])]
    calls += [call for answer in answers for call in answer.calls]
    # Two questions may have one answer (identical texts): what was paid once is counted once.
    calls = list({call.key: call for call in calls}.values())
    for answer in answers:
        if isinstance(answer, Failure):
            return answer.updated(calls=tuple(calls))
    opinions = [answer for answer in answers if isinstance(answer, ComparisonOpinion)]

    scores = _settle(opinions, weights, rubric.scale)
    whole = exact_sum(weights.values())
    band = product(rubric.tie_band, whole)  # totals are compared as they are: normalising divides both by the same
    totals = _totals(scores, weights)
    preference = combine_preferences([opinion.preference for opinion in opinions])
    if opinions[1:]:
        by_order = {opinion.order: _totals(opinion.scores, weights) for opinion in opinions}
        order = _order_report(opinions, by_order, whole, band)
        winner, decided_by = decide(totals, preference, orders_agree=order.consistent is True, band=band)
    else:
        winner, decided_by = decide(totals, preference, orders_agree=True, band=band)
        order = _one_order_report(opinions[0].order, winner, options)
    provenance = provenance_of(judge.name, rubric.reference, options, "comparer", "researcher")
    return ComparisonVerdict(
        evaluation=Judgment(
            criteria_scores={
                key: CriterionVerdict(A=scores[key]["A"], B=scores[key]["B"], weight=weight)
                for key, weight in weights.items()
            },
            overall={
                label: Overall(
                    weighted_total=totals[label],
                    summary=opinions[0].summaries[label],
                    normalized=rounded(quotient(totals[label], whole)),
                )
                for label in LABELS
            },
            winner=winner,
            winner_rationale=_rationale(winner, decided_by, opinions),
            web_search_used=any(lookup.error is None for lookup in lookups),
            margin=cut(quotient(difference(totals["A"], totals["B"]).copy_abs(), whole)),
            decided=all(opinion.decided for opinion in opinions),
            confidence=min((o.confidence for o in opinions if o.confidence is not None), default=None),
            decided_by=decided_by,
            order_consistent=order.consistent,
            order=order,
        ),
        warnings=_warnings(winner, preference, opinions, lookups, facts),
        facts=facts,
        lookups=lookups,
        **spent(calls),
        verdict_id=_verdict_id(case, weights, options, provenance, lookups, calls),
        provenance=provenance,
        opinions=tuple(opinions),
        case=case,
        rubric=rubric,
    )


# -- who wins ---------------------------------------------------------------------------------------------------------


def decide(
    totals: Mapping[Label, Decimal], preference: Winner, *, orders_agree: bool, band: Decimal
) -> tuple[Winner, str]:
    """The winner and the rule that decided, from totals and a band of one scale. Only inside it can it be a tie."""
    apart = difference(totals["A"], totals["B"])
    if not apart:
        return "tie", "equal_totals"
    higher: Winner = "A" if apart > 0 else "B"
    if apart.copy_abs() >= band:
        return higher, "higher_total"
    if not orders_agree:
        return "tie", "orders_disagree"
    if preference == "tie":
        return "tie", "judge_prefers_tie"
    return higher, "higher_total"


def combine_preferences(preferences: list[Winner]) -> Winner:
    """One preference of several: the one they share; A against B is a tie; a side and a tie is that side."""
    sides = {preference for preference in preferences if preference != "tie"}
    return sides.pop() if len(sides) == 1 else "tie"


# -- scores -----------------------------------------------------------------------------------------------------------


def _totals(scores: Mapping[str, Mapping[Label, Score]], weights: Mapping[str, Decimal]) -> dict[Label, Decimal]:
    return {
        label: weighted_total({key: by_label[label].value for key, by_label in scores.items()}, weights)
        for label in LABELS
    }


def _settle(opinions: list[ComparisonOpinion], criteria: Iterable[str], scale: Scale) -> dict[str, dict[Label, Score]]:
    """The mean of the orders' scores, exact for any scale, with the first order's words and the quotes of all."""

    def settled(key: str, label: Label) -> Score:
        given = [opinion.scores[key][label] for opinion in opinions]
        value = given[0].value
        if given[1:]:
            mean = quotient(exact_sum(score.value for score in given), Decimal(len(given)))
            value = rounded(mean, scale.step / 200)
        return Score(
            value=value,
            justification=given[0].justification,
            evidence=_quoted(opinions, key, label),
            assessed=all(score.assessed for score in given),
        )

    return {key: {label: settled(key, label) for label in LABELS} for key in criteria}


def _quoted(opinions: list[ComparisonOpinion], key: str, label: Label) -> tuple[Evidence, ...]:
    """The quotes of all orders for a criterion and answer; one that both give to the same effect stands once."""
    found: dict[tuple[int, int, str], Evidence] = {}
    for opinion in opinions:
        for item in opinion.evidence:
            if (item.criterion, item.answer) == (key, label):
                found.setdefault((item.start, item.end, item.impact), item)
    return tuple(found.values())


# -- the two orders ---------------------------------------------------------------------------------------------------


def _orders(case: Comparison, options: CompareOptions) -> tuple[Order, ...]:
    if not options.one_order:
        return ("ab", "ba")
    # The seed and the texts together: one seed for a whole run still mixes which answer comes first.
    drawn = hashlib.sha256(f"{options.seed}\0{case.task}\0{case.a}\0{case.b}".encode()).digest()[0]
    return ("ab",) if drawn % 2 == 0 else ("ba",)


def _one_order_report(order: Order, winner: Winner, options: CompareOptions) -> OrderReport:
    return OrderReport(
        judged=(order,), winners={order: winner}, consistent=None, moved={}, drawn_from_seed=options.seed
    )


def _order_report(
    opinions: list[ComparisonOpinion],
    by_order: Mapping[Order, Mapping[Label, Decimal]],
    whole: Decimal,
    band: Decimal,
) -> OrderReport:
    winners = {
        opinion.order: decide(by_order[opinion.order], opinion.preference, orders_agree=True, band=band)[0]
        for opinion in opinions
    }
    # A judge that prefers whatever stands first names both sides, even where its scores do not.
    sides = {opinion.preference for opinion in opinions} - {"tie"}
    return OrderReport(
        judged=tuple(winners),
        winners=winners,
        consistent=len(set(winners.values())) == 1 and len(sides) < 2,
        moved={
            label: rounded(quotient(difference(by_order["ba"][label], by_order["ab"][label]), whole))
            for label in LABELS
        },
    )


# -- words ------------------------------------------------------------------------------------------------------------


def _rationale(winner: Winner, decided_by: str, opinions: list[ComparisonOpinion]) -> str:
    """The judge's own reason, from an order that saw it as the verdict does; what the rules did stands before it."""
    agreeing = [opinion for opinion in opinions if opinion.preference == winner]
    said = (agreeing or opinions)[0].rationale
    if decided_by == "orders_disagree":
        return f"The two orders named different winners and the totals are close, so this is a tie. {said}"
    if decided_by == "judge_prefers_tie" and not agreeing:
        return f"The totals are close and the judge prefers neither, so this is a tie. {said}"
    if decided_by == "equal_totals":
        return f"The weighted totals are equal, so this is a tie. {said}"
    if not agreeing:
        return f"Response {winner} has the higher weighted total. The judge's overall impression was different: {said}"
    return said


def _warnings(
    winner: Winner,
    preference: Winner,
    opinions: list[ComparisonOpinion],
    lookups: tuple[Lookup, ...],
    facts: tuple[Fact, ...],
) -> tuple[Warning, ...]:
    warnings = [warning for opinion in opinions for warning in opinion.warnings]
    if "tie" not in (winner, preference) and winner != preference:
        message = f"the judge's overall preference was {preference}, the weighted totals say {winner}"
        warnings.append(Warning(code="preference_against_totals", message=message))
    warnings += [
        Warning(code="search_failed", message=f"{lookup.query!r}: {lookup.error}")
        for lookup in lookups
        if lookup.error is not None
    ]
    warnings += [
        Warning(code=_HOSTILE[fact.name], message=f"{_WHERE[fact.where]} {fact.found}, at character {fact.start}")
        for fact in facts
        if fact.name in _HOSTILE
    ]
    return tuple(warnings)


_HOSTILE: dict[str, Literal["addresses_the_judge", "control_token"]] = {
    "injection": "addresses_the_judge",
    "control_token": "control_token",
}
_WHERE = {"task": "the task", "context": "the context", "A": "response A", "B": "response B"}


def _verdict_id(
    case: Comparison,
    weights: Mapping[str, Decimal],
    options: CompareOptions,
    provenance: Provenance,
    lookups: tuple[Lookup, ...],
    calls: list[Call],
) -> str:
    """The same question put the same way has the same id, wherever and whenever it is asked."""
    asked = [
        "compare",
        case.task,
        case.a,
        case.b,
        case.context,
        {key: str(weight) for key, weight in weights.items()},
        options.one_order,
        provenance.model_dump(),
        [lookup.model_dump() for lookup in lookups],
        [call.key for call in calls],
    ]
    return verdict_id("c", asked)
