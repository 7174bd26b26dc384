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
    facts = hostile("context", case.context, case.task) if case.context else []
    for label in LABELS:
        text = case.answer(label)
        facts += _named_all(
            label,
            ("truncation", maybe(find_truncation(text, case.task))),
            ("repetition", find_repetition(text)),
            ("refusal", maybe(find_refusal(text, case.task))),
            ("injection", find_injection(text, case.task)),
            ("control_token", find_control_tokens(text)),
        )
    return tuple(facts)


def hostile(where: Where, text: str, task: str) -> list[Fact]:
    """Attempts of one text to steer the judge."""
    return _named_all(where, ("injection", find_injection(text, task)), ("control_token", find_control_tokens(text)))


def named(name: str, where: Where, spots: Iterable[Spot]) -> list[Fact]:
    """Spots with their name and place."""
    return _named_all(where, (name, spots))


def _named_all(where: Where, *found: tuple[str, Iterable[Spot]]) -> list[Fact]:
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
        for name, spots in found
        for spot in spots
    ]
