"""What all procedures share: the provenance and id of a verdict, warnings about hostile text, the recheck
without hostile text, and cascades.

A cascade judges the case with the first judge, and with the next one only if the verdict is unsure; each protocol
defines what makes its verdict unsure. A judge that cannot judge the case (it refuses, or its reply stays unusable)
counts as unsure. If a judge cannot be reached, the whole cascade fails, because neither its verdict nor its cost may
depend on the network.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Protocol, TypeVar

import orjson

from ..computing import computed
from ..judges.base import Cascade, Judge
from ..judges.role import Role
from ..models.common import (
    Call,
    Fact,
    Failure,
    Lookup,
    Provenance,
    Recheck,
    Stage,
    Warning,
    all_quoted,
    each_once,
    spent,
    total_cost,
)
from ..models.verdict import Verdict
from ..text.findings import ATTEMPTS
from ..version import __version__
from .options import Options

G = TypeVar("G")
V = TypeVar("V", bound=Verdict)


class Searcher(Protocol):
    """Searches the web. A failed search is recorded in the lookup that is returned."""

    async def look_up(self, query: str) -> Lookup: ...


class Services(Protocol):
    """What a procedure may use besides its judges."""

    def searcher(self, name: str) -> Searcher:
        """Return the search service of this name."""
        ...


def provenance_of(judge: str, rubric: str, options: Options, *roles: Role[Any, Any]) -> Provenance:
    """Return the provenance of a verdict by this judge, with the versions of the prompts of these roles."""
    return Provenance(
        software=f"adjudge {__version__}",
        judge=judge,
        rubric=rubric,
        prompts={role.file: role.prompts.reference for role in roles},
        sample=int(options.sample),
        seed=int(options.seed),
        temperature=float(options.temperature),
    )


def verdict_id(letter: str, asked: list[Any]) -> str:
    """Return an id that is the same whenever the same case is judged in the same way; `letter` names the protocol."""
    return letter + hashlib.sha256(orjson.dumps(asked)).hexdigest()[:20]


def failures_of(**asked: Any) -> tuple[tuple[str, Failure], ...]:
    """Return the failures of jury members, each with the question it belongs to. An opinion may be None."""
    return tuple((question, failure) for question, answer in asked.items() if answer for failure in answer.failures)


def hostile_warnings(facts: Iterable[Fact], where: Mapping[str, str]) -> list[Warning]:
    """Return a warning for each text that tries to steer the judge. `where` maps each place to the name to show."""
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
    """Judge the case again without the passages that try to steer the judge, if this is asked for and there are any.
    Return the first verdict with the second outcome recorded in it; the outcome itself does not change."""
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
    outcome, then = verdict.answer, again.answer
    says = f"the outcome is {then}, not {outcome}" if outcome != then else f"the outcome is the same, {then}"
    message = f"judged again without the passages that try to steer the judge: {says}"
    return verdict.updated(
        recheck=Recheck(outcome=then, totals=totals(again), changed=outcome != then, again=again),
        warnings=(*verdict.warnings, Warning(code="rechecked", message=message)),
        failures=(*verdict.failures, *again.failures),
        quoted=all_quoted((verdict, again)),
        verdict_id=verdict_id(verdict.verdict_id[0], ["rechecked", verdict.verdict_id, again.verdict_id]),
        **spent(each_once([*verdict.calls, *again.calls])),
    )


async def in_stages(
    judges: tuple[Judge, ...],
    judge_case: Callable[..., Awaitable[V | Failure]],
    why_unsure: Callable[[V], Iterable[str]],
    margin: Callable[[V], Decimal | None] = lambda _: None,
    more: Callable[[list[V], str], dict[str, Any]] = lambda *_: {},
) -> V | Failure:
    """Return the first verdict that is not unsure, or the last one, with the results and costs of all stages.

    At least one of the judges is a cascade. In a later stage, a shorter cascade's last judge or a single judge is used.
    `margin` is how far apart the totals of a verdict are, if its protocol has such a number. `more` returns further
    fields of the result, from the verdicts of all stages and the name of the judges.
    """
    cascades = [judge for judge in judges if isinstance(judge, Cascade)]
    last = max(len(cascade.stages) for cascade in cascades) - 1
    stages: list[Stage] = []
    calls: list[Call] = []
    failures: list[tuple[str, Failure]] = []
    verdicts: list[V] = []
    for at in range(last + 1):
        asked_now = [judge.stages[: at + 1][-1] if isinstance(judge, Cascade) else judge for judge in judges]
        # On a replay, repeat the recorded failure: the journal may since have received a reply.
        recorded = next((cascade.failed[at] for cascade in cascades if at in cascade.failed), None)
        outcome: V | Failure = await judge_case(*asked_now) if recorded is None else recorded
        # A reply that an earlier stage also used costs nothing here.
        known, calls = {call.key for call in calls}, each_once([*calls, *outcome.calls])
        own = [call for call in calls if call.key not in known]
        answer, apart = None, None
        if isinstance(outcome, Failure):
            if at == last or outcome.may_pass:
                before = "".join(f"; asked because {stage.judge}: {', '.join(stage.unsure)}" for stage in stages)
                return outcome.updated(message=outcome.message + before, calls=tuple(calls))
            failures.append((f"stage {at + 1}", outcome))
            doubts: tuple[str, ...] = (f"it failed: {outcome.reason}: {outcome.message}",)
        else:
            failures += [(f"stage {at + 1} {asked}", failure) for asked, failure in outcome.failures]
            doubts = () if at == last else tuple(why_unsure(outcome))
            answer, apart = outcome.answer, margin(outcome)
            verdicts.append(outcome)
        names = ", ".join(dict.fromkeys(judge.name for judge in asked_now))
        cost = total_cost(own)
        stages.append(Stage(judge=names, answer=answer, margin=apart, unsure=doubts, calls=len(own), cost_usd=cost))
        if not doubts:
            break
    assert not isinstance(outcome, Failure)  # the last stage is never unsure
    name = ", ".join(judge.name for judge in judges)
    asked = ["cascade", name, outcome.verdict_id, [call.key for call in calls]]
    return outcome.updated(
        verdict_id=verdict_id(outcome.verdict_id[0], asked),
        provenance=outcome.provenance.updated(judge=name),
        stages=tuple(stages),
        failures=tuple(failures),
        quoted=all_quoted(verdicts),
        **spent(calls),
        **more(verdicts, name),
    )
