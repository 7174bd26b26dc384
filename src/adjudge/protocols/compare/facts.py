"""What code finds in the texts of a comparison and in search results, for any judge."""

from __future__ import annotations

from collections.abc import Iterable

from ...models.common import LABELS, Fact, Lookup
from ...text.control_tokens import without_end_markers
from ...text.findings import cut_off_facts, facts_of, hostile_facts
from ...text.flaws import find_repetition
from ...text.injection import without_attempts
from .case import Comparison


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


def found_without_attempts(lookups: Iterable[Lookup], task: str) -> tuple[Lookup, ...]:
    """Return the search results without the passages that try to steer the judge."""
    return tuple(
        lookup.updated(
            findings=tuple(
                one.updated(title=without_attempts(one.title, task), snippet=without_attempts(one.snippet, task))
                for one in lookup.findings
            )
        )
        for lookup in lookups
    )
