"""Precision and recall of a detector over labelled samples, as one row of a table; shared by the detector benches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

HEADER = f"{'detector':<28} {'samples':>7} {'present':>7} {'precision':>9} {'recall':>7}"


@dataclass(frozen=True)
class Counts:
    """How often a detector was right, and in which way it was wrong."""

    right: int = 0
    false_alarms: int = 0
    missed: int = 0
    quiet: int = 0

    @property
    def samples(self) -> int:
        return self.right + self.false_alarms + self.missed + self.quiet

    def row(self, name: str) -> str:
        reported, present = self.right + self.false_alarms, self.right + self.missed
        precision = f"{self.right / reported:.3f}" if reported else "none"
        recall = f"{self.right / present:.3f}" if present else "none"
        return f"{name:<28} {self.samples:>7} {present:>7} {precision:>9} {recall:>7}"


def count(pairs: Iterable[tuple[bool, bool]]) -> Counts:
    """Counts from pairs (is it there, was it reported)."""
    tally = [0, 0, 0, 0]
    for present, reported in pairs:
        tally[(0 if reported else 2) if present else (1 if reported else 3)] += 1
    return Counts(*tally)
