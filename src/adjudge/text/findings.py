"""Find facts about a text, each with its place, by code alone and for any judge.

Each detector reads one text and knows nothing about cases. This module adds the name of the text to its spots.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ..models.common import Fact, Where
from . import Spot
from .flaws import find_cut_off
from .hidden import find_hidden
from .injection import find_control_tokens, find_injection

# The facts that mean a text tries to steer its judge, and the warnings they give.
ATTEMPTS: dict[str, Literal["addresses_the_judge", "hidden_characters", "control_token"]] = {
    "injection": "addresses_the_judge",
    "hidden_characters": "hidden_characters",
    "control_token": "control_token",
}


def cut_off_facts(where: Where, text: str, asked: str) -> list[Fact]:
    """Return a fact if the text breaks off."""
    spot = find_cut_off(text, asked)
    return facts_of("truncation", where, [] if spot is None else [spot])


def hostile_facts(where: Where, text: str, task: str = "") -> list[Fact]:
    """Return the attempts of one text to steer the judge."""
    if not text:
        return []
    return [
        *facts_of("injection", where, find_injection(text, task)),
        *facts_of("hidden_characters", where, find_hidden(text)),
        *facts_of("control_token", where, find_control_tokens(text)),
    ]


def facts_of(name: str, where: Where, spots: Iterable[Spot]) -> list[Fact]:
    """Turn spots into facts with this name, found in this text."""
    return [Fact(name=name, where=where, **spot._asdict()) for spot in spots]
