"""Where a verdict comes from, for all protocols: what is needed to make it again, and the id that follows from it."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, Protocol

import orjson

from .. import prompts
from ..models import Provenance
from ..version import __version__


class Options(Protocol):
    """What every protocol's options hold."""

    @property
    def seed(self) -> int: ...
    @property
    def sample(self) -> int: ...
    @property
    def temperature(self) -> float: ...


@lru_cache(maxsize=128)
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
