"""compare: two answers to one task. Judge in both orders, average, add up exactly, decide.

The judge gives scores, reasons, quotes and an impression; who wins is decided here.
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
    """Looks something up; a search that fails says so in the lookup."""

    async def look_up(self, query: str) -> Lookup: ...


async def compare(
    case: Comparison,
    judge: Judge,
    rubric: Rubric,
    options: Options = Options(),
    searcher: Searcher | None = None,
) -> ComparisonVerdict | Failure:
    """The verdict on two answers, or why there is none; where it is asked for, also of the case without attempts."""
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
    """The verdict on two answers, given what was looked up; `research` is what was paid for that."""
    weights = check_weights(case.weights, rubric.weights)
    facts = await computed(case.size, comparison_facts, case)
    facts = (*facts, *search_facts(lookups, case.task))
    orders: tuple[Order, ...] = ("ab", "ba")
    if options.one_order:
        # The seed and the texts together: one seed for a whole run still mixes which answer comes first.
        drawn = hashlib.sha256(f"{options.seed}\0{case.task}\0{case.a}\0{case.b}".encode()).digest()[0]
        orders = orders[drawn % 2 :][:1]
    questions = [CompareQuestion(case, rubric, order, facts, lookups) for order in orders]
    answers = await asyncio.gather(*map(judge.opine, questions))
    # Two questions may have one answer: identical texts.
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
    """What the same scores come to with other weights, by the same rules; nobody is asked again.

    How sure the judge is was said of the winner it knew, and is left out where another one wins.
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
            # Summaries may be of another judge than the opinions: a cascade's.
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
    """Totals, winner and reason from the opinions and the scores they were settled to."""
    totals = {
        label: weighted_total({key: by_label[label].value for key, by_label in scores.items()}, weights)
        for label in LABELS
    }
    whole = Fraction(weighted_total(dict.fromkeys(weights, Decimal(1)), weights))
    by_order = {opinion.order: _totals(opinion.scores, weights) for opinion in opinions}
    aparts = {order: (of["A"] - of["B"]) / whole for order, of in by_order.items()}
    # Nothing was rounded on the way here, so that equal totals are equal.
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
    """Who wins, and the rule that says so."""

    winner: Winner
    rule: str


def decide_one_order(apart: Fraction, preference: Winner, band: Decimal) -> Decision:
    """What one order names; `apart` is A's normalised total minus B's. Only inside the band can it be a tie."""
    if not apart:
        return Decision("tie", "equal_totals")
    if abs(apart) < band and preference == "tie":
        return Decision("tie", "judge_prefers_tie")
    return Decision("A" if apart > 0 else "B", "higher_total")


def decide(named: Sequence[Decision], apart: Fraction, band: Decimal) -> Decision:
    """What all orders name, if they name the same; else what the totals of the averaged scores say."""
    if len({decision.winner for decision in named}) == 1:
        same_rule = len({decision.rule for decision in named}) == 1
        return named[0] if same_rule else Decision("tie", "both_orders_tie")
    if abs(apart) < band:
        return Decision("tie", "orders_disagree")
    return Decision("A" if apart > 0 else "B", "averaged_totals")


def why_unsure(verdict: ComparisonVerdict, margin: Decimal) -> Iterable[str]:
    """Why a cascade asks its next judge, if it should; `margin` is how far apart the normalised totals must be."""
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
    """The totals of one order, exact: a jury's mean may have no finite decimal."""
    return {
        label: sum(
            (Fraction(by_label[label].exactly) * Fraction(weights[key]) for key, by_label in scores.items()),
            Fraction(0),
        )
        for label in LABELS
    }


def _settle(opinions: list[ComparisonOpinion], criteria: Iterable[str], scale: Scale) -> dict[str, dict[Label, Score]]:
    """The mean of the orders' scores, rounded once, with the first order's words and the quotes of all."""
    # Four decimals more than the scale has.
    step = Decimal(1).scaleb(min(0, int(scale.step.normalize().as_tuple().exponent)) - 4)

    quotes: dict[tuple[str, Label], dict[tuple[int, int, str], Evidence]] = defaultdict(dict)
    for opinion in opinions:
        for item in opinion.evidence:  # a quote that both orders give to the same effect stands once
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
    """The reason of a judge that names the verdict's winner as its order does; if there is none, what decided."""
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
    """What no order and no member of a jury quoted, though it was asked to."""
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
