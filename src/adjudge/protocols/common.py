"""What all protocols share: the origin of a verdict, the id that follows from it, and warnings of hostile text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

import orjson

from .. import prompts
from ..models import Fact, Provenance, Warning
from ..version import __version__

_HOSTILE: dict[str, Literal["addresses_the_judge", "control_token"]] = {
    "injection": "addresses_the_judge",
    "control_token": "control_token",
}


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
        Warning(code=_HOSTILE[fact.name], message=f"{where[fact.where]} {fact.found}, at character {fact.start}")
        for fact in facts
        if fact.name in _HOSTILE
    ]
