"""A run in a few numbers: what came of the cases, who won, what people say, what it cost. Added up row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ..models.rows import Cells, winner_of
from .columns import Table
from .directory import Run
from .needs import has
from .statistics import share_interval


@dataclass
class Counts:
    """How many cases a run has, and what came of those that were looked at."""

    cases: int
    statuses: Counter[str] = field(default_factory=Counter)

    @property
    def finished(self) -> int:
        return sum(self.statuses.values())

    @property
    def unfinished(self) -> int:
        return self.cases - self.finished


@dataclass
class Summary(Counts):
    """Numbers so far; `add` takes a row in."""

    scores: tuple[str, ...] = ()
    winners: Counter[str] = field(default_factory=Counter)
    steps: Counter[float] = field(default_factory=Counter)
    undecided: int = 0
    confident: int = 0
    inconsistent: int = 0
    invalid: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    judges: Counter[str] = field(default_factory=Counter)
    named_systems: int = 0
    labelled: int = 0
    agreeing: int = 0
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    cost: Decimal = Decimal(0)
    unknown_cost: int = 0
    tokens: int = 0
    calls: int = 0
    _sums: dict[str, float] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)

    def add(self, row: Cells) -> None:
        """Take one row in."""
        self.statuses[row["status"]] += 1
        if row["reason"]:
            self.reasons[row["reason"]] += 1
        if row["judge"]:
            self.judges[row["judge"]] += 1
        self.named_systems += row["system_a"] is not None
        self.tokens += row["tokens"] or 0
        self.calls += row["calls"] or 0
        if row["cost"] is not None:
            self.cost += Decimal(str(row["cost"]))
        elif row["calls"]:
            self.unknown_cost += 1
        if row["status"] == "verdict":
            self._add_verdict(row)

    def _add_verdict(self, row: Cells) -> None:
        if row.get("winner"):
            self.winners[row["winner"]] += 1
        if row.get("overall_experience") is not None:
            self.steps[row["overall_experience"]] += 1
        self.confident += row.get("confidence") is not None
        self.undecided += row.get("decided") is False
        self.inconsistent += row.get("order_consistent") is False
        self.invalid += bool(row.get("invalid"))
        self.warnings.update((row["warnings"] or "").split())
        if row["agrees"] is not None:
            self.labelled += 1
            self.agreeing += row["agrees"]
            if (named := winner_of(row["label"])) is not None and row.get("winner"):
                self.confusion[named, row["winner"]] += 1
        for name in self.scores:
            if (value := row[name]) is not None:
                self._sums[name] = self._sums.get(name, 0.0) + value
                self._counts[name] += 1

    @property
    def means(self) -> dict[str, float]:
        return {name: self._sums[name] / self._counts[name] for name in self.scores if self._counts[name]}

    @property
    def agreement(self) -> dict[str, Any] | None:
        """How often the verdict says what people say, with an interval where SciPy is there."""
        if not self.labelled:
            return None
        share = self.agreeing / self.labelled
        interval = share_interval(self.agreeing, self.labelled) if has("scipy") else None
        return {"labelled": self.labelled, "agreeing": self.agreeing, "share": share, "interval": interval}


def summary_of(run: Run, table: Table, rows: Iterable[Cells]) -> Summary:
    """The summary of these rows."""
    summary = Summary(run.expected, scores=table.scores)
    for row in rows:
        summary.add(row)
    return summary
