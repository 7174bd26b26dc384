"""What a protocol says of a run in its report: the finding, the pictures and their order, parts of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...models.figures import Figure
from ...rendering.document import Picture, Section
from ...rendering.wording import interval, many, rounded, rounded_percent
from ...results.database import Database
from .pictures import RunFigures, labels, means, numbers, outcomes


@dataclass(frozen=True, slots=True)
class Headline:
    """The run's result in a title and a sentence or two. `tone` is the side that it favours, if any."""

    title: str
    sentence: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class FoundPart:
    """Cases that came out alike, in the picture of what was found: words for them, how many they are, their tone, and
    the filter that lists them, by name and value."""

    words: str
    cases: int
    tone: str
    filters: dict[str, str]


@dataclass(frozen=True, slots=True)
class ReportPart:
    """A part of the report that only this protocol has, with its address on the page and its title."""

    key: str
    title: str
    sections: tuple[Section, ...]


def within(mean: Figure) -> str:
    """Return the interval of a mean in brackets, to be appended; "" without one."""
    return f" (95 % interval {interval(mean.interval, lambda end: rounded(end, 1))})" if mean.interval else ""


def by_outcome(figures: RunFigures) -> tuple[FoundPart, ...]:
    """Return the outcomes that occur, from one side to the other."""
    outcome = figures.table.outcome
    keys = sorted(figures.summary.outcomes, key=outcome.rank)
    return tuple(
        FoundPart(outcome.word(key), figures.summary.outcomes[key], outcome.tone(key), {"outcome": key}) for key in keys
    )


def most_common(figures: RunFigures) -> Headline:
    """Name the most common outcome."""
    summary, outcome = figures.summary, figures.table.outcome
    names = {each.key: each.name for each in outcome.classes}
    (key, count), *_ = every = summary.outcomes.most_common()
    counted = ", ".join(f"{outcome.word(each)} in {cases:,}" for each, cases in every)
    title = f"{names.get(key, key)}: {rounded_percent(count / summary.verdicts)}"
    return Headline(title, f"Of {many(summary.verdicts, outcome.noun)}: {counted}.", outcome.tone(key))


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """`own` computes from the chosen rows what only this protocol knows. The others find it in `RunFigures.own`.

    `finding` is called if there are verdicts; `found` are the parts of the picture beside it. Pictures that have
    nothing to show are left out; the grid of all cases and the cost follow them. `systems` tells how often each system
    won, tied and lost, the strongest first: runs are compared by it over time.
    """

    own: Callable[[Database], Any] = lambda _: None
    finding: Callable[[RunFigures], Headline] = most_common
    found: Callable[[RunFigures], tuple[FoundPart, ...]] = by_outcome
    pictures: tuple[Callable[[RunFigures], Picture | None], ...] = (outcomes, numbers, labels, means)
    parts: Callable[[RunFigures], tuple[ReportPart, ...]] = lambda _: ()
    systems: Callable[[RunFigures], Mapping[str, tuple[int, int, int]]] = lambda _: {}
