"""What a report shows of a grading."""

from __future__ import annotations

from dataclasses import dataclass

from ...rubric import Rubric
from ..origin import Origin, origin_of
from .verdict import GradeVerdict


@dataclass(frozen=True, slots=True)
class GradeView:
    """The verdict and its headline."""

    verdict: GradeVerdict
    headline: str
    origin: Origin


def build(verdict: GradeVerdict, _: Rubric) -> GradeView:
    """Build the view of a verdict."""
    return GradeView(verdict, verdict.why, origin_of(verdict))
