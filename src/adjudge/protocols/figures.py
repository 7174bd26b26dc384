"""What queries and reports over a run's table ask of a protocol: its outcome, its main number, its criteria and its
cases. All of it is data: columns, SQL expressions, words, and tones (A, B, tie, undecided, bad or none).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast

from ..rubric import Rubric

UNDECIDED = "undecided"  # the outcome of a verdict that the judge did not decide, in every protocol
# The ways in which a judge may misbehave; `results.traits` says when that is too often.
TraitKey = Literal["invented", "unusable", "repaired", "orders", "position", "ties", "flat", "unvaried"]


@dataclass(frozen=True, slots=True)
class OutcomeClass:
    """One outcome: its key in SQL, its name in pictures, and its word in lists, which is the key unless given.

    `always`: it is drawn even if no case has it. `known`: else it is null for programs.
    """

    key: str
    name: str
    tone: str
    word: str = ""
    always: bool = False
    known: bool = True


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """A verdict's outcome in a word: the SQL of its `value`, and where it is the same as a column, for programs, that
    `column`. `undecided` is the SQL condition of verdicts that are neither won nor lost nor a tie; `why_undecided` and
    `undecided_count` say in the words of the protocol what that means and how they count. `blocked` is the column that
    says in words that cases share what kept a verdict from being decided.

    Without `classes`, outcomes are numbers; those from `high` on are good, those up to `low` bad. `sorted` has the keys
    from one side to the other, if that is not the order of the classes. `reason` is the column that explains an outcome
    in a list. `of_system` are words for the cases that speak for a system, for no side, and against it; `system_share`
    names the share of the first. `name` is used within sentences, `heading` above lists; a picture is called `title`
    and shows shares of so many `noun`s. `before` comes before the outcomes of a run where they say too little alone.
    """

    value: str
    column: str
    name: str
    heading: str
    title: str
    noun: str = "verdict"
    before: str = ""
    where: str = ""
    classes: tuple[OutcomeClass, ...] = ()
    sorted: tuple[str, ...] = ()
    undecided: str = "false"
    why_undecided: str = "the judge was not sure enough"
    undecided_count: str = "neither as wins nor as ties"
    blocked: str | None = None
    reason: str | None = None
    of_system: tuple[str, str, str] = ("won", "tied", "lost")
    system_share: str = "Share of its decided comparisons that it won"
    low: float = 0.0
    high: float = 0.0

    @property
    def sql(self) -> str:
        if self.undecided == "false":
            return self.value
        return f"case when {self.undecided} then '{UNDECIDED}' else {self.value} end"

    def word(self, key: str) -> str:
        """Return the word for an outcome in a list."""
        return next((each.word or key for each in self.classes if each.key == key), key)

    def rank(self, key: str) -> float:
        """Return the place of an outcome from one side to the other; numbers are sorted from the best down."""
        keys = self.sorted or tuple(each.key for each in self.classes)
        if key == UNDECIDED and key not in keys:
            return len(keys) if keys else math.inf
        return keys.index(key) if keys else -float(key)

    def tone(self, key: str) -> str:
        """Return the tone of an outcome. High, middle and low numbers have one tone each."""
        if key == UNDECIDED:
            return UNDECIDED
        if self.classes:
            return next(each.tone for each in self.classes if each.key == key)
        return "A" if float(key) >= self.high else "B" if float(key) <= self.low else "tie"

    def data(self, key: str) -> str | float | None:
        """Return an outcome as data for programs."""
        if not self.classes and key != UNDECIDED:
            return cast(float, json.loads(key))
        return key if any(each.key == key and each.known for each in self.classes) else None


@dataclass(frozen=True, kw_only=True)
class Number:
    """A verdict's main number: its column, and the width of its histogram's steps. `expected` is the sentence on a
    calibrated number, with `{}` in its place.

    Of a histogram that is drawn, `scale` has both ends. With `open_ends`, what is beyond them is counted there.
    Numbers below and above the `middle` have a tone each; every `tick`th number is written below.
    """

    column: str
    step: float
    expected: str
    title: str = ""
    lead: str = ""
    noun: str = "case"
    scale: tuple[float, float] | None = None
    open_ends: bool = False
    middle: float = 0.0
    tones: tuple[str, str] = ("", "")
    signed: bool = False
    tick: float = 1.0


@dataclass(frozen=True, kw_only=True)
class CriterionMeans:
    """The picture of mean scores: `totals` (column, label, tone), then for each criterion a bar for each of its
    columns (what these end in, what is added to the name, tone)."""

    whose: str
    totals: tuple[tuple[str, str, str], ...] = ()
    columns: tuple[tuple[str, str, str], ...] = (("", "", ""),)
    legend: tuple[tuple[str, str], ...] = ()
    wide: bool = False


@dataclass(frozen=True, kw_only=True)
class CriterionGrid:
    """The picture of cases by criterion: `cell` is SQL in which `{0}`, `{1}` … are the criterion's columns that end in
    these `suffixes`; `more` has further rows. Cases are sorted by the SQL `order`, which `lead` says in words.

    A cell is darkest at `reach`, or at both ends of the rubric's scale; `tones` are for below, at and above the middle.
    """

    suffixes: tuple[str, ...]
    cell: str
    order: str
    lead: str
    tones: tuple[str, str, str]
    legend: tuple[tuple[str, str], ...]
    reach: float | None = None
    more: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    signed: bool = False


@dataclass(frozen=True, kw_only=True)
class CaseSql:
    """SQL over `input`, the JSON of a case. `extracted` is extracted once, and the others refer to it by name.

    Two cases with the same `content` are copies of each other: it is all that a judge reads. Cases of one `task`, what
    the answers respond to, are not independent. `opening` is what a list shows of the case.
    """

    extracted: Mapping[str, str] = field(default_factory=dict)
    content: str = "hash(input)"
    task: str = "content"
    opening: str = "null::VARCHAR"


class ListColumn(NamedTuple):
    """A column of the list of cases. An `optional` one is left out if it is empty in the whole run. A `signed` number
    has its sign, also if it is above zero."""

    name: str
    heading: str
    optional: bool = False
    probability: bool = False
    signed: bool = False


class TraitCount(NamedTuple):
    """SQL for how often a case shows a trait, and how often it could. Where given, the most common `detail` is said."""

    hits: str
    of: str
    detail: str = ""


def counted(column: str) -> TraitCount:
    """Count the cases in which a BOOLEAN column is true, of those in which it is not empty."""
    return TraitCount(f"{column}::INT", f"({column} is not null)::INT")


@dataclass(frozen=True, kw_only=True)
class GateFigure:
    """A figure that a gate may name, `about` what it says: the mean over the cases that were decided.

    `value` is SQL for the number of a decided verdict, between both ends of the `scale`. A case without a verdict could
    have any number of the scale; an undecided one too, or one from `lowest` to `highest`, if given in SQL. `share`: it
    is the share of cases that have something, not a score.
    """

    name: str
    about: str
    value: str
    share: bool = False
    scale: Callable[[Rubric], tuple[float, float]] = lambda _: (0.0, 1.0)
    lowest: str = "null"
    highest: str = "null"


def win_rate(about: str) -> GateFigure:
    """Return the figure of two sides: how often the first one wins."""
    value = "case winner when 'A' then 1 when 'tie' then 0.5 when 'B' then 0 end"
    return GateFigure(name="win_rate", about=about, value=value, share=True)


class OutcomeShare(NamedTuple):
    """Verdicts with the same outcome: the tone in which they are drawn, how many they are, and words for them."""

    tone: str
    cases: int
    words: str


@dataclass(frozen=True, kw_only=True)
class CaseListing:
    """How lists of runs and of cases show what was decided. `parts` groups the verdicts of a run, counted by answer.
    `sorts` are names by which its cases can be sorted besides columns, with their SQL on a row `r`; `orders` are the
    most useful orders, with words for them."""

    parts: Callable[[Mapping[str, int]], Iterable[OutcomeShare]] = lambda answers: (
        OutcomeShare("tie", count, answer) for answer, count in sorted(answers.items())
    )
    sorts: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[str, str] = field(default_factory=dict)
