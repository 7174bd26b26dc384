"""The compare protocol: judge two answers to one task in both orders, average the scores, add them up exactly, decide.

The judge gives scores, reasons, quotes and a preference; the winner is decided here. Rules compare exact fractions;
each number that a verdict shows is rounded once, from its exact value. Identical answers are judged once and tie.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ...arithmetic import SHOWN, mean
from ...computing import computed
from ...judges.base import Cascade, Judge
from ...models.cases import check_weights
from ...models.common import LABELS, Failure, Label, Lookup, Order, Warning, all_quoted, each_once, spent
from ...rubric import Rubric, Scale
from ...text.identical import are_identical
from ...text.reasons import rescored
from ..options import FormField, Options, setting
from ..procedure import Searcher, failures_of, hostile_warnings, in_stages, provenance_of, rechecked, verdict_id
from .case import Comparison
from .deciding import decided_by_rules, preference_warnings, why_unsure
from .facts import comparison_facts, found_without_attempts, search_facts
from .questions import CompareQuestion, ResearchQuestion
from .roles import COMPARER, RESEARCHER
from .verdict import (
    ComparisonOpinion,
    ComparisonVerdict,
    Evidence,
    Research,
    Score,
    shown_and_exact,
)

_WHERE = {
    "task": "the task",
    "context": "the context",
    "search": "a search result",
    "A": "response A",
    "B": "response B",
}


@dataclass(frozen=True, kw_only=True)
class CompareOptions(Options):
    """The options of a comparison. `one_order`: judge one order only; the seed decides which answer comes first."""

    one_order: bool = setting(
        False,
        "judge once instead of in both orders: half the cost",
        brief="judge once, not in both orders: half the cost",
        http="Judge in one order only: half the cost.",
        form=FormField(
            "Judge in both orders",
            "tells whether the order matters; twice the calls",
            among="Judge two answers in both orders",
            opposite="both_orders",
        ),
        serve="compare once instead of in both orders: half the cost",
        bench="judge comparisons once, not in both orders: half the cost",
    )


async def compare(
    case: Comparison,
    judge: Judge,
    rubric: Rubric,
    options: CompareOptions = CompareOptions(),
    searcher: Searcher | None = None,
) -> ComparisonVerdict | Failure:
    """Compare two answers; if the options ask for it, also without the passages that try to steer the judge."""
    if isinstance(judge, Cascade):
        margin = rubric.tie_band if judge.margin is None else judge.margin
        return await in_stages(
            (judge,),
            lambda stage: compare(case, stage, rubric, options, searcher),
            lambda verdict: why_unsure(verdict, margin),
            lambda verdict: verdict.margin,
            _all_lookups,
        )
    weights = check_weights(case.weights, rubric.weights)
    lookups: tuple[Lookup, ...] = ()
    research: Research | None = None
    if searcher is not None:
        found = await judge.opine(ResearchQuestion(case))
        if isinstance(found, Failure):
            return found
        research = found
        lookups = tuple(await asyncio.gather(*map(searcher.look_up, research.queries)))
    verdict = await rechecked(
        await _judged(case, weights, judge, rubric, options, lookups, research),
        (case, lookups),
        options,
        lambda given: (given[0].without_attempts(), found_without_attempts(given[1], case.task)),
        lambda clean: _judged(clean[0], weights, judge, rubric, options, clean[1]),
        lambda again: {str(label): overall.weighted_total for label, overall in again.overall.items()},
    )
    if isinstance(verdict, Failure) or verdict.recheck is None or not verdict.recheck.changed:
        return verdict
    return verdict.updated(evaluation=verdict.evaluation.updated(decided=False))


def _all_lookups(verdicts: list[ComparisonVerdict], _: str) -> dict[str, Any]:
    """Return the searches of all stages of a cascade."""
    lookups = tuple(dict.fromkeys(lookup for verdict in verdicts for lookup in verdict.lookups))
    searched = any(lookup.error is None for lookup in lookups)
    return {"lookups": lookups, "evaluation": verdicts[-1].evaluation.updated(web_search_used=searched)}


async def _judged(
    case: Comparison,
    weights: Mapping[str, Decimal],
    judge: Judge,
    rubric: Rubric,
    options: CompareOptions,
    lookups: tuple[Lookup, ...],
    research: Research | None = None,
) -> ComparisonVerdict | Failure:
    """Compare two answers, given the search results; `research` holds the calls that chose the queries."""
    facts = await computed(case.size, comparison_facts, case)
    facts = (*facts, *search_facts(lookups, case.task))
    identical = await computed(case.size, are_identical, case.a, case.b)
    orders: tuple[Order, ...] = ("ab", "ba")
    if options.one_order or identical:
        # Hash the seed together with the texts, so that one seed for a whole run still mixes the orders.
        drawn = hashlib.sha256(f"{options.seed}\0{case.task}\0{case.a}\0{case.b}".encode()).digest()[0]
        orders = orders[drawn % 2 :][:1]
    questions = [CompareQuestion(case, rubric, order, facts, lookups) for order in orders]
    answers = await asyncio.gather(*map(judge.opine, questions))
    calls = each_once([*(research.calls if research else ()), *(call for answer in answers for call in answer.calls)])
    for answer in answers:
        if isinstance(answer, Failure):
            return answer.updated(calls=tuple(calls))
    opinions = [answer for answer in answers if isinstance(answer, ComparisonOpinion)]
    asked = {"ResearchQuestion": research, **{f"CompareQuestion {one.order}": one for one in opinions}}

    scores = _settle(opinions, weights, rubric.scale)
    if identical:
        scores = {key: _shared(by_label, rubric.scale) for key, by_label in scores.items()}
    searched = any(lookup.error is None for lookup in lookups)
    judgment = decided_by_rules(opinions, scores, weights, rubric.tie_band, options.seed, searched, identical)
    provenance = provenance_of(judge.name, rubric.reference, options, COMPARER, RESEARCHER)
    return ComparisonVerdict(
        evaluation=judgment,
        warnings=(
            *(warning for opinion in opinions for warning in opinion.warnings),
            *_missing_evidence(opinions),
            *preference_warnings(judgment.winner, opinions),
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
        quoted=all_quoted(opinions),
        failures=failures_of(**asked),
        case=case,
        rubric=rubric,
    )


def _missing_evidence(opinions: list[ComparisonOpinion]) -> Iterable[Warning]:
    """Yield a warning for each score for which a quote was asked for, but no order and no jury member gave one."""
    quoted = {(item.criterion, item.answer) for opinion in opinions for item in opinion.evidence}
    for key, label in dict.fromkeys(place for opinion in opinions for place in opinion.unquoted):
        if (key, label) not in quoted:
            message = f"{key}: the judge gave no usable quote from response {label}"
            yield Warning(code="missing_evidence", message=message)


# -- scores -----------------------------------------------------------------------------------------------------------


def _shown_step(scale: Scale) -> Decimal:
    """Return the step to which averaged scores are rounded: four decimals more than the scale has."""
    return SHOWN.scaleb(min(0, int(scale.step.normalize().as_tuple().exponent)))


def _settle(opinions: list[ComparisonOpinion], criteria: Iterable[str], scale: Scale) -> dict[str, dict[Label, Score]]:
    """Average the scores of all orders, with the first order's justifications and all quotes."""
    step = _shown_step(scale)
    quotes: dict[tuple[str, Label], dict[tuple[int, int, str], Evidence]] = defaultdict(dict)
    for opinion in opinions:
        for item in opinion.evidence:  # keep a quote once if both orders give it with the same impact
            quotes[item.criterion, item.answer].setdefault((item.start, item.end, item.impact), item)

    def settled(key: str, label: Label) -> Score:
        given = [opinion.scores[key][label] for opinion in opinions]
        assessed = all(score.assessed for score in given)
        return _score(given, step, given[0].justification, quotes[key, label].values(), assessed)

    return {key: {label: settled(key, label) for label in LABELS} for key in criteria}


def _shared(by_label: Mapping[Label, Score], scale: Scale) -> dict[Label, Score]:
    """Give identical answers the mean of their two scores. If these differ, no judge's reason explains the mean."""
    a, b = (by_label[label] for label in LABELS)
    step, assessed = _shown_step(scale), a.assessed and b.assessed
    ours = f"The answers are identical, so both get the mean of the judge's two scores, {a.value} and {b.value}."
    same = a.exactly == b.exactly
    return {
        label: _score((a, b), step, one.justification if same else ours, one.evidence, assessed)
        for label, one in by_label.items()
    }


def _score(
    given: Iterable[Score], step: Decimal, justification: str, evidence: Iterable[Evidence], assessed: bool
) -> Score:
    """Make the mean of some scores. Its value replaces the one in sentences of ours."""
    value, exact = _mean(tuple(score.unrounded for score in given), step)
    return Score(
        value=value,
        exact=exact,
        justification=rescored(justification, value),
        evidence=tuple(
            item if (words := rescored(item.rationale, value)) == item.rationale else item.updated(rationale=words)
            for item in evidence
        ),
        assessed=assessed,
    )


@lru_cache(maxsize=4096)
def _mean(scores: tuple[Decimal | Fraction, ...], step: Decimal) -> tuple[Decimal, Fraction | None]:
    """Return the mean as it is shown, and exactly if that is another number. Cached: a scale has few values."""
    return shown_and_exact(mean(scores), step)
