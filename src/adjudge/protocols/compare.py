"""compare: two answers to one task. Judge in both orders, average, add up exactly, decide.

The judge gives scores, reasons, quotes and an impression; who wins is decided here.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Literal, Protocol

import orjson

from ..arithmetic import add_product, cut, difference, exact_sum, plain, product, quotient, rounded
from ..cases import Comparison, check_weights
from ..judges.base import CompareQuestion, Judge, ResearchQuestion
from ..rubric import Rubric, Scale
from ..text.findings import comparison_facts
from ..verdicts import (
    LABELS,
    Call,
    ComparisonOpinion,
    ComparisonVerdict,
    CriterionVerdict,
    Evidence,
    Fact,
    Failure,
    Label,
    Lookup,
    Order,
    OrderReport,
    Overall,
    Provenance,
    Score,
    Warning,
    Winner,
)
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
            return replace(answer, calls=tuple(calls))
    opinions = [answer for answer in answers if isinstance(answer, ComparisonOpinion)]

    scores = _settle(opinions, weights, rubric.scale)
    evidence = _gather_evidence(opinions, weights)
    whole = _sum_of(tuple(weights.values()))
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
    main = opinions[0]
    provenance, written = _origin(judge.name, rubric.reference, options)
    return ComparisonVerdict(
        verdict_id=_verdict_id(case, weights, options, written, lookups, calls),
        # As CriterionVerdict(…) does it, at half the price.
        criteria={
            key: tuple.__new__(CriterionVerdict, (weight, scores[key], evidence[key]))
            for key, weight in weights.items()
        },
        overall={
            label: Overall(
                weighted_total=totals[label],
                normalized=_normalized(totals[label], whole),
                summary=main.summaries[label],
            )
            for label in LABELS
        },
        margin=_margin(difference(totals["A"], totals["B"]), whole),
        winner=winner,
        decided=all(opinion.decided for opinion in opinions),
        confidence=min((o.confidence for o in opinions if o.confidence is not None), default=None),
        decided_by=decided_by,
        rationale=_rationale(winner, decided_by, opinions),
        order=order,
        warnings=_warnings(winner, preference, opinions, lookups, facts),
        facts=facts,
        lookups=lookups,
        opinions=tuple(opinions),
        calls=tuple(calls),
        provenance=provenance,
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


@lru_cache(maxsize=64)
def _sum_of(weights: tuple[Decimal, ...]) -> Decimal:
    """Σ weights, which is the same for nearly every case of a run."""
    return exact_sum(weights)


@lru_cache(maxsize=1024)
def _normalized(total: Decimal, whole: Decimal) -> Decimal:
    """Kept, as the margin is: in a run the weights are the same, and so the totals have few values."""
    return rounded(quotient(total, whole))


@lru_cache(maxsize=1024)
def _margin(apart: Decimal, whole: Decimal) -> Decimal:
    return cut(quotient(apart.copy_abs(), whole))


def _totals(scores: Mapping[str, Mapping[Label, Score]], weights: Mapping[str, Decimal]) -> dict[Label, Decimal]:
    a = b = Decimal(0)
    for key, by_label in scores.items():
        weight = weights[key]
        a = add_product(by_label["A"][0], weight, a)
        b = add_product(by_label["B"][0], weight, b)
    return {"A": plain(a), "B": plain(b)}


def _settle(opinions: list[ComparisonOpinion], criteria: Iterable[str], scale: Scale) -> dict[str, dict[Label, Score]]:
    """The mean of the orders' scores, exact for any scale, with the first order's words."""
    if len(opinions) == 1:
        return {key: opinions[0].scores[key] for key in criteria}

    def settled(key: str, label: Label) -> Score:
        given = [opinion.scores[key][label] for opinion in opinions]
        value = _mean(tuple(score.value for score in given), scale.step)
        return Score(value, given[0].justification, all(score.assessed for score in given))

    return {key: {"A": settled(key, "A"), "B": settled(key, "B")} for key in criteria}


@lru_cache(maxsize=1024)
def _mean(scores: tuple[Decimal, ...], step: Decimal) -> Decimal:
    """Kept, for a scale has few values: the same pairs of them come again and again."""
    return rounded(quotient(exact_sum(scores), Decimal(len(scores))), step / 200)


def _gather_evidence(
    opinions: list[ComparisonOpinion], criteria: Iterable[str]
) -> dict[str, dict[Label, tuple[Evidence, ...]]]:
    """The quotes of all orders by criterion and answer; one that both orders give to the same effect stands once."""
    gathered: dict[str, dict[Label, tuple[Evidence, ...]]] = {key: {"A": (), "B": ()} for key in criteria}
    for opinion in opinions:
        for item in opinion.evidence:
            criterion, answer, impact, _quote, _rationale, start, end = item
            by_label = gathered.get(criterion)
            if by_label is None:
                continue
            there = by_label[answer]
            if not there:
                by_label[answer] = (item,)
            elif not any((start, end, impact) == (other.start, other.end, other.impact) for other in there):
                by_label[answer] = (*there, item)
    return gathered


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


@lru_cache(maxsize=128)
def _origin(judge: str, rubric: str, options: CompareOptions) -> tuple[Provenance, orjson.Fragment]:
    """Where a verdict comes from, and the same as JSON: it is the same for every case of a run."""
    provenance = provenance_of(judge, rubric, options, "comparer", "researcher")
    return provenance, orjson.Fragment(orjson.dumps(provenance))


def _verdict_id(
    case: Comparison,
    weights: Mapping[str, Decimal],
    options: CompareOptions,
    provenance: orjson.Fragment,
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
        provenance,
        lookups,
        [call.key for call in calls],
    ]
    return verdict_id("c", asked)
