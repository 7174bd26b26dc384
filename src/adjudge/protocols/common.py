"""What all protocols share: the options, the origin of a verdict and the id that follows from it, warnings of hostile
text, the case judged again without it, and cascades.

A cascade judges the case with the first judge, and with the next one only where that verdict is unsure; each protocol
says what makes its verdict unsure. A judge that cannot judge the case (it refuses, or its reply stays unusable) is as
good as unsure. One that could not be reached says nothing of the case: then the cascade fails, for what it says, and
what it costs, must not depend on the network.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

import orjson

from .. import prompts
from ..computing import computed
from ..judges.base import Cascade, Judge
from ..models import (
    Call,
    ComparisonVerdict,
    DialogueVerdict,
    Fact,
    Failure,
    Lookup,
    Provenance,
    Recheck,
    ReviewVerdict,
    Stage,
    Warning,
    each_once,
    spent,
    total_cost,
)
from ..models.rows import answer_of
from ..text.findings import ATTEMPTS
from ..version import __version__

G = TypeVar("G")
V = TypeVar("V", ComparisonVerdict, DialogueVerdict, ReviewVerdict)


@dataclass(frozen=True, slots=True)
class Options:
    """How a case is judged, as its verdict records it.

    With `one_order` of a comparison, the seed decides which answer stands first; `languages` are those in scope of a
    review, all if none are given.
    """

    seed: int = 0
    sample: int = 0
    temperature: float = 0.0
    recheck_attempts: bool = False
    one_order: bool = False
    languages: tuple[str, ...] = ()


def provenance_of(judge: str, rubric: str, options: Options, *roles: str) -> Provenance:
    """The origin of a verdict by this judge, with the versions of the prompts of these roles."""
    return Provenance(
        software=f"adjudge {__version__}",
        judge=judge,
        rubric=rubric,
        prompts={name: prompts.load(name).reference for name in roles},
        sample=int(options.sample),
        seed=int(options.seed),
        temperature=float(options.temperature),
    )


def verdict_id(letter: str, asked: list[Any]) -> str:
    """An id that is the same for the same case judged the same way; the letter names the protocol."""
    return letter + hashlib.sha256(orjson.dumps(asked)).hexdigest()[:20]


def failures_of(**asked: Any) -> tuple[tuple[str, Failure], ...]:
    """The failures of members of a jury, by the question they failed at; an opinion may be None."""
    return tuple((question, failure) for question, said in asked.items() if said for failure in said.failures)


def hostile_warnings(facts: Iterable[Fact], where: Mapping[str, str]) -> list[Warning]:
    """Texts that try to steer the judge: judged like any other, and reported. `where` says what each is called."""
    return [
        Warning(code=ATTEMPTS[fact.name], message=f"{where[fact.where]} {fact.found}, at character {fact.start}")
        for fact in facts
        if fact.name in ATTEMPTS
    ]


async def rechecked(
    first: V | Failure,
    given: G,
    options: Options,
    clean: Callable[[G], G],
    judge_again: Callable[[G], Awaitable[V | Failure]],
    totals: Callable[[V], dict[str, Decimal]],
) -> V | Failure:
    """A verdict with what comes of the same case without the passages that try to steer the judge, if that is asked
    for and there are any. The verdict stays that of the texts as they were given."""
    if isinstance(first, Failure) or not options.recheck_attempts:
        return first
    verdict: V = first
    cleaned = await computed(verdict.case.size, clean, given)
    if cleaned == given:
        return verdict
    second = await judge_again(cleaned)
    if isinstance(second, Failure):
        return second.with_calls(verdict.calls)
    again: V = second
    outcome, then = answer_of(verdict), answer_of(again)
    says = f"the outcome is {then}, not {outcome}" if outcome != then else f"the outcome is the same, {then}"
    message = f"judged again without the passages that try to steer the judge: {says}"
    return verdict.updated(
        recheck=Recheck(outcome=then, totals=totals(again), changed=outcome != then, again=again),
        warnings=(*verdict.warnings, Warning(code="rechecked", message=message)),
        failures=(*verdict.failures, *again.failures),
        verdict_id=verdict_id(verdict.verdict_id[0], ["rechecked", verdict.verdict_id, again.verdict_id]),
        **spent(each_once([*verdict.calls, *again.calls])),
    )


async def in_stages(
    judges: tuple[Judge, ...],
    judge_case: Callable[..., Awaitable[V | Failure]],
    why_unsure: Callable[[V], Iterable[str]],
) -> V | Failure:
    """The first verdict that is not unsure, else the last one, with what all stages said and cost.

    At least one of the judges is a cascade; a shorter one, or a single judge, is asked at every later stage too.
    """
    cascades = [judge for judge in judges if isinstance(judge, Cascade)]
    last = max(len(cascade.stages) for cascade in cascades) - 1
    stages: list[Stage] = []
    calls: list[Call] = []
    failures: list[tuple[str, Failure]] = []
    lookups: dict[Lookup, None] = {}
    for at in range(last + 1):
        seated = [judge.stages[: at + 1][-1] if isinstance(judge, Cascade) else judge for judge in judges]
        # What failed then fails now as it did: a replay may find a reply that came later.
        recorded = next((cascade.failed[at] for cascade in cascades if at in cascade.failed), None)
        outcome: V | Failure = recorded or await judge_case(*seated)
        # A reply that an earlier stage used as well costs nothing here.
        known, calls = {call.key for call in calls}, each_once([*calls, *outcome.calls])
        own = [call for call in calls if call.key not in known]
        answer, margin = None, None
        if isinstance(outcome, Failure):
            if at == last or outcome.may_pass:
                before = "".join(f"; asked because {stage.judge}: {', '.join(stage.unsure)}" for stage in stages)
                return outcome.updated(message=outcome.message + before, calls=tuple(calls))
            failures.append((f"stage {at + 1}", outcome))
            doubts: tuple[str, ...] = (f"it failed: {outcome.reason}: {outcome.message}",)
        else:
            failures += [(f"stage {at + 1} {asked}", failure) for asked, failure in outcome.failures]
            doubts = () if at == last else tuple(why_unsure(outcome))
            answer = answer_of(outcome)
        if isinstance(outcome, ComparisonVerdict):
            margin = outcome.margin
            lookups |= dict.fromkeys(outcome.lookups)
        names = ", ".join(dict.fromkeys(judge.name for judge in seated))
        cost = total_cost(own)
        stages.append(Stage(judge=names, answer=answer, margin=margin, unsure=doubts, calls=len(own), cost_usd=cost))
        if not doubts:
            break
    assert not isinstance(outcome, Failure)  # the last stage is never unsure
    name = ", ".join(judge.name for judge in judges)
    more: dict[str, Any] = {"judge": name} if isinstance(outcome, ReviewVerdict) else {}
    if isinstance(outcome, ComparisonVerdict):
        searched = any(lookup.error is None for lookup in lookups)
        more = {"lookups": tuple(lookups), "evaluation": outcome.evaluation.updated(web_search_used=searched)}
    asked = ["cascade", name, outcome.verdict_id, [call.key for call in calls]]
    return outcome.updated(
        verdict_id=verdict_id(outcome.verdict_id[0], asked),
        provenance=outcome.provenance.updated(judge=name),
        stages=tuple(stages),
        failures=tuple(failures),
        **spent(calls),
        **more,
    )
