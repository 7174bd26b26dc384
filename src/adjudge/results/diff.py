"""Two runs over the same cases: which verdicts changed, by how much, and whether chance would explain it.

A case is the same if its id and its texts are; weights belong to how it is judged, and may differ.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from ..errors import InputError
from .column import Cells, minus
from .columns import Table, table_of
from .directory import Run
from .needs import need
from .statistics import Change, mean_change, share_change, share_interval

# What a verdict comes to, in a word and in a number, by protocol; and what else is worth a test.
OUTCOME = {"compare": "winner", "dialogue": "overall_experience", "review": "winner"}
NUMBER = {"compare": "lead", "dialogue": "average", "review": "likert"}
TESTED = {
    "compare": ("normalized_a", "normalized_b", "lead"),
    "dialogue": ("average", "overall_experience"),
    "review": ("likert", "overall_quality_a", "overall_quality_b"),
}


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case whose verdict came out otherwise, with the scores that moved: what they were and what they are."""

    case: str
    before: Any
    after: Any
    change: float | None
    scores: Mapping[str, tuple[float, float]]

    @property
    def flipped(self) -> bool:
        return bool(self.before != self.after)


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
    changes: list[CaseChange] = field(default_factory=list)
    tests: dict[str, Change] = field(default_factory=dict)
    agreement: Change | None = None
    shifts: dict[str, Shift] = field(default_factory=dict)

    @property
    def flipped(self) -> int:
        return sum(self.flips.values())

    @property
    def flipped_interval(self) -> tuple[float, float] | None:
        return share_interval(self.flipped, self.judged_in_both) if self.judged_in_both else None


def diff_of(first: Run, second: Run) -> Diff:
    """The differences from the first run to the second."""
    if first.protocol != second.protocol:
        found = f"a {second.protocol} run beside a {first.protocol} run"
        raise InputError("RUN2", found, "both must be of the same protocol")
    need("scipy.stats", "a comparison of runs")
    names = (first.name, second.name)
    # Two runs of one name are told apart by where they are.
    diff = Diff(first.protocol, (str(first.folder), str(second.folder)) if names[0] == names[1] else names)
    pairs = _pair(first, second, diff)
    tables = table_of(first), table_of(second)
    numbers: dict[str, tuple[array[float], array[float]]] = {}
    shared = [name for name in tables[0].scores if name in tables[1].scores]
    agreeing: tuple[list[bool], list[bool]] = ([], [])
    for before, after in _rows(first, second, tables, pairs, diff):
        _compare(diff, before, after, shared, numbers)
        if before["agrees"] is not None and after["agrees"] is not None:
            agreeing[0].append(before["agrees"])
            agreeing[1].append(after["agrees"])
    diff.changes.sort(key=lambda change: (not change.flipped, -abs(change.change or 0), change.case))
    for name, (old, new) in numbers.items():
        if name in TESTED[first.protocol]:
            diff.tests[name] = mean_change(old, new)
        elif name in shared:
            moved = sum(one != other for one, other in zip(old, new, strict=True))
            diff.shifts[name] = Shift(len(old), moved, sum(old) / len(old), sum(new) / len(new))
    if agreeing[0]:
        diff.agreement = share_change(*agreeing)
    return diff


def _compare(
    diff: Diff,
    before: Cells,
    after: Cells,
    shared: list[str],
    numbers: dict[str, tuple[array[float], array[float]]],
) -> None:
    diff.judged_in_both += 1
    moved: dict[str, tuple[float, float]] = {}
    for name in (*shared, *({"lead"} if diff.protocol == "compare" else ())):
        old, new = before[name], after[name]
        if old is None or new is None:
            continue
        kept = numbers.setdefault(name, (array("d"), array("d")))
        kept[0].append(old)
        kept[1].append(new)
        if old != new:
            moved[name] = (old, new)
    was, now = before[OUTCOME[diff.protocol]], after[OUTCOME[diff.protocol]]
    if was != now:
        diff.flips[_said(was), _said(now)] += 1
    if was != now or moved:
        number = NUMBER[diff.protocol]
        change = minus(after[number], before[number])
        diff.changes.append(CaseChange(str(before["case"]), was, now, change, moved))


def _said(outcome: Any) -> str:
    """An outcome in a word; a review of a task that cannot be rated has none."""
    return "invalid" if outcome is None else f"{outcome:g}" if isinstance(outcome, int | float) else str(outcome)


def _rows(
    first: Run, second: Run, tables: tuple[Table, Table], pairs: array[int], diff: Diff
) -> Iterator[tuple[Cells, Cells]]:
    """The rows of cases that have a verdict in both runs; the others are counted on the way."""
    with first.reader() as old, second.reader() as new:
        for at in range(0, len(pairs), 2):
            before, after = old.outcome(pairs[at]), new.outcome(pairs[at + 1])
            if before is None or after is None:
                diff.unfinished += 1
                continue
            judged = before.status == "verdict", after.status == "verdict"
            if judged == (True, True):
                rows = tables[0].row(before), tables[1].row(after)
                for row in rows:
                    if diff.protocol == "compare":
                        row["lead"] = minus(row["normalized_a"], row["normalized_b"])
                yield rows
            elif judged == (False, False):
                diff.failed_in_both += 1
            else:
                (diff.fixed if judged[1] else diff.broken).append(before.name)


def _pair(first: Run, second: Run, diff: Diff) -> array[int]:
    """Positions of the same case in both runs, one after the other; a case that stands twice is paired twice."""
    places: dict[int, list[int] | int] = {}
    for position, case in first.case_lines():
        key = _key(case)
        known = places.get(key)
        places[key] = position if known is None else [*([known] if isinstance(known, int) else known), position]
    pairs = array("q")
    for position, case in second.case_lines():
        key = _key(case)
        known = places.pop(key, None)
        if known is None:
            diff.only_second.append(str(case["case"]))
            continue
        earliest, *rest = known if isinstance(known, list) else [known]
        if rest:
            places[key] = rest
        pairs.extend((earliest, position))
    left = {at for known in places.values() for at in ([known] if isinstance(known, int) else known)}
    if left:
        diff.only_first.extend(str(case["case"]) for position, case in first.case_lines() if position in left)
    gone = set(diff.only_first)
    diff.other_texts.extend(name for name in diff.only_second if name in gone)
    diff.in_both = len(pairs) // 2
    return pairs


def _key(case: Mapping[str, Any]) -> int:
    given = {name: value for name, value in (case.get("input") or {}).items() if name != "weights"}
    told = orjson.dumps([case["case"], given], option=orjson.OPT_SORT_KEYS)
    return int.from_bytes(hashlib.blake2b(told, digest_size=8).digest(), "big")
