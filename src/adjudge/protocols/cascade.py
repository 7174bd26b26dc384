"""A cascade: judge the case with the first judge, and with the next one only where that verdict is unsure.

Each protocol says what makes its verdict unsure. A judge that cannot judge the case (it refuses, or its reply stays
unusable) is as good as unsure. One that could not be reached says nothing of the case: then the cascade fails, for what
it says, and what it costs, must not depend on the network.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from ..judges.base import Cascade, Judge
from ..models import (
    Call,
    ComparisonVerdict,
    DialogueVerdict,
    Failure,
    Lookup,
    ReviewVerdict,
    Stage,
    each_once,
    spent,
    total_cost,
)
from ..models.rows import answer_of
from .common import verdict_id

V = TypeVar("V", ComparisonVerdict, DialogueVerdict, ReviewVerdict)


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
        stage = Stage(
            judge=", ".join(dict.fromkeys(judge.name for judge in seated)),
            answer=None,
            unsure=(),
            calls=len(own),
            cost_usd=total_cost(own),
        )
        if isinstance(outcome, Failure):
            if at == last or outcome.may_pass:
                before = "".join(f"; asked because {stage.judge}: {', '.join(stage.unsure)}" for stage in stages)
                return outcome.updated(message=outcome.message + before, calls=tuple(calls))
            failures.append((f"stage {at + 1}", outcome))
            stages.append(stage.updated(unsure=(f"it failed: {outcome.reason}: {outcome.message}",)))
            continue
        failures += [(f"stage {at + 1} {asked}", failure) for asked, failure in outcome.failures]
        doubts = () if at == last else tuple(why_unsure(outcome))
        margin = None
        if isinstance(outcome, ComparisonVerdict):
            margin = outcome.margin
            lookups |= dict.fromkeys(outcome.lookups)
        stages.append(stage.updated(answer=answer_of(outcome), margin=margin, unsure=doubts))
        if not doubts:
            name = ", ".join(judge.name for judge in judges)
            return _whole(outcome, name, calls, stages, failures, tuple(lookups))
    raise AssertionError("the last stage is never unsure")


def _whole(
    verdict: V,
    name: str,
    calls: list[Call],
    stages: list[Stage],
    failures: list[tuple[str, Failure]],
    lookups: tuple[Lookup, ...],
) -> V:
    """The deciding stage's verdict as the cascade's own."""
    more: dict[str, Any] = {}
    if isinstance(verdict, ReviewVerdict):
        more["judge"] = name
    if isinstance(verdict, ComparisonVerdict):
        searched = any(lookup.error is None for lookup in lookups)
        more = {"lookups": lookups, "evaluation": verdict.evaluation.updated(web_search_used=searched)}
    asked = ["cascade", name, verdict.verdict_id, [call.key for call in calls]]
    return verdict.updated(
        verdict_id=verdict_id(verdict.verdict_id[0], asked),
        provenance=verdict.provenance.updated(judge=name),
        stages=tuple(stages),
        failures=tuple(failures),
        **spent(calls),
        **more,
    )
