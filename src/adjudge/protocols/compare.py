"""The compare protocol: judge two answers to one task in both orders, average the scores, add them up exactly, decide.

The judge gives scores, reasons, quotes and a preference; the winner is decided here.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, Protocol

from ..arithmetic import cut, mean, rounded, weighted_total
from ..computing import computed
from ..judges.base import Cascade, CompareQuestion, Judge, ResearchQuestion
from ..models import (
    LABELS,
    ComparisonOpinion,
    ComparisonVerdict,
    CriterionVerdict,
    Evidence,
    Failure,
    Judgment,
    Label,
    Lookup,
    Order,
    OrderReport,
    Overall,
    Research,
    Score,
    Warning,
    Winner,
    each_once,
    spent,
)
from ..models.cases import Comparison, check_weights
from ..rubric import Rubric, Scale
from ..text.findings import comparison_facts, found_without_attempts, search_facts, without_attempts
from ..text.reasons import NOT_IN_THE_TEXT, rescored
from .common import Options, failures_of, hostile_warnings, in_stages, provenance_of, rechecked, verdict_id

_WHERE = {
    "task": "the task",
    "context": "the context",
    "search": "a search result",
    "A": "response A",
    "B": "response B",
}


class Searcher(Protocol):
    """Searches the web. A failed search is recorded in the lookup that is returned."""

    async def look_up(self, query: str) -> Lookup: ...


async def compare(
    case: Comparison,
    judge: Judge,
    rubric: Rubric,
    options: Options = Options(),
    searcher: Searcher | None = None,
) -> ComparisonVerdict | Failure:
    """Compare two answers; if the options ask for it, also without the passages that try to steer the judge."""
    if isinstance(judge, Cascade):
        margin = rubric.tie_band if judge.margin is None else judge.margin
        return await in_stages(
            (judge,),
            lambda stage: compare(case, stage, rubric, options, searcher),
            lambda verdict: why_unsure(verdict, margin),
        )
    check_weights(case.weights, rubric.weights)
    lookups: tuple[Lookup, ...] = ()
    research: Research | None = None
    if searcher is not None:
        said = await judge.opine(ResearchQuestion(case))
        if isinstance(said, Failure):
            return said
        research = said
        lookups = tuple(await asyncio.gather(*map(searcher.look_up, research.queries)))
    verdict = await rechecked(
        await _judged(case, judge, rubric, options, lookups, research),
        (case, lookups),
        options,
        lambda given: (without_attempts(given[0]), found_without_attempts(given[1], case.task)),
        lambda clean: _judged(clean[0], judge, rubric, options, clean[1]),
        lambda again: {str(label): overall.weighted_total for label, overall in again.overall.items()},
    )
    if isinstance(verdict, Failure) or verdict.recheck is None or not verdict.recheck.changed:
        return verdict
    return verdict.updated(evaluation=verdict.evaluation.updated(decided=False))


async def _judged(
    case: Comparison,
    judge: Judge,
    rubric: Rubric,
    options: Options,
    lookups: tuple[Lookup, ...],
    research: Research | None = None,
) -> ComparisonVerdict | Failure:
    """Compare two answers, given the search results; `research` holds the calls that chose the queries."""
    weights = check_weights(case.weights, rubric.weights)
    facts = await computed(case.size, comparison_facts, case)
    facts = (*facts, *search_facts(lookups, case.task))
    orders: tuple[Order, ...] = ("ab", "ba")
    if options.one_order:
        # Hash the seed together with the texts, so that one seed for a whole run still mixes the orders.
        drawn = hashlib.sha256(f"{options.seed}\0{case.task}\0{case.a}\0{case.b}".encode()).digest()[0]
        orders = orders[drawn % 2 :][:1]
    questions = [CompareQuestion(case, rubric, order, facts, lookups) for order in orders]
    answers = await asyncio.gather(*map(judge.opine, questions))
    # If both answers are identical texts, the two questions share one reply.
    calls = each_once([*(research.calls if research else ()), *(call for answer in answers for call in answer.calls)])
    for answer in answers:
        if isinstance(answer, Failure):
            return answer.updated(calls=tuple(calls))
    opinions = [answer for answer in answers if isinstance(answer, ComparisonOpinion)]
    asked = {"ResearchQuestion": research, **{f"CompareQuestion {one.order}": one for one in opinions}}

    scores = _settle(opinions, weights, rubric.scale)
    searched = any(lookup.error is None for lookup in lookups)
    judgment = _decided(opinions, scores, weights, rubric.tie_band, options.seed, searched)
    provenance = provenance_of(judge.name, rubric.reference, options, "comparer", "researcher")
    return ComparisonVerdict(
        evaluation=judgment,
        warnings=(
            *(warning for opinion in opinions for warning in opinion.warnings),
            *_missing_evidence(opinions),
            *_preference_warnings(judgment.winner, opinions),
            *(
                Warning(code="search_failed", message=f"{lookup.query!r}: {lookup.error}")
                for lookup in lookups
                if lookup.error is not None
            ),
            *hostile_warnings(facts, _WHERE),
        ),
        facts=facts,
        lookups=lookups,
        **spent(calls),
        verdict_id=verdict_id(
            "c",
            [
                *("compare", case.task, case.a, case.b, case.context),
                {key: str(weight) for key, weight in weights.items()},
                options.one_order,
                provenance.model_dump(),
                [lookup.model_dump() for lookup in lookups],
                [call.key for call in calls],
            ],
        ),
        provenance=provenance,
        opinions=tuple(opinions),
        failures=failures_of(**asked),
        case=case,
        rubric=rubric,
    )


# -- who wins ---------------------------------------------------------------------------------------------------------


def reweighted(verdict: ComparisonVerdict, weights: Mapping[str, Decimal]) -> ComparisonVerdict:
    """Apply other weights to the same scores, by the same rules and without asking the judge again.

    The confidence was stated for the original winner, so it is left out if another one wins.
    """
    was, scores = verdict.evaluation, {key: criterion.scores for key, criterion in verdict.criteria.items()}
    seed = was.order.drawn_from_seed or 0
    judgment = _decided(verdict.opinions, scores, weights, verdict.rubric.tie_band, seed, was.web_search_used)
    against = "preference_against_totals"
    warnings = [warning for warning in verdict.warnings if warning.code != against]
    warnings += [found for found in _preference_warnings(judgment.winner, verdict.opinions) if found.code == against]
    return verdict.updated(
        evaluation=judgment.updated(
            decided=was.decided,
            confidence=was.confidence if judgment.winner == was.winner else None,
            # In a cascade, the summaries may come from another judge than the opinions.
            overall={label: judgment.overall[label].updated(summary=was.overall[label].summary) for label in LABELS},
        ),
        warnings=tuple(warnings),
    )


def _decided(
    opinions: Sequence[ComparisonOpinion],
    scores: Mapping[str, Mapping[Label, Score]],
    weights: Mapping[str, Decimal],
    band: Decimal,
    seed: int,
    searched: bool,
) -> Judgment:
    """Compute totals, winner and reason from the opinions and the averaged scores."""
    totals = {
        label: weighted_total({key: by_label[label].value for key, by_label in scores.items()}, weights)
        for label in LABELS
    }
    whole = Fraction(weighted_total(dict.fromkeys(weights, Decimal(1)), weights))
    by_order = {opinion.order: _totals(opinion.scores, weights) for opinion in opinions}
    aparts = {order: (of["A"] - of["B"]) / whole for order, of in by_order.items()}
    # No value has been rounded so far, so equal totals compare as equal.
    apart = mean(aparts.values())
    named = {opinion.order: decide_one_order(aparts[opinion.order], opinion.preference, band) for opinion in opinions}
    decision = decide(list(named.values()), apart, band)
    winners = {order: one.winner for order, one in named.items()}
    if len(winners) == 1:
        order = OrderReport(judged=tuple(winners), winners=winners, moved={}, drawn_from_seed=seed)
    else:
        moved = {label: rounded((by_order["ba"][label] - by_order["ab"][label]) / whole) for label in LABELS}
        consistent = len(set(winners.values())) == 1
        order = OrderReport(judged=tuple(winners), winners=winners, moved=moved, consistent=consistent)
    return Judgment(
        criteria_scores={
            key: CriterionVerdict(A=scores[key]["A"], B=scores[key]["B"], weight=weight)
            for key, weight in weights.items()
        },
        overall={
            label: Overall(
                weighted_total=totals[label],
                summary=opinions[0].summaries[label],
                normalized=rounded(Fraction(totals[label]) / whole),
            )
            for label in LABELS
        },
        winner=decision.winner,
        winner_rationale=_rationale(decision, named, opinions, band),
        web_search_used=searched,
        margin=cut(abs(apart)),
        decided=all(opinion.decided for opinion in opinions),
        confidence=min((o.confidence for o in opinions if o.confidence is not None), default=None),
        decided_by=decision.rule,
        order_consistent=order.consistent,
        order=order,
    )


class Decision(NamedTuple):
    """The winner, and the rule that decided."""

    winner: Winner
    rule: str


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
    if not verdict.decided:
        yield "it did not decide"
    if verdict.order.consistent is False:
        yield "the two orders name different winners"
    if verdict.margin < margin:
        yield f"the totals are {verdict.margin} apart, less than {margin}"
    weights = {key: criterion.weight for key, criterion in verdict.criteria.items()}
    for opinion in verdict.opinions:
        totals = [(_totals(member.scores, weights), member.preference) for member in opinion.members]
        band = verdict.rubric.tie_band * sum(weights.values())
        named = {decide_one_order(of["A"] - of["B"], preference, band).winner for of, preference in totals}
        if len(named) > 1:
            yield "the members of the jury name different winners"
            break


# -- scores -----------------------------------------------------------------------------------------------------------


def _totals(scores: Mapping[str, Mapping[Label, Score]], weights: Mapping[str, Decimal]) -> dict[Label, Fraction]:
    """Return the exact totals of one order, as fractions: a jury's mean may have no finite decimal."""
    return {
        label: sum(
            (Fraction(by_label[label].exactly) * Fraction(weights[key]) for key, by_label in scores.items()),
            Fraction(0),
        )
        for label in LABELS
    }


def _settle(opinions: list[ComparisonOpinion], criteria: Iterable[str], scale: Scale) -> dict[str, dict[Label, Score]]:
    """Average the scores of all orders, rounded once, with the first order's justifications and all quotes."""
    # Keep four decimals more than the scale has.
    step = Decimal(1).scaleb(min(0, int(scale.step.normalize().as_tuple().exponent)) - 4)

    quotes: dict[tuple[str, Label], dict[tuple[int, int, str], Evidence]] = defaultdict(dict)
    for opinion in opinions:
        for item in opinion.evidence:  # keep a quote once if both orders give it with the same impact
            quotes[item.criterion, item.answer].setdefault((item.start, item.end, item.impact), item)

    def settled(key: str, label: Label) -> Score:
        given = [opinion.scores[key][label] for opinion in opinions]
        value = rounded(mean(score.exactly for score in given), step)
        items = quotes[key, label].values()
        return Score(
            value=value,
            justification=rescored(given[0].justification, value),
            evidence=tuple(
                item if (words := rescored(item.rationale, value)) == item.rationale else item.updated(rationale=words)
                for item in items
            ),
            assessed=all(score.assessed for score in given),
        )

    return {key: {label: settled(key, label) for label in LABELS} for key in criteria}


# -- words ------------------------------------------------------------------------------------------------------------


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
        "orders_disagree": f"The two orders do not name the same winner and the totals are less than {band} apart: "
        "it is a tie.",
        "averaged_totals": f"The two orders do not name the same winner; averaged over both, Response {winner} has the "
        f"higher weighted total, by {band} or more.",
        "higher_total": f"Response {winner} has the higher weighted total.",
        "equal_totals": "The weighted totals are equal, so it is a tie.",
    }.get(rule, close)


def _missing_evidence(opinions: list[ComparisonOpinion]) -> Iterable[Warning]:
    """Yield a warning for each score for which a quote was asked for, but no order and no jury member gave one."""
    quoted = {(item.criterion, item.answer) for opinion in opinions for item in opinion.evidence}
    for key, label in dict.fromkeys(place for opinion in opinions for place in opinion.unquoted):
        if (key, label) not in quoted:
            message = f"{key}: the judge gave no usable quote from response {label}"
            yield Warning(code="missing_evidence", message=message)


def _preference_warnings(winner: Winner, opinions: Sequence[ComparisonOpinion]) -> Iterable[Warning]:
    preferred = {opinion.order: opinion.preference for opinion in opinions}
    if preferred == {"ab": "A", "ba": "B"}:
        message = "the judge preferred A when A stood first, and B when B stood first"
        yield Warning(code="preference_follows_position", message=message)
    sides = set(preferred.values()) - {"tie"}
    if winner != "tie" and len(sides) == 1 and winner not in sides:
        message = f"the judge's overall preference was {sides.pop()}, the weighted totals say {winner}"
        yield Warning(code="preference_against_totals", message=message)
