"""All facts about a case, in a fixed order: the context, answer A, answer B; detector by detector.

Each detector reads one text and knows nothing of cases; here their spots get the place they were found in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ..cases import Comparison
from ..verdicts import LABELS, Fact
from .injection import find_control_tokens, find_injection
from .refusal import find_refusal
from .repetition import find_repetition
from .spots import Spot, maybe
from .truncation import find_truncation

Where = Literal["task", "context", "A", "B"]


def find_facts(case: Comparison) -> tuple[Fact, ...]:
    """What code finds in the context and both answers. The task is the user's own word and is not suspected."""
    facts: list[Fact] = []
    if case.context:
        facts += hostile("context", case.context, case.task)
    for label in LABELS:
        text = case.answer(label)
        facts += named("truncation", label, maybe(find_truncation(text, case.task)))
        facts += named("repetition", label, find_repetition(text))
        facts += named("refusal", label, maybe(find_refusal(text, case.task)))
        facts += hostile(label, text, case.task)
    return tuple(facts)


def hostile(where: Where, text: str, task: str) -> list[Fact]:
    """Attempts of one text to steer the judge."""
    return [
        *named("injection", where, find_injection(text, task)),
        *named("control_token", where, find_control_tokens(text)),
    ]


def named(name: str, where: Where, spots: Iterable[Spot]) -> list[Fact]:
    """Spots with their name and place."""
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
