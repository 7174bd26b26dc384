"""Find facts about the texts of a case, each with its place, by code alone and for any judge. Also remove passages that
try to steer the judge.

Each detector reads one text and knows nothing about cases. This module adds the name of the text to its spots.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeVar, cast

from ..models import LABELS, Fact, Lookup, Where
from ..models.cases import Comparison, Dialogue, Review
from . import Spot
from .control_tokens import without_end_markers
from .flaws import find_cut_off, find_repetition
from .hidden import find_hidden
from .injection import find_control_tokens, find_injection
from .injection import without_attempts as text_without

# The facts that mean a text tries to steer its judge, and the warnings they give.
ATTEMPTS: dict[str, Literal["addresses_the_judge", "hidden_characters", "control_token"]] = {
    "injection": "addresses_the_judge",
    "hidden_characters": "hidden_characters",
    "control_token": "control_token",
}


def comparison_facts(case: Comparison) -> tuple[Fact, ...]:
    """Return the facts found in the task, the context and both answers."""
    facts = [*hostile_facts("task", case.task), *hostile_facts("context", case.context, case.task)]
    for label in LABELS:
        text = case.answer(label)
        facts += cut_off_facts(label, text, case.task)
        facts += facts_of("repetition", label, find_repetition(text))
        facts += hostile_facts(label, without_end_markers(text), case.task)
    return tuple(facts)


def search_facts(lookups: Iterable[Lookup], task: str) -> list[Fact]:
    """Return the attempts in search results. Places are in the title or in the snippet."""
    facts: list[Fact] = []
    for finding in (finding for lookup in lookups for finding in lookup.findings):
        for text in (finding.title, finding.snippet):
            found = hostile_facts("search", text, task)
            facts += [fact.updated(found=f"{fact.found} (in {finding.url})") for fact in found]
    return facts


C = TypeVar("C", bound=Comparison | Dialogue | Review)


def without_attempts(case: C) -> C:
    """Return the case without the passages that try to steer the judge.

    The task is left unchanged, and so are a review's system prompt and configuration: judging needs all of them.
    """
    changed: dict[str, Any]
    if isinstance(case, Dialogue):
        changed = {"turns": tuple(turn.updated(text=text_without(turn.text)) for turn in case.turns)}
    else:
        task, beside = (case.prompt, "history") if isinstance(case, Review) else (case.task, "context")
        changed = {name: text_without(getattr(case, name), task) for name in ("a", "b", beside)}
    return cast(C, case.updated(**changed))


def found_without_attempts(lookups: Iterable[Lookup], task: str) -> tuple[Lookup, ...]:
    """Return the search results without the passages that try to steer the judge."""
    return tuple(
        lookup.updated(
            findings=tuple(
                one.updated(title=text_without(one.title, task), snippet=text_without(one.snippet, task))
                for one in lookup.findings
            )
        )
        for lookup in lookups
    )


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
