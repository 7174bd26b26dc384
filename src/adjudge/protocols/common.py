"""What all protocols share: the origin of a verdict, the id that follows from it, and warnings of hostile text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Protocol, TypeVar

import orjson

from .. import prompts
from ..models import (
    ComparisonVerdict,
    DialogueVerdict,
    Fact,
    Provenance,
    Recheck,
    ReviewVerdict,
    Warning,
    each_once,
    spent,
)
from ..text.findings import ATTEMPTS
from ..version import __version__

V = TypeVar("V", ComparisonVerdict, DialogueVerdict, ReviewVerdict)


class Options(Protocol):
    """What every protocol's options hold."""

    @property
    def seed(self) -> int: ...
    @property
    def sample(self) -> int: ...
    @property
    def temperature(self) -> float: ...


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


def hostile_warnings(facts: Iterable[Fact], where: Mapping[str, str]) -> list[Warning]:
    """Texts that try to steer the judge: judged like any other, and reported. `where` says what each is called."""
    return [
        Warning(code=ATTEMPTS[fact.name], message=f"{where[fact.where]} {fact.found}, at character {fact.start}")
        for fact in facts
        if fact.name in ATTEMPTS
    ]


def with_recheck(verdict: V, outcome: str, again: V, then: str, totals: Mapping[str, Decimal]) -> V:
    """A verdict with what came of the same case without the passages that tried to steer the judge.

    The verdict stays that of the texts as they were given. `again` is the second one, `then` its outcome.
    """
    changed = outcome != then
    says = f"the outcome is {then}, not {outcome}" if changed else f"the outcome is the same, {then}"
    message = f"judged again without the passages that try to steer the judge: {says}"
    return verdict.updated(
        recheck=Recheck(outcome=then, totals=dict(totals), changed=changed, again=again),
        warnings=(*verdict.warnings, Warning(code="rechecked", message=message)),
        failures=(*verdict.failures, *again.failures),
        verdict_id=verdict_id(verdict.verdict_id[0], ["rechecked", verdict.verdict_id, again.verdict_id]),
        **spent(each_once([*verdict.calls, *again.calls])),
    )
