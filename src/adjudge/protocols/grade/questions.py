"""What a judge is asked in a grading, and what it found: one `ItemFinding` an item, before any rule was applied."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pydantic import Field

from ...judges.base import Question
from ...models.base import ExactRatio, Frozen
from ...models.common import Opinion
from ...rubric import Rubric
from .case import Grading
from .rubric import Item, items_of
from .verdict import Claim, MainPoint, MeasuredConstraint, MemberResult, Quote

# unproven: a yes without a verified quote. nothing: nothing was listed. unassessed: the judge cannot tell, or all that
# it listed was dropped.
State = Literal["yes", "no", "not_applicable", "unproven", "level", "share", "nothing", "unassessed"]


class ItemFinding(Frozen):
    """What one judge found for one item. `level` is given for a scale, `share` for claims, covers and constraints."""

    state: State
    level: ExactRatio | None = None
    share: ExactRatio | None = None
    reason: str = ""
    evidence: tuple[Quote, ...] = ()
    claims: tuple[Claim, ...] = ()
    unclaimed: tuple[Quote, ...] = ()
    main_points: tuple[MainPoint, ...] = ()
    constraints: tuple[MeasuredConstraint, ...] = ()
    members: tuple[MemberResult, ...] = ()

    @property
    def word(self) -> str:
        """The finding in a word: yes, 4, 2/3, not_applicable, …"""
        if self.state == "level":
            return str(self.level)
        if self.state == "share":
            met, of = self.counts
            return f"{met}/{of}"
        return "not_applicable" if self.state == "nothing" else self.state

    @property
    def counts(self) -> tuple[int, int]:
        """How many of what was listed earn a share, and how many there are."""
        if self.claims:
            return sum(one.result == "supported" for one in self.claims), len(self.claims)
        if self.main_points:
            return sum(one.result == "covered" for one in self.main_points), len(self.main_points)
        counted = [one.met for one in self.constraints if one.met is not None]
        return sum(counted), len(counted)

    def counted(self) -> ItemFinding:
        """Return the finding as a share of what was listed."""
        return self.updated(state="share", share=Fraction(*self.counts))


class Findings(Opinion):
    """What a judge found for the items that it was asked about, by key."""

    items: dict[str, ItemFinding] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskQuestion(Question[Findings]):
    """What is the answer to each `ask` of the rubric?"""

    case: Grading
    rubric: Rubric

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(item for item in items_of(self.rubric) if item.kind in ("ask", "scale"))


@dataclass(frozen=True, slots=True)
class ClaimsQuestion(Question[Findings]):
    """Which claims does the answer make, which points does the reference, and what does the other text say of each?

    Only the items `keys` are asked about: the others have no source, or no answer to read.
    """

    case: Grading
    rubric: Rubric
    keys: tuple[str, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(item for item in items_of(self.rubric) if item.key in self.keys)


@dataclass(frozen=True, slots=True)
class DemandsQuestion(Question[Findings]):
    """What does the task demand that can be counted? The judge is shown the task only."""

    case: Grading
    rubric: Rubric

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(item for item in items_of(self.rubric) if item.kind == "constraints")
