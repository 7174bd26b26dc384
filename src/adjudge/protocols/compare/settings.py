"""The settings of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from ..settings import Settings, service
from .rules import CompareOptions
from .verdict import ComparisonVerdict


@dataclass(frozen=True, kw_only=True)
class CompareSettings(Settings[ComparisonVerdict], CompareOptions):
    """Settings of a comparison. `search` names the service that looks up what the judge wants to know."""

    protocol = "compare"
    judge: str = service("judge", "embedded")
    search: str | None = service("search", None)
