"""Two runs over the same cases: which verdicts changed, by how much, and whether chance would explain it.

A case is the same if its id and its texts are; weights belong to how it is judged, and may differ.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from ..models.rows import Cells
from .changes import CaseChange, Changes
from .columns import minus, table_of
from .database import Database, database_of
from .directory import Run
from .needs import need
from .pairing import Pairs, paired
from .statistics import Change, mean_change, share_change, share_interval

# What a verdict comes to, in a word and in a number, by protocol; and what else is worth a test.
OUTCOME = {"compare": "winner", "dialogue": "overall_experience", "review": "winner"}
NUMBER = {"compare": "lead", "dialogue": "average", "review": "likert"}
TESTED = {
    "compare": ("normalized_a", "normalized_b", "lead"),
    "dialogue": ("average", "overall_experience"),
    "review": ("likert", "overall_quality_a", "overall_quality_b"),
}
_STRETCH = 5_000  # pairs that are read at a time
_Pair = tuple[Cells, Cells]


@dataclass(frozen=True, slots=True)
class Shift:
    """A score over all pairs that have it: its means, and in how many it moved."""

    pairs: int
    moved: int
    before: float
    after: float


@dataclass
class Diff:
    """What two runs have in common, and what not."""

    protocol: str
    names: tuple[str, str]
    changes: Changes
    only_first: list[str] = field(default_factory=list)
    only_second: list[str] = field(default_factory=list)
    other_texts: list[str] = field(default_factory=list)
    in_both: int = 0
    judged_in_both: int = 0
    unfinished: int = 0
    fixed: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    failed_in_both: int = 0
    flips: Counter[tuple[str, str]] = field(default_factory=Counter)
    tests: dict[str, Change] = field(default_factory=dict)
    agreement: Change | None = None
    shifts: dict[str, Shift] = field(default_factory=dict)

    @property
    def flipped(self) -> int:
        return sum(self.flips.values())

    @property
    def flipped_interval(self) -> tuple[float, float] | None:
        return share_interval(self.flipped, self.judged_in_both) if self.judged_in_both else None


@contextmanager
def diff_of(first: Run, second: Run) -> Iterator[Diff]:
    """The differences from the first run to the second; the cases that changed can be read until the block ends."""
    if first.protocol != second.protocol:
        found = f"a {second.protocol} run beside a {first.protocol} run"
        raise InputError("RUN2", found, "both must be of the same protocol")
    need("scipy.stats", "a comparison of runs")
    names = (first.name, second.name)
    # Two runs of one name are told apart by where they are.
    names = (str(first.folder), str(second.folder)) if names[0] == names[1] else names
    with closing(Changes()) as changes:
        diff = Diff(first.protocol, names, changes)
        _compare(diff, first, second)
        yield diff


def _compare(diff: Diff, first: Run, second: Run) -> None:
    pairs = paired(first, second)
    diff.in_both, diff.only_first, diff.only_second = len(pairs), pairs.only_first, pairs.only_second
    gone = set(diff.only_first)
    diff.other_texts = [name for name in diff.only_second if name in gone]
    tables = table_of(first), table_of(second)
    shared = [name for name in tables[0].scores if name in tables[1].scores]
    wanted = ["case", "agrees", OUTCOME[first.protocol], *shared]
    moved = _Moved(diff, shared)
    agreeing = bytearray(), bytearray()
    with (
        database_of(first, tables[0], wanted, "a comparison of runs") as old,
        database_of(second, tables[1], wanted, "a comparison of runs") as new,
    ):
        for before, after in _rows((old, new), wanted, pairs, diff):
            moved.add(before, after)
            if before["agrees"] is not None and after["agrees"] is not None:
                agreeing[0].append(before["agrees"])
                agreeing[1].append(after["agrees"])
    moved.finish()
    if agreeing[0]:
        diff.agreement = share_change(*agreeing)


class _Moved:
    """What moved from pair to pair. Numbers are kept only for the means that are tested; of the others, sums."""

    def __init__(self, diff: Diff, shared: Sequence[str]) -> None:
        self._diff = diff
        self._names = (*shared, *(("lead",) if diff.protocol == "compare" else ()))
        self._tested = {name: (array("d"), array("d")) for name in self._names if name in TESTED[diff.protocol]}
        self._sums: dict[str, list[float]] = {
            name: [0, 0, 0.0, 0.0] for name in self._names if name not in self._tested
        }

    def add(self, before: Cells, after: Cells) -> None:
        """Take one pair in."""
        diff = self._diff
        diff.judged_in_both += 1
        moved: dict[str, tuple[float, float]] = {}
        for name in self._names:
            old, new = before[name], after[name]
            if old is None or new is None:
                continue
            if old != new:
                moved[name] = (old, new)
            if (kept := self._tested.get(name)) is not None:
                kept[0].append(old)
                kept[1].append(new)
            else:
                sums = self._sums[name]
                sums[0] += 1
                sums[1] += old != new
                sums[2] += old
                sums[3] += new
        was, now = before[OUTCOME[diff.protocol]], after[OUTCOME[diff.protocol]]
        if was != now:
            diff.flips[_said(was), _said(now)] += 1
        if was != now or moved:
            number = NUMBER[diff.protocol]
            change = minus(after[number], before[number])
            diff.changes.add(CaseChange(str(before["case"]), was, now, change, moved))

    def finish(self) -> None:
        """Put what was added up into the difference."""
        for name, (old, new) in self._tested.items():
            if old:
                self._diff.tests[name] = mean_change(old, new)
        for name, (pairs, moved, before, after) in self._sums.items():
            if pairs:
                self._diff.shifts[name] = Shift(int(pairs), int(moved), before / pairs, after / pairs)


def _said(outcome: Any) -> str:
    """An outcome in a word; a review of a task that cannot be rated has none."""
    return "invalid" if outcome is None else f"{outcome:g}" if isinstance(outcome, int | float) else str(outcome)


def _rows(databases: tuple[Database, Database], names: Sequence[str], pairs: Pairs, diff: Diff) -> Iterator[_Pair]:
    """The rows of cases that have a verdict in both runs; the others are counted on the way."""
    for first, second in pairs.stretches(_STRETCH):
        old, new = (base.cells_at(at, names) for base, at in zip(databases, (first, second), strict=True))
        for one, other in zip(first, second, strict=True):
            before, after = old.get(one), new.get(other)
            if before is None or after is None:
                diff.unfinished += 1
                continue
            judged = before["status"] == "verdict", after["status"] == "verdict"
            if judged == (True, True):
                for row in (before, after) if diff.protocol == "compare" else ():
                    row["lead"] = minus(row["normalized_a"], row["normalized_b"])
                yield before, after
            elif judged == (False, False):
                diff.failed_in_both += 1
            else:
                (diff.fixed if judged[1] else diff.broken).append(str(before["case"]))
