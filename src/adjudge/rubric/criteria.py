"""What a rubric is once it was read: criteria, each with its scale and weight. Frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache

from ..arithmetic import plain

PROTOCOLS = ("compare", "dialogue", "review")
OVERALL = "overall_quality"


@dataclass(frozen=True, slots=True)
class Scale:
    """The values a score may take: from `low` to `high` in steps."""

    low: Decimal
    high: Decimal
    step: Decimal

    @property
    def values(self) -> tuple[Decimal, ...]:
        return _values(self)


@lru_cache(maxsize=64)
def _values(scale: Scale) -> tuple[Decimal, ...]:
    count = int((scale.high - scale.low) / scale.step) + 1
    return tuple(plain(scale.low + scale.step * index) for index in range(count))


HOW_BAD = Scale(Decimal(1), Decimal(3), Decimal(1))
TOO_LITTLE_TOO_MUCH = Scale(Decimal(-2), Decimal(2), Decimal(1))
ONE_TO_FIVE = Scale(Decimal(1), Decimal(5), Decimal(1))
LIKERT = Scale(Decimal(1), Decimal(7), Decimal(1))


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that is scored; in a review on a scale of its own."""

    key: str
    name: str
    weight: Decimal
    guidance: str
    scale: Scale
    bands: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Rubric:
    """What is scored, on which scale, and how much each criterion counts."""

    name: str
    version: str
    protocol: str
    scale: Scale
    tie_band: Decimal
    bands: tuple[tuple[str, str], ...]
    criteria: tuple[Criterion, ...]
    source: str

    @cached_property
    def digest(self) -> str:
        import hashlib  # loads OpenSSL, which not everybody needs who comes by here

        return hashlib.sha256(self.source.encode()).hexdigest()[:12]

    @cached_property
    def reference(self) -> str:
        """Name, version and content in one string, as a verdict records it."""
        return f"{self.name}@{self.version}#{self.digest}"

    @cached_property
    def weights(self) -> dict[str, Decimal]:
        return {criterion.key: criterion.weight for criterion in self.criteria}
