"""Facts about a text under judgment that code tells alone, whoever judges: each with its place.

Each detector reads one text and knows nothing of cases; here their spots get the name of the text they stand in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ..models import LABELS, Fact
from ..models.cases import Comparison
from . import Spot
from .flaws import find_cut_off, find_repetition
from .injection import find_control_tokens, find_injection

Where = Literal["task", "context", "A", "B"]


def comparison_facts(case: Comparison) -> tuple[Fact, ...]:
    """What code finds in the context and both answers. The task is the user's own word and is not suspected."""
    facts = hostile_facts("context", case.context, case.task) if case.context else []
    for label in LABELS:
        text = case.answer(label)
        facts += cut_off_facts(label, text, case.task)
        facts += facts_of("repetition", label, find_repetition(text))
        facts += hostile_facts(label, text, case.task)
    return tuple(facts)


def cut_off_facts(where: Where, text: str, asked: str) -> list[Fact]:
    """Whether one text breaks off."""
    spot = find_cut_off(text, asked)
    return facts_of("truncation", where, [] if spot is None else [spot])


def hostile_facts(where: Where, text: str, task: str) -> list[Fact]:
    """Attempts of one text to steer the judge."""
    return [
        *facts_of("injection", where, find_injection(text, task)),
        *facts_of("control_token", where, find_control_tokens(text)),
    ]


def facts_of(name: str, where: Where, spots: Iterable[Spot]) -> list[Fact]:
    """Spots with their name and the text they stand in."""
    return [
        Fact(
            name=name,
            where=where,
            start=spot.start,
            end=spot.end,
            found=spot.found,
            certain=spot.certain,
            severity=spot.severity,
        )
        for spot in spots
    ]
