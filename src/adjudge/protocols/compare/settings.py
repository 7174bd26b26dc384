"""The settings of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from ..options import setting
from ..settings import Settings, judge_setting
from .rules import CompareOptions
from .verdict import ComparisonVerdict


@dataclass(frozen=True, kw_only=True)
class CompareSettings(Settings[ComparisonVerdict], CompareOptions):
    """Settings of a comparison. `search` names the service that looks up what the judge wants to know."""

    protocol = "compare"
    judge: str = judge_setting()
    search: str | None = setting(
        None,
        "look facts up: searxng:http://HOST:PORT or brave",
        metavar="SERVICE",
        brief="look facts up",
        serve="look facts up: searxng:http://HOST:PORT or brave",
        service="search",
    )
