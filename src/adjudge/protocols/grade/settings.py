"""The settings of a grading."""

from __future__ import annotations

from dataclasses import dataclass

from ..settings import Settings, judge_setting
from .verdict import GradeVerdict


@dataclass(frozen=True, kw_only=True)
class GradeSettings(Settings[GradeVerdict]):
    """Settings of a grading."""

    protocol = "grade"
    judge: str = judge_setting()
